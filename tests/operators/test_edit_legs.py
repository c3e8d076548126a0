# SPDX-License-Identifier: GPL-3.0-or-later
"""Legs are added and removed by hand, where a person knows better than the search."""

from __future__ import annotations

import bpy
import pytest

from support.snapshot import snapshot
from toehold import settings
from toehold.rig import versions


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
