# SPDX-License-Identifier: GPL-3.0-or-later
"""A Graph Editor for a review: found or opened, filtered and framed, and put back.

Areas are known by their address in memory, a plain number: Blender may free an area at any time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import bpy
from bpy.types import Area, Context, Screen, Window

# What of a Graph Editor's filter a review sets; the rest is the user's.
_FILTER = {
    "show_only_selected": True,
    "show_hidden": True,
    "show_only_errors": False,
    "use_filter_invert": False,
    "use_multi_word_filter": True,
}

# A viewport lower than this many pixels is not shared with a Graph Editor.
LOW = 300

# Nor is a Graph Editor taken that is lower than this.
TOO_LOW = 120

# How much further than its curves a Graph Editor shows, as a share of their height; negative, as Blender counts it.
ROOM = -0.15

# Share of a viewport's height that the Graph Editor takes.
SHARE = 0.45


@dataclass(frozen=True)
class GraphView:
    """A Graph Editor in a review, and what it was before.

    was : the editor that the area showed; empty where the area was split off for the review.
    filters : its filter settings before, by name.
    """

    area: int
    beside: int
    was: str
    filters: dict[str, Any]


def open_view(context: Context, words: Sequence[str]) -> GraphView:
    """Show only what is selected and has one of ``words`` in its name in a Graph Editor, and return what it was."""
    windows = _windows(context)
    window, area = next(_graph_editors(windows), (windows[0], None))
    was, beside = "FCURVES", 0
    if area is None:
        largest = max(window.screen.areas, key=_worth)
        if largest.type == "VIEW_3D" and largest.height >= LOW and not window.screen.show_fullscreen:
            area, beside, was = _split_off(window, largest), largest.as_pointer(), ""
        else:
            area, was = largest, largest.ui_type
        area.ui_type = "FCURVES"
        area.spaces.active.show_region_ui = False
    sheet = area.spaces.active.dopesheet
    filters = {name: getattr(sheet, name) for name in (*_FILTER, "filter_text", "filter_collection")}
    # A collection is a Blender reference, which may be gone by the end: known by name.
    collection = filters["filter_collection"]
    filters["filter_collection"] = "" if collection is None else collection.name
    _set(sheet, {**_FILTER, "filter_text": " ".join(words), "filter_collection": ""})
    frame(window, area)
    return GraphView(area.as_pointer(), beside, was, filters)


def close_view(context: Context, view: GraphView) -> None:
    """Put the area and its filter back, as far as they are still there."""
    found = next(((w, a) for w in _windows(context) for a in w.screen.areas if a.as_pointer() == view.area), None)
    if found is None or found[1].type != "GRAPH_EDITOR":
        return
    window, area = found
    _set(area.spaces.active.dopesheet, view.filters)
    if view.was:
        area.ui_type = view.was
        return
    beside = next((a for a in window.screen.areas if a.as_pointer() == view.beside), None)
    if beside is None or not _joined(window, window.screen, area, beside):
        area.ui_type = "VIEW_3D"


def frame(window: Window, area: Area) -> None:
    """Let the Graph Editor list all of its curves, and show them with some room around."""
    regions = {region.type: region for region in area.regions}
    with bpy.context.temp_override(window=window, area=area, region=regions["CHANNELS"]):
        # Action, groups, curves: each time what is seen is unfolded.
        for _ in range(3):
            bpy.ops.anim.channels_expand(all=True)
    with bpy.context.temp_override(window=window, area=area, region=regions["WINDOW"]):
        bpy.ops.graph.view_all()
        bpy.ops.view2d.zoom_out(zoomfacx=0.0, zoomfacy=ROOM)


def _windows(context: Context) -> list[Window]:
    """Return all windows, the one that the user is in first. A timer has none."""
    windows = list(context.window_manager.windows)
    return sorted(windows, key=lambda window: window != context.window)


def _graph_editors(windows: list[Window]) -> Iterator[tuple[Window, Area]]:
    for window in windows:
        for area in window.screen.areas:
            if area.ui_type == "FCURVES" and area.height >= TOO_LOW:
                yield window, area


def _worth(area: Area) -> tuple[bool, int]:
    """Viewports first, then what is large."""
    return area.type == "VIEW_3D", area.width * area.height


def _split_off(window: Window, area: Area) -> Area:
    """Split a new area off the lower part of one."""
    before = {known.as_pointer() for known in window.screen.areas}
    region = next(region for region in area.regions if region.type == "WINDOW")
    with bpy.context.temp_override(window=window, area=area, region=region):
        bpy.ops.screen.area_split(direction="HORIZONTAL", factor=SHARE)
    new = next(known for known in window.screen.areas if known.as_pointer() not in before)
    return min((new, area), key=lambda one: one.y)


def _joined(window: Window, screen: Screen, area: Area, beside: Area) -> bool:
    """Give the area's place back to the one that it was split off, and return whether that was possible."""
    if screen.show_fullscreen or area.width != beside.width:
        return False
    middle = area.x + area.width // 2
    with bpy.context.temp_override(window=window, area=beside):
        bpy.ops.screen.area_join(
            source_xy=(middle, beside.y + beside.height // 2), target_xy=(middle, area.y + area.height // 2)
        )
    return True


def _set(sheet: Any, filters: dict[str, Any]) -> None:
    for name, value in filters.items():
        if name == "filter_collection":
            value = bpy.data.collections.get(value) if value else None
        setattr(sheet, name, value)
