# SPDX-License-Identifier: GPL-3.0-or-later
"""Inside of a Blender window: runs one script of steps from a timer, so that Blender draws and listens in between.

blender --python inside.py -- SCRIPT FOLDER

SCRIPT is a Python file; its ``steps(folder, seen)`` is a generator that yields how many seconds to wait. What it puts
into ``seen`` is written to ``seen.json`` in FOLDER at the end, with ``error`` where it failed. Only Blender's Python
reads this file and the scripts.
"""

from __future__ import annotations

import importlib
import json
import runpy
import subprocess
import sys
import traceback
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from math import radians
from pathlib import Path
from typing import Any

import bpy
from mathutils import Euler

Steps = Generator[float, None, Any]

# Seconds that a click, a key or a redraw takes to be heard and drawn, with room for a slow machine.
HEARD, DRAWN, HOVERED = 0.4, 0.6, 0.07

# Pixels between two places that are looked at for a button: less than the lowest button is high.
STRIDE = 15

# Pixels of the screen that the window is on: a lower one stands on its lower edge.
SCREEN_HEIGHT = 900

# How far across the sidebar the buttons are that have others beside them, as a share of its width.
ACROSS = {"toehold.clean(": 0.2, "side='SOURCE'": 0.54, "show_side(": 0.76}

# Metres up to which the camera is near.
NEAR = 2.5

# How often the sidebar is scrolled on for a button that is not in sight, and by how many notches of the wheel.
PAGES, NOTCHES = 7, 8


def xdotool(*arguments: object) -> None:
    subprocess.run(["xdotool", *map(str, arguments)], check=True, timeout=20)


def press(*keys: str) -> Steps:
    """Press keys, each with its modifiers as in ``ctrl+z``."""
    for key in keys:
        xdotool("key", "--clearmodifiers", key)
        yield HEARD


def window() -> bpy.types.Window:
    return bpy.context.window_manager.windows[0]


def area(kind: str) -> bpy.types.Area:
    """Return an editor by what its menu calls it (``ui_type``)."""
    return next(area for area in window().screen.areas if area.ui_type == kind)


def region(kind: str, of_area: str = "VIEW_3D") -> bpy.types.Region:
    return next(region for region in area(of_area).regions if region.type == kind)


def place(kind: str, of_area: str = "VIEW_3D") -> list[int]:
    """Return where a region is: x, y, width and height in pixels from the window's lower left corner."""
    found = region(kind, of_area)
    return [found.x, found.y, found.width, found.height]


@contextmanager
def inside(kind: str = "WINDOW", of_area: str = "VIEW_3D") -> Iterator[None]:
    """Call operators as from a region of an editor."""
    with bpy.context.temp_override(window=window(), area=area(of_area), region=region(kind, of_area)):
        yield


def hover(x: int, y: int) -> Steps:
    """Put the mouse there, in pixels from the window's lower left corner."""
    xdotool("mousemove", window().x + x, SCREEN_HEIGHT - 1 - window().y - y)
    yield HOVERED


def hover_over(kind: str) -> Steps:
    """Put the mouse in the middle of an editor, where keys go then."""
    over = region("WINDOW", kind)
    yield from hover(over.x + over.width // 3, over.y + over.height // 2)
    yield HEARD


def click(x: int, y: int) -> Steps:
    yield from hover(x, y)
    yield HOVERED
    xdotool("click", 1)
    yield HEARD


def button_under_mouse() -> str:
    """Return what the button under the mouse would run, or the setting that it shows; empty where there is none."""
    bpy.context.window_manager.clipboard = ""
    with inside("UI"):
        if bpy.ops.ui.copy_python_command_button.poll():
            bpy.ops.ui.copy_python_command_button()
        elif bpy.ops.ui.copy_data_path_button.poll():
            bpy.ops.ui.copy_data_path_button()
        else:
            return ""
    return str(bpy.context.window_manager.clipboard)


def open_sections(*names: str) -> None:
    """Let sections of the sidebar be open from the first, by their names in ``bpy.types``; before they are shown.

    A section that is learned anew loses those within it: they are learned anew as well.
    """
    known = [getattr(bpy.types, name) for name in dir(bpy.types) if name.startswith("TOEHOLD_PT_")]
    for name in names:
        section = getattr(bpy.types, name)
        within = [kind for kind in known if getattr(kind, "bl_parent_id", "") == name]
        for kind in (*within, section):
            bpy.utils.unregister_class(kind)
        section.bl_options = set()
        for kind in (section, *within):
            bpy.utils.register_class(kind)


def find_button(wanted: str) -> Steps:
    """Move the mouse over the sidebar to the button whose command or setting has ``wanted`` in it.

    Looks on from where the mouse is, then from the top, then scrolls up and down; returns the place.
    """
    sidebar = region("UI")
    across = next((share for name, share in ACROSS.items() if name in wanted), 0.66)
    x, top = sidebar.x + round(across * sidebar.width), sidebar.y + sidebar.height - 45
    for page in range(PAGES):
        at = mouse_height()
        for y in sorted(range(sidebar.y + 10, top, STRIDE), key=lambda y: (y > at, -y)):
            yield from hover(x, y)
            if wanted not in button_under_mouse():
                continue
            # What is lit may still be what the mouse was over before.
            for nearby in (y, y + STRIDE, y + 2 * STRIDE):
                yield from hover(x, nearby - 3)
                yield HEARD
                if wanted in button_under_mouse():
                    return x, nearby - 3
        # Up to the top once, then down page by page.
        notches, way = (NOTCHES, 5) if page else (PAGES * NOTCHES, 4)
        xdotool("click", "--repeat", notches, "--delay", 10, way)
        yield HEARD
    raise AssertionError(f"no button for {wanted} is in the sidebar")


def mouse_height() -> int:
    """Return how many pixels the mouse is above the window's lower edge."""
    told = subprocess.run(["xdotool", "getmouselocation", "--shell"], check=True, capture_output=True, text=True)
    return SCREEN_HEIGHT - 1 - window().y - int(told.stdout.split("Y=")[1].split()[0])


def click_button(wanted: str) -> Steps:
    x, y = yield from find_button(wanted)
    yield from click(x, y)


def open_sidebar() -> Steps:
    """Open the sidebar and click Toehold's tab in it."""
    area("VIEW_3D").spaces.active.show_region_ui = True
    yield DRAWN
    sidebar = region("UI")
    x, top = sidebar.x + sidebar.width - 12, sidebar.y + sidebar.height
    for y in range(top - 40, sidebar.y, -40):
        if sidebar.active_panel_category == "Toehold":
            return
        yield from click(x, y)
    raise AssertionError("Toehold has no tab in the sidebar")


def open_file(path: Path) -> Steps:
    """Open a file as a user does who keeps the window as it is; the walker fills the viewport."""
    bpy.ops.wm.open_mainfile(filepath=str(path), load_ui=False)
    yield DRAWN
    with inside():
        bpy.ops.view3d.view_axis(type="LEFT")
        bpy.ops.view3d.view_all()
    yield DRAWN


def look(metres: float) -> None:
    """Look down at the walker from so far away, from ahead and beside; at its feet from near."""
    view = area("VIEW_3D").spaces.active.region_3d
    hips = bpy.data.objects["Walker"].pose.bones["Hips"].head
    view.view_perspective, view.view_distance = "PERSP", metres
    view.view_rotation = Euler((radians(68.0), 0.0, radians(55.0))).to_quaternion()
    view.view_location = (0.0, hips.y, 0.75 if metres > NEAR else 0.1)


def add_editor(kind: str, share: float) -> Steps:
    """Split another editor off the lower part of the viewport, as a share of its height."""
    with inside():
        bpy.ops.screen.area_split(direction="HORIZONTAL", factor=share)
    min((area for area in window().screen.areas if area.ui_type == "VIEW_3D"), key=lambda area: area.y).ui_type = kind
    yield DRAWN


def picture(folder: Path, name: str) -> None:
    """Save the whole window as it is now; PPM of 8 bits is what numpy reads without help."""
    path = str(folder / f"{name}.ppm")
    subprocess.run(["import", "-window", "root", "-depth", "8", path], check=True, timeout=60)


def curves_of(action: bpy.types.Action) -> dict[str, list[float]]:
    """Return all numbers of an action's keys, by path and index."""
    numbers: dict[str, list[float]] = {}
    for channelbag in action.layers[0].strips[0].channelbags:
        for curve in channelbag.fcurves:
            co = [0.0] * (2 * len(curve.keyframe_points))
            curve.keyframe_points.foreach_get("co", co)
            numbers[f"{curve.data_path}[{curve.array_index}]"] = co
    return numbers


def handlers() -> dict[str, int]:
    """Return how many functions Blender calls at each event that are Toehold's."""
    lists = {name: getattr(bpy.app.handlers, name) for name in dir(bpy.app.handlers)}
    return {
        name: sum("toehold" in getattr(function, "__module__", "") for function in functions)
        for name, functions in lists.items()
        if isinstance(functions, list)
    }


def main(script: Path, folder: Path) -> None:
    bpy.context.preferences.view.show_splash = False
    bpy.context.preferences.use_preferences_save = False
    # Smoothed edges are drawn many times over, which is slow without a graphics card.
    bpy.context.preferences.system.viewport_aa = "OFF"
    seen: dict[str, Any] = {}
    steps = runpy.run_path(str(script))["steps"](folder, seen)
    # A timer that is not persistent ends where a file is opened.
    bpy.app.timers.register(_next_of(steps, folder, seen), first_interval=2.0, persistent=True)


def _next_of(steps: Steps, folder: Path, seen: dict[str, Any]) -> Callable[[], float | None]:
    def tick() -> float | None:
        try:
            return next(steps)
        except StopIteration:
            pass
        except Exception:
            seen["error"] = traceback.format_exc()
            picture(folder, "error")
        (folder / "seen.json").write_text(json.dumps(seen), encoding="utf-8")
        bpy.ops.wm.quit_blender()
        return None

    return tick


if __name__ == "__main__":
    # Under the name that the scripts know this module by, so that there is one of it.
    sys.path.insert(0, str(Path(__file__).parents[1]))
    arguments = sys.argv[sys.argv.index("--") + 1 :]
    importlib.import_module("gui.inside").main(Path(arguments[0]), Path(arguments[1]))
