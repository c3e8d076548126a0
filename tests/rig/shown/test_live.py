# SPDX-License-Identifier: GPL-3.0-or-later
"""While a result of Clean is shown, moving a slider solves it again into itself, and nothing else changes."""

from __future__ import annotations

from dataclasses import replace
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest

from support.snapshot import snapshot
from support.walker import walk
from support.walker_armature import walking_armature
from toehold import settings
from toehold.rig.common.versions import assigned_channelbag
from toehold.rig.shown.live_clean import live
from toehold.rig.verbs import journey


@pytest.fixture
def walker(registered: ModuleType) -> bpy.types.Object:
    live.forget()
    return walking_armature(walk(strides=2.0, slide_mm_s=200.0))


def curves(action: bpy.types.Action) -> dict[Any, Any]:
    return snapshot()["actions"][action.name]["curves"]


def cleaned(armature: bpy.types.Object) -> bpy.types.Action:
    bpy.ops.toehold.clean()
    return armature.animation_data.action


def furthest_apart(one: dict[Any, Any], other: dict[Any, Any]) -> float:
    """Return how far the values of keys lie apart at most; everything else about them has to be the same."""
    assert one.keys() == other.keys()
    furthest = 0.0
    for channel, (keys, *_, interpolation, kind, easing, left, right) in one.items():
        assert (interpolation, kind, easing, left, right) == other[channel][3:]
        apart = np.abs(np.frombuffer(keys, np.float32) - np.frombuffer(other[channel][0], np.float32))
        furthest = max(furthest, float(apart.max()))
    return furthest


@pytest.mark.parametrize(
    ("name", "value"), [("strength", 0.5), ("keep_travel", 3.0), ("smoothness", 20.0), ("softening", 0.05)]
)
def test_a_moved_slider_gives_what_clean_gives_with_its_value(
    walker: bpy.types.Object, name: str, value: float
) -> None:
    result = cleaned(walker)
    before = curves(result)
    setattr(walker.toehold.cleanup, name, value)
    assert live.trouble == ""
    assert walker.animation_data.action == result
    moved = curves(result)
    assert moved != before or name == "softening"
    assert furthest_apart(moved, curves(cleaned(walker))) < 1e-6


def test_a_slider_moved_there_and_back_leaves_no_trace(walker: bpy.types.Object) -> None:
    result = cleaned(walker)
    before = curves(result)
    for value in (0.8, 0.3, 0.0, 1.0):
        walker.toehold.cleanup.strength = value
    for value in (9.0, 3.0):
        walker.toehold.cleanup.smoothness = value
    assert furthest_apart(curves(result), before) < 1e-6


def test_the_source_is_never_touched_and_no_action_is_added(walker: bpy.types.Object) -> None:
    cleaned(walker)
    before = snapshot()["actions"]
    walker.toehold.cleanup.strength = 0.4
    walker.toehold.cleanup.smoothness = 8.0
    after = snapshot()["actions"]
    assert after.keys() == before.keys()
    assert after["Walker Walk"]["curves"] == before["Walker Walk"]["curves"]


def test_without_strength_the_result_moves_as_its_source_does(walker: bpy.types.Object) -> None:
    source = curves(walker.animation_data.action)
    result = cleaned(walker)
    walker.toehold.cleanup.strength = 0.0
    motion = {channel: keys for channel, keys in curves(result).items() if "contact" not in channel[1]}
    assert motion == source


def test_contacts_stay_as_they_are_and_edited_ones_count(walker: bpy.types.Object) -> None:
    result = cleaned(walker)
    contacts = {channel: keys for channel, keys in curves(result).items() if "contact" in channel[1]}
    walker.toehold.cleanup.strength = 0.5
    assert contacts.items() <= curves(result).items()
    for curve in assigned_channelbag(walker).fcurves:
        if "contact" in curve.data_path:
            for key in curve.keyframe_points:
                key.co.y = 0.0
            curve.update()
    walker.toehold.cleanup.strength = 1.0
    source = curves(bpy.data.actions["Walker Walk"])
    assert {channel: keys for channel, keys in curves(result).items() if "contact" not in channel[1]} == source


def test_a_key_that_a_person_has_set_in_the_result_stays(walker: bpy.types.Object) -> None:
    cleaned(walker)
    curve = next(curve for curve in assigned_channelbag(walker).fcurves if "location" in curve.data_path)
    key = curve.keyframe_points[10]
    key.co.y, key.type = 7.0, "KEYFRAME"
    walker.toehold.cleanup.strength = 0.5
    assert curve.keyframe_points[10].co.y == 7.0
    assert curve.keyframe_points[11].co.y != 7.0


def test_frames_that_were_not_cleaned_stay_as_they_are(walker: bpy.types.Object) -> None:
    bpy.ops.toehold.find_legs()
    limbs, options = settings.legs_and_options(walker)
    result = journey.clean(walker, limbs, replace(options, frames=(20, 60))).result
    walker.toehold.cleanup.strength = 0.5
    assert walker.animation_data.action == result
    moved = {curve.data_path + str(curve.array_index): curve for curve in assigned_channelbag(walker).fcurves}
    walker.animation_data.action = bpy.data.actions["Walker Walk"]
    compared = 0
    for curve in assigned_channelbag(walker).fcurves:
        other = moved[curve.data_path + str(curve.array_index)]
        for frame in (1, 10, 18, 62, 70):
            assert abs(curve.evaluate(frame) - other.evaluate(frame)) < 1e-5
            compared += 1
    assert compared


def test_a_channel_that_only_the_result_animates_is_put_back_with_the_source(walker: bpy.types.Object) -> None:
    channels = assigned_channelbag(walker)
    for curve in [curve for curve in channels.fcurves if "location" in curve.data_path]:
        channels.fcurves.remove(curve)
    root = walker.pose.bones[0]
    root.location = (0.0, 0.0, 0.0)
    cleaned(walker)
    bpy.context.scene.frame_set(30)
    assert root.location.length > 1e-4
    first = curves(walker.animation_data.action)
    bpy.ops.toehold.restore_source()
    assert root.location.length == 0.0
    assert curves(cleaned(walker)) == first


def test_only_what_clean_has_made_follows_its_settings(walker: bpy.types.Object) -> None:
    cleaned(walker)
    for make in ("restore_source", "bake_lock", "root_motion"):
        getattr(bpy.ops.toehold, make)(**({"way": "OUT"} if make == "root_motion" else {}))
        before = snapshot()
        walker.toehold.cleanup.strength = 0.1
        assert snapshot() == before, make
        walker.toehold.cleanup.strength = 1.0


def test_the_operators_own_values_are_no_slider(walker: bpy.types.Object) -> None:
    heard: list[object] = []
    live.result_listeners.append(heard.append)
    try:
        bpy.ops.toehold.clean(strength=0.5)
        bpy.ops.toehold.clean(strength=0.7, smoothness=9.0)
        assert not heard
        walker.toehold.cleanup.strength = 0.2
        assert len(heard) == 1
    finally:
        live.result_listeners.remove(heard.append)


def test_what_cannot_be_changed_is_said_and_left(walker: bpy.types.Object) -> None:
    cleaned(walker)
    for curve in bpy.data.actions["Walker Walk"].layers[0].strips[0].channelbags[0].fcurves:
        curve.lock = True
    before = snapshot()
    walker.toehold.cleanup.strength = 0.5
    assert "locked" in live.trouble
    bpy.context.view_layer.update()
    assert snapshot() == before


def test_an_edit_of_the_source_is_seen_at_the_next_move(walker: bpy.types.Object) -> None:
    result = cleaned(walker)
    walker.toehold.cleanup.strength = 0.5
    source = bpy.data.actions["Walker Walk"].layers[0].strips[0].channelbags[0]
    for curve in source.fcurves:
        if "location" in curve.data_path:
            for key in curve.keyframe_points:
                key.co.y *= 1.1
            curve.update()
    walker.toehold.cleanup.strength = 1.0
    moved = curves(result)
    again = curves(cleaned(walker))
    motion = [channel for channel in again if "contact" not in channel[1]]
    assert [channel for channel in motion if moved[channel] != again[channel]] == []


def test_undo_of_a_slider_gives_the_curves_back(walker: bpy.types.Object) -> None:
    name = cleaned(walker).name
    bpy.ops.ed.undo_push(message="first")
    bpy.ops.ed.undo_push(message="second")
    before = snapshot()
    walker.toehold.cleanup.strength = 0.5
    assert snapshot() != before
    bpy.ops.ed.undo_push(message="Strength")
    bpy.ops.ed.undo()
    assert snapshot() == before
    armature = bpy.context.view_layer.objects.active
    armature.toehold.cleanup.strength = 0.7
    assert armature.animation_data.action.name == name
    assert live.trouble == ""
