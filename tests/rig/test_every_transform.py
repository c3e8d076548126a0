# SPDX-License-Identifier: GPL-3.0-or-later
"""However bones and curves are set up: read as shown, written back as they were, cleaned as they are seen."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import bpy
import numpy as np
import pytest

from support.control_rigs import key
from support.rigs import curves, joints_by_blender, play
from support.walker import walk
from support.walker_armature import walking_armature
from toehold.rig.curves.rotation_modes import from_quaternions, property_of
from toehold.rig.legs.find_legs import find_legs
from toehold.rig.sampling.sample import sample
from toehold.rig.verbs import journey
from toehold.rig.verbs.flip import restore_source
from toehold.rig.writing.write import write

Armature = bpy.types.Object
Setup = Callable[[Armature], None]
MODES = ("XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX", "AXIS_ANGLE")
LEG = ("LeftUpLeg", "LeftLeg", "LeftFoot")


def walker(**placing: Any) -> Armature:
    return walking_armature(walk(strides=1.5, slide_mm_s=120.0), **placing)


def bag_of(armature: Armature) -> Any:
    return armature.animation_data.action.layers[0].strips[0].channelbags[0]


def curves_of(armature: Armature, *parts: str) -> Iterator[bpy.types.FCurve]:
    """Yield the curves whose path has all these parts in it."""
    yield from (one for one in bag_of(armature).fcurves if all(part in one.data_path for part in parts))


def coordinates(curve: bpy.types.FCurve) -> np.ndarray:
    flat = np.empty(2 * len(curve.keyframe_points), dtype=np.float32)
    curve.keyframe_points.foreach_get("co", flat)
    return flat.reshape(-1, 2)


def set_coordinates(curve: bpy.types.FCurve, at: np.ndarray) -> None:
    curve.keyframe_points.foreach_set("co", np.ascontiguousarray(at, dtype=np.float32).ravel())
    curve.update()


def keyed(armature: Armature, bone: str, name: str, values: Callable[[int], tuple[float, ...]]) -> None:
    for frame in range(1, 102, 10):
        key(armature.pose.bones[bone], name, values(frame), frame)


# --- bones


def located_legs(armature: Armature) -> None:
    for at, bone in enumerate(LEG):
        keyed(armature, bone, "location", lambda frame, at=at: (0.0, 0.01 * math.sin(0.1 * frame + at), 0.004))


def independent_rotation(armature: Armature) -> None:
    armature.data.bones["LeftUpLeg"].use_inherit_rotation = False
    armature.data.bones["RightFoot"].use_inherit_rotation = False


def independent_location(armature: Armature) -> None:
    located_legs(armature)
    for bone in LEG:
        armature.data.bones[bone].use_local_location = False


def scaling(inherit: str, even: bool = True) -> Setup:
    def set_up(armature: Armature) -> None:
        keyed(
            armature,
            "Hips",
            "scale",
            lambda frame: (1.0 + 0.001 * frame,) * 3 if even else (1.0 + 0.001 * frame, 1.0, 1.0 - 0.0005 * frame),
        )
        for bone in armature.data.bones:
            bone.inherit_scale = inherit

    return set_up


def scaled_shins(armature: Armature) -> None:
    keyed(armature, "LeftLeg", "scale", lambda frame: (1.0, 1.0 + 0.05 * math.sin(0.1 * frame), 1.0))


def in_mode(mode: str) -> Setup:
    def set_up(armature: Armature) -> None:
        frames = np.arange(1.0, 101.0)
        bag = bag_of(armature)
        for bone in armature.pose.bones:
            path = f'pose.bones["{bone.name}"].'
            old = [bag.fcurves.find(f"{path}rotation_quaternion", index=index) for index in range(4)]
            turned = np.stack([coordinates(one)[:, 1] for one in old], axis=1).astype(np.float64)
            still = np.zeros((len(turned), 4 if mode == "AXIS_ANGLE" else 3))
            values = from_quaternions(mode, turned, still, goes_on=False)
            for one in old:
                bag.fcurves.remove(one)
            bone.rotation_mode = mode
            for index, column in enumerate(values.T):
                curve = bag.fcurves.new(f"{path}{property_of(mode)}", index=index)
                curve.keyframe_points.add(len(column))
                set_coordinates(curve, np.stack([frames[: len(column)], column], axis=1))

    return set_up


def with_flipped_signs(armature: Armature) -> None:
    for curve in curves_of(armature, "rotation_quaternion"):
        at = coordinates(curve)
        at[::3, 1] *= -1.0
        set_coordinates(curve, at)


def with_a_mode_that_changes(armature: Armature) -> None:
    bone = armature.pose.bones["Spine"]
    bone.keyframe_insert("rotation_mode", frame=1)


# --- what carries the travel


def travelling_object(armature: Armature) -> None:
    for index in range(3):
        curve = bag_of(armature).fcurves.find('pose.bones["Hips"].location', index=index)
        at = coordinates(curve)
        bag_of(armature).fcurves.remove(curve)
        # Bones lie along the limbs: the hips' own axes are the world's X, Z and -Y.
        axis, side = ((0, 1.0), (2, 1.0), (1, -1.0))[index]
        moved = bag_of(armature).fcurves.new("location", index=axis)
        moved.keyframe_points.add(len(at))
        at[:, 1] *= side
        set_coordinates(moved, at)


def travelling_root_bone(armature: Armature) -> None:
    bpy.ops.object.mode_set(mode="EDIT")
    bones = armature.data.edit_bones
    root = bones.new("Root")
    root.head, root.tail = (0.0, 0.0, 0.0), (0.0, 0.0, 0.3)
    root.matrix = bones["Hips"].matrix.copy()
    bones["Hips"].parent = root
    bpy.ops.object.mode_set(mode="OBJECT")
    for curve in curves_of(armature, '"Hips"', "location"):
        curve.data_path = 'pose.bones["Root"].location'


# --- curves


def noisy_hips(armature: Armature) -> None:
    for curve in curves_of(armature, '"Hips"', "location"):
        noise = curve.modifiers.new("NOISE")
        noise.strength, noise.scale = 0.02, 25.0


def noisy_legs(armature: Armature) -> None:
    for curve in curves_of(armature, "UpLeg", "rotation_quaternion"):
        noise = curve.modifiers.new("NOISE")
        noise.strength, noise.scale = 0.01, 30.0


def stepped(armature: Armature) -> None:
    for curve in curves_of(armature, '"Spine"'):
        curve.modifiers.new("STEPPED").frame_step = 5.0


def with_a_muted_modifier(armature: Armature) -> None:
    noisy_hips(armature)
    for curve in curves_of(armature, '"Hips"', "location"):
        curve.modifiers[0].mute = True


def cyclic(armature: Armature) -> None:
    for curve in bag_of(armature).fcurves:
        curve.modifiers.new("CYCLES")
    armature.animation_data.action.use_frame_range = True
    armature.animation_data.action.frame_start, armature.animation_data.action.frame_end = 1, 100
    armature.animation_data.action.use_cyclic = True


def with_a_muted_curve(armature: Armature) -> None:
    curve = next(curves_of(armature, '"Hips"', "location"))
    curve.mute = True
    armature.pose.bones["Hips"].location[curve.array_index] = 0.02


def with_a_muted_group(armature: Armature) -> None:
    group = bag_of(armature).groups.new("Muted")
    for curve in curves_of(armature, '"Head"'):
        curve.group = group
    group.mute = True


def with_locked_arms(armature: Armature) -> None:
    for curve in curves_of(armature, "Arm"):
        curve.lock = True


def without_groups(armature: Armature) -> None:
    for group in list(bag_of(armature).groups):
        bag_of(armature).groups.remove(group)


def grouped_by_kind(armature: Armature) -> None:
    group = bag_of(armature).groups.new("Everything")
    for curve in bag_of(armature).fcurves:
        curve.group = group


def between_frames(armature: Armature) -> None:
    for curve in bag_of(armature).fcurves:
        at = coordinates(curve)
        at[1:-1, 0] += 0.37
        set_coordinates(curve, at)


def at_negative_and_fractional_frames(armature: Armature) -> None:
    for curve in bag_of(armature).fcurves:
        at = coordinates(curve)
        at[:, 0] -= 60.4
        set_coordinates(curve, at)


def on_every_fifth_frame(armature: Armature) -> None:
    for curve in bag_of(armature).fcurves:
        at = coordinates(curve)[::3]
        curve.keyframe_points.clear()
        curve.keyframe_points.add(len(at))
        set_coordinates(curve, at)


def at_broadcast_rate(armature: Armature) -> None:
    bpy.context.scene.render.fps, bpy.context.scene.render.fps_base = 60, 1.001


# --- the object


def in_centimetres(armature: Armature) -> None:
    armature.scale = (0.01, 0.01, 0.01)
    for curve in curves_of(armature, '"Hips"', "location"):
        at = coordinates(curve)
        at[:, 1] *= 100.0
        set_coordinates(curve, at)
    bpy.ops.object.mode_set(mode="EDIT")
    for bone in armature.data.edit_bones:
        bone.head, bone.tail = bone.head * 100.0, bone.tail * 100.0
    bpy.ops.object.mode_set(mode="OBJECT")


def turned(armature: Armature) -> None:
    armature.rotation_euler = (0.0, 0.0, math.radians(90.0))


def with_deltas(armature: Armature) -> None:
    armature.delta_location, armature.delta_rotation_euler = (1.0, 0.0, 0.0), (0.0, 0.0, 0.7)
    armature.delta_scale = (1.2, 1.2, 1.2)


def turning_object(armature: Armature) -> None:
    for frame in range(1, 102, 20):
        key(armature, "rotation_euler", (0.0, 0.0, 0.001 * frame), frame)
        key(armature, "scale", (1.0 + 0.0005 * frame,) * 3, frame)


def mirrored(axis: int) -> Setup:
    def set_up(armature: Armature) -> None:
        armature.scale[axis] *= -1.0
        armature.rotation_euler = (0.0, 0.0, 0.4)

    return set_up


def mirrored_with_located_legs(armature: Armature) -> None:
    mirrored(0)(armature)
    located_legs(armature)


def mirrored_with_independent_bones(armature: Armature) -> None:
    mirrored(1)(armature)
    independent_location(armature)
    independent_rotation(armature)


def under_a_mirrored_parent(armature: Armature) -> None:
    parent = bpy.data.objects.new("Parent", None)
    bpy.context.scene.collection.objects.link(parent)
    armature.parent = parent
    parent.scale, parent.rotation_euler = (-2.0, 2.0, 2.0), (0.0, 0.0, 0.5)


def held_by_a_moving_empty(armature: Armature) -> None:
    empty = bpy.data.objects.new("Empty", None)
    bpy.context.scene.collection.objects.link(empty)
    held = armature.constraints.new("CHILD_OF")
    held.target = empty
    for frame in range(1, 102, 20):
        key(empty, "location", (0.002 * frame, 0.0, 0.0), frame)


SETUPS: dict[str, Setup] = {
    one.__name__: one
    for one in (
        *(located_legs, independent_rotation, independent_location, scaled_shins, with_flipped_signs),
        *(with_a_mode_that_changes, travelling_object, travelling_root_bone, noisy_hips, noisy_legs, stepped),
        *(with_a_muted_modifier, cyclic, with_a_muted_curve, with_a_muted_group, with_locked_arms, without_groups),
        *(grouped_by_kind, between_frames, at_negative_and_fractional_frames, on_every_fifth_frame),
        *(at_broadcast_rate, in_centimetres, turned, with_deltas, turning_object, held_by_a_moving_empty),
        *(mirrored_with_located_legs, mirrored_with_independent_bones, under_a_mirrored_parent),
    )
}
SETUPS |= {f"mirrored in {'XY'[axis]}": mirrored(axis) for axis in range(2)}
SETUPS |= {f"in {mode}": in_mode(mode) for mode in MODES}
SETUPS |= {
    f"scaled evenly, {inherit}": scaling(inherit)
    for inherit in ("FULL", "FIX_SHEAR", "ALIGNED", "AVERAGE", "NONE", "NONE_LEGACY")
}
SETUPS |= {f"scaled unevenly, {inherit}": scaling(inherit, even=False) for inherit in ("AVERAGE", "NONE", "ALIGNED")}


@pytest.mark.parametrize("how", SETUPS)
def test_a_walk_is_read_as_shown_written_as_it_was_and_cleaned(how: str) -> None:
    armature = walker()
    limbs = find_legs(armature)
    SETUPS[how](armature)
    bpy.context.view_layer.update()
    source = armature.animation_data.action
    before = curves(source)

    sampled = sample(armature, limbs)
    shown = joints_by_blender(armature, sampled)
    assert np.abs(shown - sampled.clip.positions).max() <= 1e-5
    same = write(armature, sampled, sampled.clip, "Same")
    assert curves(same) == before
    play(armature, source)

    cleaned = journey.clean(armature, limbs, journey.Options())
    seen = joints_by_blender(armature, cleaned.sample)
    assert np.abs(seen - cleaned.clip.positions).max() <= 1e-5
    assert cleaned.before.slide_mm_s > 20.0
    assert cleaned.after.slide_mm_s < 2.0
    assert curves(source) == before

    restore_source(armature)
    assert np.abs(joints_by_blender(armature, sampled) - shown).max() <= 1e-6
