# SPDX-License-Identifier: GPL-3.0-or-later
"""The work of an animator, by mouse and keys alone: find, annotate, clean, undo, redo, move a slider, flip, restore."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy
from gui.inside import (
    DRAWN,
    HEARD,
    Steps,
    click_button,
    curves_of,
    find_button,
    hover_over,
    open_file,
    open_sections,
    open_sidebar,
    picture,
    place,
    press,
    xdotool,
)


def steps(folder: Path, seen: dict[str, Any]) -> Steps:
    yield from open_file(folder / "walker.blend")
    open_sections("TOEHOLD_PT_contacts", "TOEHOLD_PT_clean", "TOEHOLD_PT_limbs")
    yield from open_sidebar()
    seen["regions"] = {"sidebar": place("UI")}
    seen["imported"] = state()
    for name, button in (("found", "find_legs"), ("annotated", "annotate_contacts"), ("cleaned", "toehold.clean()")):
        yield from click_button(button)
        yield DRAWN
        seen[name] = state()
    picture(folder, "cleaned")
    yield from undo_and_redo(seen)
    yield from type_strength("0.5")
    seen["half"] = state()
    yield from type_strength("1")
    seen["full"] = state()
    yield from click_button("show_side(side='SOURCE')")
    seen["flipped"] = state()
    yield from click_button("show_side(")
    seen["flipped back"] = state()
    yield from click_button("restore_source")
    seen["restored"] = state()


def state() -> dict[str, Any]:
    """Return all that matters here: a file's actions and their keys, the legs, and the last operator."""
    armature = bpy.data.objects["Walker"]
    operators = bpy.context.window_manager.operators
    return {
        "shown": armature.animation_data.action.name,
        "legs": [limb.name for limb in armature.toehold.limbs],
        "actions": {action.name: curves_of(action) for action in bpy.data.actions},
        "last": operators[-1].bl_idname if operators else "",
    }


def undo_and_redo(seen: dict[str, Any]) -> Steps:
    """Undo the three clicks with ctrl+z, and redo them."""
    yield from hover_over("VIEW_3D")
    for count in (1, 2, 3):
        yield from press("ctrl+z")
        seen[f"undone {count}"] = state()
    yield from press("ctrl+shift+z", "ctrl+shift+z", "ctrl+shift+z")
    seen["redone"] = state()


def type_strength(number: str) -> Steps:
    """Type a number into the Strength field, as Return over it lets one."""
    yield from find_button("cleanup.strength")
    yield from press("Return")
    yield from press("ctrl+a")
    xdotool("type", number)
    yield HEARD
    yield from press("Return")
    yield DRAWN
