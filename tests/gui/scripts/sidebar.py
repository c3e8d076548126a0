# SPDX-License-Identifier: GPL-3.0-or-later
"""A small window, and the sidebar as it is: clean, compare, lift one contact, clean again, with nothing scrolled."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy
from gui.inside import (
    DRAWN,
    HEARD,
    HOVERED,
    STRIDE,
    Steps,
    button_under_mouse,
    click,
    hover,
    open_file,
    open_sections,
    open_sidebar,
    picture,
    place,
    region,
    window,
)

# How far across the sidebar what is wanted is, as a share of its width.
WANTED = (
    ("clean", "toehold.clean(", 0.2),
    ("source", "side='SOURCE'", 0.54),
    ("result", "show_side(", 0.76),
    ("lift", "state='LIFTED'", 0.66),
    ("clean again", "toehold.clean(", 0.2),
)


def steps(folder: Path, seen: dict[str, Any]) -> Steps:
    yield from open_file(folder / "walker.blend")
    seen["size"] = [window().width, window().height]
    open_sections("TOEHOLD_PT_contacts")
    yield from open_sidebar()
    bpy.context.scene.frame_set(90)
    for scale in (1.0, 2.0):
        bpy.context.preferences.view.ui_scale = scale
        yield 3 * DRAWN
        if scale > 1.0:
            # Sections are still moving to where they belong until they are drawn again.
            yield from open_sidebar()
            yield 3 * DRAWN
        yield from work(folder, seen, f"{scale:.0f}x")
    bpy.context.preferences.view.ui_scale = 1.0


def work(folder: Path, seen: dict[str, Any], name: str) -> Steps:
    seen[name] = {"sidebar": place("UI"), "found": {}, "shown": {}}
    for step, wanted, across in WANTED:
        spot = yield from seek(wanted, across)
        seen[name]["found"][step] = spot
        if spot is not None:
            yield from click(*spot)
            yield DRAWN
        seen[name]["shown"][step] = bpy.data.objects["Walker"].animation_data.action.name
    picture(folder, name)


def seek(wanted: str, across: float) -> Steps:
    """Return where a button is that is in sight; None where it is not. Nothing is scrolled."""
    sidebar, scale = region("UI"), bpy.context.preferences.system.ui_scale
    x = sidebar.x + round(across * sidebar.width)
    for y in range(sidebar.y + sidebar.height - 20, sidebar.y + 5, -round(0.7 * STRIDE * scale)):
        yield from hover(x, y)
        if wanted in button_under_mouse():
            # What is lit may still be what the mouse was over before.
            for nearby in (y, y + 4, y - 4):
                yield from hover(x, nearby)
                yield HEARD + HOVERED
                if wanted in button_under_mouse():
                    return [x, nearby]
    return None
