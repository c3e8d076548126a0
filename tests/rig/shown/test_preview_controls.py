# SPDX-License-Identifier: GPL-3.0-or-later
"""Where controls move the legs, the preview gives them what Bake Lock would key, and the rig does the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import bpy
import numpy as np
import pytest

from support.control_rigs import open_shared, rigify_walk, small_control_rig
from support.previewing import channels, go_to, poses_over, toggle

# A tenth of a millimetre.
CLOSE_M = 1e-4


@pytest.fixture(autouse=True)
def over_at_the_end(registered: ModuleType) -> Iterator[None]:
    from toehold.rig.shown.preview import preview

    yield
    preview.stop()


def active(armature: bpy.types.Object) -> bpy.types.Object:
    bpy.context.view_layer.objects.active = armature
    return armature


def leg_bones(armature: bpy.types.Object) -> list[int]:
    """Return where the bones of the legs are among all of the armature."""
    names = {getattr(limb, part) for limb in armature.toehold.limbs for part in ("hip", "knee", "heel", "toe")}
    return [armature.pose.bones.find(name) for name in names if name]


def places(armature: bpy.types.Object) -> np.ndarray:
    """Where each bone of a leg begins on some frames of the action, whole and not (F, B, 3), in metres."""
    first, last = armature.animation_data.action.frame_range
    frames = (first, first + 2.0, (first + last) / 2.0 + 0.25, last - 1.5, last)
    scale = np.linalg.norm(np.array(armature.matrix_world)[:3, 0])
    return scale * poses_over(armature, frames)[:, leg_bones(armature), :3, 3]


@pytest.mark.parametrize(
    "rig",
    [
        lambda data: small_control_rig(),
        lambda data: open_shared(data, "human"),
        lambda data: open_shared(data, "kaiju"),
        lambda data: rigify_walk({1: 0.0, 20: 0.0, 21: 1.0}),
    ],
    ids=["two targets", "human", "kaiju", "rigify from inverse to forward"],
)
def test_the_pose_is_bake_locks_to_a_tenth_of_a_millimetre(data: Path, rig: Callable[[Path], bpy.types.Object]) -> None:
    armature = active(rig(data))
    bpy.ops.toehold.find_legs()
    actions = set(bpy.data.actions.keys())
    own = places(armature)
    toggle()
    assert set(bpy.data.actions.keys()) == actions
    shown = places(armature)
    assert np.abs(shown - own).max() > 0.01
    toggle()
    np.testing.assert_allclose(places(armature), own, atol=1e-6)
    bpy.ops.toehold.bake_lock()
    np.testing.assert_allclose(shown, places(armature), atol=CLOSE_M)


def test_switching_it_off_gives_the_pose_back_to_the_bit_with_what_is_not_keyed() -> None:
    armature = active(small_control_rig())
    bpy.ops.toehold.find_legs()
    go_to(9.0)
    armature.pose.bones["target.L"].location.z += 0.05
    armature.pose.bones["shin.R"].rotation_quaternion = (0.9, 0.1, 0.0, 0.0)
    bpy.context.view_layer.update()
    before = channels(armature)
    toggle()
    bpy.context.view_layer.update()
    assert channels(armature) != before
    toggle()
    bpy.context.view_layer.update()
    assert channels(armature) == before


def test_a_slider_and_an_edited_curve_show_as_they_are_baked() -> None:
    armature = active(small_control_rig())
    bpy.ops.toehold.find_legs()
    bpy.ops.toehold.annotate_contacts()
    toggle()
    at_first = places(armature)
    armature.toehold.lock.unlock_distance = 0.003
    slid = places(armature)
    assert np.abs(slid - at_first).max() > 1e-3
    animation = armature.animation_data
    for curve in animation.action.layers[0].strips[0].channelbag(animation.action_slot).fcurves:
        if curve.data_path.endswith('"target.L"].location') and curve.array_index == 1:
            for point in curve.keyframe_points:
                point.co.y *= 1.5
            curve.update()
    animation.action.update_tag()
    bpy.context.view_layer.update()
    # Without a window nothing can wait for Blender to have time: the next slider plays anew.
    armature.toehold.lock.unlock_distance = 0.004
    shown = places(armature)
    toggle()
    bpy.ops.toehold.bake_lock()
    np.testing.assert_allclose(shown, places(armature), atol=CLOSE_M)


def test_a_verb_that_changes_nothing_does_not_play_the_lock_again() -> None:
    from toehold.rig.shown.preview import preview

    active(small_control_rig())
    bpy.ops.toehold.find_legs()
    toggle()
    played = preview.played
    bpy.ops.toehold.report()
    assert preview.played is played


def test_a_saved_file_has_the_controls_where_the_action_has_them(tmp_path: Path) -> None:
    armature = active(small_control_rig())
    bpy.ops.toehold.find_legs()
    go_to(9.0)
    before = channels(armature)
    toggle()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "rig.blend"), copy=True)
    assert channels(armature) != before
    name = armature.name
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "rig.blend"))
    assert channels(bpy.data.objects[name]) == before
