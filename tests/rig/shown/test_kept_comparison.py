# SPDX-License-Identifier: GPL-3.0-or-later
"""The paths of a comparison are there while they are true of what is shown, and no longer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import bpy
import numpy as np
import pytest

from support.previewing import go_to
from support.walker import walk
from support.walker_armature import walking_armature


@pytest.fixture
def armature(registered: ModuleType) -> Iterator[bpy.types.Object]:
    """A walker that slides, compared."""
    from toehold.rig.shown.kept_comparison import kept_comparison

    walker = walking_armature(walk(strides=2.0, slide_mm_s=200.0))
    bpy.ops.toehold.annotate_contacts()
    bpy.ops.ed.undo_push(message="before")
    bpy.ops.ed.undo_push(message="before")
    bpy.ops.toehold.compare()
    bpy.context.view_layer.update()
    yield walker
    kept_comparison.forget()


def has_paths(armature: bpy.types.Object) -> bool:
    from toehold.rig.shown.kept_comparison import kept_comparison

    return kept_comparison.of(armature) is not None


def nudge_a_key(armature: bpy.types.Object, ending: str) -> None:
    animation = armature.animation_data
    for curve in animation.action.layers[0].strips[0].channelbag(animation.action_slot).fcurves:
        if curve.data_path.endswith(ending):
            curve.keyframe_points[0].co.y += 0.25
            curve.update()
    animation.action.update_tag()
    bpy.context.view_layer.update()


def test_its_paths_are_the_toes_of_the_source_of_bake_lock_and_of_clean(armature: bpy.types.Object) -> None:
    from toehold.rig.shown.kept_comparison import kept_comparison

    paths = kept_comparison.of(armature)
    assert paths is not None
    limbs = [(limb.heel, limb.toe) for limb in armature.toehold.limbs]
    for way, verb in (("source", None), ("lock", "bake_lock"), ("clean", "clean")):
        if verb:
            getattr(bpy.ops.toehold, verb)()
        for frame in (10, 47, 90):
            go_to(float(frame))
            for at, (_, toe) in enumerate(limbs):
                seen = armature.matrix_world @ armature.pose.bones[toe].head
                np.testing.assert_allclose(paths.toes[way][frame - int(paths.frames[0]), at], seen, atol=1e-4)
        if verb:
            bpy.ops.toehold.restore_source()


def test_playing_renaming_and_mode_switches_keep_them(armature: bpy.types.Object) -> None:
    go_to(33.5)
    bpy.ops.object.mode_set(mode="POSE")
    armature.name = "Renamed"
    bpy.ops.toehold.report()
    bpy.context.view_layer.update()
    assert has_paths(armature)


@pytest.mark.parametrize("ending", ["location", '["contact"]'])
def test_an_edited_curve_takes_them_away(armature: bpy.types.Object, ending: str) -> None:
    nudge_a_key(armature, ending)
    assert not has_paths(armature)


@pytest.mark.parametrize(
    ("group", "name", "value"),
    [("lock", "blend_time", 0.3), ("contacts", "toe_share", 0.3), ("cleanup", "strength", 0.5)],
)
def test_a_slider_takes_them_away(armature: bpy.types.Object, group: str, name: str, value: float) -> None:
    armature.toehold.lock.show_in_renders = False
    assert has_paths(armature)
    setattr(getattr(armature.toehold, group), name, value)
    assert not has_paths(armature)


def test_another_action_hides_them_and_the_same_one_shows_them_again(armature: bpy.types.Object) -> None:
    action = armature.animation_data.action
    bpy.ops.toehold.clean()
    assert not has_paths(armature)
    bpy.ops.toehold.restore_source()
    assert armature.animation_data.action == action
    assert has_paths(armature)


def test_they_can_be_of_a_result_and_go_where_its_source_is_edited(armature: bpy.types.Object) -> None:
    bpy.ops.toehold.clean()
    bpy.ops.toehold.compare()
    bpy.context.view_layer.update()
    assert has_paths(armature)
    result = armature.animation_data.action
    bpy.ops.toehold.restore_source()
    nudge_a_key(armature, "location")
    armature.animation_data.action = result
    bpy.context.view_layer.update()
    assert not has_paths(armature)


def test_they_go_where_the_armature_is_moved_or_another_is_looked_at(armature: bpy.types.Object) -> None:
    armature.location.x += 1.0
    bpy.context.view_layer.update()
    assert not has_paths(armature)
    armature.location.x -= 1.0
    bpy.context.view_layer.update()
    assert has_paths(armature)
    assert not has_paths(walking_armature(walk(strides=1.0), name="Other"))


def test_undo_of_comparing_takes_them_away(armature: bpy.types.Object) -> None:
    bpy.ops.ed.undo_push(message="compared")
    bpy.ops.ed.undo()
    assert not has_paths(bpy.data.objects["Walker"])


def test_undo_of_something_else_keeps_them_and_of_an_edit_takes_them_away(armature: bpy.types.Object) -> None:
    bpy.ops.ed.undo_push(message="compared")
    armature.show_in_front = True
    bpy.ops.ed.undo_push(message="something else")
    bpy.ops.ed.undo()
    armature = bpy.data.objects["Walker"]
    assert has_paths(armature)
    nudge_a_key(armature, "location")
    bpy.ops.toehold.compare()
    bpy.ops.ed.undo_push(message="edited and compared")
    bpy.ops.ed.undo()
    assert not has_paths(bpy.data.objects["Walker"])


@pytest.mark.parametrize("end", ["load", "armature", "action", "unregister"])
def test_they_end_with_the_file_the_armature_the_action_and_the_add_on(
    armature: bpy.types.Object, registered: ModuleType, tmp_path: Path, end: str
) -> None:
    from toehold.rig.shown.kept_comparison import kept_comparison

    if end == "load":
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    elif end == "armature":
        bpy.data.objects.remove(armature)
    elif end == "action":
        bpy.data.actions.remove(armature.animation_data.action)
        assert not has_paths(armature)
    else:
        registered.unregister()
        registered.register()
    bpy.ops.ed.undo_push(message="ended")
    for other in bpy.data.objects:
        assert not has_paths(other)
    if end in ("load", "unregister"):
        assert kept_comparison._kept is None


def test_over_strips_they_go_where_an_action_below_is_edited(armature: bpy.types.Object) -> None:
    animation = armature.animation_data
    action = animation.action
    animation.nla_tracks.new().strips.new("Walk", round(action.frame_range[0]), action)
    animation.action = None
    bpy.ops.toehold.annotate_contacts()
    bpy.ops.toehold.compare()
    bpy.context.view_layer.update()
    assert has_paths(armature)
    for curve in action.layers[0].strips[0].channelbag(action.slots[0]).fcurves:
        curve.keyframe_points[0].co.y += 0.25
        curve.update()
    action.update_tag()
    bpy.context.view_layer.update()
    assert not has_paths(armature)
