# SPDX-License-Identifier: GPL-3.0-or-later
"""Clean over NLA strips, by mouse and keys: annotate, clean, undo, redo, flip and restore."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy
from gui.inside import DRAWN, Steps, click_button, hover_over, open_file, open_sections, open_sidebar, picture, press


def steps(folder: Path, seen: dict[str, Any]) -> Steps:
    yield from open_file(folder / "walker.blend")
    open_sections("TOEHOLD_PT_contacts", "TOEHOLD_PT_clean", "TOEHOLD_PT_limbs")
    yield from open_sidebar()
    seen["opened"] = state()
    for name, button in (("found", "find_legs"), ("annotated", "annotate_contacts"), ("cleaned", "toehold.clean()")):
        yield from click_button(button)
        yield DRAWN
        seen[name] = state()
    picture(folder, "cleaned")
    yield from hover_over("VIEW_3D")
    yield from press("ctrl+z")
    seen["undone"] = state()
    yield from press("ctrl+shift+z")
    seen["redone"] = state()
    yield from click_button("show_side(side='SOURCE')")
    seen["flipped"] = state()
    yield from click_button("show_side(")
    seen["flipped back"] = state()
    yield from click_button("restore_source")
    yield DRAWN
    seen["restored"] = state()
    picture(folder, "restored")


def state() -> dict[str, Any]:
    """Return what is played, and where the left foot is on some frames."""
    armature = bpy.data.objects["Walker"]
    animation = armature.animation_data
    return {
        "action": animation.action.name if animation.action else None,
        "tracks": [
            [track.name, track.mute, *(strip.action.name for strip in track.strips)] for track in animation.nla_tracks
        ],
        "legs": [limb.name for limb in armature.toehold.limbs],
    }
