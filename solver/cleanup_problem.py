# SPDX-License-Identifier: GPL-3.0-or-later
"""The clean-up's objective, term by term (docs/mathematics.md, 5.2; Holden's offline part as least squares).

Unknowns are displacements x, in metres: of each root, of each limb's toe, and, for a body on more than two legs, turns
of its root (rotation vector times a lever). With D, D2, D3 the first to third difference over frames, dt the frame's
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

where reach = |hip - heel| follows from root and toe: the foot keeps the way that it is turned. The powers of dt make
each sum over frames an integral over time, so that the result does not depend on the frame rate.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from . import rotations
from .bending import soft_excess
from .cleanup_settings import CleanupSettings
from .clip import Clip
from .footing import Footing
from .least_squares import BandedSystem
from .limb import Limb, joint_positions
from .rotations import FloatArray
from .signals import BoolArray

# Weights are those of squared metres at this frame rate.
REFERENCE_RATE = 120.0

# A planted point, against 1 for the velocity of a point that is free.
HARD = 1.5e7

# A toe that has to be raised, and how a planted point goes up and down: forced, knees would jump where feet land. A
# hand does not land with a stride, and may hold on to a wall.
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

# The root keeps its place harder than the toes, which have to move where they slide; its height is kept harder than its
# way, so that hips are not dropped to gain reach.
KEEP_TOE_POSITION = 1e-3
KEEP_ROOT_POSITION = 1.8e-2
KEEP_ROOT_HEIGHT = 2e-2
KEEP_ROOT_UPRIGHT = 0.1
WITHIN_REACH = 30.0
ABOVE_GROUND = 100.0

# How hard a hand that is not planted is held to where the body carries it: it eases there in about a tenth of a second.
GO_ALONG = 1e-2

# A body on more legs than this may turn: two legs can always agree on where their pelvis is.
MOST_LEGS_WITHOUT_TURN = 2

# Metres for a 0.9 m leg over which the limit of reach sets in: at a step, Gauss-Newton would go back and forth over it.
REACH_MARGIN = 0.002

# Gauss-Newton stops when no point moves further than this (metres for a 0.9 m leg) in a step, or after so many steps.
CLOSE_ENOUGH = 5e-5
MOST_STEPS = 12


class Problem:
    """The residuals of one clean-up and their linearization.

    lifted : (F, points, 3) metres by which all has been displaced already; what is found comes on top.
    upright : whether points keep to their plumb lines; roots may still turn.

    Points are the roots, then the limbs' toes, then the turns of roots with more than two legs, in metres at the hips
    (rotation vector times ``arms``), so that they weigh as displacements do. Coordinates are three a point.
    """

    def __init__(
        self,
        clip: Clip,
        limbs: Sequence[Limb],
        footing: Footing,
        settings: CleanupSettings,
        pinned: BoolArray | None,
        lifted: FloatArray | None = None,
        upright: bool = False,
    ) -> None:
        self.footing = footing
        self.settings = settings
        self.pinned = pinned
        self.upright = upright
        self.roots = tuple(dict.fromkeys(limb.root for limb in limbs))
        self.root_of_limb = [self.roots.index(limb.root) for limb in limbs]
        self.interval = REFERENCE_RATE / clip.fps  # one frame's length, in frames of the reference rate
        hip = joint_positions(clip, limbs, "hip")
        # A lowest segment about keeps how it leans, as a foot how it is turned: the hock is the toe and an offset too.
        self.leg = hip - joint_positions(clip, limbs, "upper_end")
        self._find_levers(clip, hip)
        if lifted is not None:
            self.leg = self.leg + np.stack([self._displaced(lifted, at) for at in range(len(limbs))], axis=1)
        self.given_reach = np.linalg.norm(self.leg, axis=-1)
        straight = np.stack([limb.full_reach(clip, limb.upper_end) for limb in limbs], axis=1)
        scales = np.array([limb.scale(clip) for limb in limbs])
        self.margin = REACH_MARGIN * scales
        self.bend_per_reach = self._bend_per_reach(clip, limbs, scales)
        self.close_enough = CLOSE_ENOUGH * float(scales.min())
        self.longest_reach = np.maximum(straight - settings.softening * scales, self.given_reach)
        self.hands = [index for index, limb in enumerate(limbs) if limb.hand]
        self.hand_levers = [self._lever(clip, limbs[hand].toe, self.root_of_limb[hand]) for hand in self.hands]
        self.point_count = len(self.roots) + len(limbs) + len(self.turning)
        self.linear = self._linear_part()

    def _bend_per_reach(self, clip: Clip, limbs: Sequence[Limb], scales: FloatArray) -> FloatArray:
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

    def _of_points(self, root: float, toe: float) -> FloatArray:
        """Return a weight for each unknown: that of roots, and of their turns, and that of toes."""
        weights = np.full((self.point_count, 3), root)
        weights[len(self.roots) : len(self.roots) + len(self.root_of_limb)] = toe
        return weights.ravel()

    def _find_levers(self, clip: Clip, hip: FloatArray) -> None:
        """Set which roots turn, and by what lever (F, L, 3) their turn displaces each hip (F, L, 3)."""
        counts = np.bincount(self.root_of_limb, minlength=len(self.roots))
        self.turning = tuple(int(root) for root in np.flatnonzero(counts > MOST_LEGS_WITHOUT_TURN))
        lever = hip - clip.positions[:, [self.roots[root] for root in self.root_of_limb]]
        apart = np.linalg.norm(lever, axis=-1).mean(axis=0)
        own = [[one for one, of in enumerate(self.root_of_limb) if of == root] for root in range(len(self.roots))]
        self.arms = [max(float(apart[limbs].mean()), rotations.TINY) for limbs in own]
        self.lever = lever / np.array([self.arms[root] for root in self.root_of_limb])[:, None]

    def _lever(self, clip: Clip, joint: int, root: int) -> FloatArray:
        """Return the lever (F, 3) by which a turn of one of the roots displaces a joint."""
        return (clip.positions[:, joint] - clip.positions[:, self.roots[root]]) / self.arms[root]

    def _linear_part(self) -> BandedSystem:
        """Return the residuals that do not depend on where the points are: velocity, smoothness, position, contacts."""
        frames, roots = len(self.leg), len(self.roots)
        system = BandedSystem(frames, 3 * self.point_count)
        settings, dt = self.settings, self.interval
        system.add_differences(1, 1.0 / dt)
        system.add_differences(2, settings.smoothness * self._of_points(SMOOTH_ROOT, SMOOTH_TOE) / dt**3)
        system.add_differences(3, settings.smoothness * self._of_points(SHARP_ROOT, SHARP_TOE) / dt**5)
        position = np.full((self.point_count, 3), KEEP_TOE_POSITION)
        position[[roots + hand for hand in self.hands]] = 0.0
        position[:roots] = KEEP_ROOT_POSITION
        position[:roots, 2] = KEEP_ROOT_HEIGHT
        position *= settings.keep_travel * dt
        position[self.point_count - len(self.turning) :] = KEEP_ROOT_UPRIGHT * dt
        if self.upright:
            position[: self.point_count - len(self.turning), :2] = HARD
        weights = np.broadcast_to(position.ravel(), (frames, position.size)).copy()
        if self.pinned is not None:
            weights[self.pinned] = HARD
        system.add_values(weights, np.zeros_like(weights))
        self._add_contacts(system)
        self._add_hands(system)
        return system

    def _add_contacts(self, system: BandedSystem) -> None:
        """A planted point moves as its ground does, and a planted toe is at its height."""
        footing, roots, dt = self.footing, len(self.roots), self.interval
        toes = slice(roots, roots + footing.rise.shape[1])
        steps = np.zeros((len(self.leg) - 1, self.point_count, 3))
        weights = np.zeros_like(steps)
        steps[:, toes] = footing.step
        level = 0.0 if self.upright else HARD / dt**5
        vertical = self._vertical_weights()
        along = np.stack([np.full_like(vertical, level), np.full_like(vertical, level), vertical], axis=-1)
        weights[:, toes] = footing.step_weight[..., None] * along
        system.add_steps(_flat(weights), _flat(steps))
        values = np.zeros((len(self.leg), self.point_count, 3))
        weights = np.zeros_like(values)
        values[:, toes, 2] = footing.rise
        weights[:, toes, 2] = footing.rise_weight * np.where(footing.rise < 0.0, vertical, RAISED / dt**5)
        system.add_values(_flat(weights), _flat(values))

    def _vertical_weights(self) -> FloatArray:
        """Return the weight of going up and down as asked, of each limb (L,)."""
        weights = np.full(len(self.root_of_limb), VERTICAL)
        weights[self.hands] = VERTICAL_OF_HANDS
        return weights

    def _add_hands(self, system: BandedSystem) -> None:
        """A hand that is not planted goes where the body carries it: no foot that is put right drags an arm behind."""
        roots = len(self.roots)
        for hand, lever in zip(self.hands, self.hand_levers, strict=True):
            planted = self.footing.rise_planted[:, hand].copy()
            steps = self.footing.step_weight[:, hand] > 0.0
            planted[:-1] |= steps
            planted[1:] |= steps
            root = self.root_of_limb[hand]
            for axis in np.eye(3):
                along = np.broadcast_to(axis, lever.shape)
                terms = [(roots + hand, along), (root, -along)]
                if root in self.turning:
                    turn = roots + len(self.root_of_limb) + self.turning.index(root)
                    terms.append((turn, -rotations.cross(lever, along)))
                system.add_rows(terms, np.where(planted, 0.0, GO_ALONG * self.interval), np.zeros(len(lever)))

    def solve(self) -> tuple[FloatArray, int]:
        """Return displacements (F, points, 3) in metres, and the number of Gauss-Newton steps."""
        displacements = np.zeros((len(self.leg), self.point_count, 3))
        steps = 0
        while steps < MOST_STEPS:
            steps += 1
            system = self.linear.copy()
            self._add_reach(system, displacements)
            self._add_swing_height(system, displacements)
            new = system.solve().reshape(displacements.shape)
            moved = np.max(np.abs(new - displacements))
            displacements = new
            if moved < self.close_enough:
                break
        return displacements, steps

    def _displaced(self, displacements: FloatArray, limb: int) -> FloatArray:
        """Return by how much (F, 3) displacements (F, points, 3) change the way from a limb's toe to its hip."""
        roots, root = len(self.roots), self.root_of_limb[limb]
        displaced = displacements[:, root] - displacements[:, roots + limb]
        if root in self.turning:
            turn = roots + len(self.root_of_limb) + self.turning.index(root)
            displaced = displaced + rotations.cross(displacements[:, turn], self.lever[:, limb])
        return displaced

    def _add_reach(self, system: BandedSystem, displacements: FloatArray) -> None:
        """The distance from hip to heel is kept, and where the leg would have to be longer than it is, held hard.

        Each residual r(x) is linearized about where x is now: ``r + slope * (direction . (x - now))``.
        """
        roots = len(self.roots)
        for limb, root in enumerate(self.root_of_limb):
            toe = roots + limb
            displaced = self._displaced(displacements, limb)
            vector = self.leg[:, limb] + displaced
            reach = np.linalg.norm(vector, axis=-1)
            direction = rotations.normalized(vector)
            now = np.sum(direction * displaced, axis=-1)
            given, longest, margin = self.given_reach[:, limb], self.longest_reach[:, limb], self.margin[limb]
            terms = [(root, direction), (toe, -direction)]
            if root in self.turning:
                turn = roots + len(self.root_of_limb) + self.turning.index(root)
                terms.append((turn, rotations.cross(self.lever[:, limb], direction)))
            keep = np.full(len(reach), self.settings.keep_reach * self.interval)
            system.add_rows(terms, keep, now - (reach - given))
            # What the input already overreaches counts as nothing, so that a clip that needs no change gets none.
            excess, slope = soft_excess((reach - longest) / margin)
            allowed, _ = soft_excess((given - longest) / margin)
            hold = WITHIN_REACH * self.interval * slope**2
            system.add_rows(terms, hold, now - margin * (excess - allowed) / slope)
            bend = self.bend_per_reach[:, limb]
            bends = [(point, bend[:, None] * coefficients) for point, coefficients in terms]
            smooth = SMOOTH_KNEE * self.settings.smoothness / self.interval**3
            system.add_second_differences_of_rows(bends, smooth, bend * (now - (reach - given)))

    def _add_swing_height(self, system: BandedSystem, displacements: FloatArray) -> None:
        """A swinging toe stays above the ground."""
        lift = self.footing.lowest_displacement
        toes = slice(len(self.roots), len(self.roots) + lift.shape[1])
        weights = np.zeros_like(displacements)
        values = np.zeros_like(displacements)
        sinks = (displacements[:, toes, 2] < lift) & ~self.footing.rise_planted
        weights[:, toes, 2] = np.where(sinks, ABOVE_GROUND * self.interval, 0.0)
        values[:, toes, 2] = lift
        system.add_values(_flat(weights), _flat(values))


def _flat(points: FloatArray) -> FloatArray:
    """Return (N, points, 3) as (N, unknowns)."""
    return points.reshape(len(points), points.shape[1] * 3)
