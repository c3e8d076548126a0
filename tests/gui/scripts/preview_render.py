# SPDX-License-Identifier: GPL-3.0-or-later
"""Renders while the lock is previewed: one that ends, one that is cancelled, one of the action; then saving."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import bpy
from gui.inside import DRAWN, HEARD, Steps, handlers, inside, open_file, press

FIRST, LAST = 40, 42

# Frames of the render that is cancelled: more than it gets to.
MANY = 400


def steps(folder: Path, seen: dict[str, Any]) -> Steps:
    yield from open_file(folder / "walker.blend")
    bpy.ops.toehold.find_legs()
    set_up(folder)
    seen["animation"] = {frame: pose_at(frame) for frame in range(FIRST, LAST + 1)}
    bpy.context.scene.frame_set(FIRST)
    bpy.ops.toehold.preview_lock()
    yield DRAWN
    seen["shown"] = {frame: pose_at(frame) for frame in range(FIRST, LAST + 1)}
    seen["handlers"], seen["actions"] = handlers(), bpy.data.actions.keys()
    yield from render(seen, "rendered")
    seen["after"], seen["actions after"] = pose_at(FIRST), bpy.data.actions.keys()
    bpy.context.scene.frame_end = MANY
    yield from render(seen, "cancelled", cancel=True)
    bpy.context.scene.frame_end = LAST
    bpy.context.scene.frame_set(FIRST)
    seen["after cancelling"], seen["actions after cancelling"] = pose_at(FIRST), bpy.data.actions.keys()
    bpy.data.objects["Walker"].toehold.lock.show_in_renders = False
    yield from render(seen, "rendered as it is")
    bpy.context.scene.frame_set(FIRST)
    seen["after as it is"], seen["handlers after"] = pose_at(FIRST), handlers()
    saved = folder / "saved.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(saved))
    bpy.ops.wm.open_mainfile(filepath=str(saved), load_ui=False)
    yield DRAWN
    seen["opened"], seen["actions opened"] = pose(), bpy.data.actions.keys()


def set_up(folder: Path) -> None:
    scene = bpy.context.scene
    scene.camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    scene.collection.objects.link(scene.camera)
    scene.render.engine, scene.render.filepath = "CYCLES", str(folder / "frame")
    scene.cycles.samples, scene.render.resolution_x, scene.render.resolution_y = 1, 8, 8
    scene.frame_start, scene.frame_end = FIRST, LAST
    bpy.context.preferences.view.render_display_type = "NONE"


def render(seen: dict[str, Any], name: str, cancel: bool = False) -> Steps:
    """Render from the window, and note by frame where the render sees the bones, and what goes on meanwhile."""
    poses: dict[int, list[float]] = {}
    threads: set[bool] = set()

    def look(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
        if depsgraph.mode == "RENDER":
            threads.add(threading.current_thread() is threading.main_thread())
            bones = bpy.data.objects["Walker"].evaluated_get(depsgraph).pose.bones
            poses[scene.frame_current] = [value for bone in bones for row in bone.matrix for value in row]

    bpy.app.handlers.frame_change_post.append(look)
    with inside():
        bpy.ops.render.render("INVOKE_DEFAULT", animation=True)
    while bpy.app.is_job_running("RENDER"):
        if cancel and len(poses) > 1:
            yield from press("Escape")
        yield HEARD
    yield DRAWN
    bpy.app.handlers.frame_change_post.remove(look)
    seen[name] = poses
    seen[f"{name} in the main thread"] = sorted(threads)


def pose_at(frame: int) -> list[float]:
    bpy.context.scene.frame_set(frame)
    return pose()


def pose() -> list[float]:
    """Return the matrices of all bones, as numbers."""
    bones = bpy.data.objects["Walker"].pose.bones
    return [value for bone in bones for row in bone.matrix for value in row]
