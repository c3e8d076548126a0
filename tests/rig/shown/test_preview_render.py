# SPDX-License-Identifier: GPL-3.0-or-later
"""A render shows the lock where that was chosen, else the action, and gives everything back however it ends."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import bpy
import numpy as np
import pytest

from support.control_rigs import small_control_rig
from support.previewing import channels, go_to, handlers, poses_over, thigh_of, toggle, unkey
from support.snapshot import snapshot
from support.walker import walk
from support.walker_armature import walking_armature

# Frames that are rendered, the last of them not in the viewport.
FIRST, LAST = 40, 42


@pytest.fixture
def armature(registered: ModuleType) -> Iterator[bpy.types.Object]:
    """A walker whose thigh has no keys, in a scene that renders in a moment."""
    from toehold.rig.shown.preview import preview

    walker = walking_armature(walk(strides=2.0, slide_mm_s=200.0))
    unkey(walker, thigh_of(walker).name)
    add_camera()
    go_to(float(FIRST))
    yield walker
    preview.stop()


def add_camera() -> None:
    scene = bpy.context.scene
    scene.camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    scene.collection.objects.link(scene.camera)
    scene.camera.location, scene.camera.rotation_euler = (8.0, 0.0, 1.0), (1.5708, 0.0, 1.5708)
    scene.render.engine = "CYCLES"
    scene.cycles.samples, scene.render.resolution_x, scene.render.resolution_y = 1, 8, 8
    scene.frame_start, scene.frame_end = FIRST, LAST


def rendered(armature: bpy.types.Object, folder: Path) -> np.ndarray:
    """Render, and return where the bones are in the render's own evaluation (F, B, 3)."""
    seen: list[np.ndarray] = []

    def look(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
        if depsgraph.mode == "RENDER":
            bones = armature.evaluated_get(depsgraph).pose.bones
            seen.append(np.array([bone.matrix.translation for bone in bones]))

    bpy.context.scene.render.filepath = str(folder / "render")
    bpy.app.handlers.frame_change_post.append(look)
    try:
        bpy.ops.render.render(animation=True)
    finally:
        bpy.app.handlers.frame_change_post.remove(look)
    return np.array(seen)


def shown_over(armature: bpy.types.Object) -> np.ndarray:
    frames = tuple(float(frame) for frame in range(FIRST, LAST + 1))
    return poses_over(armature, frames)[:, :, :3, 3]


def at_once(armature: bpy.types.Object) -> tuple[object, ...]:
    """Return all that a render may not leave changed."""
    bpy.context.view_layer.update()
    return snapshot(), channels(armature), sorted(bpy.data.actions.keys()), handlers()


def test_a_render_shows_the_lock_and_leaves_nothing_behind(armature: bpy.types.Object, tmp_path: Path) -> None:
    own = shown_over(armature)
    go_to(float(FIRST))
    off = at_once(armature)
    toggle()
    shown = shown_over(armature)
    assert np.abs(shown - own).max() > 0.01
    go_to(float(FIRST))
    on = at_once(armature)
    np.testing.assert_allclose(rendered(armature, tmp_path), shown, atol=2e-5)
    assert at_once(armature) == on
    np.testing.assert_allclose(shown_over(armature), shown, atol=1e-6)
    go_to(float(FIRST))
    toggle()
    assert at_once(armature) == off


def test_a_render_shows_the_action_where_that_was_chosen(armature: bpy.types.Object, tmp_path: Path) -> None:
    own = rendered(armature, tmp_path)
    toggle()
    armature.toehold.lock.show_in_renders = False
    on = at_once(armature)
    np.testing.assert_array_equal(rendered(armature, tmp_path), own)
    assert at_once(armature) == on


def test_pictures_of_the_preview_are_pictures_of_bake_lock(armature: bpy.types.Object, tmp_path: Path) -> None:
    """To the pixel, of a block that the foot carries."""
    scene = bpy.context.scene
    mesh = bpy.data.meshes.new("Block")
    corners = [(x, y, z) for x in (-0.3, 0.3) for y in (-0.3, 0.3) for z in (-0.3, 0.3)]
    mesh.from_pydata(corners, [], [(0, 1, 3, 2), (4, 5, 7, 6), (0, 1, 5, 4), (2, 3, 7, 6), (0, 2, 6, 4), (1, 3, 7, 5)])
    block = bpy.data.objects.new("Block", mesh)
    scene.collection.objects.link(block)
    block.parent, block.parent_type = armature, "BONE"
    block.parent_bone = armature.toehold.limbs[0].heel
    scene.camera.data.type, scene.camera.data.ortho_scale = "ORTHO", 4.0
    scene.camera.location.y = 0.0
    scene.render.resolution_x = scene.render.resolution_y = 64
    scene.render.film_transparent = True

    def picture(name: str) -> np.ndarray:
        go_to(float(FIRST))
        block_at = block.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world.translation
        assert abs(block_at.y) < 1.7
        scene.render.filepath = str(tmp_path / f"{name}.png")
        bpy.ops.render.render(write_still=True)
        image = bpy.data.images.load(scene.render.filepath)
        pixels = np.array(image.pixels[:])
        bpy.data.images.remove(image)
        return pixels

    own = picture("own")
    toggle()
    shown = picture("shown")
    toggle()
    bpy.ops.toehold.bake_lock()
    np.testing.assert_array_equal(shown, picture("baked"))
    assert np.abs(shown - own).max() > 0.1


def test_a_render_that_is_cancelled_gives_everything_back(armature: bpy.types.Object) -> None:
    toggle()
    on = at_once(armature)
    scene = bpy.context.scene
    called_while_rendering(scene, "render_init")
    assert len(bpy.data.actions) == 2
    called_while_rendering(scene, "render_cancel")
    assert at_once(armature) == on


@pytest.mark.parametrize("event", ["slider", "verb", "save", "another render"])
def test_a_render_that_fails_without_a_word_gives_everything_back_at_the_next_event(
    armature: bpy.types.Object, tmp_path: Path, event: str
) -> None:
    toggle()
    shown = shown_over(armature)
    go_to(float(FIRST))
    on = at_once(armature)
    called_while_rendering(bpy.context.scene, "render_init")
    assert len(bpy.data.actions) == 2
    np.testing.assert_allclose(shown_over(armature), shown, atol=2e-5)
    go_to(float(FIRST))
    if event == "slider":
        armature.toehold.lock.show_in_renders = True
        armature.toehold.lock.blend_time = armature.toehold.lock.blend_time
    elif event == "verb":
        bpy.ops.toehold.find_legs()
    elif event == "save":
        bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "file.blend"), copy=True)
    else:
        rendered(armature, tmp_path)
    assert at_once(armature) == on


@pytest.mark.parametrize("end", ["render_complete", "render_cancel"])
def test_a_render_that_ends_on_another_frame_leaves_that_frames_own_pose(armature: bpy.types.Object, end: str) -> None:
    go_to(float(LAST))
    own = channels(armature)
    go_to(float(FIRST))
    toggle()
    called_while_rendering(bpy.context.scene, "render_init")
    bpy.context.scene.frame_current = LAST
    called_while_rendering(bpy.context.scene, end)
    toggle()
    assert channels(armature) == own


def test_a_file_saved_while_rendering_has_the_action_and_no_other(
    armature: bpy.types.Object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from toehold.rig.shown import render_watch

    # As in a window, where the render goes on meanwhile.
    monkeypatch.setattr(render_watch, "is_rendering", lambda: True)
    off, name = channels(armature), armature.animation_data.action.name
    toggle()
    called_while_rendering(bpy.context.scene, "render_init")
    made = armature.animation_data.action
    assert made.name != name
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "meanwhile.blend"), copy=True)
    assert armature.animation_data.action == made
    monkeypatch.undo()
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "meanwhile.blend"))
    assert bpy.data.actions.keys() == [name]
    saved = bpy.data.objects["Walker"]
    assert saved.animation_data.action.name == name
    assert channels(saved) == off


def test_a_file_saved_after_a_render_has_the_action_and_no_other(armature: bpy.types.Object, tmp_path: Path) -> None:
    off, name = channels(armature), armature.animation_data.action.name
    toggle()
    rendered(armature, tmp_path)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "after.blend"), copy=True)
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "after.blend"))
    assert bpy.data.actions.keys() == [name]
    assert channels(bpy.data.objects["Walker"]) == off


def test_a_file_kept_by_a_blender_that_was_interrupted_while_rendering_is_put_right(
    armature: bpy.types.Object, tmp_path: Path
) -> None:
    off, name = channels(armature), armature.animation_data.action.name
    toggle()
    called_while_rendering(bpy.context.scene, "render_init")
    kept = list(bpy.app.handlers.save_pre)
    bpy.app.handlers.save_pre.clear()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "kept.blend"), copy=True)
    bpy.app.handlers.save_pre.extend(kept)
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "kept.blend"))
    assert bpy.data.actions.keys() == [name]
    saved = bpy.data.objects["Walker"]
    assert saved.animation_data.action.name == name
    assert channels(saved) == off


@pytest.mark.parametrize("how", ["off", "unregister"])
def test_switching_it_off_while_rendering_gives_everything_back(
    armature: bpy.types.Object, registered: ModuleType, how: str
) -> None:
    before = at_once(armature)
    toggle()
    called_while_rendering(bpy.context.scene, "render_init")
    if how == "off":
        toggle()
    else:
        registered.unregister()
        registered.register()
    assert at_once(armature) == before


def test_undo_after_a_render_was_interrupted_leaves_no_action_of_it(armature: bpy.types.Object) -> None:
    name = armature.animation_data.action.name
    bpy.ops.ed.undo_push(message="before")
    bpy.ops.ed.undo_push(message="before")
    toggle()
    called_while_rendering(bpy.context.scene, "render_init")
    bpy.ops.ed.undo_push(message="while rendering")
    bpy.ops.ed.undo_push(message="while rendering")
    bpy.ops.ed.undo()
    assert bpy.data.actions.keys() == [name]
    assert bpy.data.objects["Walker"].animation_data.action.name == name


def test_a_control_rig_is_rendered_as_it_is_shown(registered: ModuleType, tmp_path: Path) -> None:
    from toehold.rig.shown.preview import preview

    armature = small_control_rig()
    bpy.context.view_layer.objects.active = armature
    add_camera()
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 5, 17
    frames = tuple(float(frame) for frame in range(5, 18))
    own = poses_over(armature, frames)[:, :, :3, 3]
    toggle()
    shown = poses_over(armature, frames)[:, :, :3, 3]
    assert np.abs(shown - own).max() > 0.01
    np.testing.assert_allclose(rendered(armature, tmp_path), shown, atol=2e-5)
    assert len(bpy.data.actions) == 1
    preview.stop()


def called_while_rendering(scene: bpy.types.Scene, name: str) -> None:
    """Call what listens to an event of a render, as Blender does."""
    for handler in list(getattr(bpy.app.handlers, name)):
        handler(scene, None)
