# SPDX-License-Identifier: GPL-3.0-or-later
"""What scripts in the window share: steps with time to draw between them, and a walker to work on."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import bpy

EXTENSION = "bl_ext.user_default.toehold"

Step = Callable[[dict[str, Any]], None]

# Seconds that Blender has to draw what a step did before the next.
BETWEEN_STEPS = 0.8


def play(steps: Sequence[Step]) -> None:
    """Play steps one after the other, write what they found to the file that the script was given, and quit."""
    left, found = list(steps), {}

    def tick() -> float | None:
        try:
            left.pop(0)(found)
        except Exception:  # told to the test, which is outside
            found["error"] = traceback.format_exc()
            left.clear()
        if left:
            return BETWEEN_STEPS
        Path(sys.argv[sys.argv.index("--") + 1]).write_text(json.dumps(found), encoding="utf-8")
        bpy.ops.wm.quit_blender()
        return None

    bpy.context.preferences.view.show_splash = False
    bpy.app.timers.register(tick, first_interval=4.0)


def add_walker(_: dict[str, Any]) -> None:
    """Put a sliding walker, with contacts, in place of the start-up file's objects."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    sys.modules.setdefault("toehold", importlib.import_module(EXTENSION))
    from support.walker import walk
    from support.walker_armature import walking_armature

    for item in list(bpy.data.objects):
        bpy.data.objects.remove(item)
    walking_armature(walk(strides=2.0, slide_mm_s=200.0))
    bpy.ops.toehold.annotate_contacts()


def window(at: int = 0) -> bpy.types.Window:
    return bpy.context.window_manager.windows[at]


def area(kind: str, at: int = 0) -> bpy.types.Area:
    return next(area for area in window(at).screen.areas if area.ui_type == kind)


def override(kind: str, at: int = 0) -> Any:
    """Return a context in which an editor's own region is the one that the user is in."""
    chosen = area(kind, at)
    region = next(region for region in chosen.regions if region.type == "WINDOW")
    return bpy.context.temp_override(window=window(at), area=chosen, region=region)


def point_at(kind: str) -> Step:
    """Return a step that moves the mouse into an editor."""

    def step(_: dict[str, Any]) -> None:
        there = area(kind)
        x, y = there.x + there.width // 3, window().height - there.y - there.height // 2
        subprocess.run(["xdotool", "mousemove", str(x), str(y)], check=True)

    return step


def press(keys: str) -> Step:
    """Return a step that presses keys as a person does: ``shift+alt+Right``."""
    return lambda _: subprocess.run(["xdotool", "key", keys], check=True) and None
