# SPDX-License-Identifier: GPL-3.0-or-later
"""A control belongs to the leg that it moves: by inverse or forward kinematics, by a pole, or as a bone of the mesh."""

from __future__ import annotations

import bpy
import pytest

from support.control_rigs import generated, small_control_rig
from toehold.rig.controls.owners import limbs_of_controls
from toehold.rig.legs.find_legs import find_legs

OF_LEGS = {
    "basic_human": (
        "foot_ik",
        "toe_ik",
        "foot_heel_ik",
        "thigh_ik_target",
        "thigh_fk",
        "foot_fk",
        "toe_fk",
        "DEF-shin",
    ),
    "bird": ("foot_ik", "toe", "foot_heel_ik", "thigh_ik_target", "thigh_fk", "foot_fk", "DEF-shin.001"),
}
OF_NO_LEG = ("root", "torso", "hips", "chest", "head")


@pytest.mark.parametrize("kind", OF_LEGS)
def test_each_control_of_a_generated_rig_belongs_to_the_leg_that_it_moves(kind: str) -> None:
    armature = generated(kind)
    limbs = find_legs(armature)
    for at, side in enumerate("LR"):
        for control in OF_LEGS[kind]:
            name = ".".join([*control.split(".")[:1], side, *control.split(".")[1:]])
            assert name in armature.pose.bones
            assert limbs_of_controls(armature, limbs, [name]) == [at], name
    for name in OF_NO_LEG:
        assert limbs_of_controls(armature, limbs, [name]) == [], name


def test_controls_of_both_legs_stand_for_both_and_drivers_and_objects_between_count() -> None:
    armature = small_control_rig()
    limbs = find_legs(armature)
    assert limbs_of_controls(armature, limbs, ["target.L", "hips", "target.R"]) == [0, 1]
    # The right foot's target is taken by an object that hangs from a bone, the left's by a driver.
    between = bpy.data.objects.new("Between", None)
    bpy.context.scene.collection.objects.link(between)
    between.parent, between.parent_type, between.parent_bone = armature, "BONE", "target.R"
    for constraint in armature.pose.bones["shin.R"].constraints:
        constraint.target, constraint.subtarget = between, ""
    driver = armature.pose.bones["thigh.L"].constraints.new("LIMIT_ROTATION").driver_add("influence").driver
    target = driver.variables.new().targets[0]
    target.id, target.data_path = armature, 'pose.bones["handle"].location[0]'
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    handle = armature.data.edit_bones.new("handle")
    handle.head, handle.tail = (1.0, 0.0, 0.0), (1.0, 0.0, 1.0)
    bpy.ops.object.mode_set(mode="OBJECT")
    assert limbs_of_controls(armature, limbs, ["target.R"]) == [1]
    assert limbs_of_controls(armature, limbs, ["handle"]) == [0]
