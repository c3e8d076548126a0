# SPDX-License-Identifier: GPL-3.0-or-later
"""Reviews of contacts, opened and ended in every way that there is, and keys pressed; notes what is seen then."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy
from gui.inside import DRAWN, Steps, hover_over, open_file, picture, press

EXTENSION = "bl_ext.user_default.toehold"


def steps(folder: Path, seen: dict[str, Any]) -> Steps:
    yield from open_file(folder / "walker.blend")
    bpy.ops.toehold.annotate_contacts()
    seen["before"] = state()
    yield from review(seen, "review")
    picture(folder, "review")
    with within_graph():
        assert bpy.ops.toehold.end_review() == {"FINISHED"}
    yield DRAWN
    seen["after review"] = state()

    yield from review(seen, "with heels", heel=True)
    yield from review(seen, "after heels")
    bpy.ops.object.mode_set(mode="POSE")
    for bone in bpy.context.object.pose.bones:
        bone.select = bone == bpy.context.object.pose.bones[0]
    seen["pose"] = state()
    yield from review(seen, "all", curves=True)
    yield from review(seen, "after all")

    yield from with_an_editor_that_is_there(seen)
    yield from with_two_windows(seen)
    yield from keys(seen)

    yield from review(seen, "last")
    bpy.ops.preferences.addon_disable(module=EXTENSION)
    yield DRAWN
    seen["switched off"] = state()


def review(seen: dict[str, Any], name: str, **values: Any) -> Steps:
    assert bpy.ops.toehold.review_contacts(**values) == {"FINISHED"}
    yield DRAWN
    seen[name] = state()


def with_an_editor_that_is_there(seen: dict[str, Any]) -> Steps:
    area = next(area for area in editors() if area.ui_type == "VIEW_3D")
    area.ui_type = "FCURVES"
    sheet = area.spaces.active.dopesheet
    sheet.filter_text, sheet.show_only_selected = "location", False
    yield DRAWN
    seen["graph"] = state()
    yield from review(seen, "reused")
    yield from review(seen, "after reused")
    area.ui_type = "VIEW_3D"
    yield DRAWN


def with_two_windows(seen: dict[str, Any]) -> Steps:
    bpy.ops.wm.window_new()
    yield DRAWN
    bpy.context.window_manager.windows[1].screen.areas[0].ui_type = "FCURVES"
    yield DRAWN
    yield from review(seen, "second")
    yield from review(seen, "after second")
    with bpy.context.temp_override(window=bpy.context.window_manager.windows[1]):
        bpy.ops.wm.window_close()
    yield DRAWN


def keys(seen: dict[str, Any]) -> Steps:
    """Note whether a key of ours is one that Blender's own keymap has in the same place, and press one."""
    configurations = bpy.context.window_manager.keyconfigs
    seen["keys"], seen["clashes"] = 0, []
    for ours in configurations.addon.keymaps:
        theirs = configurations.default.keymaps.get(ours.name)
        # What the mouse presses goes on to Blender where it is not over a contact.
        for item in (item for item in ours.keymap_items if item.map_type == "KEYBOARD"):
            if item.idname.startswith("toehold.") or getattr(item.properties, "name", "").startswith("TOEHOLD"):
                seen["keys"] += 1
                seen["clashes"] += [other.idname for other in theirs.keymap_items if other.compare(item)]
    bpy.context.scene.frame_set(1)
    yield from hover_over("VIEW_3D")
    yield from press("shift+alt+Right")
    seen["jumped to"] = bpy.context.scene.frame_current


def editors() -> list[bpy.types.Area]:
    return [area for window in bpy.context.window_manager.windows for area in window.screen.areas]


def within_graph() -> Any:
    """Return a context in which the user is in the Graph Editor."""
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            if area.ui_type == "FCURVES":
                region = next(region for region in area.regions if region.type == "WINDOW")
                return bpy.context.temp_override(window=window, area=area, region=region)
    raise AssertionError("no Graph Editor is open")


def state() -> dict[str, Any]:
    """Return what there is to see of editors, filter, selection, mode and curves."""
    armature = bpy.context.object
    graphs = [area for area in editors() if area.ui_type == "FCURVES"]
    curves: list[str] = []
    if graphs:
        with within_graph():
            curves = sorted({curve.data_path for curve in bpy.context.visible_fcurves})
    sheets = [area.spaces.active.dopesheet for area in graphs]
    return {
        "editors": sorted(area.ui_type for area in editors()),
        "filters": [[sheet.show_only_selected, sheet.filter_text, sheet.show_hidden] for sheet in sheets],
        "curves": curves,
        "bones": sorted(bone.name for bone in armature.pose.bones if bone.select),
        "mode": armature.mode,
        "properties": sorted(set().union(*(bone.keys() for bone in armature.pose.bones))),
    }
