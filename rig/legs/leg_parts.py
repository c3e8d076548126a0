# SPDX-License-Identifier: GPL-3.0-or-later
"""A leg that was found, by bone indices, and the legs that the names of the bones tell of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from bpy.app.translations import pgettext_n as n_

from .bone_tree import BoneTree
from .leg_names import BoneName, Part, is_body, is_end

# A joint this low, as a share of the hip's height, is on the ground.
ON_GROUND = 0.08

# A foot that is steeper than this (sine) and takes more than this share of the leg's height stands on its toes by
# nature: feet of people, and of people with high heels, do one or the other at most.
_STEEP = np.sin(np.radians(55.0))
_HIGH = 0.22

# A foot bone that begins this far from the ankle, as a share of the way to the toes, is the ball's.
_AT_THE_BALL = 0.35


@dataclass(frozen=True)
class Leg:
    """Bones by index; toe, toe_end and hock are -1 where there is none. side : "L", "R" or "" where no name tells."""

    side: str
    hip: int
    knee: int
    heel: int
    toe: int
    toe_end: int
    confidence: float
    reason: str
    hock: int = -1


def leg_length(tree: BoneTree, leg: Leg) -> float:
    """Return the length in metres from hip over knee (and hock) to heel."""
    joints = [leg.hip, leg.knee, leg.heel] if leg.hock < 0 else [leg.hip, leg.knee, leg.hock, leg.heel]
    return float(np.linalg.norm(np.diff(tree.heads[joints], axis=0), axis=-1).sum())


def stands_on_toes(tree: BoneTree, joints: tuple[int, int, int, int]) -> bool:
    """Whether a leg of these bones is a beast's, its heel up in the air, or an insect's, its knee above its hip.

    joints : hip, knee, heel and toe.
    """
    hip, knee, heel, toe = tree.heads[list(joints)]
    rise = float(heel[2] - toe[2])
    steep = rise > _STEEP * float(np.linalg.norm(heel - toe))
    return (steep or knee[2] > hip[2]) and rise > _HIGH * float(hip[2] - toe[2])


def legs_by_name(tree: BoneTree, names: Sequence[BoneName]) -> list[Leg]:
    """Return the legs that names tell of, one for each real leg: a foot with a shin and a thigh above, on one side."""
    found: list[Leg] = []
    for heel, name in enumerate(names):
        if name.part in (Part.FOOT, Part.ANKLE) and not is_end(name):
            leg = leg_above(tree, names, heel)
            if leg is not None and leg_length(tree, leg) > 0.0:
                found.append(leg)
    return one_of_each(tree, found)


def leg_above(tree: BoneTree, names: Sequence[BoneName], heel: int) -> Leg | None:
    """Return the leg that ends in a foot, by the names of the bones above it; None where they tell of none."""
    side = names[heel].side
    above: list[int] = []
    for bone in reversed(tree.chain(heel)[:-1]):
        name = names[bone]
        # Bones without a side are the body's, unless the whole leg has none.
        if name.side != side or is_body(name) or (not side and name.part is None):
            break
        if name.part in (Part.FOOT, Part.ANKLE):
            return None
        above.insert(0, bone)
    knee = _knee_among(tree, names, above, heel)
    if knee is None:
        return None
    hip, sure = _hip_above(tree, names, above, knee)
    if hip is None:
        return None
    toe = _toe_below(tree, names, (hip, knee, heel))
    toe_end = _toe_end_below(tree, names, toe)
    confidence = (0.95 if sure else 0.8) - (0.0 if toe >= 0 else 0.05)
    reason = n_("by the names of its bones") if toe >= 0 else n_("by the names of its bones; it has no toe bone")
    return Leg(side, hip, knee, heel, toe, toe_end, confidence, reason)


def _with_part(names: Sequence[BoneName], bones: Sequence[int], part: Part) -> list[int]:
    return [bone for bone in bones if names[bone].part is part]


def _knee_among(tree: BoneTree, names: Sequence[BoneName], above: Sequence[int], heel: int) -> int | None:
    """Return the shin bone. "Leg" is the shin where there is a thigh above it, or another "leg"."""
    shins = _with_part(names, above, Part.SHIN)
    if shins:
        return shins[0]
    legs = _with_part(names, above, Part.LEG)
    thighs = _with_part(names, above, Part.THIGH)
    if thighs:
        lower = [bone for bone in legs if above.index(bone) > above.index(thighs[0])]
        return lower[0] if lower else None
    if len(legs) > 1:
        return _halfway(tree, legs, heel)
    return legs[0] if legs and _with_part(names, above, Part.HIP) else None


def _halfway(tree: BoneTree, legs: Sequence[int], heel: int) -> int:
    """Return which bone after the first of ``legs`` begins halfway to the heel; others are twist bones."""
    from_hip = np.linalg.norm(tree.heads[list(legs[1:])] - tree.heads[legs[0]], axis=-1)
    to_heel = np.linalg.norm(tree.heads[list(legs[1:])] - tree.heads[heel], axis=-1)
    return legs[1 + int(np.argmin(np.abs(from_hip - to_heel)))]


def _hip_above(tree: BoneTree, names: Sequence[BoneName], above: Sequence[int], knee: int) -> tuple[int | None, bool]:
    """Return the thigh bone and whether a name told; else the bone above the shin, if it is of the same side."""
    higher = above[: above.index(knee)]
    for part in (Part.THIGH, Part.LEG):
        found = _with_part(names, higher, part)
        if found:
            return found[0], True
    hips = _with_part(names, higher, Part.HIP)
    if hips:
        return hips[-1], True
    return (higher[-1], False) if higher else (None, False)


def _toe_below(tree: BoneTree, names: Sequence[BoneName], joints: tuple[int, int, int]) -> int:
    """Return the toe bone below hip, knee and heel, -1 where there is none."""
    hip, _, heel = joints
    below = [bone for bone in tree.below(heel)[1:] if names[bone].side == names[heel].side]
    for part in (Part.HOOF, Part.TOE):
        found = [bone for bone in _with_part(names, below, part) if not is_end(names[bone])]
        if found:
            beast = stands_on_toes(tree, (*joints, found[0]))
            return found[0] if beast else _ball_before(tree, names, heel, found[0])
    feet = [bone for bone in _with_part(names, below, Part.FOOT) if not is_end(names[bone])]
    if feet:
        # Of several foot bones in a row, as beasts have them, the first that lies on the ground.
        floor = tree.heads[below, 2].min()
        limit = floor + ON_GROUND * (tree.heads[hip, 2] - floor)
        return next((bone for bone in feet if tree.heads[bone, 2] <= limit), feet[0])
    # A bone that only marks the end of the foot is worth more than the foot's tail, where they do not agree.
    ends = [bone for bone in tree.children[heel] if is_end(names[bone])]
    length = float(np.linalg.norm(tree.tails[heel] - tree.heads[heel]))
    apart = [bone for bone in ends if np.linalg.norm(tree.heads[bone] - tree.tails[heel]) > 0.1 * length]
    return apart[0] if apart else -1


def _ball_before(tree: BoneTree, names: Sequence[BoneName], heel: int, toe: int) -> int:
    """Return the foot bone between ankle and toe where it begins at the ball, else the toe."""
    way = tree.chain(toe)
    between = _with_part(names, way[way.index(heel) + 1 : -1], Part.FOOT)
    length = np.linalg.norm(tree.heads[toe] - tree.heads[heel])
    balls = [bone for bone in between if np.linalg.norm(tree.heads[bone] - tree.heads[heel]) > _AT_THE_BALL * length]
    return balls[0] if names[heel].part is Part.ANKLE and balls else toe


def _toe_end_below(tree: BoneTree, names: Sequence[BoneName], toe: int) -> int:
    """Return the bone that starts where the toes end, -1 where there is none."""
    if toe < 0:
        return -1
    children = tree.children[toe]
    ends = [bone for bone in children if is_end(names[bone])]
    if not ends and len(children) == 1:
        length = float(np.linalg.norm(tree.tails[toe] - tree.heads[toe]))
        if np.linalg.norm(tree.heads[children[0]] - tree.tails[toe]) <= 0.05 * length:
            ends = [children[0]]
    # One that lies on the toe joint itself would give the toes no length.
    ends = [bone for bone in ends if np.linalg.norm(tree.heads[bone] - tree.heads[toe]) > 0.0]
    return ends[0] if ends else -1


def one_of_each(tree: BoneTree, legs: Sequence[Leg]) -> list[Leg]:
    """Keep one of the chains that lie in the same place (control rigs have several): the one that moves the mesh."""

    def rank(leg: Leg) -> tuple[int, int]:
        return sum(tree.deform[bone] for bone in (leg.hip, leg.knee, leg.heel)), int(leg.toe >= 0)

    kept: list[Leg] = []
    for leg in sorted(legs, key=rank, reverse=True):
        near = 0.1 * leg_length(tree, leg)
        if not any(
            other.side == leg.side
            and np.linalg.norm(tree.heads[other.hip] - tree.heads[leg.hip]) < near
            and np.linalg.norm(tree.heads[other.heel] - tree.heads[leg.heel]) < near
            for other in kept
        ):
            kept.append(leg)
    return sorted(kept, key=lambda leg: leg.hip)
