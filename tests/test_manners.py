# SPDX-License-Identifier: GPL-3.0-or-later
"""What a guest in somebody's file does not do: leave traces after undo, handlers after it has gone, or a guess.

Each operator is in a table; one that is missing fails the first test.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import pytest

from support.snapshot import snapshot
from support.walker import walk
from support.walker_armature import walking_armature
from toehold.rig.common.versions import assigned_channelbag, select

Armature = bpy.types.Object


@pytest.fixture
def walker(registered: ModuleType) -> Armature:
    return walking_armature(walk(strides=2.0, slide_mm_s=200.0))


def fresh(armature: Armature) -> None:
    bpy.context.scene.frame_set(20)


def annotated(armature: Armature) -> None:
    bpy.ops.toehold.annotate_contacts()
    bpy.context.scene.frame_set(20)


def cleaned(armature: Armature) -> None:
    annotated(armature)
    bpy.ops.toehold.clean()
    bpy.context.view_layer.update()


def a_leg_selected(armature: Armature) -> None:
    annotated(armature)
    leg = armature.toehold.limbs[0]
    for bone in armature.pose.bones:
        select(bone, bone.name in {leg.hip, leg.knee, leg.heel, leg.toe})


def another_hip_active(armature: Armature) -> None:
    annotated(armature)
    bpy.ops.object.mode_set(mode="POSE")
    armature.data.bones.active = armature.data.bones[armature.toehold.limbs[1].hip]


def on_ground(armature: Armature) -> None:
    annotated(armature)
    mesh = bpy.data.meshes.new("Slope")
    mesh.from_pydata([(-50, -50, -0.2), (50, -50, -0.2), (50, 50, 0.2), (-50, 50, 0.2)], [], [(0, 1, 2, 3)])
    slope = bpy.data.objects.new("Slope", mesh)
    bpy.context.scene.collection.objects.link(slope)
    armature.toehold.ground.object = slope
    bpy.context.view_layer.update()


def beside_a_path(armature: Armature) -> None:
    fresh(armature)
    data = bpy.data.curves.new("Way", "CURVE")
    data.splines.new("POLY").points.add(1)
    data.splines[0].points[1].co = (0.0, -3.0, 0.0, 1.0)
    way = bpy.data.objects.new("Way", data)
    bpy.context.scene.collection.objects.link(way)
    armature.toehold.path = way
    bpy.context.view_layer.update()


def in_another_slot(armature: Armature) -> None:
    fresh(armature)
    animation = armature.animation_data
    animation.action_slot = animation.action.slots.new("OBJECT", "Other")


# How each operator that changes the file is set up, and with what it is called.
UNDONE: dict[str, tuple[Callable[[Armature], None], dict[str, Any]]] = {
    "find_legs": (fresh, {}),
    "add_leg": (a_leg_selected, {}),
    "remove_leg": (annotated, {}),
    "pick_bone": (another_hip_active, {"part": "hip"}),
    "annotate_contacts": (fresh, {}),
    "clean": (annotated, {}),
    "restore_source": (cleaned, {}),
    "keep_version": (cleaned, {}),
    "flip_source": (cleaned, {}),
    "report": (fresh, {}),
    "bake_lock": (annotated, {}),
    "compare": (annotated, {}),
    "mark_footsteps": (annotated, {}),
    "set_contact": (annotated, {"state": "SLIDING", "legs": "ALL"}),
    "nudge_contact": (annotated, {"legs": "ALL"}),
    "split_contact": (annotated, {"legs": "ALL"}),
    "clear_contacts": (annotated, {"legs": "ALL"}),
    "jump_contact": (annotated, {}),
    "root_motion": (annotated, {"way": "OUT"}),
    "adapt_to_ground": (on_ground, {}),
    "generate_gait": (fresh, {"gait": "WALK"}),
    "follow_path": (beside_a_path, {"path": "Way"}),
    "push": (fresh, {"impulse": (10.0, 0.0, 0.0)}),
    "use_ground_height": (annotated, {"height": -0.3}),
    "use_slot": (in_another_slot, {}),
    "show_side": (cleaned, {"side": "SOURCE"}),
    "choose_leg": (annotated, {"leg": "Right Leg"}),
    "drag_contact": (annotated, {"part": "END", "frame": 20, "frames": -2}),
    "toggle_contact": (annotated, {"frame": 20}),
    "use_frame_rate": (annotated, {"rate": 120}),
    "use_unit": (annotated, {"length": 88.0}),
    "walk_on_it": (on_ground, {"name": "Slope"}),
    "show_warning": (annotated, {"limb": "Left Leg", "has_frame": True, "frame": 9}),
}
# There is no active bone in Object Mode.
REFUSED = {("pick_bone", "OBJECT")}
# These show or copy something, and change nothing that undo knows of; a review puts its own things back.
NOT_UNDONE = {"preview_lock", "export_contacts", "copy_report", "export_report", "review_contacts", "end_review"}


def verbs() -> set[str]:
    from toehold.registration import OPERATORS

    return {operator.bl_idname.removeprefix("toehold.") for operator in OPERATORS}


def everything() -> dict[str, Any]:
    scene = bpy.context.scene
    return snapshot() | {
        "markers": sorted((marker.name, marker.frame) for marker in scene.timeline_markers),
        "scene": (scene.render.fps, scene.render.fps_base, scene.unit_settings.scale_length),
        "walked on": {thing.name: thing.get("toehold_walk_on") for thing in bpy.data.objects},
        "active limbs": {thing.name: thing.toehold.active_limb for thing in bpy.data.objects},
    }


def call(verb: str, **values: Any) -> str:
    """Call an operator; return the one clear line that it refuses with, empty where it does not."""
    try:
        assert getattr(bpy.ops.toehold, verb)(**values) == {"FINISHED"}
    except RuntimeError as error:
        said = str(error).removeprefix("Error: ").strip()
        said = said.rpartition("failed, ")[2] if "poll() failed" in said else said
        assert said
        assert len(said.splitlines()) == 1
        assert "context is incorrect" not in said
        return said
    return ""


def test_every_operator_is_in_the_table(registered: ModuleType) -> None:
    assert verbs() <= set(UNDONE) | NOT_UNDONE


@pytest.mark.parametrize(
    ("verb", "mode"), [(verb, mode) for verb in UNDONE for mode in ("OBJECT", "POSE") if (verb, mode) not in REFUSED]
)
def test_undo_and_redo_give_the_file_back_to_the_byte(walker: Armature, verb: str, mode: str) -> None:
    set_up, values = UNDONE[verb]
    set_up(walker)
    bpy.ops.object.mode_set(mode=mode)
    bpy.ops.ed.undo_push(message="the first step alone can not be undone")
    bpy.ops.ed.undo_push(message="before")
    before = everything()
    assert getattr(bpy.ops.toehold, verb)(**values) == {"FINISHED"}
    bpy.context.view_layer.update()
    after = everything()
    assert after != before
    bpy.ops.ed.undo_push(message="after")
    bpy.ops.ed.undo()
    assert everything() == before
    bpy.ops.ed.redo()
    assert everything() == after


def handlers() -> dict[str, int]:
    found = {name: getattr(bpy.app.handlers, name) for name in dir(bpy.app.handlers)}
    return {name: len(listed) for name, listed in found.items() if isinstance(listed, list)}


def all_on(armature: Armature) -> None:
    """Show everything that Toehold can show at once."""
    from toehold.panels.overlay import overlay

    cleaned(armature)
    armature.toehold.cleanup.strength = 0.9
    overlay.start()
    assert bpy.ops.toehold.preview_lock() == {"FINISHED"}


def delete(armature: Armature) -> None:
    bpy.data.objects.remove(armature)
    bpy.context.view_layer.update()
    bpy.context.scene.frame_set(33)
    bpy.context.view_layer.update()


def load(armature: Armature) -> None:
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)


def undo(armature: Armature) -> None:
    for _ in range(3):
        bpy.ops.ed.undo_push(message="step")
    bpy.ops.ed.undo()
    bpy.context.scene.frame_set(12)
    bpy.ops.toehold.preview_lock()


@pytest.mark.parametrize("happens", [delete, load, undo])
def test_nothing_goes_on_when_what_it_was_about_is_gone(walker: Armature, happens: Callable[[Armature], None]) -> None:
    from toehold.panels.overlay import overlay
    from toehold.rig.shown.live_clean import live
    from toehold.rig.shown.preview import preview

    before = handlers()
    all_on(walker)
    happens(walker)
    overlay.stop()
    assert preview.armature is None
    assert handlers() == before
    if happens is not delete:
        assert live._known is None


@pytest.mark.parametrize("times", [1, 2])
def test_switched_off_while_everything_is_on_it_leaves_nothing(walker: Armature, times: int) -> None:
    import toehold
    from toehold.panels.lock_overlay import lock_overlay
    from toehold.panels.overlay import overlay
    from toehold.rig.shown.live_clean import live
    from toehold.rig.shown.preview import preview

    all_on(walker)
    for _ in range(times):
        toehold.unregister()
    try:
        found = {name: getattr(bpy.app.handlers, name) for name in dir(bpy.app.handlers)}
        ours = [
            f"{name}: {handler.__module__}"
            for name, listed in found.items()
            if isinstance(listed, list)
            for handler in listed
            if "toehold" in getattr(handler, "__module__", "")
        ]
        assert not ours
        assert not overlay.is_started
        assert not overlay._draw_handles
        assert preview.armature is None
        assert not live.result_listeners
        assert lock_overlay is not None
    finally:
        toehold.register()


def locked(armature: Armature) -> None:
    for curve in assigned_channelbag(armature).fcurves:
        curve.lock = True


def locked_groups(armature: Armature) -> None:
    bag = assigned_channelbag(armature)
    group = bag.groups.new("Locked")
    for curve in bag.fcurves:
        curve.group = group
    group.lock = True


def muted(armature: Armature) -> None:
    for curve in list(assigned_channelbag(armature).fcurves)[::2]:
        curve.mute = True


def grouped(armature: Armature) -> None:
    bag = assigned_channelbag(armature)
    group = bag.groups.new("All")
    for curve in bag.fcurves:
        curve.group = group


def auto_key(armature: Armature) -> None:
    bpy.context.scene.tool_settings.use_keyframe_insert_auto = True


def several_selected(armature: Armature) -> None:
    walking_armature(walk(strides=1.0, slide_mm_s=100.0), name="Other")
    bpy.context.view_layer.objects.active = armature
    armature.select_set(True)


def several_scenes(armature: Armature) -> None:
    other = bpy.data.scenes.new("Other")
    other.collection.objects.link(armature)
    other.render.fps = 12
    other.frame_set(50)


def tweak_mode(armature: Armature) -> None:
    animation = armature.animation_data
    track = animation.nla_tracks.new()
    strip = track.strips.new("Walk", 1, animation.action)
    animation.action = None
    track.select = strip.select = True
    animation.use_tweak_mode = True
    assert animation.use_tweak_mode


def strips_below(armature: Armature) -> None:
    animation = armature.animation_data
    animation.nla_tracks.new().strips.new("Walk", 1, animation.action.copy())
    animation.action_blend_type = "ADD"


# What each situation lets Clean do: all of it, or refuse with a line that has these words.
SITUATIONS: dict[Callable[[Armature], None], str] = {
    fresh: "",
    locked: "locked",
    locked_groups: "locked",
    muted: "",
    grouped: "",
    auto_key: "",
    several_selected: "",
    several_scenes: "",
    tweak_mode: "tweak mode",
    strips_below: "",
}


@pytest.mark.parametrize("happens", SITUATIONS, ids=lambda happens: happens.__name__)
def test_clean_does_right_or_says_why_not(walker: Armature, happens: Callable[[Armature], None]) -> None:
    happens(walker)
    bpy.context.view_layer.update()
    before = everything()
    said = call("clean")
    assert bool(said) == bool(SITUATIONS[happens]), said
    assert SITUATIONS[happens] in said
    bpy.context.view_layer.update()
    after = everything()
    if said:
        assert after == before
    else:
        animation = walker.animation_data
        result = animation.action or animation.nla_tracks[-1].strips[0].action
        assert result.name.endswith(" Clean")
        for name, action in before["actions"].items():
            assert after["actions"][name]["curves"] == action["curves"]


@pytest.mark.parametrize("happens", SITUATIONS, ids=lambda happens: happens.__name__)
def test_every_verb_ends_well_or_in_one_line_with_nothing_changed(
    walker: Armature, happens: Callable[[Armature], None]
) -> None:
    happens(walker)
    bpy.context.view_layer.update()
    refused = 0
    for verb, (_, values) in UNDONE.items():
        before = everything()
        if call(verb, **values):
            refused += 1
            bpy.context.view_layer.update()
            assert everything() == before, verb
    assert refused < len(UNDONE)


def test_of_several_armatures_only_the_active_one_is_changed_where_that_is_asked_for(walker: Armature) -> None:
    several_selected(walker)
    before = snapshot()
    bpy.ops.toehold.clean(all_selected=False)
    after = snapshot()
    assert after["objects"]["Other"] == before["objects"]["Other"]
    assert after["actions"]["Other Walk"] == before["actions"]["Other Walk"]


def test_auto_key_adds_no_key_and_stays_on(walker: Armature) -> None:
    bpy.ops.toehold.clean()
    without = snapshot()["actions"]["Walker Walk Clean"]["curves"]
    bpy.ops.toehold.restore_source()
    auto_key(walker)
    bpy.ops.toehold.clean()
    assert snapshot()["actions"]["Walker Walk Clean"]["curves"] == without
    assert bpy.context.scene.tool_settings.use_keyframe_insert_auto


def test_a_library_override_is_cleaned_and_gets_its_contacts_back_when_loaded(walker: Armature, tmp_path: Path) -> None:
    library, shot = str(tmp_path / "rig.blend"), str(tmp_path / "shot.blend")
    action = walker.animation_data.action.name
    walker.animation_data.action.use_fake_user = True
    bpy.data.libraries.write(library, {walker}, fake_user=True)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with bpy.data.libraries.load(library, link=True) as (_, linked):
        linked.objects = ["Walker"]
    bpy.context.scene.collection.objects.link(linked.objects[0])
    armature = linked.objects[0].override_create(remap_local_usages=True)
    bpy.context.view_layer.objects.active = armature
    assert armature.is_editable
    assert armature.animation_data.action.name == action
    assert bpy.ops.toehold.clean() == {"FINISHED"}
    bone = next(bone.name for bone in armature.pose.bones if bone.get("contact") is not None)
    bpy.context.scene.frame_set(25)
    shown = armature.pose.bones[bone]["contact"]
    bpy.ops.wm.save_as_mainfile(filepath=shot)
    bpy.ops.wm.open_mainfile(filepath=shot)
    armature = bpy.context.view_layer.objects.active
    assert armature.pose.bones[bone].get("contact") is not None
    bpy.context.scene.frame_set(26)
    bpy.context.scene.frame_set(25)
    assert armature.pose.bones[bone]["contact"] == pytest.approx(shown)
