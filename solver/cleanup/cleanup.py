# SPDX-License-Identifier: GPL-3.0-or-later
"""The way in: a clip with its contacts made true (docs/mathematics.md, 5.6 to 5.10 and 6).

``solve`` finds what has to move by how much, at full strength: over ground that depends on where feet come to stand,
in two passes where contacts change their height, in pieces where the clip is long, and in laps where it repeats.
``apply`` does any fraction of that to the clip, and ``clean`` is both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from .. import rotations
from ..arrays import BoolArray, FloatArray
from ..clip import Clip
from ..contacts import Contacts, idle_hands, runs
from ..ground import Ground
from ..least_squares import BandedSystem
from ..limb import Limb, joint_positions
from ..loops import Laps, laps_on
from ..signals import pieces
from .constraints import Constraints, find_constraints
from .ground_fit import find_fit, fit_feet
from .problem import Problem
from .settings import CleanupSettings
from .solution import Solution, applied, at_strength, joined, with_idle

# Longer clips are solved in pieces of this many seconds, which keeps the memory small. A constraint has an effect for
# about a second around its frame, so pieces that overlap by this much agree to a hundredth of a millimetre.
PIECE_TIME = 120.0
PIECE_OVERLAP = 8.0

# Metres for a 0.9 m leg: contacts that have to be raised or lowered by more than this are so in a pass of their own.
CHANGE_OF_HEIGHT = 0.005

# Feet that come to stand elsewhere find another ground there, and so on; what differs by less (metres, metres a second)
# is the same. On rough ground they would go to and fro: then the next guess lies in between, at this fraction at least.
MOST_GROUND_PASSES = 6
SAME_GROUND = 2e-4
LEAST_FRACTION = 0.1

# Seconds before the last pose over which roots move to where the next lap begins, if that pose is not quite the first.
SEAM_TIME = 0.15

# Seconds: of what is taken from a toe, its heel follows what is slower than 1 / (2 pi 0.015 s), some 10 Hz. Walking and
# running are slower (filters for gait cut at 6 to 10 Hz), the shaking of a captured foot is faster.
HEEL_SMOOTHING = 0.015

# Weight of the displacement of a heel that stands alone, against 1 for any other.
STANDS_ALONE = 1e4


def clean(
    clip: Clip,
    limbs: Sequence[Limb],
    contacts: Contacts,
    ground: Ground,
    settings: CleanupSettings | None = None,
    pinned: BoolArray | None = None,
) -> tuple[Clip, Solution]:
    """Return the clip with its contacts made true, and where roots and feet were to go.

    Only the locations of roots and the rotations of hips, knees, hocks, heels and toes differ from the input. A clip
    that repeats still does.

    Parameters
    ----------
    ground : with the velocity of the clip's treadmill where it has one.
    pinned : (F,) frames that have to stay as they are, None for none.
    """
    settings = settings or CleanupSettings()
    return apply(clip, limbs, ground, settings, solve(clip, limbs, contacts, ground, settings, pinned))


def solve(
    clip: Clip,
    limbs: Sequence[Limb],
    contacts: Contacts,
    ground: Ground,
    settings: CleanupSettings,
    pinned: BoolArray | None = None,
) -> Solution:
    """Return where roots and feet have to go at full strength, whatever the strength in ``settings`` is.

    A clip that repeats is solved as the middle one of several laps; one with ``pinned`` (F,) frames is taken not to
    repeat, since only part of it may change.
    """
    laps = laps_on(clip, limbs, ground) if pinned is None else None
    if laps is None:
        fit = find_fit(clip, limbs, contacts, ground, settings.foot_pitch, pinned)
        fitted = fit_feet(clip, limbs, ground, fit)
        solution = replace(_solved_on_ground(fitted, limbs, contacts, ground, settings, pinned), fit=fit)
    else:
        whole = _solved_on_ground(laps.clip, limbs, laps.contacts(contacts), laps.ground, settings, None)
        solution = _of_the_lap(clip, laps, limbs, contacts, whole.during(laps.middle))
    return replace(solution, stance=contacts.toe)


def apply(
    clip: Clip, limbs: Sequence[Limb], ground: Ground, settings: CleanupSettings, full: Solution
) -> tuple[Clip, Solution]:
    """Return the clip with a solution of full strength applied by ``settings.strength``, and the solution of that."""
    solution = at_strength(clip, limbs, full, settings.strength)
    fitted = fit_feet(clip, limbs, ground, solution.fit, settings.strength)
    return applied(fitted, limbs, solution, ground, settings.softening), solution


def _solved_on_ground(
    clip: Clip,
    limbs: Sequence[Limb],
    contacts: Contacts,
    ground: Ground,
    settings: CleanupSettings,
    pinned: BoolArray | None,
) -> Solution:
    """Return the solution of a clip, on the ground where its feet come to stand.

    Where that is not the ground that they were over, it is solved again with what was found there. Hands that are
    planted nowhere are left out.
    """
    idle = idle_hands(limbs, contacts)
    if idle:
        asked = [index for index in range(len(limbs)) if index not in idle]
        own = [limbs[index] for index in asked]
        solution = _solved_on_ground(clip, own, contacts.of(asked), ground, settings, pinned)
        return with_idle(clip, limbs, idle, solution)
    where = joint_positions(clip, limbs, "toe")
    solution = _solved(clip, limbs, find_constraints(clip, limbs, contacts, ground), settings, pinned)
    last_step, fraction = None, np.ones((len(limbs), 1))
    for _ in range(MOST_GROUND_PASSES):
        if _is_same_ground(ground, where, solution.toe_targets):
            break
        step = solution.toe_targets - where
        fraction = fraction if last_step is None else _next_fraction(fraction, last_step, step)
        where, last_step = where + fraction * step, step
        solution = _solved(clip, limbs, find_constraints(clip, limbs, contacts, ground, where), settings, pinned)
    return solution


def _next_fraction(fraction: FloatArray, before: FloatArray, step: FloatArray) -> FloatArray:
    """Return the fraction (L, 1) of a ``step`` (F, L, 3) to go, after ``fraction`` of the one ``before``.

    Each limb's is found from how its step has changed, by Aitken's rule for vectors (Irons and Tuck, *A version of the
    Aitken accelerator for computer iteration*, 1969).
    """
    change = step - before
    along = -np.sum(before * change, axis=(0, 2))
    wanted = fraction[:, 0] * along / np.maximum(np.sum(change**2, axis=(0, 2)), rotations.TINY)
    return np.clip(wanted, LEAST_FRACTION, 1.0)[:, None]


def _is_same_ground(ground: Ground, before: FloatArray, after: FloatArray) -> bool:
    return bool(
        np.allclose(ground.height(before), ground.height(after), rtol=0.0, atol=SAME_GROUND)
        and np.allclose(ground.velocity(before), ground.velocity(after), rtol=0.0, atol=SAME_GROUND)
    )


def _solved(
    clip: Clip,
    limbs: Sequence[Limb],
    constraints: Constraints,
    settings: CleanupSettings,
    pinned: BoolArray | None,
) -> Solution:
    """Return the solution of a clip with known constraints, piece by piece where it is long."""
    longest, overlap = (int(np.ceil(seconds * clip.fps)) for seconds in (PIECE_TIME, PIECE_OVERLAP))
    solved = []
    for around, own in pieces(clip.frame_count, longest, overlap):
        held = None if pinned is None else pinned[around]
        piece = _solved_piece(clip.during(around), limbs, constraints.during(around), settings, held)
        solved.append(piece.during(own))
    return joined(solved)


def _solved_piece(
    clip: Clip,
    limbs: Sequence[Limb],
    constraints: Constraints,
    settings: CleanupSettings,
    pinned: BoolArray | None,
) -> Solution:
    problem, displacements = _displacements(clip, limbs, constraints, settings, pinned)
    if pinned is not None:
        displacements[pinned] = 0.0
    unknowns = problem.unknowns
    toes = displacements[:, unknowns.toes]
    standing = constraints.heel_weight
    heels = heel_displacements(toes, standing if pinned is None else np.where(pinned[:, None], 1.0, standing), clip.fps)
    if pinned is not None:
        heels[pinned] = 0.0
    return Solution(
        roots=unknowns.root_joints,
        root_displacements=displacements[:, unknowns.roots],
        root_turns=unknowns.turns_of(displacements),
        toe_targets=joint_positions(clip, limbs, "toe") + toes,
        heel_targets=joint_positions(clip, limbs, "heel") + heels,
    )


def _displacements(
    clip: Clip,
    limbs: Sequence[Limb],
    constraints: Constraints,
    settings: CleanupSettings,
    pinned: BoolArray | None,
) -> tuple[Problem, FloatArray]:
    """Return the problem of a clip and its displacements (F, points, 3) in metres.

    Where a contact has to stand on another height, that is solved first with all points kept to their plumb lines, and
    what the rest of the problem keeps (how far hips are from heels, how all moves) is what it is then. Otherwise a leg
    that is lifted would rather be pushed along the floor than be bent.
    """
    if not _changes_heights(clip, limbs, constraints):
        problem = Problem(clip, limbs, constraints, settings, pinned)
        return problem, problem.solve()
    upright = Problem(clip, limbs, constraints, settings, pinned, upright=True)
    lifted = upright.solve()
    raised = lifted[:, upright.unknowns.toes]
    rest = replace(
        constraints,
        step=constraints.step - np.diff(raised, axis=0),
        rise=constraints.rise - raised[..., 2],
        lowest_displacement=constraints.lowest_displacement - raised[..., 2],
    )
    problem = Problem(clip, limbs, rest, settings, pinned, lifted)
    return problem, lifted + problem.solve()


def _changes_heights(clip: Clip, limbs: Sequence[Limb], constraints: Constraints) -> bool:
    """Whether a contact has to stand on another height than it usually does in the clip."""
    for at, limb in enumerate(limbs):
        spans = runs(constraints.rise_planted[:, at])
        usual = [abs(float(np.median(constraints.rise[first : last + 1, at]))) for first, last in spans]
        if max(usual, default=0.0) > CHANGE_OF_HEIGHT * limb.scale(clip):
            return True
    return False


def heel_displacements(toe_displacements: FloatArray, standing: FloatArray, fps: float) -> FloatArray:
    """Return the displacement of each heel (F, L, 3) in metres, for that of its toe.

    Holding a toe removes its jitter. Moving the heel rigidly along would put that jitter into the knee, and a nearly
    straight knee turns a millimetre into a degree. So the heel takes the low-frequency part and the foot turns by the
    rest: the curve with the least of (own - toe's)^2 + (smoothing * fps)^4 * (second difference)^2 (Whittaker's
    smoother; docs/mathematics.md, 5.9).

    Parameters
    ----------
    toe_displacements : (F, L, 3) metres, linear in the result.
    standing : (F, L) from 0 to 1, the weight of a heel that stands while its toe is still up: it is then what is held.
    """
    frames, limbs, _ = toe_displacements.shape
    system = BandedSystem(frames, 3 * limbs)
    weights = np.repeat(1.0 + STANDS_ALONE * standing, 3, axis=1)
    system.add_values(weights, toe_displacements.reshape(frames, 3 * limbs))
    system.add_differences(2, (HEEL_SMOOTHING * fps) ** 4)
    return system.solve().reshape(toe_displacements.shape)


def _of_the_lap(clip: Clip, laps: Laps, limbs: Sequence[Limb], contacts: Contacts, solution: Solution) -> Solution:
    """Return the middle lap's solution for the clip itself, whose last frame may not be wholly the first one again.

    A planted foot goes where it was planted in the lap and closes the gap; any other is moved as it was in the lap.
    """
    lap = laps.clip.during(laps.middle)
    planted = (contacts.toe_planted | contacts.heel_planted).astype(np.float64)
    toe_gap, heel_gap = (
        joint_positions(clip, limbs, joint) - joint_positions(lap, limbs, joint) for joint in ("toe", "heel")
    )
    closed = planted[..., None] * toe_gap
    solution = replace(
        solution,
        toe_targets=solution.toe_targets + toe_gap - closed,
        heel_targets=solution.heel_targets + heel_gap - closed,
    )
    return _with_roots_at_the_seam(clip, lap, planted, solution)


def _with_roots_at_the_seam(clip: Clip, lap: Clip, planted: FloatArray, solution: Solution) -> Solution:
    """Return a solution whose roots come to where the next lap begins, where a foot is ``planted`` (F, L) there.

    A foot that stands where it stood in the lap cannot be reached from a root that is elsewhere. The gap g at the last
    frame is closed over the time T before it, by ``g s^2 (3 - 2 s)`` with s from 0 to 1; or in that frame
    alone, where that is calmer, since it alone is off.
    """
    roots = list(solution.roots)
    gap = (lap.positions[-1, roots] - clip.positions[-1, roots]) * planted[-1].max(initial=0.0)
    before_end = clip.frame_count - 1.0 - np.arange(clip.frame_count)
    found = []
    for reach in (1.0, min(max(1.0, SEAM_TIME * clip.fps), 0.5 * (clip.frame_count - 1))):
        share = np.clip(1.0 - before_end / reach, 0.0, 1.0)
        eased = (share * share * (3.0 - 2.0 * share))[:, None, None]
        found.append(solution.root_displacements + eased * gap)
    sharpness = [float(np.abs(np.diff(clip.positions[:, roots] + each, 2, axis=0)).max(initial=0.0)) for each in found]
    return replace(solution, root_displacements=found[int(np.argmin(sharpness))])
