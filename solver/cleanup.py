# SPDX-License-Identifier: GPL-3.0-or-later
"""Offline clean-up: the smallest, smoothest change of a whole clip that makes its contacts true.

Holden's constraints (*Inverse Kinematics and Foot Locking*, offline part) as one sparse nonlinear least-squares
problem, solved directly (docs/mathematics.md, 5). The unknowns are displacements, one of each root and one of each
limb's toe in every frame; a clip whose contacts are true already is solved by zero and comes back unchanged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from . import rotations
from .cleanup_problem import Problem
from .cleanup_settings import CleanupSettings
from .clip import Clip
from .contacts import Contacts, idle_hands, runs
from .footing import Footing, find_footing
from .ground import Ground
from .heels import heel_displacements
from .limb import Limb, joint_positions
from .pieces import pieces
from .rotations import FloatArray
from .signals import BoolArray
from .solution import Solution, applied, joined, with_idle

# Longer clips are solved in pieces of this many seconds, which keeps the memory small. A constraint has an effect for
# about a second around its frame, so pieces that overlap by this much agree to a hundredth of a millimetre.
PIECE_TIME = 120.0
PIECE_OVERLAP = 8.0


# Metres for a 0.9 m leg: a contact that has to be raised or lowered by more than this is so before all else.
CHANGE_OF_HEIGHT = 0.005

# Feet that come to stand elsewhere find another ground there, and so on; what differs by less (metres, metres a second)
# is the same. On rough ground they would go to and fro: then they are looked for in between, by this share at least.
MOST_GROUND_PASSES = 6
SAME_GROUND = 2e-4
LEAST_SHARE = 0.1


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
    """Return where the roots and toes have to go (docs/mathematics.md, 5).

    What a foot stands on is looked up where it will stand. Where that is not the ground that it was over, it is solved
    again with what was found there. Hands that are planted nowhere are left out.
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
) -> tuple[Problem, FloatArray, int]:
    """Return the problem of a clip, its displacements (F, points, 3) in metres, and the Gauss-Newton steps taken.

    Where a contact has to stand on another height, that is solved first with all points kept to their plumb lines, and
    what the rest of the problem keeps (how far hips are from heels, how all moves) is what it is then. Otherwise a leg
    that is lifted would rather be pushed along the floor than be bent.
    """
    if not _changes_heights(clip, limbs, footing):
        problem = Problem(clip, limbs, footing, settings, pinned)
        return problem, *problem.solve()
    upright = Problem(clip, limbs, footing, settings, pinned, upright=True)
    lifted, steps = upright.solve()
    raised = lifted[:, len(upright.roots) : len(upright.roots) + len(limbs)]
    rest = replace(
        footing,
        step=footing.step - np.diff(raised, axis=0),
        rise=footing.rise - raised[..., 2],
        lowest_displacement=footing.lowest_displacement - raised[..., 2],
    )
    problem = Problem(clip, limbs, rest, settings, pinned, lifted)
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
