# SPDX-License-Identifier: GPL-3.0-or-later
"""Legs are added and removed by hand, where a person knows better than the search."""

from __future__ import annotations

from types import ModuleType

import bpy
import pytest

from support.acrobat import crawl
from support.snapshot import snapshot
from support.walker_armature import walking_armature
from toehold import settings
from toehold.rig.common import versions


def select(armature: bpy.types.Object, *names: str) -> None:
    bpy.ops.object.mode_set(mode="POSE")
    for bone in armature.pose.bones:
        versions.select(bone, bone.name in names)


def test_the_selected_bones_become_a_leg_that_can_be_cleaned(walker: bpy.types.Object) -> None:
    select(walker, "LeftFoot", "LeftUpLeg", "LeftToeBase", "LeftLeg")
    assert bpy.ops.toehold.add_leg() == {"FINISHED"}
    (leg,) = settings.limb_bones(walker)
    assert (leg.root, leg.hip, leg.knee, leg.heel, leg.toe) == (
        "Hips",
        "LeftUpLeg",
        "LeftLeg",
        "LeftFoot",
        "LeftToeBase",
    )
    assert bpy.ops.toehold.clean() == {"FINISHED"}


@pytest.mark.parametrize("names", [("LeftUpLeg", "LeftLeg"), ("LeftUpLeg", "LeftLeg", "RightFoot")])
def test_bones_that_are_no_leg_are_refused(walker: bpy.types.Object, names: tuple[str, ...]) -> None:
    select(walker, *names)
    before = snapshot()
    with pytest.raises(RuntimeError, match="bones of one limb"):
        bpy.ops.toehold.add_leg()
    assert snapshot() == before


def test_a_leg_whose_bones_are_not_chosen_yet_is_asked_for_them(walker: bpy.types.Object) -> None:
    bpy.ops.toehold.add_leg()
    with pytest.raises(RuntimeError, match='limb "Limb 1" has no Root: choose it in the Limbs panel'):
        bpy.ops.toehold.clean()


def test_the_active_leg_is_removed_and_the_others_stay(walker: bpy.types.Object) -> None:
    bpy.ops.toehold.find_legs()
    walker.toehold.active_limb = 0
    bpy.ops.toehold.remove_leg()
    assert [leg.name for leg in settings.limb_bones(walker)] == ["Right Leg"]
    bpy.ops.toehold.remove_leg()
    with pytest.raises(RuntimeError, match="no limbs in the list"):
        bpy.ops.toehold.remove_leg()


RIGHT_ARM = ("RightArm", "RightForeArm", "RightHand")


def crawler() -> bpy.types.Object:
    return walking_armature(crawl(strides=1.0))


@pytest.mark.parametrize(
    ("selected", "bones", "hand"),
    [
        (["LeftHand"], ("LeftArm", "LeftForeArm", "LeftHand", "LeftHandMiddle1"), True),
        (["RightFoot"], ("RightUpLeg", "RightLeg", "RightFoot", "RightToeBase"), False),
        (["LeftArm", "LeftHand", "LeftForeArm"], ("LeftArm", "LeftForeArm", "LeftHand", ""), True),
        (["RightHandMiddle1", *RIGHT_ARM], (*RIGHT_ARM, "RightHandMiddle1"), True),
    ],
)
def test_one_bone_is_enough_to_add_a_hand_or_a_foot(
    registered: ModuleType, selected: list[str], bones: tuple[str, ...], hand: bool
) -> None:
    armature = crawler()
    select(armature, *selected)
    assert bpy.ops.toehold.add_leg() == {"FINISHED"}
    (limb,) = settings.limb_bones(armature)
    assert (limb.hip, limb.knee, limb.heel, limb.toe) == bones
    assert (limb.root, limb.hand) == ("Hips", hand)


def test_a_bone_with_no_limb_above_it_is_refused(registered: ModuleType) -> None:
    armature = crawler()
    select(armature, "Spine")
    with pytest.raises(RuntimeError, match='no leg or arm is found above bone "Spine"'):
        bpy.ops.toehold.add_leg()


def activate(armature: bpy.types.Object, bone: str) -> None:
    bpy.ops.object.mode_set(mode="POSE")
    armature.data.bones.active = armature.data.bones[bone]


def test_the_active_bone_is_taken_for_a_part(registered: ModuleType) -> None:
    armature = crawler()
    bpy.ops.toehold.find_legs()
    armature.toehold.limbs[0].toe = ""
    activate(armature, "LeftToeBase")
    assert bpy.ops.toehold.pick_bone(part="toe") == {"FINISHED"}
    assert settings.limb_bones(armature)[0].toe == "LeftToeBase"


def test_a_bone_of_another_limb_is_refused_and_nothing_changes(registered: ModuleType) -> None:
    armature = crawler()
    bpy.ops.toehold.find_legs()
    activate(armature, "RightLeg")
    before = snapshot()
    with pytest.raises(RuntimeError, match='bone "RightLeg" does not hang from "LeftUpLeg": choose another'):
        bpy.ops.toehold.pick_bone(part="knee")
    assert snapshot() == before


def test_parts_that_hang_from_a_new_bone_no_more_are_asked_for_again(registered: ModuleType) -> None:
    armature = crawler()
    bpy.ops.toehold.find_legs()
    activate(armature, "RightUpLeg")
    bpy.ops.toehold.pick_bone(part="hip")
    limb = settings.limb_bones(armature)[0]
    assert (limb.root, limb.hip, limb.knee, limb.heel, limb.toe) == ("Hips", "RightUpLeg", "", "", "")
    with pytest.raises(RuntimeError, match='limb "Front Left Leg" has no Knee: choose it in the Limbs panel'):
        bpy.ops.toehold.clean()


def test_without_an_active_bone_there_is_nothing_to_take(registered: ModuleType) -> None:
    armature = crawler()
    bpy.ops.toehold.find_legs()
    with pytest.raises(RuntimeError, match="Click a bone in Pose Mode first"):
        bpy.ops.toehold.pick_bone(part="hip")
    assert armature.mode == "OBJECT"


def test_a_limb_whose_bones_do_not_hang_from_each_other_is_refused(registered: ModuleType) -> None:
    armature = crawler()
    bpy.ops.toehold.find_legs()
    armature.toehold.limbs[0].knee = "RightLeg"
    with pytest.raises(RuntimeError, match='bone "RightLeg" does not hang from "LeftUpLeg"'):
        bpy.ops.toehold.clean()
