# SPDX-License-Identifier: GPL-3.0-or-later
"""A sampled clip is where Blender's own evaluation is."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from pathlib import Path

import bpy
import numpy as np
import pytest
from mathutils import Vector

from support.rigs import (
    LEFT_AND_RIGHT,
    add_armature,
    biped,
    curve,
    import_bvh,
    import_gltf,
    joints_by_blender,
    key_motion,
    play,
    two_legs,
)
from toehold.rig.common.wording import RigError
from toehold.rig.legs.find_legs import find_legs
from toehold.rig.legs.limb_bones import LimbBones
from toehold.rig.sampling.sample import Sample, sample

FRAMES = range(1, 22, 4)


def keyed_biped(seed: int = 0) -> bpy.types.Object:
    armature = add_armature(biped("hips", *LEFT_AND_RIGHT))
    key_motion(armature, FRAMES, seed, locations=("hips", "thigh.L"))
    return armature


def test_every_recording_is_sampled_as_blender_poses_it_from_its_curves(data: Path) -> None:
    for path in sorted(data.glob("*/*.bvh")):
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        armature = import_bvh(path)
        sampled = sample(armature, find_legs(armature))
        assert not sampled.evaluated, path.name
        error = np.abs(joints_by_blender(armature, sampled) - sampled.clip.positions).max()
        assert error <= 1e-5, path.name


def blenders_precision(sampled: Sample) -> float:
    """Return what Blender's float32 can tell apart where the sample is, over a few sums, in metres."""
    return max(1e-5, 8.0 * float(np.spacing(np.float32(np.abs(sampled.clip.positions).max()))))


# Fox is 78 m long as it comes: float32 is coarser there than elsewhere.
@pytest.mark.parametrize(
    ("file", "from_curves"),
    [
        ("Fox", True),
        ("Horse", True),
        ("Wolf", True),
        ("Med_MovementBasic", True),
        ("horse-animations", True),
        ("kaiju-animations", True),
        ("spider-animations", True),
    ],
)
def test_every_game_loop_is_sampled_as_blender_poses_it(data: Path, file: str, from_curves: bool) -> None:
    armature = import_gltf(data / f"gltf/{file}.glb")
    limbs = find_legs(armature)
    for action in list(bpy.data.actions)[:3]:
        play(armature, action)
        sampled = sample(armature, limbs)
        assert sampled.evaluated != from_curves
        error = np.abs(joints_by_blender(armature, sampled) - sampled.clip.positions).max()
        assert error <= blenders_precision(sampled), action.name


@pytest.mark.parametrize("away", [300.0, 5000.0])
@pytest.mark.parametrize("moved", ["keys", "object"])
def test_a_walk_far_from_the_origin_is_read_from_its_curves(data: Path, away: float, moved: str) -> None:
    armature = import_bvh(data / "cmu/cmu_12_01_walk.bvh")
    near = sample(armature, find_legs(armature))
    hips = armature.pose.bones[near.bones[0] or ""]
    if moved == "keys":
        for at, step in enumerate(hips.bone.matrix_local.to_3x3().inverted() @ Vector((away, 0.0, 0.0))):
            for key in curve(armature, f'pose.bones["{hips.name}"].location', at).keyframe_points:
                key.co.y += step
    else:
        armature.location.x = away
    far = sample(armature, find_legs(armature))
    assert not far.evaluated
    error = np.abs(joints_by_blender(armature, far) - far.clip.positions).max()
    assert error <= blenders_precision(far)
    assert np.abs(far.clip.positions - near.clip.positions - [away, 0.0, 0.0]).max() <= blenders_precision(far)


@pytest.mark.parametrize("mode", ["QUATERNION", "AXIS_ANGLE", "XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX"])
def test_sparse_bezier_keys_in_any_rotation_mode_are_read_exactly(mode: str) -> None:
    armature = add_armature(biped("hips", *LEFT_AND_RIGHT))
    for bone in armature.pose.bones:
        bone.rotation_mode = mode
    key_motion(armature, FRAMES, locations=("hips", "thigh.L"))
    sampled = sample(armature, two_legs())
    assert not sampled.evaluated
    assert np.abs(joints_by_blender(armature, sampled) - sampled.clip.positions).max() <= 1e-5


def parented(armature: bpy.types.Object) -> None:
    above = bpy.data.objects.new("Above", None)
    bpy.context.scene.collection.objects.link(above)
    above.location, above.rotation_euler, above.scale = (1.0, 2.0, 0.5), (0.2, 0.4, 0.6), (3.0, 3.0, 3.0)
    armature.parent = above


def placed(armature: bpy.types.Object) -> None:
    armature.rotation_euler, armature.scale = (math.radians(90.0), 0.0, 0.4), (0.01, 0.01, 0.01)
    armature.location, armature.delta_location = (3.0, -2.0, 0.0), (0.0, 0.0, 1.0)


def travelling(armature: bpy.types.Object) -> None:
    for frame, x in ((1, 0.0), (21, 2.0)):
        armature.location, armature.rotation_euler = (x, 0.0, 0.0), (0.0, 0.0, x)
        armature.keyframe_insert("location", frame=frame)
        armature.keyframe_insert("rotation_euler", frame=frame)


def growing(armature: bpy.types.Object) -> None:
    for frame, size in ((1, 1.0), (21, 2.0)):
        armature.pose.bones["hips"].scale = (size, size, size)
        armature.pose.bones["hips"].keyframe_insert("scale", frame=frame)


def squashed(armature: bpy.types.Object) -> None:
    armature.pose.bones["hips"].scale = (1.0, 2.0, 1.0)


def noisy(armature: bpy.types.Object) -> None:
    curve(armature, 'pose.bones["hips"].location', 2).modifiers.new("NOISE").strength = 0.2


def muted(armature: bpy.types.Object) -> None:
    curve(armature, 'pose.bones["hips"].location', 2).mute = True
    armature.pose.bones["hips"].location = (0.0, 0.0, 0.4)


@pytest.mark.parametrize("how", [parented, placed, travelling, growing, squashed, noisy, muted])
def test_what_curves_and_the_object_tell_needs_no_stepping(how: Callable[[bpy.types.Object], None]) -> None:
    armature = keyed_biped()
    how(armature)
    bpy.context.view_layer.update()
    sampled = sample(armature, two_legs())
    assert not sampled.evaluated
    assert np.abs(joints_by_blender(armature, sampled) - sampled.clip.positions).max() <= 1e-5


def constrained(armature: bpy.types.Object) -> None:
    armature.pose.bones["shin.L"].constraints.new("LIMIT_ROTATION").use_limit_x = True


def pulled(armature: bpy.types.Object) -> None:
    target = bpy.data.objects.new("Target", None)
    bpy.context.scene.collection.objects.link(target)
    target.location = (0.3, -0.3, 0.2)
    reach = armature.pose.bones["shin.R"].constraints.new("IK")
    reach.target, reach.chain_count = target, 2


def driven(armature: bpy.types.Object) -> None:
    armature.pose.bones["foot.L"].rotation_mode = "XYZ"
    armature.pose.bones["foot.L"].driver_add("rotation_euler", 0).driver.expression = "frame * 0.01"


def uninherited(armature: bpy.types.Object) -> None:
    squashed(armature)
    armature.data.bones["thigh.L"].inherit_scale = "NONE"


def independent(armature: bpy.types.Object) -> None:
    armature.data.bones["shin.L"].use_inherit_rotation = False
    armature.data.bones["thigh.L"].use_local_location = False


def carried(armature: bpy.types.Object) -> None:
    parented(armature)
    armature.parent.keyframe_insert("location", frame=1)
    armature.parent.location = (5.0, 0.0, 0.0)
    armature.parent.keyframe_insert("location", frame=21)


def layered(armature: bpy.types.Object) -> None:
    animation = armature.animation_data
    action = animation.action
    animation.nla_tracks.new().strips.new("below", 1, action)
    animation.action_blend_type = "ADD"


@pytest.mark.parametrize("how", [constrained, pulled, driven, uninherited, independent, carried, layered])
def test_what_curves_do_not_tell_is_stepped_through(how: Callable[[bpy.types.Object], None]) -> None:
    armature = keyed_biped()
    how(armature)
    bpy.context.scene.frame_set(7, subframe=0.25)
    sampled = sample(armature, two_legs())
    assert sampled.evaluated
    assert (bpy.context.scene.frame_current, bpy.context.scene.frame_subframe) == (7, 0.25)
    assert np.abs(joints_by_blender(armature, sampled) - sampled.clip.positions).max() <= 1e-5


def test_a_time_remap_is_seen() -> None:
    armature = keyed_biped()
    bpy.context.scene.render.frame_map_new = 200
    sampled = sample(armature, two_legs())
    assert np.abs(joints_by_blender(armature, sampled) - sampled.clip.positions).max() <= 1e-5


def test_a_hidden_armature_is_read_from_its_curves() -> None:
    armature = keyed_biped()
    shown = sample(armature, two_legs())
    armature.hide_viewport = True
    hidden = sample(armature, two_legs())
    assert not hidden.evaluated
    assert np.array_equal(hidden.clip.positions, shown.clip.positions)


def test_the_range_is_that_of_the_motion_and_the_rate_the_scenes() -> None:
    armature = keyed_biped()
    armature.pose.bones["toe.L"]["contact"] = 0.0
    armature.pose.bones["toe.L"].keyframe_insert('["contact"]', frame=400)
    bpy.context.scene.render.fps, bpy.context.scene.render.fps_base = 30, 1.001
    sampled = sample(armature, two_legs())
    assert (sampled.frames[0], sampled.frames[-1]) == (1.0, 21.0)
    assert sampled.clip.fps == pytest.approx(29.97, abs=0.001)
    assert len(sample(armature, two_legs(), (-3, 30)).frames) == 34


def test_only_the_limbs_and_what_they_hang_from_are_sampled() -> None:
    sampled = sample(keyed_biped(), two_legs())
    assert "Torso" not in sampled.bones
    assert sampled.bones[-2:] == (None, None)
    left = sampled.limbs[0]
    names = sampled.clip.skeleton.names
    assert [names[joint] for joint in (left.root, left.hip, left.toe, left.toe_end)] == [
        "hips",
        "thigh.L",
        "toe.L",
        "toe.L_end",
    ]


def no_action(armature: bpy.types.Object) -> None:
    armature.animation_data_clear()


def no_slot(armature: bpy.types.Object) -> None:
    armature.animation_data.action_slot = None


def other_rig(armature: bpy.types.Object) -> None:
    for bone in armature.pose.bones:
        bone.name = f"my {bone.name}"
    for one in list(curve_paths(armature)):
        one.data_path = one.data_path.replace("my ", "")


def curve_paths(armature: bpy.types.Object) -> list[bpy.types.FCurve]:
    return list(armature.animation_data.action.layers[0].strips[0].channelbags[0].fcurves)


def uneven(armature: bpy.types.Object) -> None:
    armature.scale = (1.0, 2.0, 1.0)


def resting(armature: bpy.types.Object) -> None:
    armature.data.pose_position = "REST"


def broken(armature: bpy.types.Object) -> None:
    curve(armature, 'pose.bones["hips"].location', 1).keyframe_points[2].co.y = math.nan


@pytest.mark.parametrize(
    ("how", "says"),
    [
        (no_action, "no action"),
        (no_slot, "slot"),
        (other_rig, "moves no bone"),
        (uneven, "not scaled evenly"),
        (resting, "rest pose"),
        (broken, "no numbers"),
    ],
)
def test_what_cannot_be_sampled_is_refused_in_one_line(how: Callable[[bpy.types.Object], None], says: str) -> None:
    armature = keyed_biped()
    limbs = two_legs()
    how(armature)
    if how is other_rig:
        limbs = [
            LimbBones(one.name, *(f"my {part}" for part in (one.root, one.hip, one.knee, one.heel))) for one in limbs
        ]
    bpy.context.view_layer.update()
    with pytest.raises(RigError) as refused:
        sample(armature, limbs)
    assert says in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_missing_bone_is_named() -> None:
    armature = keyed_biped()
    with pytest.raises(RigError, match=r"shin\.X"):
        sample(armature, [LimbBones("Left", "hips", "thigh.L", "shin.X", "foot.L")])


def test_a_ten_second_clip_is_found_and_sampled_in_less_time_than_stepping_through_it(data: Path) -> None:
    armature = import_bvh(data / "cmu/cmu_12_01_walk.bvh")
    start = time.perf_counter()
    sampled = sample(armature, find_legs(armature))
    ours = time.perf_counter() - start
    start = time.perf_counter()
    for frame in sampled.frames.tolist():
        bpy.context.scene.frame_set(int(frame))
    assert ours < 1.5 * (time.perf_counter() - start)
