# SPDX-License-Identifier: GPL-3.0-or-later
"""A written clip is what Blender then shows, and nothing else of the action has changed."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from pathlib import Path

import bpy
import numpy as np
import pytest

from support.rigs import (
    LEFT_AND_RIGHT,
    Bone,
    add_armature,
    biped,
    curve,
    curves,
    import_bvh,
    import_gltf,
    joints_by_blender,
    key_motion,
    play,
    two_legs,
)
from toehold.rig.common.wording import RigError
from toehold.rig.curves.actions import assign, source_of
from toehold.rig.legs.find_legs import find_legs
from toehold.rig.sampling.sample import Sample, sample
from toehold.rig.writing.write import write
from toehold.solver import rotations
from toehold.solver.clip import Clip

FRAMES = range(1, 42, 8)
MODES = ["QUATERNION", "AXIS_ANGLE", "XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX"]


def keyed_biped(mode: str = "QUATERNION") -> bpy.types.Object:
    armature = add_armature(biped("hips", *LEFT_AND_RIGHT))
    for bone in armature.pose.bones:
        bone.rotation_mode = mode
    key_motion(armature, FRAMES, locations=("hips",))
    return armature


def moved(sampled: Sample, size: float = 1.0) -> Clip:
    """Turn hip, knee, heel and toe of every limb by up to 0.3 rad and move the root by up to a tenth of the leg."""
    clip = sampled.clip
    turned, located = clip.local_rotations.copy(), clip.local_locations.copy()
    wave = np.sin(np.arange(len(sampled.frames)) * 0.2 + 0.3) * size
    for at, limb in enumerate(sampled.limbs):
        for step, joint in enumerate((limb.hip, limb.knee, limb.heel, limb.toe)):
            if sampled.bones[joint] is not None:
                axis = rotations.normalized(np.array([1.0, 0.5 * step, at - 0.5]))
                turned[:, joint] = rotations.multiply(turned[:, joint], rotations.from_axis_angle(axis, 0.3 * wave))
    limb = sampled.limbs[0]
    length = np.linalg.norm(clip.positions[0, limb.hip] - clip.positions[0, limb.heel])
    located[:, limb.root] += 0.1 * length * wave[:, None] * np.array([1.0, -0.5, 0.8])
    return clip.moved(turned, located)


def test_an_unchanged_clip_changes_no_channel(data: Path) -> None:
    armature = import_bvh(data / "cmu/cmu_12_01_walk.bvh")
    source = armature.animation_data.action
    sampled = sample(armature, find_legs(armature))
    result = write(armature, sampled, sampled.clip, "Same")
    assert armature.animation_data.action is result is not source
    assert curves(result) == curves(source)


def test_every_recording_moves_as_the_clip_that_was_written_and_its_source_is_untouched(data: Path) -> None:
    for path in sorted(data.glob("*/*.bvh")):
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        armature = import_bvh(path)
        source = armature.animation_data.action
        before = curves(source)
        sampled = sample(armature, find_legs(armature))
        clip = moved(sampled)

        result = write(armature, sampled, clip, "Moved")

        assert np.abs(joints_by_blender(armature, sampled) - clip.positions).max() <= 1e-5, path.name
        assert curves(source) == before, path.name
        assert source_of(result) is source


# The fox is in centimetres, 78 m long as it comes; Horse and Wolf have feet outside their legs.
@pytest.mark.parametrize(
    ("file", "error_m"),
    [("Fox", 2e-4), ("Med_MovementBasic", 1e-5), ("kaiju-animations", 1e-5), ("horse-animations", 1e-5)],
)
def test_game_characters_move_as_the_clip_that_was_written(data: Path, file: str, error_m: float) -> None:
    armature = import_gltf(data / f"gltf/{file}.glb")
    play(armature, bpy.data.actions[0])
    sampled = sample(armature, find_legs(armature))
    clip = moved(sampled)
    write(armature, sampled, clip, "Moved")
    assert np.abs(joints_by_blender(armature, sampled) - clip.positions).max() <= error_m


@pytest.mark.parametrize("mode", MODES)
def test_every_rotation_mode_is_kept_and_written(mode: str) -> None:
    armature = keyed_biped(mode)
    sampled = sample(armature, two_legs())
    clip = moved(sampled)
    write(armature, sampled, clip, "Moved")
    assert {bone.rotation_mode for bone in armature.pose.bones} == {mode}
    assert np.abs(joints_by_blender(armature, sampled) - clip.positions).max() <= 1e-5


@pytest.mark.parametrize("mode", MODES)
def test_between_written_frames_a_bone_is_between_its_rotations(mode: str) -> None:
    armature = keyed_biped(mode)
    sampled = sample(armature, two_legs())
    write(armature, sampled, moved(sampled), "Moved")
    scene, thigh = bpy.context.scene, armature.pose.bones["thigh.L"]

    def rotation(frame: float) -> np.ndarray:
        scene.frame_set(int(frame), subframe=frame % 1.0)
        return np.array(thigh.matrix_basis.to_quaternion())

    for frame in sampled.frames[:-1].tolist():
        before, middle, after = (rotation(frame + step) for step in (0.0, 0.5, 1.0))
        whole = rotations.angle_between(before, after)
        for end in (before, after):
            assert rotations.angle_between(end, middle) <= 0.75 * whole + 1e-3


def placed(armature: bpy.types.Object) -> None:
    armature.rotation_euler, armature.scale = (math.radians(90.0), 0.0, 0.4), (0.01, 0.01, 0.01)
    armature.location = (3.0, -2.0, 1.0)


def travelling(armature: bpy.types.Object) -> None:
    for frame, x in ((1, 0.0), (41, 2.0)):
        armature.location, armature.rotation_euler = (x, 0.0, 0.0), (0.0, 0.0, x)
        armature.keyframe_insert("location", frame=frame)
        armature.keyframe_insert("rotation_euler", frame=frame)


def grown(armature: bpy.types.Object) -> None:
    armature.pose.bones["hips"].scale = (1.5, 1.5, 1.5)


def independent(armature: bpy.types.Object) -> None:
    armature.data.bones["shin.L"].use_inherit_rotation = False
    armature.data.bones["hips"].use_local_location = False


def constrained_elsewhere(armature: bpy.types.Object) -> None:
    armature.pose.bones["Torso"].constraints.new("LIMIT_ROTATION")
    armature.animation_data.drivers.new('pose.bones["Torso"].location')


@pytest.mark.parametrize("how", [placed, travelling, grown, independent, constrained_elsewhere])
def test_whatever_holds_the_armature_the_clip_is_what_is_seen(how: Callable[[bpy.types.Object], None]) -> None:
    armature = keyed_biped()
    how(armature)
    bpy.context.view_layer.update()
    sampled = sample(armature, two_legs())
    clip = moved(sampled)
    write(armature, sampled, clip, "Moved")
    size = max(1.0, float(np.abs(clip.positions).max()))
    assert np.abs(joints_by_blender(armature, sampled) - clip.positions).max() <= 1e-5 * size


@pytest.mark.parametrize("mode", ["QUATERNION", "XYZ", "AXIS_ANGLE"])
def test_outside_the_frames_nothing_drifts(mode: str) -> None:
    armature = keyed_biped(mode)
    limbs = two_legs()
    whole = sample(armature, limbs)
    window = sample(armature, limbs, (14, 26))
    clip = moved(window)

    write(armature, window, clip, "Moved")

    inside = (whole.frames >= 14) & (whole.frames <= 26)
    after = joints_by_blender(armature, whole)
    assert np.abs(after - whole.clip.positions)[~inside].max() <= 2e-6
    assert np.abs(after[inside] - clip.positions).max() <= 1e-5


def test_a_channel_without_keys_gets_them_and_stays_as_it_was_outside() -> None:
    armature = keyed_biped()
    limbs = two_legs()
    for bone in ("foot.L", "hips"):
        armature.pose.bones[bone].rotation_quaternion = (1.0, 0.1, 0.0, 0.0)
        armature.pose.bones[bone].location = (0.01, 0.0, 0.02)
    bag = armature.animation_data.action.layers[0].strips[0].channelbags[0]
    for one in list(bag.fcurves):
        if "foot.L" in one.data_path or one.data_path == 'pose.bones["hips"].location':
            bag.fcurves.remove(one)
    whole = sample(armature, limbs)
    window = sample(armature, limbs, (14, 26))
    clip = moved(window)

    write(armature, window, clip, "Moved")

    made = curve(armature, 'pose.bones["foot.L"].rotation_quaternion', 1)
    assert made.group.name == "foot.L"
    inside = (whole.frames >= 14) & (whole.frames <= 26)
    after = joints_by_blender(armature, whole)
    assert np.abs(after - whole.clip.positions)[~inside].max() <= 2e-6
    assert np.abs(after[inside] - clip.positions).max() <= 1e-5


def test_only_channels_that_changed_have_new_keys_of_their_own_type() -> None:
    armature = keyed_biped("XYZ")
    source = armature.animation_data.action
    sampled = sample(armature, two_legs())
    turned = sampled.clip.local_rotations.copy()
    knee = sampled.limbs[0].knee
    turned[:, knee] = rotations.multiply(
        turned[:, knee], rotations.from_axis_angle(np.array([0.0, 1.0, 0.0]), np.full(41, 0.2))
    )

    result = write(armature, sampled, sampled.clip.moved(turned), "Moved")

    before, after = curves(source), curves(result)
    assert after.keys() == before.keys()
    changed = {path for slot, path, index in after if after[slot, path, index] != before[slot, path, index]}
    assert changed == {'pose.bones["shin.L"].rotation_euler'}
    baked = curve(armature, 'pose.bones["shin.L"].rotation_euler', 1)
    assert {key.type for key in baked.keyframe_points} == {"GENERATED"}
    assert [key.co.x for key in baked.keyframe_points] == sampled.frames.tolist()


def test_an_action_of_two_slots_keeps_the_other_one() -> None:
    armature = keyed_biped()
    action = armature.animation_data.action
    other = bpy.data.objects.new("Prop", None)
    other.animation_data_create().action = action
    other.animation_data.action_slot = action.slots.new("OBJECT", "Prop")
    other.keyframe_insert("location", frame=3)
    sampled = sample(armature, two_legs())
    clip = moved(sampled)

    result = write(armature, sampled, clip, "Moved")

    slots = [slot.identifier for slot in result.slots]
    assert slots == [slot.identifier for slot in action.slots]
    assert armature.animation_data.action_slot.identifier == slots[0]
    prop = {key: value for key, value in curves(result).items() if key[0] == slots[1]}
    assert prop == {key: value for key, value in curves(action).items() if key[0] == slots[1]}
    assert len(prop) == 3
    assert np.abs(joints_by_blender(armature, sampled) - clip.positions).max() <= 1e-5


def test_cycles_go_on_repeating_what_was_written() -> None:
    armature = keyed_biped()
    limbs = two_legs()
    for one in armature.animation_data.action.layers[0].strips[0].channelbags[0].fcurves:
        one.modifiers.new("CYCLES")
    sampled = sample(armature, limbs)
    clip = moved(sampled)
    write(armature, sampled, clip, "Moved")
    later = joints_by_blender(armature, sampled, sampled.frames[1:-1] + 40.0)
    assert np.abs(later - clip.positions[1:-1]).max() <= 1e-5


def locked(armature: bpy.types.Object) -> None:
    curve(armature, 'pose.bones["shin.L"].rotation_quaternion', 2).lock = True


def driven(armature: bpy.types.Object) -> None:
    armature.pose.bones["shin.L"].driver_add("rotation_quaternion", 2)


def constrained(armature: bpy.types.Object) -> None:
    armature.pose.bones["shin.L"].constraints.new("COPY_ROTATION")


def pulled(armature: bpy.types.Object) -> None:
    armature.pose.bones["foot.L"].constraints.new("IK").chain_count = 2


def tweaked(armature: bpy.types.Object) -> None:
    animation = armature.animation_data
    action = animation.action
    strip = animation.nla_tracks.new().strips.new("strip", 1, action)
    animation.action = None
    strip.select = animation.nla_tracks[0].select = True
    animation.nla_tracks.active = animation.nla_tracks[0]
    animation.use_tweak_mode = True


def layered(armature: bpy.types.Object) -> None:
    animation = armature.animation_data
    animation.nla_tracks.new().strips.new("below", 1, animation.action)


REFUSED = [
    (locked, 'bone "shin.L" is locked'),
    (driven, 'bone "shin.L" is driven'),
    (constrained, 'bone "shin.L" is held'),
    (pulled, 'bone "shin.L" is held'),
    (tweaked, "tweak mode"),
    (layered, "NLA"),
]


@pytest.mark.parametrize(("how", "says"), REFUSED)
def test_what_cannot_be_written_is_refused_and_nothing_is_changed(
    how: Callable[[bpy.types.Object], None], says: str
) -> None:
    armature = keyed_biped()
    sampled = sample(armature, two_legs())
    how(armature)
    action = armature.animation_data.action
    before, actions = curves(action), len(bpy.data.actions)
    clip = sampled.clip
    turned = clip.local_rotations.copy()
    knee = sampled.limbs[0].knee
    turned[:, knee] = rotations.multiply(
        turned[:, knee], rotations.from_axis_angle(np.array([0.6, 0.8, 0.0]), np.full(41, 0.2))
    )

    with pytest.raises(RigError) as refused:
        write(armature, sampled, clip.moved(turned), "Moved")

    assert says in str(refused.value)
    assert "\n" not in str(refused.value)
    assert armature.animation_data.action is action
    assert (curves(action), len(bpy.data.actions)) == (before, actions)


def test_a_connected_root_is_refused_by_name() -> None:
    spine = Bone("spine", "base", (0.0, 0.0, 0.95), (0.0, 0.0, 1.1), connected=True)
    body = [bone for bone in biped("spine", *LEFT_AND_RIGHT) if bone.name != "spine"]
    armature = add_armature([Bone("base", "", (0.0, 0.3, 0.95), (0.0, 0.0, 0.95)), spine, *body])
    key_motion(armature, FRAMES)
    sampled = sample(armature, two_legs(root="spine"))
    with pytest.raises(RigError, match="spine"):
        write(armature, sampled, moved(sampled), "Moved")


def test_a_linked_armature_is_refused(tmp_path: Path) -> None:
    keyed_biped().name = "Walker"
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "library.blend"))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with bpy.data.libraries.load(str(tmp_path / "library.blend"), link=True) as (_, linked):
        linked.objects = ["Walker"]
    armature = bpy.data.objects["Walker"]
    bpy.context.scene.collection.objects.link(armature)
    sampled = sample(armature, two_legs())
    with pytest.raises(RigError, match="linked"):
        write(armature, sampled, moved(sampled), "Moved")


def test_the_source_can_be_put_back_and_the_result_written_again() -> None:
    armature = keyed_biped()
    source = armature.animation_data.action
    limbs = two_legs()
    sampled = sample(armature, limbs)
    result = write(armature, sampled, moved(sampled), "Moved")
    assign(armature, source)
    assert source_of(source) is None
    assert np.allclose(sample(armature, limbs).clip.positions, sampled.clip.positions)
    assign(armature, result)
    again = sample(armature, limbs)
    second = write(armature, again, again.clip, "Again")
    assert source_of(second) is result
    assert curves(second) == curves(result)


def test_find_sample_and_write_of_a_ten_second_clip_take_less_than_stepping_through_it_twice(data: Path) -> None:
    armature = import_bvh(data / "cmu/cmu_12_01_walk.bvh")
    sampled = sample(armature, find_legs(armature))
    clip, source = moved(sampled), armature.animation_data.action
    ours = math.inf
    for _ in range(3):
        assign(armature, source)
        start = time.perf_counter()
        write(armature, sample(armature, find_legs(armature)), clip, "Moved")
        ours = min(ours, time.perf_counter() - start)
    start = time.perf_counter()
    for frame in sampled.frames.tolist():
        bpy.context.scene.frame_set(int(frame))
    assert ours < 2.0 * (time.perf_counter() - start)
