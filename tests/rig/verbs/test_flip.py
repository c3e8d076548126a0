# SPDX-License-Identifier: GPL-3.0-or-later
"""Flipping goes to the source and back to the very result that it came from, and loses neither."""

from __future__ import annotations

from types import ModuleType

import bpy
import pytest

from support.walker import walk
from support.walker_armature import walking_armature
from toehold.rig.common.wording import RigError
from toehold.rig.curves import actions
from toehold.rig.verbs import flip


@pytest.fixture
def walker(registered: ModuleType) -> bpy.types.Object:
    return walking_armature(walk(strides=2.0, slide_mm_s=200.0))


def shown(armature: bpy.types.Object) -> str:
    return str(armature.animation_data.action.name)


def test_flipping_twice_shows_the_result_again(walker: bpy.types.Object) -> None:
    source = shown(walker)
    bpy.ops.toehold.clean()
    result = shown(walker)
    assert flip.flip(walker).name == shown(walker) == source
    assert flip.flip(walker).name == shown(walker) == result
    assert walker.animation_data.action_slot is not None


def test_of_several_results_the_one_comes_back_that_was_left(walker: bpy.types.Object) -> None:
    source = walker.animation_data.action
    bpy.ops.toehold.clean()
    first = shown(walker)
    bpy.ops.toehold.keep_version()
    flip.flip(walker)
    bpy.ops.toehold.clean(strength=0.5)
    second = shown(walker)
    assert first != second
    for name in (first, second, first):
        walker.animation_data.action = bpy.data.actions[name]
        assert flip.flip(walker) == source
        assert flip.flip(walker).name == name


def test_a_renamed_result_is_still_the_one(walker: bpy.types.Object) -> None:
    bpy.ops.toehold.clean()
    flip.flip(walker)
    flip.result_of(walker.animation_data.action).name = "Walk, Final"
    assert flip.flip(walker).name == "Walk, Final"


def test_where_the_source_was_assigned_by_hand_its_newest_result_is_shown(walker: bpy.types.Object) -> None:
    source = walker.animation_data.action
    bpy.ops.toehold.clean()
    bpy.ops.toehold.flip_source()
    bpy.ops.toehold.clean(strength=0.5)
    newest = shown(walker)
    walker.animation_data.action = source
    del source[actions.RESULT_PROPERTY]
    assert flip.flip(walker).name == newest


def test_a_result_that_was_deleted_is_not_missed_where_another_is_left(walker: bpy.types.Object) -> None:
    bpy.ops.toehold.clean()
    kept = shown(walker)
    bpy.ops.toehold.keep_version()
    flip.flip(walker)
    bpy.ops.toehold.clean(strength=0.5)
    flip.flip(walker)
    bpy.data.actions.remove(flip.result_of(walker.animation_data.action))
    assert flip.flip(walker).name == kept


def test_neither_is_lost_when_the_file_is_saved(walker: bpy.types.Object) -> None:
    source = walker.animation_data.action
    bpy.ops.toehold.clean()
    result = walker.animation_data.action
    flip.flip(walker)
    assert result.use_fake_user or result.users
    flip.flip(walker)
    assert source.use_fake_user or source.users


def test_an_action_without_another_side_says_what_to_do(walker: bpy.types.Object) -> None:
    with pytest.raises(RigError, match="clean it first"):
        flip.flip(walker)


def test_a_copy_of_a_source_has_no_result(walker: bpy.types.Object) -> None:
    bpy.ops.toehold.clean()
    flip.flip(walker)
    walker.animation_data.action = walker.animation_data.action.copy()
    assert flip.result_of(walker.animation_data.action) is None
    with pytest.raises(RigError, match="clean it first"):
        flip.flip(walker)
