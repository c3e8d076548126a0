# SPDX-License-Identifier: GPL-3.0-or-later
"""The preview shows on any frame what Bake Lock would write, keys nothing, and leaves nothing behind."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import bpy
import numpy as np
import pytest

from support.previewing import FRAMES, channels, go_to, handlers, poses, poses_over, thigh_of, toggle, unkey
from support.walker import walk
from support.walker_armature import walking_armature


@pytest.fixture
def armature(registered: ModuleType) -> Iterator[bpy.types.Object]:
    """An armature whose planted feet slide at 200 mm/s; whatever preview a test begins is over at its end."""
    from toehold.rig.shown.preview import preview

    yield walking_armature(walk(strides=2.0, slide_mm_s=200.0))
    preview.stop()


def remove_bone(armature: bpy.types.Object, name: str) -> None:
    bpy.ops.object.mode_set(mode="EDIT")
    armature.data.edit_bones.remove(armature.data.edit_bones[name])
    bpy.ops.object.mode_set(mode="OBJECT")


def test_any_frame_shows_what_bake_lock_writes_wherever_it_is_come_to_from(armature: bpy.types.Object) -> None:
    own = poses_over(armature)
    toggle()
    shown = poses_over(armature)
    assert np.abs(shown - own).max() > 0.02
    np.testing.assert_array_equal(shown[::-1], poses_over(armature, FRAMES[::-1]))
    toggle()
    bpy.ops.toehold.bake_lock()
    np.testing.assert_allclose(shown, poses_over(armature), atol=2e-5)


@pytest.mark.parametrize("mode", ["XYZ", "ZXY", "AXIS_ANGLE"])
def test_every_rotation_mode_is_shown_as_it_is_baked(armature: bpy.types.Object, mode: str) -> None:
    from toehold.rig.legs.find_legs import find_legs

    for limb in find_legs(armature):
        for bone in (limb.hip, limb.heel):
            unkey(armature, bone)
            armature.pose.bones[bone].rotation_mode = mode
    toggle()
    shown = poses_over(armature)
    toggle()
    bpy.ops.toehold.bake_lock()
    np.testing.assert_allclose(shown, poses_over(armature), atol=2e-5)


def test_switching_it_on_shows_the_lock_at_once_and_off_the_pose_to_the_bit(armature: bpy.types.Object) -> None:
    go_to(77.25)
    before = channels(armature)
    toggle()
    bpy.context.view_layer.update()
    assert channels(armature) != before
    toggle()
    assert channels(armature) == before


def test_a_pose_without_keys_comes_back_to_the_bit_after_scrubbing(armature: bpy.types.Object) -> None:
    thigh = thigh_of(armature)
    unkey(armature, thigh.name)
    thigh.rotation_quaternion = (0.9, 0.1, -0.2, 0.05)
    go_to(30.0)
    before = channels(armature)
    toggle()
    poses_over(armature)
    assert tuple(thigh.rotation_quaternion) not in before
    go_to(30.0)
    toggle()
    assert channels(armature) == before


def test_a_pose_that_was_not_keyed_yet_comes_back_too(armature: bpy.types.Object) -> None:
    go_to(40.0)
    thigh_of(armature).rotation_quaternion = (0.8, 0.3, 0.1, 0.0)
    bpy.context.view_layer.update()
    before = channels(armature)
    toggle()
    toggle()
    assert channels(armature) == before


def test_nothing_is_keyed_and_no_handler_is_left(armature: bpy.types.Object) -> None:
    from support.snapshot import snapshot

    thigh_of(armature)
    before, listening = snapshot(), handlers()
    toggle()
    poses_over(armature)
    assert snapshot()["actions"] == before["actions"]
    assert handlers() != listening
    bpy.context.scene.frame_set(1)
    toggle()
    assert snapshot() == before
    assert handlers() == listening


def test_outside_of_the_action_its_own_pose_is_shown(armature: bpy.types.Object) -> None:
    own = poses_over(armature, (-20.0, 1000.0))
    toggle()
    np.testing.assert_array_equal(poses_over(armature, (-20.0, 50.0, 1000.0))[[0, 2]], own)


@pytest.mark.parametrize(
    ("group", "name", "value"),
    [
        ("lock", "unlock_distance", 0.01),
        ("lock", "lock_distance", 0.001),
        ("lock", "blend_time", 0.5),
        ("contacts", "toe_share", 0.02),
        ("contacts", "min_contact_time", 0.9),
    ],
)
def test_a_slider_shows_at_once(armature: bpy.types.Object, group: str, name: str, value: float) -> None:
    armature.toehold.lock.unlock_distance = 0.02 if name == "lock_distance" else 0.2
    toggle()
    before = poses_over(armature)
    setattr(getattr(armature.toehold, group), name, value)
    go_to(FRAMES[1])
    now = poses(armature)
    bpy.context.view_layer.update()
    np.testing.assert_array_equal(now, poses(armature))
    after = poses_over(armature)
    assert np.abs(after - before).max() > 1e-3
    toggle()
    toggle()
    np.testing.assert_array_equal(after, poses_over(armature))


def test_an_edited_curve_shows_at_once(armature: bpy.types.Object) -> None:
    bpy.ops.toehold.annotate_contacts()
    toggle()
    before = poses_over(armature)
    animation = armature.animation_data
    for curve in animation.action.layers[0].strips[0].channelbag(animation.action_slot).fcurves:
        if curve.data_path.endswith('["contact"]'):
            curve.mute = True
    animation.action.update_tag()
    bpy.context.view_layer.update()
    assert np.abs(poses_over(armature) - before).max() > 1e-3


def test_undo_of_an_edit_leaves_the_preview_on_and_the_pose_underneath_right(armature: bpy.types.Object) -> None:
    from toehold.rig.shown.preview import preview

    thigh = thigh_of(armature)
    unkey(armature, thigh.name)
    go_to(40.0)
    own = channels(armature)
    bpy.ops.ed.undo_push(message="before")
    bpy.ops.ed.undo_push(message="before")
    toggle()
    bpy.ops.ed.undo_push(message="preview on")
    armature.toehold.lock.blend_time = 0.5
    bpy.ops.ed.undo_push(message="slider")
    bpy.ops.ed.undo()
    armature = bpy.data.objects["Walker"]
    assert preview.armature == "Walker"
    shown = poses_over(armature)
    bpy.ops.ed.undo()
    armature = bpy.data.objects["Walker"]
    np.testing.assert_allclose(poses_over(armature), shown, atol=1e-6)
    bpy.ops.ed.redo()
    armature = bpy.data.objects["Walker"]
    np.testing.assert_allclose(poses_over(armature), shown, atol=1e-6)
    go_to(40.0)
    toggle()
    assert channels(armature) == own
    # A state that was kept while the preview was on, come back to when it is off.
    bpy.ops.ed.undo_push(message="preview off")
    bpy.ops.ed.undo()
    assert channels(bpy.data.objects["Walker"]) == own


def test_a_saved_file_has_the_actions_pose_and_the_preview_goes_on(armature: bpy.types.Object, tmp_path: Path) -> None:
    from toehold.rig.shown.preview import preview
    from toehold.rig.shown.preview_pose import is_marked

    thigh = thigh_of(armature)
    unkey(armature, thigh.name)
    go_to(40.0)
    before = channels(armature)
    toggle()
    shown = channels(armature)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "walk.blend"), copy=True)
    assert channels(armature) == shown
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "walk.blend"))
    assert preview.armature is None
    saved = bpy.data.objects["Walker"]
    assert channels(saved) == before
    assert not is_marked(saved)


def test_a_file_kept_by_a_blender_that_was_interrupted_is_put_right(armature: bpy.types.Object, tmp_path: Path) -> None:
    thigh = thigh_of(armature)
    unkey(armature, thigh.name)
    go_to(40.0)
    before = channels(armature)
    toggle()
    kept = [list(handlers) for handlers in (bpy.app.handlers.save_pre, bpy.app.handlers.save_post)]
    bpy.app.handlers.save_pre.clear()
    bpy.app.handlers.save_post.clear()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "kept.blend"), copy=True)
    for listed, before_clearing in zip((bpy.app.handlers.save_pre, bpy.app.handlers.save_post), kept, strict=True):
        listed.extend(before_clearing)
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "kept.blend"))
    assert channels(bpy.data.objects["Walker"]) == before


def test_it_ends_by_itself_with_the_armature_the_action_a_bone_or_the_file(armature: bpy.types.Object) -> None:
    from toehold.rig.shown.preview import preview

    listening = handlers()
    toggle()
    armature.animation_data.action = bpy.data.actions.new("Other")
    bpy.context.view_layer.update()
    assert preview.armature is None
    for end in (
        lambda walker: bpy.data.objects.remove(walker),
        lambda walker: bpy.data.armatures.remove(walker.data),
        lambda walker: bpy.data.actions.remove(walker.animation_data.action),
        lambda walker: walker.animation_data_clear(),
        lambda walker: remove_bone(walker, walker.toehold.limbs[0].knee),
        lambda walker: bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True),
    ):
        walker = walking_armature(walk(strides=2.0, slide_mm_s=200.0))
        toggle()
        assert preview.armature == walker.name
        end(walker)
        go_to(5.0)
        bpy.context.view_layer.update()
        assert preview.armature is None
        assert handlers() == listening


def test_it_goes_on_through_mode_switches_a_new_name_and_another_armature(armature: bpy.types.Object) -> None:
    from toehold.rig.shown.preview import preview

    toggle()
    shown = poses_over(armature)
    for mode in ("POSE", "EDIT", "OBJECT"):
        bpy.ops.object.mode_set(mode=mode)
    np.testing.assert_allclose(poses_over(armature), shown, atol=1e-6)
    armature.name = "Renamed"
    np.testing.assert_allclose(poses_over(armature), shown, atol=1e-6)
    assert preview.armature == "Renamed"
    other = walking_armature(walk(strides=1.0), name="Other")
    own = poses_over(other, (5.0, 9.0))
    np.testing.assert_allclose(poses_over(armature), shown, atol=1e-6)
    toggle()
    assert preview.armature == "Other"
    assert np.abs(poses_over(armature) - shown).max() > 1e-3
    toggle()
    np.testing.assert_array_equal(poses_over(other, (5.0, 9.0)), own)


@pytest.mark.parametrize("verb", ["report", "annotate_contacts", "clean", "bake_lock"])
def test_a_verb_works_on_the_action_not_on_what_the_preview_shows(armature: bpy.types.Object, verb: str) -> None:
    from toehold.rig.writing.results import figures_of

    go_to(40.0)
    getattr(bpy.ops.toehold, verb)()
    if armature.animation_data.action.get("toehold_source"):
        bpy.ops.toehold.restore_source()
    bpy.ops.toehold.report()
    expected = figures_of(armature.animation_data.action)["before"]
    toggle()
    getattr(bpy.ops.toehold, verb)()
    if armature.animation_data.action.get("toehold_source"):
        assert figures_of(armature.animation_data.action)["before"]["slide_mm_s"] == pytest.approx(
            expected["slide_mm_s"], abs=0.5
        )
        bpy.ops.toehold.restore_source()
    else:
        assert figures_of(armature.animation_data.action)["before"] == expected


def test_a_verb_that_changes_actions_for_a_moment_leaves_the_preview_on_the_screen(armature: bpy.types.Object) -> None:
    bpy.ops.toehold.clean()
    toggle()
    go_to(40.0)
    shown = poses(armature)
    bpy.ops.toehold.compare()
    bpy.context.view_layer.update()
    np.testing.assert_allclose(poses(armature), shown, atol=1e-6)


def test_switching_the_add_on_off_gives_the_pose_back_and_on_again_it_can_be_previewed(
    armature: bpy.types.Object, registered: ModuleType
) -> None:
    from toehold.rig.shown.preview import preview

    unkey(armature, thigh_of(armature).name)
    go_to(40.0)
    before, listening = channels(armature), handlers()
    toggle()
    shown = channels(armature)
    registered.unregister()
    bpy.context.view_layer.update()
    assert channels(armature) == before
    assert sum(handlers().values()) < sum(listening.values())
    registered.register()
    assert handlers() == listening
    assert preview.armature is None
    bpy.ops.toehold.find_legs()
    toggle()
    assert channels(armature) == shown


def test_playback_of_another_armature_is_not_touched_and_does_not_touch_it(armature: bpy.types.Object) -> None:
    other = walking_armature(walk(strides=1.0), name="Other")
    own = poses_over(other, (5.0, 9.0, 31.0))
    bpy.context.view_layer.objects.active = armature
    toggle()
    shown = poses_over(armature)
    np.testing.assert_array_equal(poses_over(other, (5.0, 9.0, 31.0)), own)
    other.pose.bones[0].location.x += 1.0
    other.animation_data.action.update_tag()
    bpy.context.view_layer.update()
    np.testing.assert_array_equal(poses_over(armature), shown)


def test_a_second_scene_and_its_frames_leave_it_alone(armature: bpy.types.Object) -> None:
    from toehold.rig.shown.preview import preview

    toggle()
    go_to(40.0)
    shown = poses(armature)
    bpy.data.scenes.new("Other").frame_set(90)
    bpy.context.view_layer.update()
    np.testing.assert_array_equal(poses(armature), shown)
    assert preview.armature == armature.name
