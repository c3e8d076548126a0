# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys of the contact tools, in the add-on's own key configuration, so that users can change them.

None of them is used by Blender's own keymap in these editors, nor in those maps that go before or after them.
"""

from __future__ import annotations

from typing import Any

import bpy

# Where the keys work: name and space of the keymap.
MAPS = (
    ("Pose", "EMPTY"),
    ("Object Mode", "EMPTY"),
    ("Graph Editor", "GRAPH_EDITOR"),
    ("Dopesheet", "DOPESHEET_EDITOR"),
)

# Key (with Shift and Alt), operator, and its properties.
KEYS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("C", "wm.call_menu", {"name": "TOEHOLD_MT_contacts"}),
    ("RIGHT_ARROW", "toehold.jump_contact", {"direction": "NEXT"}),
    ("LEFT_ARROW", "toehold.jump_contact", {"direction": "PREVIOUS"}),
    ("PERIOD", "toehold.nudge_contact", {"frames": 1}),
    ("COMMA", "toehold.nudge_contact", {"frames": -1}),
)


# Buttons of the mouse over the bar of contacts: what is not over it goes on to Blender. Over the frame numbers of a
# Timeline that is one row high, only edges are taken, so that the rest scrubs.
MOUSE_MAPS = (("Dopesheet", "DOPESHEET_EDITOR"), ("Graph Editor", "GRAPH_EDITOR"), ("Time Scrub", "EMPTY"))
MOUSE: tuple[tuple[str, str, bool], ...] = (
    ("toehold.drag_contact", "PRESS", False),
    ("toehold.drag_contact", "PRESS", True),
    ("toehold.toggle_contact", "DOUBLE_CLICK", False),
)


def register() -> None:
    """Add the keys, in place of those that are there already; nothing where Blender has no windows to press keys in."""
    unregister()
    configuration = _configuration()
    if configuration is None:
        return
    for map_name, space in MAPS:
        keymap = configuration.keymaps.new(map_name, space_type=space)
        for key, operator, values in KEYS:
            item = keymap.keymap_items.new(operator, key, "PRESS", shift=True, alt=True)
            for name, value in values.items():
                setattr(item.properties, name, value)
    for map_name, space in MOUSE_MAPS:
        keymap = configuration.keymaps.new(map_name, space_type=space)
        for operator, value, alt in MOUSE:
            keymap.keymap_items.new(operator, "LEFTMOUSE", value, alt=alt)


def unregister() -> None:
    """Remove the keys."""
    configuration = _configuration()
    if configuration is None:
        return
    for map_name, _ in (*MAPS, *MOUSE_MAPS):
        keymap = configuration.keymaps.get(map_name)
        for item in [] if keymap is None else list(keymap.keymap_items):
            if is_ours(item):
                keymap.keymap_items.remove(item)


def _configuration() -> Any:
    """Return the key configuration of add-ons. Any, since the stubs want each key as a literal."""
    return bpy.context.window_manager.keyconfigs.addon


def is_ours(item: bpy.types.KeyMapItem) -> bool:
    """Return whether a key is one of ours, whatever a user has made of it."""
    if item.idname == "wm.call_menu":
        return getattr(item.properties, "name", "").startswith("TOEHOLD_")
    return item.idname.startswith("toehold.")
