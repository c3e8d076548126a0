# SPDX-License-Identifier: GPL-3.0-or-later
"""A leg that was found, by bone indices, and the legs that the names of the bones tell of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from bpy.app.translations import pgettext_n as n_

from .bone_tree import BoneTree
from .names import BoneName, Part, is_body, is_end, is_helper, is_part

# A joint this low, as a share of the hip's height, is on the ground.
ON_GROUND = 0.08

# A foot that is steeper than this (sine) and takes more than this share of the leg's height stands on its toes by
# nature: feet of people, and of people with high heels, do one or the other at most.
_STEEP = np.sin(np.radians(55.0))
_HIGH = 0.22

# What begins nearer to the ankle than this share of the foot bone's length begins on it.
_OFF_THE_ANKLE = 0.2

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
    return one_of_each(tree, found + _with_floating_feet(tree, names, found))


def _with_floating_feet(tree: BoneTree, names: Sequence[BoneName], found: Sequence[Leg]) -> list[Leg]:
    """Return the legs that end above a foot of their side and row (the words beside the part's) that hangs elsewhere.

    A foot that a found leg lies beside is a control's.
    """
    taken = {bone for leg in found for bone in tree.below(leg.hip)}
    feet = [
        bone
        for bone, name in enumerate(names)
        if name.part in (Part.FOOT, Part.ANKLE) and tree.deform[bone] and bone not in taken and not is_end(name)
    ]
    feet = [bone for bone in feet if tree.parents[bone] not in feet]
    legs: list[Leg] = []
    for shin, name in enumerate(names):
        if name.part not in (Part.SHIN, Part.LEG) or not name.side or shin in taken or not tree.deform[shin]:
            continue
        above = _leg_bones_above(tree, names, shin)
        below = [bone for bone in tree.below(shin)[1:] if names[bone].part in (Part.SHIN, Part.LEG, *_FEET)]
        its = [foot for foot in feet if _row(names[foot]) == _row(name) and above and foot not in tree.below(above[0])]
        if len(above) < 2 or below or len(its) != 1:
            continue
        knee = _knee_among(tree, names, above, its[0])
        hip, _ = (None, False) if knee is None else _hip_above(tree, names, above, knee)
        if knee is not None and hip is not None:
            toe = _toe_below(tree, names, (hip, knee, its[0]))
            reason = n_("by the names of its bones; its foot does not hang from it")
            legs.append(Leg(name.side, hip, knee, its[0], toe, _toe_end_below(tree, names, toe), 0.75, reason))
    return legs


_FEET = (Part.FOOT, Part.ANKLE)


def _row(name: BoneName) -> tuple[str, frozenset[str]]:
    """Return the side of a bone and what its name says beside the part of the leg: "front", the name of the rig."""
    return name.side, frozenset(word for word in name.words if not is_part(word) and not word.isdigit())


def _leg_bones_above(tree: BoneTree, names: Sequence[BoneName], shin: int) -> list[int]:
    """Return the bones of the shin's side that lead to it, itself the last."""
    above = [shin]
    while (parent := tree.parents[above[0]]) >= 0 and names[parent].side == names[shin].side:
        above.insert(0, parent)
    return above


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
    return toe_by_place(tree, names, heel)


def toe_by_place(tree: BoneTree, names: Sequence[BoneName], heel: int) -> int:
    """Return the bone that begins where a foot bends or ends, by where it is; -1 where the foot's tail is all there is.

    Of several toes it is the middle one. What carries no mesh where the foot does, is named as a helper, lies on the
    ankle, behind it or above the foot does not count; one that only marks the end of the foot counts where it and
    the foot's tail do not agree: tails are often made up.
    """
    ankle = tree.heads[heel]
    length = float(np.linalg.norm(tree.tails[heel] - ankle))
    children = [
        bone
        for bone in tree.children[heel]
        if (tree.deform[bone] or not tree.deform[heel])
        and not is_helper(names[bone])
        and np.linalg.norm(tree.heads[bone] - ankle) > _OFF_THE_ANKLE * length
    ]
    ends = [bone for bone in children if is_end(names[bone])]
    toes = [bone for bone in children if bone not in ends] or [
        bone for bone in ends if np.linalg.norm(tree.heads[bone] - tree.tails[heel]) > 0.1 * length
    ]
    if len(toes) < 2:
        return toes[0] if toes else -1
    away = tree.heads[toes] - ankle
    ahead = away / np.linalg.norm(away, axis=-1, keepdims=True)
    # A spur points the other way, and counts for no direction.
    pointing = ahead[ahead @ ahead[int(np.argmax(np.linalg.norm(away, axis=-1)))] > 0.0]
    return toes[int(np.argmax(ahead @ pointing.mean(axis=0)))]


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
