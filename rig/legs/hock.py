# SPDX-License-Identifier: GPL-3.0-or-later
"""The hock of a leg of three segments: a beast's, whose heel is high above the ground. No bpy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...solver.bending import bend_of
from ...solver.rotations import FloatArray, normalized
from ...solver.three_segments import DOWN
from .bone_tree import BoneTree
from .parts import Leg, stands_on_toes

# Joints that bend less than this at rest (radians) are those of twist and split bones, and above the knee those of a
# thigh; one nearer to the next than this share of their distance bends no segment of its own.
_BENDS = np.radians(3.0)
_THIGH_BENDS = np.radians(15.0)
_SEGMENT = 0.12

# A hock that bends less than this at rest (sine) tells nothing of the side that it bends to.
_STRAIGHT = 0.02

# The lowest segment ends where it bends by more than this on its way to the toe: at a horse's fetlock.
_FETLOCK = np.radians(10.0)


def with_hock(tree: BoneTree, leg: Leg, way: Sequence[int] | None = None) -> Leg:
    """Return the leg with its hock where it has three segments, else as it is.

    Where the foot stands up from the toe, its heel is the hock, and the heel is where the foot bends on its way to the
    toe, else the toe itself. Elsewhere it is a joint between knee and heel that bends, or the knee itself, where one
    above it bends.

    way : the leg's bones from hip to toe, where they do not all hang from each other.
    """
    toe = leg.heel if leg.toe < 0 else leg.toe
    bones = list(tree.chain(toe) if way is None else way)
    if not {leg.hip, leg.knee, leg.heel} <= set(bones):
        return leg
    hip, knee, heel = (bones.index(bone) for bone in (leg.hip, leg.knee, leg.heel))
    if leg.toe >= 0 and leg.toe != leg.heel and stands_on_toes(tree, (leg.hip, leg.knee, leg.heel, toe)):
        return replace(leg, hock=leg.heel, heel=_fetlock(tree, leg.heel, bones[heel + 1 : bones.index(toe) + 1]))
    hock = _between(tree, bones[knee : heel + 1], _BENDS)
    above = _between(tree, bones[hip : knee + 1], _THIGH_BENDS)
    if hock < 0 <= above:
        return replace(leg, knee=above, hock=leg.knee)
    return replace(leg, hock=hock)


def _fetlock(tree: BoneTree, hock: int, below: Sequence[int]) -> int:
    """Return which of the bones from below the hock to the toe begins where the way bends most, else the toe."""
    toe = below[-1]
    most = max(below[:-1], key=lambda bone: _bend(tree, hock, bone, toe), default=toe)
    return most if _bend(tree, hock, most, toe) > _FETLOCK else toe


def rest_shape(tree: BoneTree, leg: Leg) -> tuple[float, float]:
    """Return how the lower leg of a leg with a hock stands at rest, as in ``LowerLeg``: its lean and its extension."""
    shin, lowest = _way(tree, leg.knee, leg.hock), _way(tree, leg.hock, leg.heel)
    thigh = _way(tree, leg.hip, leg.knee)
    across = np.cross(shin, lowest)
    straight = np.linalg.norm(across) < _STRAIGHT * np.linalg.norm(shin) * np.linalg.norm(lowest)
    side = normalized(-np.cross(thigh, shin) if straight else across)
    lean = float(bend_of(DOWN, lowest, side))
    return lean, float(np.linalg.norm(shin + lowest) / (np.linalg.norm(shin) + np.linalg.norm(lowest)))


def _between(tree: BoneTree, bones: Sequence[int], bends: float) -> int:
    """Return the bone between the first and the last of ``bones`` where the way bends most; -1 if by less than that."""
    first, last = bones[0], bones[-1]
    shortest = _SEGMENT * _distance(tree, first, last)
    long = [bone for bone in bones[1:-1] if min(_distance(tree, first, bone), _distance(tree, bone, last)) > shortest]
    most = max(long, key=lambda bone: _bend(tree, first, bone, last), default=-1)
    return most if most >= 0 and _bend(tree, first, most, last) > bends else -1


def _bend(tree: BoneTree, above: int, joint: int, below: int) -> float:
    upper, lower = (normalized(one) for one in (_way(tree, above, joint), _way(tree, joint, below)))
    return float(np.arctan2(np.linalg.norm(np.cross(upper, lower)), upper @ lower))


def _distance(tree: BoneTree, one: int, other: int) -> float:
    return float(np.linalg.norm(_way(tree, one, other)))


def _way(tree: BoneTree, one: int, other: int) -> FloatArray:
    return np.asarray(tree.heads[other] - tree.heads[one])
