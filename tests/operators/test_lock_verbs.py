# SPDX-License-Identifier: GPL-3.0-or-later
"""Bake Lock, Compare and the exports say what they did, and can be undone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import bpy
import pytest

from support.snapshot import snapshot
from toehold.rig.writing.results import comparison_of, figures_of


def test_bake_lock_slides_less_in_a_new_action_and_restore_source_goes_back(walker: Any) -> None:
    source = walker.animation_data.action
    bpy.ops.toehold.bake_lock()
    result = walker.animation_data.action
    assert result != source
    assert result.name.endswith("Lock")
    figures = figures_of(result)
    assert figures["after"]["slide_mm_s"] < 0.5 * figures["before"]["slide_mm_s"]
    assert 10.0 < figures["after"]["lag_mm"] < 230.0
    bpy.ops.toehold.restore_source()
    assert walker.animation_data.action == source


def test_what_was_locked_is_cleaned_from_its_source(walker: Any) -> None:
    bpy.ops.toehold.clean()
    alone = figures_of(walker.animation_data.action)
    bpy.ops.toehold.restore_source()
    bpy.ops.toehold.bake_lock()
    bpy.ops.toehold.clean()
    assert figures_of(walker.animation_data.action)["after"] == pytest.approx(alone["after"], abs=0.05)


def test_compare_changes_no_motion_and_says_what_each_way_costs(walker: Any) -> None:
    before = snapshot()
    bpy.ops.toehold.compare()
    after = snapshot()
    assert after["actions"].keys() == before["actions"].keys()
    for name, action in after["actions"].items():
        assert action["curves"] == before["actions"][name]["curves"]
    assert after["objects"]["Walker"]["pose"] == before["objects"]["Walker"]["pose"]
    compared = comparison_of(walker.animation_data.action)
    assert set(compared) == {"source", "lock", "clean"}
    slides = [compared[way]["slide_mm_s"] for way in ("source", "lock", "clean")]
    assert slides == sorted(slides, reverse=True)
    assert compared["source"]["lag_mm"] == 0.0 < compared["lock"]["lag_mm"]


def test_compare_of_a_result_compares_its_source(walker: Any) -> None:
    bpy.ops.toehold.compare()
    source = comparison_of(walker.animation_data.action)
    bpy.ops.toehold.clean()
    result = walker.animation_data.action
    bpy.ops.toehold.compare()
    assert walker.animation_data.action == result
    for way, figures in comparison_of(result).items():
        assert figures == pytest.approx(source[way], rel=0.02, abs=0.5)


@pytest.mark.parametrize("verb", ["bake_lock", "compare", "mark_footsteps"])
def test_one_undo_takes_it_back(walker: Any, verb: str) -> None:
    bpy.ops.toehold.annotate_contacts()
    bpy.ops.ed.undo_push(message="test")
    bpy.ops.ed.undo_push(message="test")
    before, markers = snapshot(), len(bpy.context.scene.timeline_markers)
    getattr(bpy.ops.toehold, verb)()
    bpy.ops.ed.undo_push(message="test")
    bpy.ops.ed.undo()
    assert snapshot() == before
    assert len(bpy.context.scene.timeline_markers) == markers


def test_markers_stand_at_strikes_and_offs_and_a_second_time_replaces_them(walker: Any) -> None:
    scene = bpy.context.scene
    scene.timeline_markers.new("Mine", frame=3)
    bpy.ops.toehold.mark_footsteps()
    first = sorted((marker.frame, marker.name) for marker in scene.timeline_markers)
    assert (3, "Mine") in first
    assert {name.split()[-1] for _, name in first if name != "Mine"} == {"Strike", "Off"}
    bpy.ops.toehold.mark_footsteps()
    assert sorted((marker.frame, marker.name) for marker in scene.timeline_markers) == first


@pytest.mark.parametrize(
    ("file_format", "ending"),
    [
        ("JSON", "json"),
        ("CSV", "csv"),
        ("UNREAL_JSON", "json"),
        ("UNREAL_CSV", "csv"),
        ("UNITY", "json"),
        ("GODOT", "tres"),
    ],
)
def test_every_format_is_written(walker: Any, tmp_path: Path, file_format: str, ending: str) -> None:
    out = tmp_path / f"events.{ending}"
    before = snapshot()
    bpy.ops.toehold.export_contacts(filepath=str(out), file_format=file_format)
    assert snapshot() == before
    assert out.read_text()
    if ending == "json":
        json.loads(out.read_text())


def test_an_export_that_cannot_be_written_says_so(walker: Any, tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="choose another folder"):
        bpy.ops.toehold.export_contacts(filepath=str(tmp_path / "missing" / "events.json"))


@pytest.mark.parametrize("verb", ["bake_lock", "preview_lock", "compare", "export_contacts", "mark_footsteps"])
def test_without_motion_each_says_what_to_do(walker: Any, verb: str) -> None:
    walker.animation_data_clear()
    with pytest.raises(RuntimeError, match="import or assign one"):
        getattr(bpy.ops.toehold, verb)()
    bpy.context.view_layer.objects.active = None
    with pytest.raises(RuntimeError, match="Select an armature"):
        getattr(bpy.ops.toehold, verb)()
