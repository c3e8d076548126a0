# SPDX-License-Identifier: GPL-3.0-or-later
"""The body as the optimization sees it: one rigid body with hips, feet, reach, mass and inertia, from a skeleton.

Frame of the body: x forward, y left, z up, origin on the ground under the centre of mass, in the pose that it stands
in. Mass shares: people after Winter and Dempster, beasts as LOCOMOTION 3.3 has them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .. import rotations
from ..arrays import BoolArray, FloatArray
from ..clip import Clip
from ..limb import Limb

# Share of the mass in one leg, by how many legs there are; and of its thigh, shank and foot.
_LEG_SHARE = {1: 0.2, 2: 0.161, 3: 0.1, 4: 0.06}
_MANY_LEGS_SHARE = 0.02
_SEGMENTS = (0.62, 0.29, 0.09)
_ARM_SHARE = 0.05
GRAVITY = 9.81
# Height of the hips of what stands straight, over its legs' reach from hip to heel.
_HIPS_OVER_REACH = 1.08


@dataclass(frozen=True)
class Template:
    """A body. Lengths are in hip heights, masses in shares of the whole; L legs, J joints.

    height : metres of the hips above the ground.
    masses, coms : (J,) and (J, 3) of what hangs from each joint, the centre in the joint's own frame (metres).
    forward : (3,) unit direction in the world that the body faces, level.
    origin : (3,) metres in the world, on the ground under the centre of mass.
    com_height : of the centre of mass.
    inertia : (3, 3) about the centre of mass.
    hips, heels, toes : (L, 3) in the frame of the body.
    reach : (L,) from hip to heel at most.
    rows, left : (L,) row of each leg, 0 the front one, and whether it is on the left.
    """

    height: float
    masses: FloatArray
    coms: FloatArray
    forward: FloatArray
    origin: FloatArray
    com_height: float
    inertia: FloatArray
    hips: FloatArray
    heels: FloatArray
    toes: FloatArray
    reach: FloatArray
    rows: tuple[int, ...]
    left: BoolArray

    @property
    def time(self) -> float:
        """Seconds in the solver's unit of time, √(h/g)."""
        return float(np.sqrt(self.height / GRAVITY))

    @property
    def axes(self) -> FloatArray:
        """(3, 3) whose columns are the body's x, y and z in the world."""
        up = np.array([0.0, 0.0, 1.0])
        return np.stack([self.forward, np.cross(up, self.forward), up], axis=1)


def usual_mass(body: Template) -> float:
    """Return kilograms that a body with such legs usually has: a person 70 with hips at 0.9 m, a dog 25 at 0.5 m.

    By its legs' length, so that it is the same in a crouch.
    """
    height = _HIPS_OVER_REACH * float(np.mean(body.reach)) * body.height
    return float((96.0 if len(body.hips) <= 2 else 200.0) * height**3)


def template_of(stand: Clip, limbs: Sequence[Limb]) -> Template:
    """Return the body that stands as in the first frame of ``stand``, the whole skeleton, on ``limbs``."""
    positions = stand.positions[0]
    hips, heels, toes = (positions[[getattr(limb, part) for limb in limbs]] for part in ("hip", "heel", "toe"))
    forward = _facing(limbs, hips, heels, toes)
    floor = min(toes[:, 2].min(), positions[_feet_below(stand, limbs)][:, 2].min())
    height = float(np.mean(hips[:, 2])) - floor
    masses, coms = _bodies(stand, limbs, forward)
    centre = positions + rotations.rotate(stand.rotations[0], coms)
    com = (masses[:, None] * centre).sum(axis=0)
    up = np.array([0.0, 0.0, 1.0])
    axes = np.stack([forward, np.cross(up, forward), up], axis=1)
    origin = np.array([com[0], com[1], floor])
    local = (centre - com) @ axes / height
    spread = (masses[:, None] * local).T @ local
    inertia = np.trace(spread) * np.eye(3) - spread + 0.008 * np.eye(3)
    hips, heels, toes = ((places - origin) @ axes / height for places in (hips, heels, toes))
    reach = np.array([limb.full_reach(stand)[0] for limb in limbs]) / height
    left = hips[:, 1] >= 0.0
    return Template(
        height, masses, coms, forward, origin, float(com[2] - floor) / height, inertia, hips, heels, toes,
        reach=reach, rows=_rows(hips, left), left=left,
    )  # fmt: skip


def _feet_below(stand: Clip, limbs: Sequence[Limb]) -> list[int]:
    return [limb.toe if limb.toe_end is None else limb.toe_end for limb in limbs]


def _facing(limbs: Sequence[Limb], hips: FloatArray, heels: FloatArray, toes: FloatArray) -> FloatArray:
    """Return the level direction forward: square to the line from right to left hips, by name; else the toes'."""
    level = np.array([1.0, 1.0, 0.0])
    feet = (toes - heels) * level
    named = [(1.0 if "left" in limb.name.lower() else -1.0 if "right" in limb.name.lower() else 0.0) for limb in limbs]
    sides = np.array(named)
    if (sides > 0).any() and (sides < 0).any():
        across = (hips[sides > 0].mean(axis=0) - hips[sides < 0].mean(axis=0)) * level
        if np.linalg.norm(across) > 1e-6:
            return rotations.normalized(np.cross(across, [0.0, 0.0, 1.0]))
    return rotations.normalized(feet.mean(axis=0), np.array([0.0, -1.0, 0.0]))


def _rows(hips: FloatArray, left: BoolArray) -> tuple[int, ...]:
    """Return the row of each leg: the n-th from the front of its side."""
    rows = np.zeros(len(hips), dtype=int)
    for side in (left, ~left):
        at = np.flatnonzero(side)
        rows[at[np.argsort(-hips[at, 0], kind="stable")]] = np.arange(len(at))
    return tuple(rows.tolist())


def _bodies(stand: Clip, limbs: Sequence[Limb], forward: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the mass (J,) of what hangs from each joint, and its centre (J, 3) in the joint's frame, metres."""
    parents = np.array(stand.skeleton.parents)
    count = len(parents)
    coms, lengths = np.zeros((count, 3)), np.zeros(count)
    for joint in range(count):
        children = np.flatnonzero(parents == joint)
        if len(children):
            coms[joint] = 0.5 * stand.local_locations[0, children].mean(axis=0)
            lengths[joint] = np.linalg.norm(stand.local_locations[0, children], axis=-1).mean()
    masses = np.zeros(count)
    taken = np.zeros(count, dtype=bool)
    share = _LEG_SHARE.get(len(limbs), _MANY_LEGS_SHARE)
    for limb in limbs:
        taken |= below(parents, limb.hip)
        joints = (limb.hip, limb.knee, limb.heel)
        masses[list(joints)] += share * np.array(_SEGMENTS)
    rest = lengths * ~taken
    arms = arms_of(stand, limbs, taken, forward) if len(limbs) == 2 else []
    for arm in arms:
        own = below(parents, arm)
        masses += _ARM_SHARE * own * lengths / max(float((own * lengths).sum()), 1e-9)
        rest = rest * ~own
    if rest.sum() <= 0.0:
        rest[limbs[0].root] = 1.0
    masses += (1.0 - masses.sum()) * rest / rest.sum()
    return masses, coms


def below(parents: FloatArray, top: int) -> BoolArray:
    """Return (J,) which joints are ``top`` or hang from it; parents come before their children."""
    below = np.zeros(len(parents), dtype=bool)
    below[top] = True
    for joint in range(top + 1, len(parents)):
        below[joint] = parents[joint] >= 0 and below[int(parents[joint])]
    return below


def arms_of(stand: Clip, limbs: Sequence[Limb], taken: BoolArray, forward: FloatArray) -> list[int]:
    """Return the uppermost joints of what hangs beside the body of something that walks on two legs."""
    parents, positions = stand.skeleton.parents, stand.positions[0]
    across = np.cross([0.0, 0.0, 1.0], forward)
    middle = positions[[limb.hip for limb in limbs]].mean(axis=0)
    aside = np.abs((positions - middle) @ across) > 0.04 * (positions[:, 2].max() - positions[:, 2].min())
    found = [j for j, parent in enumerate(parents) if parent >= 0 and aside[j] and not aside[parent] and not taken[j]]
    return found
