# SPDX-License-Identifier: GPL-3.0-or-later
"""From the answer to a push to the whole skeleton: body, flinch, legs, and the centre of mass where it is to be."""

from __future__ import annotations

import numpy as np

from .. import rotations
from ..arrays import FloatArray
from ..clip import Clip
from ..ground import FlatGround
from ..limb import LimbSettings, joint_positions, solve_limbs
from .flinch import flinched
from .footfall import STEP_LIFT
from .pose import centre_of_mass
from .push import Recovery
from .push_horizon import Pushed
from .template import below

_PASSES = 6
_HOME_M = 1e-5
_SOFTENING = 0.002


def recovered(recovery: Recovery, push: Pushed) -> Clip:
    """Return the clip (F frames, the first stays as it is) that catches itself."""
    subject = recovery.subject
    clip, limbs, body = subject.clip, list(subject.limbs), subject.template
    bent = flinched(clip, limbs, body, push.place, push.delta_v)
    carriers = carriers_of(clip, body.masses)
    turn = rotations.from_vector(recovery.turned)
    placed = carried(bent, clip, carriers, subject.com, turn, recovery.com)
    shift = np.zeros((*recovery.feet.shape[:2], 3))
    shift[..., :2] = recovery.feet
    shift[..., 2] = _lifted(recovery)
    toes, heels = joint_positions(clip, limbs, "toe") + shift, joint_positions(clip, limbs, "heel") + shift
    ground = FlatGround(subject.ground)
    wanted = subject.com + recovery.com
    result = placed
    for _ in range(_PASSES):
        result = solve_limbs(placed, limbs, toes, ground, LimbSettings(softening=_SOFTENING), clip, heels)
        off = wanted - centre_of_mass(result, body.masses, body.coms)
        off[0] = 0.0
        if np.abs(off).max() < _HOME_M:
            break
        placed = _moved(placed, carriers, off)
    return _first_kept(result, clip)


def carriers_of(clip: Clip, masses: FloatArray) -> list[int]:
    """Return the joints that carry the body: of each tree the deepest that all of its mass hangs from."""
    parents = np.array(clip.skeleton.parents)
    found = []
    for root in np.flatnonzero(parents < 0).tolist():
        whole = (masses * below(parents, root)).sum()
        if whole <= 0.0:
            continue
        found.append(max(j for j in range(root, len(parents)) if (masses * below(parents, j)).sum() > whole - 1e-9))
    return found


def carried(bent: Clip, clip: Clip, carriers: list[int], com: FloatArray, turn: FloatArray, shift: FloatArray) -> Clip:
    """Return the bent clip turned about its centre of mass (F, 3) of before and moved by ``shift`` (F, 3)."""
    turned, located = bent.local_rotations.copy(), bent.local_locations.copy()
    for joint in carriers:
        parent = clip.skeleton.parents[joint]
        place = com + shift + rotations.rotate(turn, clip.positions[:, joint] - com)
        world = rotations.multiply(turn, bent.rotations[:, joint])
        if parent >= 0:
            back = rotations.inverse(bent.rotations[:, parent])
            place = rotations.rotate(back, place - bent.positions[:, parent])
            world = rotations.multiply(back, world)
        turned[:, joint], located[:, joint] = world, place
    return bent.moved(turned, located)


def _moved(clip: Clip, carriers: list[int], by: FloatArray) -> Clip:
    located = clip.local_locations.copy()
    for joint in carriers:
        parent = clip.skeleton.parents[joint]
        back = rotations.IDENTITY if parent < 0 else rotations.inverse(clip.rotations[:, parent])
        located[:, joint] += rotations.rotate(back, by)
    return clip.moved(None, located)


def _lifted(recovery: Recovery) -> FloatArray:
    """Return (F, L) metres by which feet are lifted in the steps that were put in."""
    count, legs = recovery.feet.shape[:2]
    lift = np.zeros((count, legs))
    frames = np.arange(count)
    for limb, first, last in recovery.subject.footfall.lifts:
        share = np.clip((frames - first + 1) / (last - first + 2), 0.0, 1.0)
        lift[:, limb] += STEP_LIFT * recovery.subject.template.height * np.sin(np.pi * share) ** 2
    return lift


def _first_kept(result: Clip, clip: Clip) -> Clip:
    turned, located = result.local_rotations.copy(), result.local_locations.copy()
    turned[0], located[0] = clip.local_rotations[0], clip.local_locations[0]
    return result.moved(turned, located)
