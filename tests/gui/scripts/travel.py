# SPDX-License-Identifier: GPL-3.0-or-later
"""The buttons of Ground and Travel: the timing is fitted by a click, and the choices are in the panel that follows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy
from gui.inside import DRAWN, Steps, click_button, open_file, open_sections, open_sidebar, picture, press


def steps(folder: Path, seen: dict[str, Any]) -> Steps:
    yield from open_file(folder / "walker.blend")
    open_sections("TOEHOLD_PT_ground")
    yield from open_sidebar()
    seen["before"] = list(action().frame_range)
    yield from click_button("root_motion(way='TIMING')")
    yield 2.0 * DRAWN
    seen["after"] = list(action().frame_range)
    seen["name"] = action().name
    picture(folder, "timing")
    yield from press("ctrl+z")
    seen["undone"] = action().name


def action() -> bpy.types.Action:
    return bpy.data.objects["Walker"].animation_data.action
