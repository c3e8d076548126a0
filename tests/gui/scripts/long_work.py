# SPDX-License-Identifier: GPL-3.0-or-later
"""A clip that takes long to step through is called off with Esc, then cleaned; then the sidebar in other languages."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import bpy
from gui.inside import DRAWN, Steps, click_button, curves_of, open_file, open_sidebar, picture, place, press, region

LANGUAGES = ("de_DE", "es", "nl_NL", "zh_HANS")

# Seconds that the work is watched before Esc, and at most until it is done.
WATCHED, DONE = 2.0, 60.0


def steps(folder: Path, seen: dict[str, Any]) -> Steps:
    yield from open_file(folder / "walker.blend")
    yield from open_sidebar()
    armature = bpy.data.objects["Walker"]
    # Only stepping through tells where a constrained object is, and each frame takes a while here.
    armature.constraints.new("COPY_LOCATION").influence = 0.5
    bpy.app.handlers.frame_change_post.append(slowly)
    bpy.ops.ed.undo_push(message="Constrained")
    seen["before"] = state()
    yield from click_button("toehold.clean()")
    yield WATCHED
    seen["while"] = {"busy": is_busy()}
    picture(folder, "busy")
    yield from press("Escape")
    yield DRAWN
    seen["cancelled"] = state()
    yield from click_button("toehold.clean()")
    until = time.monotonic() + DONE
    while not armature.animation_data.action.name.endswith("Clean") and time.monotonic() < until:
        yield DRAWN
    seen["cleaned"] = state()
    bpy.app.handlers.frame_change_post.remove(slowly)
    seen["regions"] = {"sidebar": place("UI")}
    yield from languages(folder)


def slowly(*_: Any) -> None:
    time.sleep(0.04)


def is_busy() -> bool:
    return any(operator.bl_idname == "TOEHOLD_OT_clean" for operator in bpy.context.window.modal_operators)


def state() -> dict[str, Any]:
    armature = bpy.data.objects["Walker"]
    return {
        "shown": armature.animation_data.action.name,
        "frame": bpy.context.scene.frame_current,
        "actions": {action.name: curves_of(action) for action in bpy.data.actions},
        "busy": is_busy(),
    }


def languages(folder: Path) -> Steps:
    view = bpy.context.preferences.view
    for language in LANGUAGES:
        view.language = language
        view.use_translate_interface = view.use_translate_tooltips = view.use_translate_reports = True
        region("UI").tag_redraw()
        yield 2 * DRAWN
        picture(folder, language)
