# SPDX-License-Identifier: GPL-3.0-or-later
"""The overlays follow what is worked on without disturbing it, and leave nothing behind when they are stopped."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest

from support.ground_objects import add_plate
from support.snapshot import snapshot
from support.walker import walk
from support.walker_armature import walking_armature


@pytest.fixture
def overlay(registered: ModuleType) -> Iterator[Any]:
    """The overlays, started; they are stopped whatever happens: a draw handler left over crashes Blender 4.5."""
    from toehold.panels.overlay import overlay

    overlay.stop()
    overlay.start()
    yield overlay
    overlay.stop()


@pytest.fixture
def walker(registered: ModuleType) -> bpy.types.Object:
    return walking_armature(walk(strides=2.0, slide_mm_s=200.0))


def look(overlay: Any) -> Any:
    """Have the active armature drawn, as a redraw and the timer after it would; return what is drawn of it then."""
    overlay._picture_for(bpy.context)
    bring_up_to_date(overlay)
    return overlay._picture_for(bpy.context)


def bring_up_to_date(overlay: Any) -> None:
    """Do what the timer does, without the wait for things to settle."""
    overlay._changed_at = 0.0
    while overlay.bring_up_to_date() is not None:
        pass


def handlers() -> dict[str, int]:
    from toehold.operators import verb

    listed = {name: getattr(bpy.app.handlers, name) for name in dir(bpy.app.handlers)}
    counts = {name: len(found) for name, found in listed.items() if isinstance(found, list)}
    return {**counts, "told": len(verb.change_listeners)}


def test_starting_and_stopping_leave_blender_as_it_was_however_often(overlay: Any) -> None:
    overlay.stop()
    before = handlers()
    overlay.start()
    started = handlers()
    overlay.start()
    assert handlers() == started != before
    assert len(overlay._draw_handles) == 4
    overlay.stop()
    overlay.stop()
    assert handlers() == before
    assert not overlay._draw_handles
    assert not overlay.is_started


def test_stopping_lets_go_of_what_was_computed_and_of_the_timer(overlay: Any, walker: bpy.types.Object) -> None:
    from toehold.panels import overlay as module

    bpy.ops.toehold.clean()
    assert look(overlay) is not None
    overlay.refresh()
    overlay._picture_for(bpy.context)
    overlay.stop()
    assert not overlay.drawn
    assert not bpy.app.timers.is_registered(module._bring_up_to_date)


def test_before_contacts_are_known_nothing_is_drawn(overlay: Any, walker: bpy.types.Object) -> None:
    assert look(overlay) is None
    bpy.ops.toehold.find_legs()
    assert look(overlay) is None
    bpy.ops.toehold.annotate_contacts()
    assert look(overlay) is not None


def test_a_cleaned_clip_and_its_source_are_both_drawn_each_with_its_own_drift(
    overlay: Any, walker: bpy.types.Object
) -> None:
    bpy.ops.toehold.clean()
    cleaned = look(overlay)
    bpy.ops.toehold.flip_source()
    source = look(overlay)
    assert len(cleaned.steps) == len(source.steps)
    assert max(step.drift_mm.max() for step in cleaned.steps) < 1.0
    assert max(step.drift_mm.max() for step in source.steps) > 15.0


def test_looking_changes_nothing(overlay: Any, walker: bpy.types.Object) -> None:
    bpy.ops.toehold.clean()
    bpy.context.window_manager.toehold_overlay.ghost = True
    before = snapshot()
    assert look(overlay).ghost is not None
    bpy.context.window_manager.toehold_overlay.ghost = False
    assert snapshot() == before


def test_a_pose_without_keys_is_not_lost_by_looking(overlay: Any, walker: bpy.types.Object) -> None:
    bpy.ops.toehold.annotate_contacts()
    look(overlay)
    bone = walker.pose.bones["LeftLeg"]
    bone.rotation_quaternion = (0.8, 0.6, 0.0, 0.0)
    overlay.mark_changed()
    look(overlay)
    assert tuple(bone.rotation_quaternion) == pytest.approx((0.8, 0.6, 0.0, 0.0))


def test_an_edited_contact_is_drawn_without_sampling_again(overlay: Any, walker: bpy.types.Object) -> None:
    bpy.ops.toehold.annotate_contacts()
    before, motion = look(overlay), overlay.drawn_of(bpy.context).motion
    bpy.context.scene.frame_set(20)
    bpy.ops.toehold.set_contact(state="LIFTED", over="FRAMES", frame_start=1, frame_end=20)
    after = look(overlay)
    assert overlay.drawn_of(bpy.context).motion is motion
    assert after.bars != before.bars
    assert any(bar.kind == "forced" for bar in after.bars)


def test_what_moves_the_armature_moves_what_is_drawn(overlay: Any, walker: bpy.types.Object) -> None:
    bpy.ops.toehold.annotate_contacts()
    before = look(overlay)
    walker.location.x += 1.0
    bpy.context.view_layer.update()
    after = look(overlay)
    moved = [b.anchor - a.anchor for a, b in zip(before.steps, after.steps, strict=True)]
    assert np.abs(np.array(moved) - (1.0, 0.0, 0.0)).max() < 1e-5


def test_undo_draws_what_is_there_again(overlay: Any, walker: bpy.types.Object) -> None:
    bpy.ops.toehold.annotate_contacts()
    bpy.ops.ed.undo_push(message="test")
    bpy.ops.ed.undo_push(message="test")
    before = len(look(overlay).steps)
    bpy.ops.toehold.set_contact(state="LIFTED", over="FRAMES", frame_start=1, frame_end=400)
    bpy.ops.ed.undo_push(message="test")
    assert len(look(overlay).steps) < before
    bpy.ops.ed.undo()
    assert len(look(overlay).steps) == before


def test_an_armature_that_is_deleted_is_drawn_no_more(overlay: Any, walker: bpy.types.Object) -> None:
    bpy.ops.toehold.annotate_contacts()
    look(overlay)
    overlay.refresh()
    overlay._picture_for(bpy.context)
    bpy.data.objects.remove(walker)
    bring_up_to_date(overlay)
    assert overlay._picture_for(bpy.context) is None


def test_an_action_that_is_deleted_is_drawn_no_more(overlay: Any, walker: bpy.types.Object) -> None:
    bpy.ops.toehold.annotate_contacts()
    look(overlay)
    bpy.data.actions.remove(walker.animation_data.action)
    assert look(overlay) is None


def test_loading_a_file_lets_go_of_what_was_computed_and_keeps_drawing(overlay: Any, walker: bpy.types.Object) -> None:
    bpy.ops.toehold.annotate_contacts()
    look(overlay)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    assert not overlay.drawn
    assert overlay.is_started
    again = walking_armature(walk(strides=2.0))
    bpy.ops.toehold.annotate_contacts()
    assert look(overlay) is not None
    assert [name for name, _ in overlay.drawn] == [again.name]


def test_a_rig_is_stepped_through_only_on_demand(overlay: Any, walker: bpy.types.Object) -> None:
    limit = walker.pose.bones["LeftLeg"].constraints.new("LIMIT_ROTATION")
    limit.use_limit_x, limit.min_x, limit.max_x = True, 0.0, 0.01
    bpy.ops.toehold.annotate_contacts()
    assert look(overlay) is not None, "a verb has just stepped through it"
    curve_moved(walker)
    overlay.mark_changed()
    shown = look(overlay)
    assert shown is not None, "what was drawn stays"
    assert overlay.drawn_of(bpy.context).out_of_date
    bpy.ops.toehold.refresh_overlays()
    assert look(overlay) is not None
    assert not overlay.drawn_of(bpy.context).out_of_date


def test_several_armatures_are_each_drawn_and_none_again_and_again(overlay: Any, walker: bpy.types.Object) -> None:
    other = walking_armature(walk(strides=2.0), name="Other")
    for armature in (walker, other):
        bpy.context.view_layer.objects.active = armature
        bpy.ops.toehold.annotate_contacts()
    pictures = {}
    for armature in (walker, other, walker, other):
        bpy.context.view_layer.objects.active = armature
        shown = look(overlay)
        assert pictures.setdefault(armature.name, shown) is shown


def test_what_fails_is_not_tried_at_every_redraw(overlay: Any, walker: bpy.types.Object) -> None:
    bpy.ops.toehold.annotate_contacts()
    walker.toehold.limbs[0].hip = "Gone"
    overlay.refresh()
    assert look(overlay) is None
    assert "Gone" in overlay.drawn_of(bpy.context).trouble
    assert not overlay._wanted


def test_the_toggle_starts_and_stops(overlay: Any) -> None:
    toggles = bpy.context.window_manager.toehold_overlay
    toggles.enabled = False
    assert not overlay.is_started
    toggles.enabled = True
    assert overlay.is_started


def curve_moved(armature: bpy.types.Object) -> None:
    """Move one key of the armature's action."""
    (bag,) = armature.animation_data.action.layers[0].strips[0].channelbags
    curve = next(curve for curve in bag.fcurves if "LeftUpLeg" in curve.data_path)
    curve.keyframe_points[3].co.y += 0.1


@pytest.fixture
def on_plate(overlay: Any, walker: bpy.types.Object) -> bpy.types.Object:
    """A plate that the walker stands on, as it is drawn."""
    plate = add_plate("Plate", half=9.0)
    walker.toehold.ground.object = plate
    bpy.ops.toehold.clean()
    look(overlay)
    return plate


def height(picture: Any) -> int:
    """Return how high the lowest footprint lies, millimetres over the world's floor, without what lifts it off that."""
    return min(round(1000.0 * float(step.anchor[2])) for step in picture.steps) - 3


def test_prints_follow_a_ground_object_that_is_moved_edited_or_said_to_be_an_obstacle(
    overlay: Any, on_plate: bpy.types.Object
) -> None:
    assert height(look(overlay)) == 0
    on_plate.location.z = 0.02
    bpy.context.view_layer.update()
    assert height(look(overlay)) == 20
    for vertex in on_plate.data.vertices:
        vertex.co.z -= 0.03
    on_plate.data.update()
    bpy.context.view_layer.update()
    assert height(look(overlay)) == -10
    on_plate.toehold.walk_on = "OBSTACLE"
    bpy.context.view_layer.update()
    assert look(overlay) is None
    on_plate.toehold.walk_on = "AUTOMATIC"
    on_plate.location.z = 0.03
    bpy.context.view_layer.update()
    assert height(look(overlay)) == 0


def test_prints_follow_the_choice_of_another_ground(
    overlay: Any, walker: bpy.types.Object, on_plate: bpy.types.Object
) -> None:
    walker.toehold.ground.object = add_plate("Higher", half=9.0, height=0.04)
    bpy.context.view_layer.update()
    assert height(look(overlay)) == 40


def test_objects_that_are_no_ground_are_nothing_to_the_overlays(overlay: Any, on_plate: bpy.types.Object) -> None:
    other = add_plate("Other")
    bpy.context.view_layer.update()
    look(overlay)
    before = overlay.change
    other.location.z = 1.0
    bpy.context.view_layer.update()
    bpy.context.scene.frame_set(5)
    assert overlay.change == before
