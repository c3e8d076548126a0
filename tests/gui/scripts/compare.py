# SPDX-License-Identifier: GPL-3.0-or-later
"""The compared paths: drawn after Compare, on another frame, switched off and on, over the whole clip, and gone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy
from gui.inside import DRAWN, Steps, inside, look, open_file, picture, place


def steps(folder: Path, seen: dict[str, Any]) -> Steps:
    yield from open_file(folder / "walker.blend")
    bpy.context.scene.frame_set(70)
    look(5.0)
    toggles = bpy.context.window_manager.toehold_overlay
    toggles.enabled = False
    with inside():
        bpy.ops.toehold.find_legs()
    yield 2 * DRAWN
    seen["regions"] = {"viewport": place("WINDOW")}
    picture(folder, "before")
    with inside():
        bpy.ops.toehold.compare()
    yield 2 * DRAWN
    picture(folder, "compared")
    toggles.whole_paths = True
    yield 2 * DRAWN
    picture(folder, "whole")
    toggles.whole_paths, toggles.comparison = False, False
    yield 2 * DRAWN
    picture(folder, "off")
    toggles.comparison = True
    edit(bpy.data.objects["Walker"].animation_data.action)
    yield 2 * DRAWN
    picture(folder, "edited")


def edit(action: bpy.types.Action) -> None:
    """Move the last key of every curve by nothing that is seen on the current frame."""
    for curve in action.layers[0].strips[0].channelbags[0].fcurves:
        curve.keyframe_points[-1].co.y += 0.01
        curve.update()
    action.update_tag()
