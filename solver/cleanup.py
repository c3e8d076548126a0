# SPDX-License-Identifier: GPL-3.0-or-later
"""Offline clean-up: the smallest, smoothest change of a whole clip that makes its contacts true.

Holden's constraints (*Inverse Kinematics and Foot Locking*, offline part) as one sparse nonlinear least-squares
problem, solved directly (DESIGN 4.4). The unknowns are displacements, one of each root and one of each limb's toe in
every frame; a clip whose contacts are true already is solved by zero and comes back unchanged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from . import rotations
from .bending import soft_excess
from .clip import Clip
from .contacts import Contacts, idle_hands, runs
from .footing import Footing, find_footing
from .ground import Ground
from .heels import heel_displacements
from .least_squares import BandedSystem
from .limb import Limb, joint_positions
from .pieces import pieces
from .rotations import FloatArray
from .signals import BoolArray
from .solution import Solution, applied, joined, with_idle

# The weights below are those of squared metres at this frame rate; others scale so that the result does not depend on
# the frame rate (a sum over frames of squared velocity, acceleration, ... is an integral over time).
REFERENCE_RATE = 120.0
TUNE = {"ts": 30.0, "rs": 300.0, "t3": 3e3, "r3": 1e4, "knee": 10.0}

# Hard constraints, against 1 for the velocity of a point that is free.
HARD = 1e7
HARD_RISE = 1e5
VERTICAL = 10.0

# Gauss-Newton stops when no point moves further than this (metres for a 0.9 m leg) in a step, or after so many steps.
CLOSE_ENOUGH = 2e-4
MOST_STEPS = 8

# Longer clips are solved in pieces of so many seconds, which keeps the memory small. What is asked of a frame is felt
# for about a second around it, so that pieces that know this much of each other agree to a hundredth of a millimetre.
PIECE_TIME = 120.0
PIECE_OVERLAP = 8.0


@dataclass(frozen=True)
class CleanupSettings:
    """What counts how much. Weights are against 1 for keeping each point's velocity.

    strength : share of the correction that is applied, 0 to 1.
    keep_travel : how hard the clip's way through space is kept; 0 lets it drift, 1 is right for most clips.
    smoothness : how hard changes of velocity are kept, so that nothing kinks where a contact begins or ends.
    keep_reach : how hard the distance from hip to heel, and so the knee's bend, is kept.
    softening : metres for a 0.9 m leg, within which a leg that is being straightened slows down before full reach.
    foot_pitch : share of the slope under it that a standing foot is pitched by, at least (see standing.py).
    """

    strength: float = 1.0
    keep_travel: float = 1.0
    smoothness: float = 3.0
    keep_reach: float = 0.1
    softening: float = 0.005
    foot_pitch: float = 1.0


# Weights that nobody has had a reason to change. The root keeps its place harder than the toes, which have to move
# where they slide; its height is kept harder than its way, so that hips are not dropped to gain reach.
KEEP_TOE_POSITION = 1e-3
KEEP_ROOT_POSITION = 8e-3
KEEP_ROOT_HEIGHT = 2e-2
KEEP_ROOT_UPRIGHT = 0.1
WITHIN_REACH = 30.0
ABOVE_GROUND = 100.0

# How hard a hand that is not planted is held to where the body carries it: it eases there in about a tenth of a second.
GO_ALONG = 1e-2

# Metres for a 0.9 m leg: a contact that has to be raised or lowered by more than this is so before all else.
CHANGE_OF_HEIGHT = 0.005

# A body on more legs than this may turn: two legs can always agree on where their pelvis is.
MOST_LEGS_WITHOUT_TURN = 2

# Feet that come to stand elsewhere find another ground there, and so on; what differs by less (metres, metres a second)
# is the same. On rough ground they would go to and fro: then they are looked for in between, by this share at least.
MOST_GROUND_PASSES = 6
SAME_GROUND = 2e-4
LEAST_SHARE = 0.1

# Metres for a 0.9 m leg over which the limit of reach sets in: at a step, Gauss-Newton would go back and forth over it.
REACH_MARGIN = 0.002


def clean(
    clip: Clip,
    limbs: Sequence[Limb],
    contacts: Contacts,
    ground: Ground,
    settings: CleanupSettings | None = None,
    pinned: BoolArray | None = None,
) -> tuple[Clip, Solution]:
    """Return the clip with its contacts made true, and what was asked of each toe.

    Only the locations of roots and the rotations of hips, knees, hocks, heels and toes differ from the input.

    Parameters
    ----------
    pinned : (F,) frames that have to stay as they are, None for none.
    """
    settings = settings or CleanupSettings()
    solution = solve_targets(clip, limbs, contacts, ground, settings, pinned)
    solution = replace(solution, stance=contacts.toe, shaped=settings.strength)
    return applied(clip, limbs, solution, ground, settings.softening), solution


def solve_targets(
    clip: Clip,
    limbs: Sequence[Limb],
    contacts: Contacts,
    ground: Ground,
    settings: CleanupSettings,
    pinned: BoolArray | None = None,
) -> Solution:
    """Return where the roots and toes have to go (DESIGN 4.4).

    What a foot stands on is looked up where it will stand. Where that is not the ground that it was over, it is solved
    again with what was found there. Hands that are planted nowhere are none of the problem.
    """
    idle = idle_hands(limbs, contacts)
    if idle:
        asked = [index for index in range(len(limbs)) if index not in idle]
        of_asked = [limbs[index] for index in asked]
        return with_idle(clip, limbs, idle, solve_targets(clip, of_asked, contacts.of(asked), ground, settings, pinned))
    toes = joint_positions(clip, limbs, "toe")
    solution = _solved(clip, limbs, find_footing(clip, limbs, contacts, ground), settings, pinned)
    where, last_step, share = toes, None, np.ones((len(limbs), 1))
    for _ in range(MOST_GROUND_PASSES):
        if _is_same_ground(ground, where, solution.toe_targets):
            break
        step = solution.toe_targets - where
        share = share if last_step is None else _share_of_step(share, last_step, step)
        where, last_step = where + share * step, step
        solution = _solved(clip, limbs, find_footing(clip, limbs, contacts, ground, where), settings, pinned)
    return solution


def _share_of_step(share: FloatArray, before: FloatArray, step: FloatArray) -> FloatArray:
    """Return by which share (L, 1) of a ``step`` (F, L, 3) to go on, after ``share`` of the one ``before``.

    Each limb's is found from how its step has changed, by Aitken's rule for vectors (Irons and Tuck, *A version of the
    Aitken accelerator for computer iteration*, 1969).
    """
    change = step - before
    along = -np.sum(before * change, axis=(0, 2))
    wanted = share[:, 0] * along / np.maximum(np.sum(change**2, axis=(0, 2)), rotations.TINY)
    return np.clip(wanted, LEAST_SHARE, 1.0)[:, None]


def _is_same_ground(ground: Ground, before: FloatArray, after: FloatArray) -> bool:
    return bool(
        np.allclose(ground.height(before), ground.height(after), rtol=0.0, atol=SAME_GROUND)
        and np.allclose(ground.velocity(before), ground.velocity(after), rtol=0.0, atol=SAME_GROUND)
    )


def _solved(
    clip: Clip, limbs: Sequence[Limb], footing: Footing, settings: CleanupSettings, pinned: BoolArray | None
) -> Solution:
    longest, overlap = (int(np.ceil(seconds * clip.fps)) for seconds in (PIECE_TIME, PIECE_OVERLAP))
    solved = []
    for around, own in pieces(clip.frame_count, longest, overlap):
        held = None if pinned is None else pinned[around]
        solved.append(_solved_piece(clip.during(around), limbs, footing.during(around), settings, held).during(own))
    return joined(solved)


def _solved_piece(
    clip: Clip, limbs: Sequence[Limb], footing: Footing, settings: CleanupSettings, pinned: BoolArray | None
) -> Solution:
    problem, displacements, steps = _displacements(clip, limbs, footing, settings, pinned)
    displacements *= settings.strength
    if pinned is not None:
        displacements[pinned] = 0.0
    roots, legs = len(problem.roots), len(limbs)
    turns = np.zeros((clip.frame_count, roots, 3))
    for point, root in enumerate(problem.turning, start=roots + legs):
        turns[:, root] = displacements[:, point] / problem.arms[root]
    toes = displacements[:, roots : roots + legs]
    standing = footing.heel_weight
    heels = heel_displacements(toes, standing if pinned is None else np.where(pinned[:, None], 1.0, standing), clip.fps)
    if pinned is not None:
        heels[pinned] = 0.0
    return Solution(
        roots=problem.roots,
        root_displacements=displacements[:, :roots],
        root_turns=turns,
        toe_targets=joint_positions(clip, limbs, "toe") + toes,
        heel_targets=joint_positions(clip, limbs, "heel") + heels,
        steps=steps,
    )


def _displacements(
    clip: Clip, limbs: Sequence[Limb], footing: Footing, settings: CleanupSettings, pinned: BoolArray | None
) -> tuple[_Problem, FloatArray, int]:
    """Return the problem of a clip, its displacements (F, points, 3) in metres, and the Gauss-Newton steps taken.

    Where a contact has to stand on another height, that is solved first with all points kept to their plumb lines, and
    what the rest of the problem keeps (how far hips are from heels, how all moves) is what it is then. Otherwise a leg
    that is lifted would rather be pushed along the floor than be bent.
    """
    if not _changes_heights(clip, limbs, footing):
        problem = _Problem(clip, limbs, footing, settings, pinned)
        return problem, *problem.solve()
    upright = _Problem(clip, limbs, footing, settings, pinned, upright=True)
    lifted, steps = upright.solve()
    raised = lifted[:, len(upright.roots) : len(upright.roots) + len(limbs)]
    rest = replace(
        footing,
        step=footing.step - np.diff(raised, axis=0),
        rise=footing.rise - raised[..., 2],
        lowest_displacement=footing.lowest_displacement - raised[..., 2],
    )
    problem = _Problem(clip, limbs, rest, settings, pinned, lifted)
    displacements, more = problem.solve()
    return problem, lifted + displacements, steps + more


def _changes_heights(clip: Clip, limbs: Sequence[Limb], footing: Footing) -> bool:
    """Whether a contact has to stand on another height than it usually does in the clip."""
    for at, limb in enumerate(limbs):
        spans = runs(footing.rise_planted[:, at])
        usual = [abs(float(np.median(footing.rise[first : last + 1, at]))) for first, last in spans]
        if max(usual, default=0.0) > CHANGE_OF_HEIGHT * limb.scale(clip):
            return True
    return False


class _Problem:
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
        upper, lower = (
            np.linalg.norm(joint_positions(clip, limbs, one) - joint_positions(clip, limbs, other), axis=-1)
            for one, other in (("hip", "knee"), ("knee", "upper_end"))
        )
        cosine = (upper**2 + lower**2 - self.given_reach**2) / np.maximum(2.0 * upper * lower, rotations.TINY)
        sine = np.maximum(np.sqrt(np.maximum(1.0 - cosine**2, 0.0)), TUNE.get("sine", 0.15))
        self.bend_per_reach = 0.45 * scales * self.given_reach / np.maximum(upper * lower * sine, rotations.TINY)
        self.close_enough = CLOSE_ENOUGH * float(scales.min())
        self.longest_reach = np.maximum(straight - settings.softening * scales, self.given_reach)
        self.hands = [index for index, limb in enumerate(limbs) if limb.hand]
        self.hand_levers = [self._lever(clip, limbs[hand].toe, self.root_of_limb[hand]) for hand in self.hands]
        self.point_count = len(self.roots) + len(limbs) + len(self.turning)
        self.linear = self._linear_part()

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
        smooth = np.full((self.point_count, 3), TUNE["ts"] * settings.smoothness / 3.0)
        smooth[: len(self.roots)] = TUNE["rs"] * settings.smoothness / 3.0
        system.add_differences(2, smooth.ravel() / dt**3)
        sharp = np.full((self.point_count, 3), TUNE["t3"] * settings.smoothness / 3.0)
        sharp[: len(self.roots)] = TUNE["r3"] * settings.smoothness / 3.0
        system.add_differences(3, sharp.ravel() / dt**5)
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
        weights[:, toes] = footing.step_weight[..., None] * [level, level, VERTICAL]
        system.add_steps(_flat(weights), _flat(steps))
        values = np.zeros((len(self.leg), self.point_count, 3))
        weights = np.zeros_like(values)
        values[:, toes, 2] = footing.rise
        weights[:, toes, 2] = footing.rise_weight * np.where(footing.rise < 0.0, VERTICAL, HARD_RISE / dt**5)
        system.add_values(_flat(weights), _flat(values))

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
            smooth = [(point, bend[:, None] * coefficients) for point, coefficients in terms]
            weight = TUNE["knee"] * self.settings.smoothness / 3.0 / self.interval**3
            system.add_second_differences_of_rows(smooth, weight, bend * (now - (reach - given)))

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
