# SPDX-License-Identifier: GPL-3.0-or-later
"""The article's own offline method: soft and hard constraints swept over the clip until they agree.

Kept as the reference that the direct solve (solver/cleanup/) is held against. A sweep goes over all even frame steps at
once, then over all odd ones (red and black), so that no two constraints in one numpy call share a frame.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from toehold.solver.arrays import BoolArray, FloatArray
from toehold.solver.cleanup import Solution
from toehold.solver.clip import Clip
from toehold.solver.contact_heights import clearances
from toehold.solver.contacts import Contacts
from toehold.solver.ground import Ground
from toehold.solver.limb import Limb, joint_positions
from toehold.solver.rotations import normalized

SOFT, HARD, ITERATIONS = 0.05, 0.9, 25_000


def solve_targets(
    clip: Clip, limbs: Sequence[Limb], contacts: Contacts, ground: Ground, iterations: int = ITERATIONS
) -> Solution:
    """Return where root and toes have to go, by sweeps (Holden, *Inverse Kinematics and Foot Locking*, offline part).

    All limbs have to hang from one root. A planted toe is brought to its mean height over the clip's contacts.
    """
    root = limbs[0].root
    given_root = clip.positions[:, root]
    given = joint_positions(clip, limbs, "toe")
    planted = contacts.toe_planted
    level = ground.height(given) + clearances(clip, limbs, contacts, ground)
    distance = np.linalg.norm(given_root[:, None] - given, axis=-1)
    root_steps, toe_steps = np.diff(given_root, axis=0), np.diff(given, axis=0)
    both = (planted[:-1] & planted[1:])[..., None]
    roots, toes = given_root.copy(), given.copy()
    halves = [slice(start, clip.frame_count - 1, 2) for start in (0, 1) if start < clip.frame_count - 1]
    for _ in range(iterations):
        for half in halves:
            after = slice(half.start + 1, clip.frame_count, 2)
            _keep_step(roots, half, after, root_steps[half])
            _move_toes(toes, half, after, toe_steps[half], both[half], level)
        _keep_distance(roots, toes, distance)
    moved = (roots - given_root)[:, None]
    heels = joint_positions(clip, limbs, "heel") + (toes - given)
    return Solution((root,), moved, np.zeros_like(moved), toes, heels)


def _keep_step(points: FloatArray, before: slice, after: slice, steps: FloatArray) -> None:
    """Soft: the difference from a frame to the next stays what it was."""
    error = points[after] - points[before] - steps
    points[before] += SOFT * error
    points[after] -= SOFT * error


def _move_toes(
    toes: FloatArray, before: slice, after: slice, steps: FloatArray, both: BoolArray, level: FloatArray
) -> None:
    """Hard: a toe planted in both frames is at one place on the ground. Soft: a free one keeps its step, above it."""
    u, v = toes[before], toes[after]
    middle = 0.5 * (u + v)
    middle[..., 2] = level[before]
    to_u, to_v = v - steps, u + steps
    to_u[..., 2] = np.maximum(to_u[..., 2], level[before])
    to_v[..., 2] = np.maximum(to_v[..., 2], level[after])
    toes[before] = u + np.where(both, HARD * (middle - u), SOFT * (to_u - u))
    toes[after] = v + np.where(both, HARD * (middle - v), SOFT * (to_v - v))


def _keep_distance(roots: FloatArray, toes: FloatArray, distance: FloatArray) -> None:
    """Soft: root and toe stay as far apart as they were, one limb after the other."""
    for limb in range(toes.shape[1]):
        apart = roots - toes[:, limb]
        wanted = normalized(apart) * distance[:, limb, None]
        roots += SOFT * (wanted - apart)
        toes[:, limb] -= SOFT * (wanted - apart)
