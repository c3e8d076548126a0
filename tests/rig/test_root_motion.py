# SPDX-License-Identifier: GPL-3.0-or-later
"""Root motion is put on a bone or the object in a new action, and can be taken out again."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest

from support.rigs import import_gltf, play
from support.walker import limb_bones, walk
from support.walker_armature import walking_armature
from toehold.rig import actions, journey
from toehold.rig.errors import RigError
from toehold.rig.find_legs import find_legs
from toehold.rig.carrier import AUTO, OBJECT
from toehold.rig.root_motion import RootMotionOptions, fit_stride, fit_timing, move_root
from toehold.rig.sample import sample

TRAVEL = 2.0 * 1.2


def walker(**placing: object) -> bpy.types.Object:
    return walking_armature(walk(strides=2.0), **placing)


def travel(armature: bpy.types.Object) -> float:
    clip = sample(armature, limb_bones()).clip
    return float(np.linalg.norm((clip.positions[-1, 0] - clip.positions[0, 0])[:2]))


@pytest.mark.parametrize("target", [AUTO, "Hips", OBJECT])
@pytest.mark.parametrize("mode", ["XYZ", "QUATERNION", "AXIS_ANGLE"])
def test_travel_taken_out_is_found_again_by_the_feet(target: str, mode: str) -> None:
    armature = walker(scale=0.01, y_up=True)
    armature.rotation_mode = mode
    if mode == "XYZ":
        armature.rotation_euler[0] = np.pi / 2.0
    source = armature.animation_data.action
    out = move_root(armature, limb_bones(), RootMotionOptions("OUT", target=target))
    assert travel(armature) < 1e-4
    back = move_root(armature, limb_bones(), RootMotionOptions("IN", "TURNING", target=target))
    assert travel(armature) == pytest.approx(TRAVEL, rel=0.03)
    assert np.linalg.norm(back.travel) == pytest.approx(travel(armature), abs=1e-4)
    assert back.stance_speed_after < 0.05 * back.stance_speed_before
    assert (actions.source_of(out.result), actions.source_of(back.result)) == (source, out.result)


def test_a_result_is_cleaned_itself_and_not_its_source() -> None:
    armature = walking_armature(walk(strides=3.0, slide_mm_s=150.0))
    moved = move_root(armature, limb_bones(), RootMotionOptions())
    for _ in range(2):
        cleaned = journey.clean(armature, limb_bones(), journey.Options())
        assert cleaned.source == moved.result
    assert journey.restore_source(armature) == moved.result
    assert journey.restore_source(armature) == moved.source


def test_a_parented_turned_object_travels_along_the_world() -> None:
    armature = walker()
    parent = bpy.data.objects.new("Stage", None)
    bpy.context.scene.collection.objects.link(parent)
    parent.rotation_euler, parent.scale, parent.location = (0.0, 0.0, 0.7), (2.0, 2.0, 2.0), (1.0, 2.0, 0.0)
    armature.parent = parent
    bpy.context.view_layer.update()
    before = sample(armature, limb_bones()).clip.positions
    move_root(armature, limb_bones(), RootMotionOptions("OUT", target=OBJECT))
    after = sample(armature, limb_bones()).clip.positions
    share = np.linspace(0.0, 1.0, len(before))[:, None, None]
    expected = before - share * ((before[-1, 0] - before[0, 0]) * [1.0, 1.0, 0.0])
    np.testing.assert_allclose(after, expected, atol=1e-4)


def test_a_bone_that_does_not_carry_all_feet_is_refused() -> None:
    armature = walker()
    names = {action.name for action in bpy.data.actions}
    for bone, reason in (("LeftUpLeg", "does not carry all feet"), ("nobody", "there is no bone")):
        with pytest.raises(RigError, match=reason):
            move_root(armature, limb_bones(), RootMotionOptions("OUT", target=bone))
    assert {action.name for action in bpy.data.actions} == names


def test_feet_that_hang_on_no_body_travel_with_the_object(data: Path) -> None:
    armature = import_gltf(data / "gltf" / "Wolf.glb")
    play(armature, bpy.data.actions["AnimalArmature|Gallop"])
    moved = move_root(armature, find_legs(armature), RootMotionOptions())
    assert moved.target == OBJECT or moved.stance_speed_after < 0.5 * moved.stance_speed_before


def test_a_walk_in_place_goes_as_far_as_its_twin(data: Path) -> None:
    armature = import_gltf(data / "gltf" / "kaiju-animations.glb")
    play(armature, bpy.data.actions["Walk"])
    limbs = find_legs(armature)
    constant = move_root(armature, limbs, RootMotionOptions())
    assert np.linalg.norm(constant.travel) == pytest.approx(1.5, rel=0.02)
    play(armature, bpy.data.actions["Walk"])
    varying = move_root(armature, limbs, RootMotionOptions(kind="VARYING"))
    assert varying.stance_speed_after < 0.02 * varying.stance_speed_before
