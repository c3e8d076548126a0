# SPDX-License-Identifier: GPL-3.0-or-later
"""What the overlays draw over viewport and timeline, each alone and none; then the add-on is switched off."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy
from gui.inside import DRAWN, Steps, add_editor, area, handlers, inside, look, open_file, picture, place

PARTS = ("footprints", "trails", "targets", "ghost", "timeline")
ADD_ON = "bl_ext.user_default.toehold"


def steps(folder: Path, seen: dict[str, Any]) -> Steps:
    yield from open_file(folder / "walker.blend")
    yield from add_editor("DOPESHEET", 0.3)
    with inside():
        bpy.ops.toehold.annotate_contacts()
        bpy.ops.toehold.clean()
        bpy.ops.toehold.flip_source()
        bpy.ops.object.select_all(action="DESELECT")
    bpy.context.scene.frame_set(60)
    look(4.0)
    # The toolbar and what Blender writes into a corner are no part of what is compared.
    area("VIEW_3D").spaces.active.show_region_toolbar = False
    area("VIEW_3D").spaces.active.overlay.show_text = False
    seen["regions"] = {"viewport": place("WINDOW"), "dope sheet": place("WINDOW", "DOPESHEET")}
    toggles = bpy.context.window_manager.toehold_overlay
    toggles.enabled = True
    # What is drawn is worked out a moment after it is first asked for.
    yield 4.0 * DRAWN
    for part in PARTS:
        show_only(part)
        yield 2.0 * DRAWN
        picture(folder, part)
    toggles.enabled = False
    yield DRAWN
    picture(folder, "off")
    toggles.enabled = True
    show_only("footprints")
    yield DRAWN
    yield from disable(folder, seen)


def show_only(part: str) -> None:
    toggles = bpy.context.window_manager.toehold_overlay
    for other in PARTS:
        setattr(toggles, other, other == part)


def disable(folder: Path, seen: dict[str, Any]) -> Steps:
    """Switch the add-on off while it draws, and on again."""
    before = handlers()
    bpy.ops.preferences.addon_disable(module=ADD_ON)
    yield DRAWN
    picture(folder, "disabled")
    keymaps = bpy.context.window_manager.keyconfigs.addon.keymaps
    seen["handlers"], seen["handlers left"] = before, handlers()
    seen["classes left"] = [name for name in dir(bpy.types) if name.startswith("TOEHOLD_")]
    seen["properties left"] = [
        kind.__name__ for kind in (bpy.types.Object, bpy.types.Action, bpy.types.WindowManager) if has_toehold(kind)
    ]
    seen["keys left"] = [item.idname for keymap in keymaps for item in keymap.keymap_items if "toehold" in item.idname]
    bpy.ops.preferences.addon_enable(module=ADD_ON)
    yield DRAWN
    seen["legs kept"] = len(bpy.data.objects["Walker"].toehold.limbs)


def has_toehold(kind: type) -> bool:
    return any(name.startswith("toehold") for name in dir(kind))
