# SPDX-License-Identifier: GPL-3.0-or-later
"""Opens and ends reviews of contacts in the window, in every way that there is, and notes what is seen then."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import bpy

sys.path.insert(0, str(Path(__file__).resolve().parent))
import steps
from steps import area, override, window


def seen(found: dict[str, Any], name: str) -> None:
    """Note editors, filters, selection, mode and visible curves."""
    armature = bpy.data.objects["Walker"]
    graphs = [(at, one) for at, w in enumerate(bpy.context.window_manager.windows) for one in w.screen.areas]
    graphs = [(at, one) for at, one in graphs if one.ui_type == "FCURVES"]
    curves: list[str] = []
    filters: list[Any] = []
    if graphs:
        with override("FCURVES", graphs[0][0]):
            curves = sorted({curve.data_path for curve in bpy.context.visible_fcurves})
        sheet = graphs[0][1].spaces.active.dopesheet
        filters = [sheet.show_only_selected, sheet.filter_text, sheet.show_hidden]
    found[name] = {
        "editors": sorted(one.ui_type for w in bpy.context.window_manager.windows for one in w.screen.areas),
        "graph window": graphs[0][0] if graphs else None,
        "filters": filters,
        "curves": curves,
        "bones": sorted(bone.name for bone in armature.pose.bones if bone.select),
        "mode": armature.mode,
        "properties": sorted(set().union(*(bone.keys() for bone in armature.pose.bones))),
    }


def note(name: str) -> steps.Step:
    return lambda found: seen(found, name)


def review(_: dict[str, Any]) -> None:
    assert bpy.ops.toehold.review_contacts() == {"FINISHED"}


def review_in_pose_mode(_: dict[str, Any]) -> None:
    bpy.ops.object.mode_set(mode="POSE")
    for bone in bpy.context.object.pose.bones:
        bone.select = bone.name == bpy.context.object.pose.bones[0].name


def review_all(_: dict[str, Any]) -> None:
    assert bpy.ops.toehold.review_contacts(curves=True) == {"FINISHED"}


def end(_: dict[str, Any]) -> None:
    assert bpy.ops.toehold.end_review() == {"FINISHED"}


def end_from_within(_: dict[str, Any]) -> None:
    with override("FCURVES"):
        assert bpy.ops.toehold.end_review() == {"FINISHED"}


def make_graph_editor(_: dict[str, Any]) -> None:
    largest = area("VIEW_3D")
    largest.ui_type = "FCURVES"
    largest.spaces.active.dopesheet.filter_text = "location"
    largest.spaces.active.dopesheet.show_only_selected = False


def unmake_graph_editor(_: dict[str, Any]) -> None:
    area("FCURVES").ui_type = "VIEW_3D"


def open_second_window(_: dict[str, Any]) -> None:
    bpy.ops.wm.window_new()
    window(1).screen.areas[0].ui_type = "FCURVES"


def close_second_window(_: dict[str, Any]) -> None:
    with bpy.context.temp_override(window=window(1)):
        bpy.ops.wm.window_close()


def switch_off(_: dict[str, Any]) -> None:
    bpy.ops.preferences.addon_disable(module=steps.EXTENSION)


def note_keys(found: dict[str, Any]) -> None:
    """Note whether a key of ours is one that Blender's own keymap has in the same place."""
    configurations = bpy.context.window_manager.keyconfigs
    clashes = []
    for ours in configurations.addon.keymaps:
        theirs = configurations.default.keymaps.get(ours.name)
        for item in ours.keymap_items:
            if item.idname.startswith("toehold.") or getattr(item.properties, "name", "").startswith("TOEHOLD"):
                found["keys"] = found.get("keys", 0) + 1
                clashes += [other.idname for other in theirs.keymap_items if other.compare(item)]
    found["clashes"] = clashes


def note_frame(name: str) -> steps.Step:
    def step(found: dict[str, Any]) -> None:
        found[name] = bpy.context.scene.frame_current

    return step


steps.play(
    [
        steps.add_walker,
        note_keys,
        note("before"),
        *(review, note("review"), end_from_within, note("after review")),
        *(review_in_pose_mode, note("pose"), review_all, note("all"), review, note("after all")),
        *(make_graph_editor, note("graph"), review, note("reused"), end, note("after reused"), unmake_graph_editor),
        *(open_second_window, review, note("second"), end, close_second_window),
        *(steps.point_at("VIEW_3D"), note_frame("frame"), steps.press("shift+alt+Right"), note_frame("jumped")),
        *(review, switch_off, note("switched off")),
    ]
)
