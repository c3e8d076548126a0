# SPDX-License-Identifier: GPL-3.0-or-later
"""A limb by the bones that a person chooses."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import bpy
from bpy.app.translations import pgettext_n as n_

from ..common import versions
from ..common.wording import RigError
from .bone_tree import BoneTree, bone_tree
from .find_hands import arm_above
from .find_legs import bones_of
from .hock import with_hock
from .limb_bones import LimbBones
from .names import arm_part, is_arm, is_body, read_name
from .parts import ON_GROUND, Leg, leg_above, stands_on_toes

# The bones of a limb, from the body down, and what they are called: of a leg, and where a hand's are called otherwise.
PARTS = ("root", "hip", "knee", "hock", "heel", "toe", "toe_end")
OF_LEG = {
    "root": n_("Root"),
    "hip": n_("Hip"),
    "knee": n_("Knee"),
    "hock": n_("Hock"),
    "heel": n_("Ankle"),
    "toe": n_("Toe"),
    "toe_end": n_("Toe End"),
}
OF_HAND = {"root": n_("Root"), "hip": n_("Shoulder"), "knee": n_("Elbow"), "heel": n_("Hand"), "toe": n_("Knuckle")}


def selected_limb(armature: bpy.types.Object, name: str) -> LimbBones:
    """Return the limb of the selected bones: hip, knee and heel, then toe and the tip of the toes if there are more.

    One bone alone is a foot or a hand, whose leg or arm is found above it. What a hand is, names tell; whether there is
    a hock, the pose at rest, and six bones have one.

    Raises
    ------
    RigError
        Where two or more than six are selected, or bones beside each other, or no limb is found above the one.
    """
    chosen = [bone for bone in armature.pose.bones if versions.is_selected(bone)]
    if len(chosen) == 1:
        return _limb_ending_in(armature, chosen[0].name, name)
    if not 3 <= len(chosen) <= 6:
        raise RigError(
            "select a foot or a hand, or the bones of one limb from hip or shoulder down (three to six), and try again"
        )
    chain = sorted(chosen, key=lambda bone: len(bone.parent_recursive))
    for above, below in pairwise(chain):
        if above not in below.parent_recursive:
            raise RigError(
                'bone "{below}" does not hang from bone "{above}": select the bones of one limb',
                below=below.name,
                above=above.name,
            )
    hand = any(is_arm(read_name(bone.name)) for bone in chain)
    if hand and len(chain) > 3 and arm_part(read_name(chain[3].name)) is not None:
        # From the collarbone on.
        chain = chain[1:]
    tree = bone_tree(armature)
    bones = [tree.names.index(bone.name) for bone in chain]
    limb = bones_of(
        tree,
        name,
        _arm_of(bones) if hand else _leg_of(tree, bones),
        tree.names.index(_root_above(chain[0])),
        hand=hand,
    )
    return replace(limb, reason=n_("by the bones that were selected"))


def _arm_of(bones: list[int]) -> Leg:
    hip, knee, heel, toe = [*bones, -1][:4]
    return Leg("", hip, knee, heel, toe, -1, 1.0, "")


def _leg_of(tree: BoneTree, bones: list[int]) -> Leg:
    """Return the leg of three to six bones, from the hip down."""
    if len(bones) > 5:
        hip, knee, hock, heel, toe, toe_end = bones
        return Leg("", hip, knee, heel, toe, toe_end, 1.0, "", hock)
    hip, knee, heel, toe, toe_end = [*bones, -1, -1][:5]
    if toe_end >= 0 and stands_on_toes(tree, (hip, knee, heel, toe)):
        low = float(min(tree.heads[bones, 2].min(), tree.tails[bones, 2].min()))
        if tree.heads[toe, 2] - low > ON_GROUND * (tree.heads[hip, 2] - low):
            toe, toe_end = toe_end, -1
    return with_hock(tree, Leg("", hip, knee, heel, toe, toe_end, 1.0, ""))


def _limb_ending_in(armature: bpy.types.Object, end: str, name: str) -> LimbBones:
    tree = bone_tree(armature)
    names = [read_name(bone) for bone in tree.names]
    bone = tree.names.index(end)
    leg = leg_above(tree, names, bone)
    leg = None if leg is None else with_hock(tree, leg)
    found = leg or arm_above(tree, names, bone)
    if found is None:
        raise RigError('no leg or arm is found above bone "{bone}": select all bones of the limb', bone=end)
    root = tree.names.index(_root_above(armature.pose.bones[tree.names[found.hip]]))
    hand = leg is None and is_arm(names[bone])
    return replace(bones_of(tree, name, found, root, hand=hand), confidence=1.0)


def _root_above(hip: bpy.types.PoseBone) -> str:
    """Return the bone that carries the body: the nearest called hips or pelvis, else the parent, that can be moved."""
    above = list(hip.parent_recursive)
    bodies = [bone for bone in above if is_body(read_name(bone.name))]
    root = (bodies or above or [hip])[0]
    while root.parent is not None and root.bone.use_connect:
        root = root.parent
    return root.name


def with_bone(armature: bpy.types.Object, limb: LimbBones, part: str, name: str) -> tuple[LimbBones, list[str]]:
    """Return a limb with another bone for one of its parts, and which parts below it hang from it no more: now empty.

    Raises
    ------
    RigError
        Where the bone does not hang from the parts above it.
    """
    bones = armature.pose.bones
    bone = bones[name]
    at = PARTS.index(part)
    for other in PARTS[:at]:
        above = bones.get(getattr(limb, other))
        if above is not None and not _hangs(bone, above, part):
            raise RigError(
                'bone "{bone}" does not hang from "{above}": choose another, or change that one first',
                bone=name,
                above=above.name,
            )
    lost = [
        other
        for other in PARTS[at + 1 :]
        if (below := bones.get(getattr(limb, other))) is not None and not _hangs(below, bone, other)
    ]
    changes: dict[str, Any] = {part: name, **dict.fromkeys(lost, "")}
    return replace(limb, **changes), lost


def part_name(limb: LimbBones, part: str) -> str:
    """Return what a part of a limb is called."""
    return (OF_HAND if limb.hand else OF_LEG).get(part, OF_LEG[part])


def _hangs(bone: bpy.types.PoseBone, above: bpy.types.PoseBone, part: str) -> bool:
    """Whether a bone can be a limb's ``part`` below another bone.

    A foot that is moved by itself hangs from what its leg hangs from; a toe may be the foot's own bone.
    """
    if above in bone.parent_recursive or (part == "toe" and bone == above):
        return True
    floats = set(bone.parent_recursive) < set(above.parent_recursive)
    return part == "heel" and floats and bone not in above.parent_recursive


def refuse_loose_bones(armature: bpy.types.Object, limb: LimbBones) -> None:
    """Raise RigError where a limb's bones that turn each other do not hang from each other."""
    bones = armature.pose.bones
    for part, other in (("hip", "knee"), ("knee", "hock"), ("heel", "toe")):
        above, below = bones.get(getattr(limb, part)), bones.get(getattr(limb, other))
        if above is not None and below is not None and not _hangs(below, above, other):
            raise RigError(
                'limb "{limb}": bone "{below}" does not hang from "{above}": choose another in the Limbs panel',
                limb=limb.name,
                below=below.name,
                above=above.name,
            )
