# SPDX-License-Identifier: GPL-3.0-or-later
"""Preview and comparison know the ground objects: chosen, moved or edited, what is shown is what is baked on them."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType

import bpy
import numpy as np
import pytest

from support.ground_objects import add_plate
from support.previewing import poses_over, toggle
from support.walker import walk
from support.walker_armature import walking_armature


@pytest.fixture
def armature(registered: ModuleType) -> Iterator[bpy.types.Object]:
    from toehold.rig.shown.kept_comparison import kept_comparison
    from toehold.rig.shown.preview import preview

    yield walking_armature(walk(strides=2.0, slide_mm_s=200.0))
    preview.stop()
    kept_comparison.forget()


def baked(armature: bpy.types.Object) -> np.ndarray:
    bpy.ops.toehold.bake_lock()
    poses = poses_over(armature)
    bpy.ops.toehold.restore_source()
    return poses


def test_the_ground_that_is_chosen_and_moved_is_the_one_that_is_shown(armature: bpy.types.Object) -> None:
    plate = add_plate(half=6.0, height=0.02)
    toggle()
    on_the_floor = poses_over(armature)
    armature.toehold.ground.object = plate
    on_plate = poses_over(armature)
    assert np.abs(on_plate - on_the_floor).max() > 0.005
    toggle()
    np.testing.assert_allclose(on_plate, baked(armature), atol=2e-5)
    toggle()
    plate.location.z += 0.02
    bpy.context.view_layer.update()
    # Without a window nothing can wait for Blender to have time: the next slider plays anew.
    armature.toehold.lock.blend_time = armature.toehold.lock.blend_time
    higher = poses_over(armature)
    assert np.abs(higher - on_plate).max() > 0.005
    toggle()
    np.testing.assert_allclose(higher, baked(armature), atol=2e-5)


def test_ground_that_does_not_change_is_played_on_once(armature: bpy.types.Object) -> None:
    from toehold.rig.shown.preview import preview

    armature.toehold.ground.object = add_plate(half=6.0, height=0.02)
    toggle()
    played = preview.played
    bpy.ops.toehold.report()
    bpy.context.view_layer.update()
    assert preview.played is played


def test_compared_paths_go_where_their_ground_is_moved_or_another_is_chosen(armature: bpy.types.Object) -> None:
    from toehold.rig.shown.kept_comparison import kept_comparison

    plate = add_plate(half=6.0)
    armature.toehold.ground.object = plate
    for change in (
        lambda: setattr(plate, "location", (0.0, 0.0, 0.01)),
        lambda: setattr(armature.toehold.ground, "object", None),
    ):
        bpy.ops.toehold.compare()
        bpy.context.view_layer.update()
        assert kept_comparison.of(armature) is not None
        change()
        bpy.context.view_layer.update()
        assert kept_comparison.of(armature) is None
