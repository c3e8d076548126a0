# SPDX-License-Identifier: GPL-3.0-or-later
"""The clean-up's objective, term by term (docs/mathematics.md, 5.2; Holden's offline part as least squares).

Unknowns are displacements x, in metres: of each root, of each limb's toe, and, for a body on more than two legs, turns
of its root (rotation vector times an arm). With D, D2, D3 the first to third difference over frames, dt the frame's
length in frames of 120 Hz and w each row's weight below, the clean-up minimizes the sum over frames of

    1/dt |D x|^2                              each point keeps its velocity
    smoothness w/dt^3 |D2 x|^2                no kink where a contact begins or ends
    smoothness w/dt^5 |D3 x|^2                no jerk there: hips most of all
    smoothness w/dt^3 (D2 knee)^2             no knee turns with a jerk; knee = (d angle / d reach) (reach - given)
    keep_travel w dt |x|^2                    the clip stays where it is
    HARD/dt^5 |D x - step|^2                  a planted point moves as its ground does: level,
    VERTICAL (D z - step)^2                   and softly up and down
    (RAISED/dt^5 or VERTICAL) (z - rise)^2    a planted toe stands at its height: raised hard, lowered softly
    keep_reach dt (reach - given)^2           knees keep their bend
    WITHIN_REACH dt softplus(reach - longest)^2   no leg is longer than it is
    ABOVE_GROUND dt min(z - lowest, 0)^2      a swinging toe stays above the ground
    GO_ALONG dt |hand - carried|^2            a hand that is not planted goes where the body carries it

where reach = |hip - heel| follows from root and toe, since the foot keeps its orientation. The powers of dt make each
sum over frames an integral over time, so that the result does not depend on the frame rate. ``Problem.linear_terms``
adds the terms that are linear in x, ``Problem.linearized_terms`` the rest.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .. import rotations
from ..arrays import BoolArray, FloatArray
from ..bending import soft_excess
from ..clip import Clip
from ..least_squares import BandedSystem
from ..limb import Limb, joint_positions
from .constraints import Constraints
from .settings import CleanupSettings
from .unknowns import Unknowns

# Weights are those of squared metres at this frame rate.
REFERENCE_RATE = 120.0

# A planted point, against 1 for the velocity of a point that is free.
HARD = 1.5e7

# A toe that has to be raised, and the weight of vertical against level constraints: low, since forcing them makes the
# knee pop at heel strike. A hand does not land with a stride, and may hold on to a wall.
RAISED = 1e4
VERTICAL = 10.0
VERTICAL_OF_HANDS = 100.0

# Second and third difference, per unit of smoothness. Hips carry the whole body: what they do is seen most.
SMOOTH_ROOT, SHARP_ROOT = 200.0, 1e4
SMOOTH_TOE, SHARP_TOE = 10.0, 1e3
SMOOTH_KNEE = 20.0

# The knee's angle in metres is that of half a 0.9 m leg; a knee counts as bent by this much (the sine) at least.
HALF_LEG = 0.45
LEAST_SINE = 0.15

# The root's displacement has more weight than the toes', which have to move where they slide; its height has more than
# its level part, so that hips are not dropped to gain reach.
KEEP_TOE_POSITION = 1e-3
KEEP_ROOT_POSITION = 1.8e-2
KEEP_ROOT_HEIGHT = 2e-2
KEEP_ROOT_UPRIGHT = 0.1
WITHIN_REACH = 30.0
ABOVE_GROUND = 100.0

# Weight of keeping a hand that is not planted where the body carries it: it eases there in about a tenth of a second.
GO_ALONG = 1e-2

# Metres for a 0.9 m leg over which the limit of reach sets in: at a step, Gauss-Newton would go back and forth over it.
REACH_MARGIN = 0.002

# Gauss-Newton stops when no point moves further than this (metres for a 0.9 m leg) in a step, or after so many steps.
CLOSE_ENOUGH = 5e-5
MOST_STEPS = 12


class Problem:
    """The residuals of one clean-up and their linearization.

    given_reach : (F, L) metres, reach in the clip.
    longest_reach : (F, L) metres, the longest that is asked for.
    knee_per_reach : (F, L) the knee's residual per metre of reach.
    """

    def __init__(
        self,
        clip: Clip,
        limbs: Sequence[Limb],
        constraints: Constraints,
        settings: CleanupSettings,
        pinned: BoolArray | None,
        lifted: FloatArray | None = None,
        upright: bool = False,
    ) -> None:
        """Set up the problem of one clip.

        Parameters
        ----------
        pinned : (F,) frames that have to stay as they are, None for none.
        lifted : (F, points, 3) metres by which all has been displaced already; what is found comes on top.
        upright : whether points keep to their plumb lines; roots may still turn.
        """
        self.constraints, self.settings, self.pinned, self.upright = constraints, settings, pinned, upright
        self.unknowns = Unknowns.of(clip, limbs)
        self.frames = clip.frame_count
        self.dt = REFERENCE_RATE / clip.fps
        scales = np.array([limb.scale(clip) for limb in limbs])
        # The lowest segment of a leg with a hock about keeps its lean: the hock, too, is the toe and a known offset.
        self.legs = joint_positions(clip, limbs, "hip") - joint_positions(clip, limbs, "upper_end")
        if lifted is not None:
            self.legs = self.legs + self.unknowns.displaced_legs(lifted)
        self.given_reach = np.linalg.norm(self.legs, axis=-1)
        straight = np.stack([limb.full_reach(clip, limb.upper_end) for limb in limbs], axis=1)
        self.longest_reach = np.maximum(straight - settings.softening * scales, self.given_reach)
        self.knee_per_reach = self._knee_per_reach(clip, limbs, scales)
        self.margin = REACH_MARGIN * scales
        self.close_enough = CLOSE_ENOUGH * float(scales.min())
        self.hands = [index for index, limb in enumerate(limbs) if limb.hand]

    def solve(self) -> FloatArray:
        """Return the displacements (F, points, 3) in metres, by Gauss-Newton steps."""
        linear = self.linear_terms()
        displacements = np.zeros((self.frames, self.unknowns.count, 3))
        for _ in range(MOST_STEPS):
            system = linear.copy()
            self.linearized_terms(system, displacements)
            before, displacements = displacements, system.solve().reshape(displacements.shape)
            if np.max(np.abs(displacements - before)) < self.close_enough:
                break
        return displacements

    def linear_terms(self) -> BandedSystem:
        """Return the terms that do not depend on where the points are."""
        smoothness, dt, weights = self.settings.smoothness, self.dt, self.unknowns.weights
        system = BandedSystem(self.frames, 3 * self.unknowns.count)
        system.add_differences(1, 1.0 / dt)
        system.add_differences(2, smoothness * weights(SMOOTH_ROOT, SMOOTH_TOE).ravel() / dt**3)
        system.add_differences(3, smoothness * weights(SHARP_ROOT, SHARP_TOE).ravel() / dt**5)
        position = self._position_weights()
        system.add_values(position, np.zeros_like(position))
        self._add_steps(system)
        self._add_rises(system)
        self._add_hands(system)
        return system

    def linearized_terms(self, system: BandedSystem, displacements: FloatArray) -> None:
        """Add the other terms, linearized about ``displacements`` (F, points, 3).

        Each residual r(x) becomes ``r + slope * (gradient . (x - now))``, and reach ``gradient . x - value`` with the
        value that makes it what it is now. The leg's own direction is the gradient for the root.
        """
        displaced = self.unknowns.displaced_legs(displacements)
        vectors = self.legs + displaced
        reach, directions = np.linalg.norm(vectors, axis=-1), rotations.normalized(vectors)
        now = np.sum(directions * displaced, axis=-1)
        gradients = self.unknowns.gradients(directions)
        # reach - given: knees keep their bend, and bend without a jerk.
        longer = now - (reach - self.given_reach)
        keep = np.full(reach.shape, self.settings.keep_reach * self.dt)
        system.add_rows(gradients, keep, longer)
        knees = self.knee_per_reach[..., None] * gradients
        smooth = SMOOTH_KNEE * self.settings.smoothness / self.dt**3
        system.add_second_differences_of_rows(knees, smooth, self.knee_per_reach * longer)
        # softplus(reach - longest). What the clip itself overreaches counts as nothing, so that a clip that needs no
        # change gets none.
        excess, slope = soft_excess((reach - self.longest_reach) / self.margin)
        allowed, _ = soft_excess((self.given_reach - self.longest_reach) / self.margin)
        within = WITHIN_REACH * self.dt * slope**2
        system.add_rows(gradients, within, now - self.margin * (excess - allowed) / slope)
        self._add_swing_heights(system, displacements)

    def _knee_per_reach(self, clip: Clip, limbs: Sequence[Limb], scales: FloatArray) -> FloatArray:
        """Return the change of each knee's angle (F, L) per metre of reach, times half a leg: in metres a metre.

        By the law of cosines, for segments a and b and the knee's angle k: ``d k / d reach = reach / (a b sin k)``.
        A knee that is nearly straight would count without limit; it counts as one that is bent a little.
        """
        hip, knee, end = (joint_positions(clip, limbs, joint) for joint in ("hip", "knee", "upper_end"))
        upper, lower = np.linalg.norm(knee - hip, axis=-1), np.linalg.norm(end - knee, axis=-1)
        product = np.maximum(upper * lower, rotations.TINY)
        cosine = (upper**2 + lower**2 - self.given_reach**2) / (2.0 * product)
        sine = np.maximum(np.sqrt(np.maximum(1.0 - cosine**2, 0.0)), LEAST_SINE)
        return HALF_LEG * scales * self.given_reach / (product * sine)

    def _position_weights(self) -> FloatArray:
        """Return the weights (F, unknowns) with which points stay where the clip has them."""
        unknowns = self.unknowns
        weights = unknowns.weights(KEEP_ROOT_POSITION, KEEP_TOE_POSITION)
        weights[unknowns.roots, 2] = KEEP_ROOT_HEIGHT
        weights[[unknowns.toe(hand) for hand in self.hands]] = 0.0
        weights *= self.settings.keep_travel * self.dt
        weights[unknowns.turns] = KEEP_ROOT_UPRIGHT * self.dt
        if self.upright:
            weights[unknowns.roots, :2] = weights[unknowns.toes, :2] = HARD
        every = np.broadcast_to(weights.ravel(), (self.frames, weights.size)).copy()
        if self.pinned is not None:
            every[self.pinned] = HARD
        return every

    def _add_steps(self, system: BandedSystem) -> None:
        """A planted point moves as its ground does."""
        level = 0.0 if self.upright else HARD / self.dt**5
        vertical = self._vertical_weights()
        along = np.stack([np.full_like(vertical, level), np.full_like(vertical, level), vertical], axis=-1)
        weights, steps = (self.unknowns.zeros(self.frames - 1) for _ in range(2))
        weights[:, self.unknowns.toes] = self.constraints.step_weight[..., None] * along
        steps[:, self.unknowns.toes] = self.constraints.step
        system.add_steps(_flat(weights), _flat(steps))

    def _add_rises(self, system: BandedSystem) -> None:
        """A planted toe is at its height."""
        rise = self.constraints.rise
        hard = np.where(rise < 0.0, self._vertical_weights(), RAISED / self.dt**5)
        weights, values = (self.unknowns.zeros(self.frames) for _ in range(2))
        weights[:, self.unknowns.toes, 2] = self.constraints.rise_weight * hard
        values[:, self.unknowns.toes, 2] = rise
        system.add_values(_flat(weights), _flat(values))

    def _vertical_weights(self) -> FloatArray:
        """Return the weight of each limb's vertical constraints (L,)."""
        weights = np.full(self.given_reach.shape[1], VERTICAL)
        weights[self.hands] = VERTICAL_OF_HANDS
        return weights

    def _add_hands(self, system: BandedSystem) -> None:
        """A hand that is not planted goes where the body carries it: no corrected foot leaves an arm behind."""
        for hand in self.hands:
            planted = self.constraints.rise_planted[:, hand].copy()
            steps = self.constraints.step_weight[:, hand] > 0.0
            planted[:-1] |= steps
            planted[1:] |= steps
            weights = np.where(planted, 0.0, GO_ALONG * self.dt)[:, None].repeat(3, axis=1)
            system.add_rows(self.unknowns.away_from_body(hand), weights, np.zeros_like(weights))

    def _add_swing_heights(self, system: BandedSystem, displacements: FloatArray) -> None:
        """A swinging toe stays above the ground."""
        lowest, toes = self.constraints.lowest_displacement, self.unknowns.toes
        sinks = (displacements[:, toes, 2] < lowest) & ~self.constraints.rise_planted
        weights, values = (self.unknowns.zeros(self.frames) for _ in range(2))
        weights[:, toes, 2] = np.where(sinks, ABOVE_GROUND * self.dt, 0.0)
        values[:, toes, 2] = lowest
        system.add_values(_flat(weights), _flat(values))


def _flat(points: FloatArray) -> FloatArray:
    """Return (N, points, 3) as (N, unknowns)."""
    return points.reshape(len(points), points.shape[1] * 3)
