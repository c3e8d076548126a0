# SPDX-License-Identifier: GPL-3.0-or-later
"""Flipping is one click, one undo, and is offered where there is something to flip to."""

from __future__ import annotations

from pathlib import Path

import bpy
import pytest

from support.snapshot import snapshot


def undo_push() -> None:
    bpy.ops.ed.undo_push(message="test")


def test_it_is_offered_from_the_first_clean_on(walker: bpy.types.Object) -> None:
    assert not bpy.ops.toehold.flip_source.poll()
    bpy.ops.toehold.annotate_contacts()
    assert not bpy.ops.toehold.flip_source.poll()
    bpy.ops.toehold.clean()
    assert bpy.ops.toehold.flip_source.poll()
    bpy.ops.toehold.restore_source()
    assert bpy.ops.toehold.flip_source.poll(), "restoring the source does not lose the result"


@pytest.mark.parametrize("mode", ["OBJECT", "POSE"])
def test_undo_of_a_flip_leaves_the_file_as_before(walker: bpy.types.Object, mode: str) -> None:
    bpy.ops.toehold.clean()
    bpy.ops.object.mode_set(mode=mode)
    undo_push()  # the first step alone can not be undone
    undo_push()
    before = snapshot()
    bpy.ops.toehold.flip_source()
    assert snapshot() != before
    undo_push()
    bpy.ops.ed.undo()
    assert snapshot() == before


def test_both_sides_outlive_the_file(walker: bpy.types.Object, tmp_path: Path) -> None:
    bpy.ops.toehold.clean()
    result = walker.animation_data.action.name
    bpy.ops.toehold.flip_source()
    source = walker.animation_data.action.name
    path = str(tmp_path / "walk.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    animation = bpy.context.view_layer.objects.active.animation_data
    assert animation.action.name == source
    assert len(animation.action.toehold.contacts) > 4
    bpy.ops.toehold.flip_source()
    assert animation.action.name == result
    assert len(animation.action.toehold.contacts) > 4


def test_cleaning_leaves_the_curves_of_the_source_as_they_were(walker: bpy.types.Object) -> None:
    source = walker.animation_data.action.name
    before = snapshot()["actions"][source]["curves"]
    bpy.ops.toehold.clean()
    bpy.ops.toehold.flip_source()
    assert snapshot()["actions"][source]["curves"] == before
