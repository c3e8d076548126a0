# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigs of every make, placed and animated in every way: read as Blender shows them, cleaned, their source untouched."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import bpy
import numpy as np
import pytest

from support.bone_names import CONVENTIONS, spelled
from support.control_rigs import generated, key
from support.rigs import curves, import_gltf, joints_by_blender, play
from support.walker import walk
from support.walker_armature import walking_armature
from toehold.rig.common.wording import RigError
from toehold.rig.legs.find_legs import find_legs
from toehold.rig.legs.limb_bones import LimbBones
from toehold.rig.sampling.sample import sample
from toehold.rig.verbs import journey
from toehold.rig.writing.write import write
from toehold.solver.contacts import Contacts

SLIDE_MM_S = 120.0


def named_walker(convention: str, slide_mm_s: float = SLIDE_MM_S, **placing: object) -> bpy.types.Object:
    """Return a walker of 1.5 strides whose hips and legs are called as in a convention, with helpers as rigs have."""
    hips, pattern = CONVENTIONS[convention]
    armature = walking_armature(walk(strides=1.5, slide_mm_s=slide_mm_s), **placing)
    bones = armature.data.bones
    for bone in bones:
        bone.name = f"Old{bone.name}"
    bones["OldHips"].name = hips
    for side, names in zip(("Left", "Right"), spelled(pattern), strict=True):
        for part, name in zip(("UpLeg", "Leg", "Foot", "ToeBase"), names, strict=False):
            bones[f"Old{side}{part}"].name = name
        if convention == "unreal":
            _add_child(armature, f"thigh_twist_01_{side[0].lower()}", names[0])
            _add_child(armature, f"ik_foot_{side[0].lower()}", hips)
    return armature


def _add_child(armature: bpy.types.Object, name: str, parent: str) -> None:
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    above = armature.data.edit_bones[parent]
    made = armature.data.edit_bones.new(name)
    made.head, made.tail, made.parent = above.head, above.head + 0.5 * (above.tail - above.head), above
    bpy.ops.object.mode_set(mode="OBJECT")


def assert_cleaned(armature: bpy.types.Object, limbs: list[LimbBones]) -> journey.Cleaned:
    """Clean; hold the result to what Blender shows, its slide to nothing, and the source to what it was."""
    source = armature.animation_data.action
    before = curves(source)
    cleaned = journey.clean(armature, limbs, journey.Options())
    shown = joints_by_blender(armature, cleaned.sample)
    size = max(1.0, float(np.abs(shown).max()))
    assert np.abs(shown - cleaned.clip.positions).max() <= 1e-5 * size
    assert curves(source) == before
    assert cleaned.source is source
    assert cleaned.before.slide_mm_s > 10.0 * cleaned.after.slide_mm_s
    assert cleaned.after.unreached_mm < 1.0
    return cleaned


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_the_legs_of_every_make_are_found_and_stop_sliding(convention: str) -> None:
    armature = named_walker(convention)
    limbs = find_legs(armature)
    named = spelled(CONVENTIONS[convention][1])
    assert [[limb.hip, limb.knee, limb.heel] for limb in limbs] == [names[:3] for names in named]
    sampled = sample(armature, limbs)
    assert np.abs(joints_by_blender(armature, sampled) - sampled.clip.positions).max() <= 1e-5
    assert_cleaned(armature, limbs)


@pytest.mark.parametrize("convention", ["mixamo", "unreal", "mmd", "nobody's"])
def test_a_clip_that_is_true_already_is_written_back_as_it_was(convention: str) -> None:
    armature = named_walker(convention, slide_mm_s=0.0, scale=0.01, y_up=True)
    source = armature.animation_data.action
    limbs = find_legs(armature)
    sampled = sample(armature, limbs)
    result = write(armature, sampled, sampled.clip, "Same")
    assert curves(result) == curves(source)
    play(armature, source)
    known = walk(strides=1.5).contacts
    cleaned = journey.clean(armature, limbs, journey.Options(), known)
    assert cleaned.after.pose_change_max_cm < 0.1


def centimetres(armature: bpy.types.Object) -> None:
    bpy.context.scene.unit_settings.scale_length = 0.01


def test_figures_are_in_the_millimetres_of_the_scene() -> None:
    armature = named_walker("mixamo", scale=1.0)
    in_metres = journey.measure(armature, find_legs(armature), journey.Options()).report
    centimetres(armature)
    armature.scale = (100.0, 100.0, 100.0)
    bpy.context.view_layer.update()
    in_centimetres = journey.measure(armature, find_legs(armature), journey.Options()).report
    assert in_metres.slide_mm_s > 50.0
    for name, value in in_metres.as_dict().items():
        assert in_centimetres.as_dict()[name] == pytest.approx(value, rel=1e-2, abs=1e-2), name
    assert [one.drift_mm for one in in_centimetres.contacts] == pytest.approx(
        [one.drift_mm for one in in_metres.contacts], rel=1e-2, abs=1e-2
    )


def parented(armature: bpy.types.Object) -> bpy.types.Object:
    parent = bpy.data.objects.new("Parent", None)
    bpy.context.scene.collection.objects.link(parent)
    armature.parent = parent
    return parent


def under_a_turned_parent(armature: bpy.types.Object) -> None:
    parent = parented(armature)
    parent.rotation_euler, parent.scale, parent.location = (0.0, 0.0, 1.2), (2.0, 2.0, 2.0), (3.0, -1.0, 0.0)


def under_a_moving_parent(armature: bpy.types.Object) -> None:
    parent = parented(armature)
    for frame, x in ((1, 0.0), (100, 0.3)):
        key(parent, "location", (x, 0.0, 0.0), frame)
        key(parent, "rotation_euler", (0.0, 0.0, x), frame)


def animated(armature: bpy.types.Object) -> None:
    for frame, x in ((1, 0.0), (100, 0.3)):
        key(armature, "location", (x, 0.0, 0.0), frame)


def later_by(frames: float) -> Callable[[bpy.types.Object], None]:
    def shift(armature: bpy.types.Object) -> None:
        for curve in armature.animation_data.action.layers[0].strips[0].channelbags[0].fcurves:
            flat = np.empty(2 * len(curve.keyframe_points), dtype=np.float32)
            curve.keyframe_points.foreach_get("co", flat)
            flat[::2] += frames
            curve.keyframe_points.foreach_set("co", flat)
            curve.update()

    return shift


def sharing_its_slot(armature: bpy.types.Object) -> None:
    other = armature.copy()
    bpy.context.scene.collection.objects.link(other)
    play(other, armature.animation_data.action)
    other.location.x = 3.0


def repeated(armature: bpy.types.Object) -> None:
    for curve in armature.animation_data.action.layers[0].strips[0].channelbags[0].fcurves:
        curve.modifiers.new("CYCLES")


def at_broadcast_rate(armature: bpy.types.Object) -> None:
    bpy.context.scene.render.fps, bpy.context.scene.render.fps_base = 60, 1.001


PLACED = {
    "centimetres": centimetres,
    "under a turned parent": under_a_turned_parent,
    "under a moving parent": under_a_moving_parent,
    "animated": animated,
    "at negative frames": later_by(-70.0),
    "between frames": later_by(0.4),
    "sharing its slot": sharing_its_slot,
    "repeated": repeated,
    "at broadcast rate": at_broadcast_rate,
}


@pytest.mark.parametrize("how", PLACED)
def test_wherever_and_whenever_it_walks_it_is_cleaned_as_it_is_seen(how: str) -> None:
    armature = named_walker("mixamo", scale=0.01, y_up=True, axes_seed=3)
    limbs = find_legs(armature)
    PLACED[how](armature)
    bpy.context.view_layer.update()
    assert_cleaned(armature, limbs)


def mirrored_half_way(armature: bpy.types.Object) -> None:
    for frame, x in ((1, 1.0), (50, -1.0)):
        key(armature, "scale", (x, 1.0, 1.0), frame)
    for curve in armature.animation_data.action.layers[0].strips[0].channelbags[0].fcurves:
        for point in curve.keyframe_points if curve.data_path == "scale" else ():
            point.interpolation = "CONSTANT"


def stretched(armature: bpy.types.Object) -> None:
    armature.scale.z *= 2.0


REFUSED = {
    mirrored_half_way: "mirrored by a negative scale on some frames",
    stretched: "not scaled evenly",
}


@pytest.mark.parametrize("how", REFUSED)
def test_what_cannot_be_cleaned_is_refused_in_one_line_and_left_alone(how: Callable[[bpy.types.Object], None]) -> None:
    armature = named_walker("mixamo")
    limbs = find_legs(armature)
    action = armature.animation_data.action
    how(armature)
    bpy.context.view_layer.update()
    with pytest.raises(RigError, match=REFUSED[how]) as refused:
        journey.clean(armature, limbs, journey.Options())
    assert "\n" not in str(refused.value)
    assert list(bpy.data.actions) == [action]


@pytest.mark.parametrize(("file", "action"), [("Horse", "AnimalArmature|Walk"), ("Wolf", "AnimalArmature|Walk")])
def test_feet_outside_their_legs_are_moved_where_they_are(data: Path, file: str, action: str) -> None:
    armature = import_gltf(data / f"gltf/{file}.glb")
    play(armature, bpy.data.actions[action])
    limbs = find_legs(armature)
    sampled = sample(armature, limbs)
    planted = np.zeros((len(sampled.frames), len(limbs)))
    planted[4:9] = 1.0
    cleaned = journey.clean(armature, limbs, journey.Options(), Contacts(planted, np.zeros_like(planted)))
    shown = joints_by_blender(armature, cleaned.sample)
    assert np.abs(shown - cleaned.clip.positions).max() <= 1e-5
    assert cleaned.after.slide_mm_s < 0.1 * cleaned.before.slide_mm_s


def test_a_shark_has_no_legs() -> None:
    # Found only once bpy is there.
    import addon_utils

    addon_utils.enable("rigify", default_set=True)
    bpy.ops.object.armature_shark_metarig_add()
    with pytest.raises(RigError, match="no legs found"):
        find_legs(bpy.context.object)


@pytest.mark.parametrize("kind", ["basic_human", "basic_quadruped", "horse", "wolf", "bird"])
def test_a_generated_rig_slides_no_more_where_the_mesh_is(kind: str) -> None:
    armature = generated(kind)
    bones = armature.pose.bones
    ends = ("foot_ik", "front_foot_ik", "hind_foot_ik", "forefoot_ik", "hand_ik")
    feet = [bone for bone in bones if bone.name.startswith(ends) and bone.custom_shape]
    for frame in (1, 11, 21):
        key(bones["torso"], "location", (0.0, -0.02 * frame / 10.0, -0.04), frame)
        for foot in feet:
            key(foot, "location", (0.0, -0.03 * frame / 10.0, 0.0), frame)
    limbs = find_legs(armature)
    planted = np.ones((21, len(limbs)))
    cleaned = journey.clean(armature, limbs, journey.Options(), Contacts(planted, np.zeros_like(planted)))
    shown = joints_by_blender(armature, cleaned.sample)
    assert np.abs(shown - cleaned.clip.positions).max() <= 1e-5
    assert cleaned.before.slide_mm_s > 10.0
    assert cleaned.after.slide_mm_s < 1.0
    assert cleaned.after.unreached_mm < 1.0
    assert math.isfinite(cleaned.after.pose_change_max_deg)
