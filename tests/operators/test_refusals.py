# SPDX-License-Identifier: GPL-3.0-or-later
"""An operator that can not run says why and what to do, and changes nothing."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import bpy
import pytest

from support.snapshot import snapshot

VERBS = ("find_legs", "annotate_contacts", "clean", "restore_source", "report")
NEED_MOTION = ("annotate_contacts", "clean", "restore_source", "report")
MAKE_ACTIONS_OR_LEGS = ("find_legs", "annotate_contacts", "clean", "restore_source")


def refusal(verb: str) -> str:
    """Return what an operator says when it is called and refuses."""
    before = snapshot()
    with pytest.raises(RuntimeError) as refused:
        getattr(bpy.ops.toehold, verb)()
    assert snapshot() == before
    return str(refused.value)


@pytest.mark.parametrize("verb", VERBS)
def test_without_an_active_object_every_verb_asks_for_an_armature(registered: ModuleType, verb: str) -> None:
    assert "Select an armature" in refusal(verb)


@pytest.mark.parametrize("verb", VERBS)
def test_with_a_mesh_active_every_verb_asks_for_an_armature(registered: ModuleType, verb: str) -> None:
    mesh = bpy.data.objects.new("Mesh", bpy.data.meshes.new("Mesh"))
    bpy.context.scene.collection.objects.link(mesh)
    bpy.context.view_layer.objects.active = mesh
    assert "Select an armature" in refusal(verb)


@pytest.mark.parametrize("verb", VERBS)
def test_in_edit_mode_every_verb_asks_to_leave_it(walker: bpy.types.Object, verb: str) -> None:
    bpy.ops.object.mode_set(mode="EDIT")
    assert "Leave Edit Mode" in refusal(verb)


@pytest.mark.parametrize("verb", NEED_MOTION)
def test_without_an_action_a_verb_about_motion_asks_for_one(walker: bpy.types.Object, verb: str) -> None:
    walker.animation_data_clear()
    assert "has no action" in refusal(verb)


@pytest.mark.parametrize("verb", NEED_MOTION)
def test_without_a_slot_a_verb_about_motion_asks_to_choose_one(walker: bpy.types.Object, verb: str) -> None:
    walker.animation_data.action_slot = None
    assert "no slot" in refusal(verb)


@pytest.mark.parametrize("verb", NEED_MOTION)
def test_in_tweak_mode_a_verb_about_motion_asks_to_leave_it(walker: bpy.types.Object, verb: str) -> None:
    animation = walker.animation_data
    strip = animation.nla_tracks.new().strips.new("Walk", 1, animation.action)
    strip.select = True
    animation.nla_tracks[0].select = True
    animation.action = None
    animation.use_tweak_mode = True
    assert animation.use_tweak_mode
    assert "tweak mode" in refusal(verb)


def test_a_source_is_not_restored_where_nothing_was_cleaned(walker: bpy.types.Object) -> None:
    assert "not made by Clean" in refusal("restore_source")


@pytest.mark.parametrize("verb", MAKE_ACTIONS_OR_LEGS)
def test_a_linked_armature_is_refused_and_an_override_asked_for(
    walker: bpy.types.Object, tmp_path: Path, verb: str
) -> None:
    link_walker(walker, tmp_path)
    assert "library override" in refusal(verb)


def test_contacts_are_not_written_into_a_linked_action(walker: bpy.types.Object, tmp_path: Path) -> None:
    link_walker(walker, tmp_path, local_armature=True)
    assert not walker_now().animation_data.action.is_editable
    assert "action is linked" in refusal("annotate_contacts")


def test_a_linked_action_is_cleaned_into_a_local_one(walker: bpy.types.Object, tmp_path: Path) -> None:
    link_walker(walker, tmp_path, local_armature=True)
    source = walker_now().animation_data.action
    assert bpy.ops.toehold.clean() == {"FINISHED"}
    result = walker_now().animation_data.action
    assert result.library is None
    assert result["toehold_source"] == source


def test_a_linked_armature_is_measured_and_left_alone(walker: bpy.types.Object, tmp_path: Path) -> None:
    link_walker(walker, tmp_path)
    before = snapshot()
    assert bpy.ops.toehold.report() == {"FINISHED"}
    assert snapshot() == before


@pytest.mark.parametrize("verb", VERBS[:3])
def test_an_armature_without_legs_is_refused_in_one_line(registered: ModuleType, verb: str) -> None:
    armature = bpy.data.objects.new("Pole", bpy.data.armatures.new("Pole"))
    bpy.context.scene.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    bone = armature.data.edit_bones.new("Bone")
    bone.tail = (0.0, 0.0, 1.0)
    bpy.ops.object.mode_set(mode="OBJECT")
    for frame, height in ((1, 0.0), (40, 1.0)):
        armature.pose.bones["Bone"].location.z = height
        armature.pose.bones["Bone"].keyframe_insert("location", frame=frame)
    said = refusal(verb).removeprefix("Error: ").strip()
    assert "Pole" in said
    assert "\n" not in said


def link_walker(walker: bpy.types.Object, folder: Path, local_armature: bool = False) -> None:
    """Save the walker as a file of its own and link it from there into an empty one, alone or with a local object."""
    library = str(folder / "walker.blend")
    names = walker.name, walker.animation_data.action.name
    bpy.data.libraries.write(library, {walker}, fake_user=True)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with bpy.data.libraries.load(library, link=True) as (_, linked):
        linked.objects = [names[0]]
    armature = linked.objects[0]
    if local_armature:
        armature = armature.copy()
    bpy.context.scene.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature


def walker_now() -> bpy.types.Object:
    """Return the active object, which a linked or undone file has anew."""
    return bpy.context.view_layer.objects.active
