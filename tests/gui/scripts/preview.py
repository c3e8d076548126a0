# SPDX-License-Identifier: GPL-3.0-or-later
"""The preview of the lock: on, scrubbed with keys, saved, undone, off, on, switched off with the add-on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy
from gui.inside import (
    DRAWN,
    Steps,
    click_button,
    curves_of,
    handlers,
    hover_over,
    open_file,
    open_sections,
    open_sidebar,
    press,
)

ADD_ON = "bl_ext.user_default.toehold"
FRAMES = (30, 60, 90, 120)


def steps(folder: Path, seen: dict[str, Any]) -> Steps:
    yield from open_file(folder / "walker.blend")
    open_sections("TOEHOLD_PT_lock")
    yield from open_sidebar()
    bpy.ops.toehold.find_legs()
    yield DRAWN
    seen["handlers before"] = handlers()
    seen["animation"], seen["curves"] = poses(), curves()
    yield from click_button("preview_lock(")
    yield DRAWN
    seen["previewed"], seen["curves previewed"] = poses(), curves()
    yield from scrub(seen)
    yield from save_and_open(folder, seen)
    yield from click_button("preview_lock(")
    yield DRAWN
    seen["previewed again"] = poses()
    yield from click_button("preview_lock(")
    yield DRAWN
    seen["off"], seen["handlers off"] = poses(), handlers()
    bpy.ops.toehold.preview_lock()
    yield DRAWN
    bpy.ops.preferences.addon_disable(module=ADD_ON)
    yield DRAWN
    seen["disabled"], seen["handlers disabled"] = poses(), handlers()


def scrub(seen: dict[str, Any]) -> Steps:
    """Step two frames on with the arrow key, from one that was set."""
    bpy.context.scene.frame_set(FRAMES[1] - 2)
    yield from hover_over("VIEW_3D")
    yield from press("Right", "Right")
    seen["frame scrubbed to"], seen["scrubbed"] = bpy.context.scene.frame_current, pose()


def save_and_open(folder: Path, seen: dict[str, Any]) -> Steps:
    """Save while the preview is on; then open what was saved."""
    saved = folder / "saved.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(saved))
    yield DRAWN
    seen["after saving"] = pose()
    bpy.ops.wm.open_mainfile(filepath=str(saved), load_ui=False)
    yield DRAWN
    # As it was opened, before any frame is set.
    seen["opened"], seen["opened poses"] = pose(), poses()
    seen["handlers opened"] = handlers()


def poses() -> dict[str, list[float]]:
    """Return the pose at each of some frames, and leave the current frame as it was."""
    scene = bpy.context.scene
    was, found = scene.frame_current, {}
    for frame in FRAMES:
        scene.frame_set(frame)
        found[str(frame)] = pose()
    scene.frame_set(was)
    return found


def pose() -> list[float]:
    """Return the matrices of all bones, as numbers."""
    bones = bpy.data.objects["Walker"].pose.bones
    return [value for bone in bones for row in bone.matrix for value in row]


def curves() -> dict[str, list[float]]:
    return curves_of(bpy.data.objects["Walker"].animation_data.action)
