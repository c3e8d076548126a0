# SPDX-License-Identifier: GPL-3.0-or-later
"""What Blender does while the manual's pictures are taken: the work of an animator on a walk that slides.

Only Blender's Python reads this file, through ``tests/gui/inside.py``.
"""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import bpy
from gui.inside import (
    DRAWN,
    Steps,
    add_editor,
    area,
    button_under_mouse,
    click,
    find_button,
    hover,
    hover_over,
    inside,
    look,
    open_file,
    open_sections,
    open_sidebar,
    picture,
    place,
    window,
)

# A picture is cut out as x, y, width, height from the window's upper left corner.
Box = tuple[int, int, int, int]

FRAME = 116

# The steps that the walk goes up: how many, how deep and how high, metres.
TREADS, TREAD, RISE = 11, 0.4, 0.15

# How far away the camera is, metres.
FAR, CLOSE = 3.9, 1.8

# Pixels that a section's header takes above its first button, and the room below its last.
HEADER, MARGIN = 46, 16


def steps(folder: Path, seen: dict[str, Any]) -> Steps:
    yield from open_file(folder / "walker.blend")
    bpy.context.preferences.system.viewport_aa = "8"
    bpy.context.preferences.view.show_tooltips = False
    bpy.context.window_manager.toehold_overlay.enabled = True
    area("VIEW_3D").spaces.active.show_region_toolbar = False
    bpy.context.scene.frame_set(FRAME)
    look(FAR)
    with inside():
        bpy.ops.toehold.find_legs()
        bpy.ops.toehold.annotate_contacts()
        bpy.ops.toehold.clean()
    open_sections("TOEHOLD_PT_contacts")
    yield from sidebar(folder)
    area("VIEW_3D").spaces.active.show_region_ui = False
    bpy.context.preferences.system.viewport_aa = "8"
    yield from add_editor("DOPESHEET", 0.25)
    for name, flip in (("after", False), ("before", True)):
        if flip:
            bpy.ops.toehold.flip_source()
        yield 2 * DRAWN
        yield from out_of_the_way()
        shoot(folder, name, box_of("WINDOW"))
    shoot(folder, "timeline", box_of_area("DOPESHEET"))
    yield from game_lock(folder)
    yield from ground(folder)
    yield from review(folder)


def out_of_the_way() -> Steps:
    """Put the mouse where it lights no button."""
    yield from hover_over("VIEW_3D")
    yield from hover(window().width - 3, 5)
    yield DRAWN


def review(folder: Path) -> Steps:
    area("DOPESHEET").ui_type = "VIEW_3D"
    with inside():
        bpy.ops.toehold.review_contacts()
    yield 2 * DRAWN
    shoot(folder, "review", box_of_area("FCURVES"))


def game_lock(folder: Path) -> Steps:
    """Show the lock, from near, and what it is compared with."""
    bpy.ops.toehold.preview_lock()
    look(CLOSE)
    yield 2 * DRAWN
    shoot(folder, "game-lock", box_of("WINDOW"))
    bpy.ops.toehold.preview_lock()
    with inside():
        bpy.ops.toehold.compare()
    bpy.context.window_manager.toehold_overlay.enabled = False
    look(CLOSE)
    yield 2 * DRAWN
    shoot(folder, "compare", box_of("WINDOW"))
    bpy.context.window_manager.toehold_overlay.comparison = False
    bpy.context.window_manager.toehold_overlay.enabled = True
    look(FAR)
    yield DRAWN


def ground(folder: Path) -> Steps:
    """Let the walk go up some steps."""
    walker, cleaned = bpy.data.objects["Walker"], bpy.data.objects["Walker"].animation_data.action
    steps_up = bpy.data.meshes.new("Steps")
    faces = [face for box in range(TREADS) for face in box_faces(8 * box)]
    steps_up.from_pydata([corner for box in range(TREADS) for corner in box_corners(box)], [], faces)
    thing = bpy.data.objects.new("Steps", steps_up)
    bpy.context.scene.collection.objects.link(thing)
    walker.toehold.ground.object = thing
    bpy.ops.toehold.adapt_to_ground()
    look(FAR)
    area("VIEW_3D").spaces.active.region_3d.view_location.z += RISE * 4
    yield 2 * DRAWN
    yield from out_of_the_way()
    shoot(folder, "ground", box_of("WINDOW"))
    walker.toehold.ground.object = None
    walker.animation_data.action = cleaned
    bpy.data.objects.remove(thing)
    yield DRAWN


def box_corners(step: int) -> list[tuple[float, float, float]]:
    """Return the corners of one of the steps, a box from the floor up."""
    near, far, top = -0.9 - TREAD * step, -0.9 - TREAD * (step + 1), RISE * (step + 1)
    return [(x, y, z) for z in (0.0, top) for x, y in ((-0.6, near), (0.6, near), (0.6, far), (-0.6, far))]


def box_faces(first: int) -> list[tuple[int, ...]]:
    sides = [(at, (at + 1) % 4, (at + 1) % 4 + 4, at + 4) for at in range(4)]
    return [tuple(first + at for at in face) for face in [*sides, (4, 5, 6, 7), (3, 2, 1, 0)]]


def sidebar(folder: Path) -> Steps:
    """Take the sidebar as a whole beside the viewport, then some of its sections."""
    yield from open_sidebar()
    yield from out_of_the_way()
    shoot(folder, "sidebar", box_of_area("VIEW_3D"))
    bpy.context.preferences.system.viewport_aa = "OFF"
    for panel, name, first, last in (
        ("TOEHOLD_PT_legs", "legs", "find_legs(", ".hand"),
        ("TOEHOLD_PT_clean", "clean", "cleanup.strength", "restore_source("),
        ("TOEHOLD_PT_report", "report", "toehold.report(", "export_report("),
    ):
        opened = open_shown(panel)
        yield 2 * DRAWN
        if name == "legs":
            yield from open_bones()
        yield from section(folder, name, first, last)
        bpy.utils.unregister_class(opened)


def open_shown(name: str) -> Any:
    """Open a section that has been shown closed, above all others: under another name, Blender does not know it."""
    section = getattr(bpy.types, name)
    bpy.utils.unregister_class(section)
    section.bl_idname, section.bl_options, section.bl_order = f"{name}_open", set(), 0
    bpy.utils.register_class(section)
    return section


def open_bones() -> Steps:
    """Click below the list of legs until the bones of the leg are there: a header has nothing to be found by."""
    x, top = yield from find_button("find_legs(")
    for below in range(75, 160, 12):
        yield from click(x, top - below)
        for y in range(top - below - 30, top - below - 160, -12):
            yield from hover(x, y)
            if "toe_end" in button_under_mouse():
                return
    raise AssertionError("the bones of the leg can not be opened")


def section(folder: Path, name: str, first: str, last: str) -> Steps:
    """Take a section of the sidebar from its header to its last button, scrolling to where both are in sight."""
    _, bottom = yield from find_button(last)
    _, top = yield from find_button(first)
    yield from out_of_the_way()
    x, _, width, _ = box_of("UI")
    y = window().height - top - HEADER
    shoot(folder, name, (x, y, width, top - bottom + HEADER + MARGIN))


def box_of(kind: str, of_area: str = "VIEW_3D") -> Box:
    x, y, width, height = place(kind, of_area)
    return x, window().height - y - height, width, height


def box_of_area(kind: str) -> Box:
    found = area(kind)
    return found.x, window().height - found.y - found.height, found.width, found.height


def shoot(folder: Path, name: str, box: Box) -> None:
    """Save a part of the window in few colours, which keeps it small."""
    picture(folder, "whole")
    x, y, width, height = box
    cut = ["-crop", f"{width}x{height}+{x}+{y}", "+repage", "+dither", "-colors", "128"]
    subprocess.run(["convert", str(folder / "whole.ppm"), *cut, f"png8:{folder / name}.png"], check=True, timeout=60)
