# SPDX-License-Identifier: GPL-3.0-or-later
"""One undo after any operator leaves the file as it was, to the byte of every curve."""

from __future__ import annotations

import bpy
import pytest

from support.snapshot import snapshot


def undo_push() -> None:
    bpy.ops.ed.undo_push(message="test")


@pytest.mark.parametrize("mode", ["OBJECT", "POSE"])
@pytest.mark.parametrize("verb", ["find_legs", "annotate_contacts", "clean", "report"])
def test_undo_leaves_the_file_as_before(walker: bpy.types.Object, verb: str, mode: str) -> None:
    bpy.ops.object.mode_set(mode=mode)
    undo_push()  # the first step alone can not be undone
    undo_push()
    before = snapshot()
    getattr(bpy.ops.toehold, verb)()
    assert snapshot() != before
    undo_push()
    bpy.ops.ed.undo()
    assert snapshot() == before


@pytest.mark.parametrize("over_strips", ["STRIP", "ACTION"])
@pytest.mark.parametrize("keeps_an_action", [False, True])
def test_undo_leaves_strips_as_before(walker: bpy.types.Object, over_strips: str, keeps_an_action: bool) -> None:
    animation = walker.animation_data
    animation.nla_tracks.new().strips.new("walk", 5, animation.action)
    if not keeps_an_action:
        animation.action = None
    undo_push()
    undo_push()
    before = snapshot()
    bpy.ops.toehold.clean(over_strips=over_strips)
    cleaned = snapshot()
    undo_push()
    bpy.ops.ed.undo()
    assert snapshot() == before
    bpy.ops.ed.redo()
    assert snapshot() == cleaned
    bpy.ops.toehold.restore_source()
    now, then = snapshot()["objects"]["Walker"], before["objects"]["Walker"]
    for what in ("tracks", "plays tracks", "action", "slot"):
        assert now[what] == then[what], what


def test_undo_of_restore_source_plays_the_cleaned_action_again(walker: bpy.types.Object) -> None:
    bpy.ops.toehold.clean()
    undo_push()
    undo_push()
    before = snapshot()
    bpy.ops.toehold.restore_source()
    undo_push()
    bpy.ops.ed.undo()
    assert snapshot() == before


def test_redo_gives_the_cleaned_action_back(walker: bpy.types.Object) -> None:
    undo_push()
    undo_push()
    bpy.ops.toehold.clean()
    undo_push()
    after = snapshot()
    bpy.ops.ed.undo()
    bpy.ops.ed.redo()
    assert snapshot() == after


def test_undo_of_a_bone_that_was_taken_gives_the_limb_back(walker: bpy.types.Object) -> None:
    bpy.ops.toehold.find_legs()
    bpy.ops.object.mode_set(mode="POSE")
    walker.data.bones.active = walker.data.bones["RightUpLeg"]
    undo_push()
    undo_push()
    before = snapshot()
    bpy.ops.toehold.pick_bone(part="hip")
    assert snapshot() != before
    undo_push()
    bpy.ops.ed.undo()
    assert snapshot() == before
