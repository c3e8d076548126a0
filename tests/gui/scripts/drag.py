# SPDX-License-Identifier: GPL-3.0-or-later
"""Contacts dragged by the mouse in the bar of a Timeline and a Dope Sheet: let go, called off, double-clicked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy
from gui.inside import (
    DRAWN,
    HEARD,
    Steps,
    add_editor,
    area,
    curves_of,
    hover,
    inside,
    open_file,
    picture,
    place,
    region,
    xdotool,
)

ADD_ON = "bl_ext.user_default.toehold"


def steps(folder: Path, seen: dict[str, Any]) -> Steps:
    yield from open_file(folder / "walker.blend")
    with inside():
        bpy.ops.toehold.clean()
    yield 2 * DRAWN
    seen["regions"] = {"timeline": place("WINDOW", "TIMELINE")}
    picture(folder, "timeline")
    seen["cleaned"] = state()
    first, last = contact(1)
    yield from drag("TIMELINE", last + 0.5, -4)
    seen["dragged in the timeline"] = state()
    yield from add_editor("DOPESHEET", 0.35)
    yield DRAWN
    with inside("WINDOW", "DOPESHEET"):
        bpy.ops.action.view_all()
    yield DRAWN
    yield from drag("DOPESHEET", 0.5 * (first + last), 5)
    seen["moved in the dope sheet"] = state()
    before = state()
    yield from drag("DOPESHEET", contact(2)[0] - 0.5, -3, ends_with="Escape")
    seen["before"], seen["called off"] = before, state()
    middle = sum(contact(2)) / 2
    x, y = spot("DOPESHEET", middle)
    yield from hover(x, y)
    xdotool("click", "--repeat", 2, "--delay", 60, 1)
    yield DRAWN
    seen["double-clicked"] = state()
    area("DOPESHEET").tag_redraw()
    yield DRAWN
    seen["regions"]["dope sheet"] = place("WINDOW", "DOPESHEET")
    picture(folder, "dope sheet")


def state() -> dict[str, Any]:
    armature = bpy.data.objects["Walker"]
    return {"shown": armature.animation_data.action.name, "curves": curves_of(armature.animation_data.action)}


def contact(at: int) -> tuple[int, int]:
    """Return first and last frame of a contact of the first leg, by where its curve crosses one half."""
    armature = bpy.data.objects["Walker"]
    bone = armature.toehold.limbs[0].toe
    path = f'pose.bones["{bone}"]["contact"]'
    bag = armature.animation_data.action.layers[0].strips[0].channelbags[0]
    curve = next(curve for curve in bag.fcurves if curve.data_path == path)
    last = int(curve.keyframe_points[-1].co.x)
    planted = [frame for frame in range(1, last + 1) if curve.evaluate(frame) > 0.5]
    starts = [frame for frame in planted if frame - 1 not in planted]
    ends = [frame for frame in planted if frame + 1 not in planted]
    return starts[at], ends[at]


def spot(editor: str, frame: float) -> tuple[int, int]:
    """Return where in the window a frame of the first leg's row is."""
    over = region("WINDOW", editor)
    low = 1 if over.height < 50 else 3
    row = min(14.0, (over.height - 2.0 * low) / 2.0)
    x, _ = over.view2d.view_to_region(frame, 0.0, clip=False)
    return over.x + x, over.y + round(low + 1.5 * row)


def drag(editor: str, frame: float, frames: int, ends_with: str = "") -> Steps:
    x, y = spot(editor, frame)
    over = region("WINDOW", editor)
    wide = over.view2d.view_to_region(101.0, 0.0, clip=False)[0] - over.view2d.view_to_region(1.0, 0.0, clip=False)[0]
    yield from hover(x, y)
    yield HEARD
    xdotool("mousedown", 1)
    yield HEARD
    for step in range(1, abs(frames) + 1):
        yield from hover(x + round(wide / 100.0 * step * (1 if frames > 0 else -1)), y)
        yield 0.2
    if ends_with:
        # Not by ``press``: to clear modifiers lets the mouse's button go too.
        xdotool("key", ends_with)
        yield HEARD
    xdotool("mouseup", 1)
    yield DRAWN
