# SPDX-License-Identifier: GPL-3.0-or-later
"""Contacts by hand: the tools' keys, a click on Lift."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy
from gui.inside import (
    DRAWN,
    Steps,
    click_button,
    curves_of,
    hover_over,
    inside,
    open_file,
    open_sections,
    open_sidebar,
    press,
)


def steps(folder: Path, seen: dict[str, Any]) -> Steps:
    yield from open_file(folder / "walker.blend")
    with inside():
        bpy.ops.toehold.annotate_contacts()
    open_sections("TOEHOLD_PT_contacts")
    yield from open_sidebar()
    seen["annotated"] = state()
    yield from hover_over("VIEW_3D")
    for name, key in (
        ("next", "shift+alt+Right"),
        ("next but one", "shift+alt+Right"),
        ("back", "shift+alt+Left"),
        ("later", "shift+alt+period"),
        ("earlier", "shift+alt+comma"),
        ("undone", "ctrl+z"),
    ):
        yield from press(key)
        seen[name] = state()
    yield from press("ctrl+z")
    bpy.context.scene.frame_set(seen["next"]["frame"] + 2)
    yield DRAWN
    yield from click_button("state='LIFTED'")
    seen["lifted"] = state()
    with inside():
        bpy.ops.toehold.annotate_contacts()
    seen["annotated again"] = state()


def state() -> dict[str, Any]:
    """Return what keys and clicks may change here."""
    armature = bpy.data.objects["Walker"]
    return {
        "frame": bpy.context.scene.frame_current,
        "mode": armature.mode,
        "curves": curves_of(armature.animation_data.action),
    }
