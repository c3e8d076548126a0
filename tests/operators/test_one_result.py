# SPDX-License-Identifier: GPL-3.0-or-later
"""A verb pressed again replaces its own result, and never one that somebody has worked on or uses elsewhere."""

from __future__ import annotations

import bpy
import pytest

from support.rigs import curve
from support.walker import limb_bones


def results() -> list[str]:
    return sorted(action.name for action in bpy.data.actions if action.name != "Walker Walk")


@pytest.mark.parametrize("back", [True, False], ids=["from the source", "from the result"])
@pytest.mark.parametrize(("verb", "name"), [("clean", "Walker Walk Clean"), ("bake_lock", "Walker Walk Lock")])
def test_three_presses_leave_one_result(walker: bpy.types.Object, verb: str, name: str, back: bool) -> None:
    for press in range(3):
        if back and press:
            bpy.ops.toehold.restore_source()
        getattr(bpy.ops.toehold, verb)()
    assert results() == [name]
    assert walker.animation_data.action.name == name


def test_clean_and_lock_keep_each_others_results(walker: bpy.types.Object) -> None:
    for verb in (bpy.ops.toehold.clean, bpy.ops.toehold.bake_lock, bpy.ops.toehold.clean):
        verb()
    assert results() == ["Walker Walk Clean", "Walker Walk Lock"]


def test_a_version_is_kept_beside_the_next_result(walker: bpy.types.Object) -> None:
    bpy.ops.toehold.clean()
    bpy.ops.toehold.keep_version()
    bpy.ops.toehold.clean(strength=0.5)
    bpy.ops.toehold.clean(strength=0.2)
    assert results() == ["Walker Walk Clean", "Walker Walk Clean.001"]


def test_a_result_that_was_edited_is_kept(walker: bpy.types.Object) -> None:
    bpy.ops.toehold.clean()
    edited = walker.animation_data.action
    hips = curve(walker, f'pose.bones["{limb_bones()[0].root}"].location')
    hips.keyframe_points[3].co[1] += 0.5
    bpy.ops.toehold.clean()
    assert walker.animation_data.action != edited
    assert len(results()) == 2


def test_a_slider_does_not_make_an_edited_result_look_untouched(walker: bpy.types.Object) -> None:
    bpy.ops.toehold.clean()
    edited = walker.animation_data.action
    curve(walker, f'pose.bones["{limb_bones()[0].root}"].location').keyframe_points.insert(3.5, 0.7)
    walker.toehold.cleanup.strength = 0.5
    bpy.ops.toehold.clean()
    assert walker.animation_data.action != edited


def test_a_result_that_another_object_or_a_strip_uses_is_kept(walker: bpy.types.Object) -> None:
    bpy.ops.toehold.clean()
    used = walker.animation_data.action
    other = bpy.data.objects.new("Other", walker.data)
    other.animation_data_create().action = used
    bpy.ops.toehold.clean()
    assert other.animation_data.action == used
    assert walker.animation_data.action != used


def test_a_result_whose_source_is_gone_says_so_and_is_not_named_twice(walker: bpy.types.Object) -> None:
    bpy.ops.toehold.clean()
    bpy.data.actions.remove(bpy.data.actions["Walker Walk"])
    with pytest.raises(RuntimeError, match="not in this file"):
        bpy.ops.toehold.restore_source()
    bpy.ops.toehold.clean()
    assert not [name for name in results() if "Clean Clean" in name]
