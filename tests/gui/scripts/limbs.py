# SPDX-License-Identifier: GPL-3.0-or-later
"""Hands are found by a click, their bones opened, and one corrected with the eyedropper in Pose Mode."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy
from gui.inside import (
    DRAWN,
    Steps,
    button_under_mouse,
    click,
    click_button,
    find_button,
    hover,
    inside,
    open_file,
    open_sections,
    open_sidebar,
    picture,
    region,
)


def steps(folder: Path, seen: dict[str, Any]) -> Steps:
    yield from open_file(folder / "crawler.blend")
    open_sections("TOEHOLD_PT_limbs")
    yield from open_sidebar()
    yield from click_button("find_legs(hands=True)")
    limbs = bpy.context.object.toehold.limbs
    seen["found"] = [limb.name for limb in limbs]
    with inside():
        bpy.ops.object.mode_set(mode="POSE")
    bpy.context.object.data.bones.active = bpy.context.object.data.bones["LeftHand"]
    yield from open_bones()
    bpy.context.object.toehold.active_limb = 2
    yield DRAWN
    picture(folder, "hands")
    limbs[2].heel = ""
    yield from click_eyedropper("heel")
    seen["picked"] = limbs[2].heel
    bpy.context.object.data.bones.active = bpy.context.object.data.bones["RightForeArm"]
    yield from click_eyedropper("knee")
    seen["refused"] = limbs[2].knee
    yield DRAWN
    picture(folder, "refused")
    with inside("UI"):
        bpy.ops.toehold.add_limb_preset(name="Crawler")
        bpy.ops.wm.call_panel(name="TOEHOLD_PT_limb_presets")
    seen["presets"] = [file.name for path in bpy.utils.preset_paths("toehold_limbs") for file in Path(path).iterdir()]
    yield 2.0 * DRAWN
    picture(folder, "presets")


def click_eyedropper(part: str) -> Steps:
    """Click the button to the right of a bone's field."""
    x, y = yield from find_button(f".{part}")
    for right in range(x, region("UI").x + region("UI").width, 8):
        yield from hover(right, y)
        if f'pick_bone(part="{part}")' in button_under_mouse():
            yield from click(right, y)
            return
    raise AssertionError(f"no eyedropper is beside {part}")


def open_bones() -> Steps:
    """Click below the list of limbs until the bones are there: a header has nothing to be found by."""
    x, top = yield from find_button("find_legs(")
    for below in range(75, 220, 12):
        yield from click(x, top - below)
        for y in range(top - below - 30, top - below - 200, -12):
            yield from hover(x, y)
            if ".knee" in button_under_mouse() or "pick_bone" in button_under_mouse():
                return
    raise AssertionError("the bones of the limb can not be opened")
