# SPDX-License-Identifier: GPL-3.0-or-later
"""The comparison is drawn after Compare while its toggle is on, in the corner that is free, in others' place."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType, SimpleNamespace
from typing import Any

import bpy
import pytest

from support.walker import walk
from support.walker_armature import walking_armature


@pytest.fixture
def walker(registered: ModuleType) -> Iterator[Any]:
    from toehold.rig.shown.kept_comparison import kept_comparison

    yield walking_armature(walk(strides=2.0, slide_mm_s=200.0))
    kept_comparison.forget()
    toggles = bpy.context.window_manager.toehold_overlay
    toggles.comparison, toggles.whole_paths = True, False


def test_paths_are_shown_once_compared_and_go_with_their_toggle(walker: Any) -> None:
    from toehold.panels.compare_overlay import has_paths, paths_shown

    assert paths_shown(bpy.context) is None
    bpy.ops.toehold.compare()
    shown = paths_shown(bpy.context)
    assert shown is not None
    assert set(shown.toes) == {"source", "lock", "clean"}
    bpy.context.window_manager.toehold_overlay.comparison = False
    assert paths_shown(bpy.context) is None
    assert has_paths(bpy.context)
    bpy.context.view_layer.objects.active = None
    assert not has_paths(bpy.context)


def test_other_ways_of_the_toes_make_room_for_them(walker: Any) -> None:
    from toehold.panels.lock_overlay import marks_at
    from toehold.panels.overlay import shown
    from toehold.panels.preferences import Palette
    from toehold.rig.shown.preview import preview

    assert shown(bpy.context).trails
    bpy.ops.toehold.compare()
    assert not shown(bpy.context).trails
    assert shown(bpy.context).footprints
    bpy.ops.toehold.preview_lock()
    played = preview.played
    assert played is not None
    with_ways, without = (marks_at(played, 40.0, Palette(), ways=ways) for ways in (True, False))
    assert with_ways is not None
    assert without is not None
    assert len(without.lines) < len(with_ways.lines)
    assert without.labels[0].state == with_ways.labels[0].state
    preview.stop()


def region(kind: str, alignment: str, x: int, y: int, width: int, height: int) -> SimpleNamespace:
    return SimpleNamespace(type=kind, alignment=alignment, x=x, y=y, width=width, height=height)


def test_the_legend_stands_beside_the_toolbar_and_over_what_is_at_the_bottom() -> None:
    from toehold.panels.compare_overlay import free_corner

    window = region("WINDOW", "NONE", 100, 50, 800, 600)
    others = [
        window,
        region("TOOLS", "LEFT", 100, 50, 40, 500),
        region("UI", "RIGHT", 700, 50, 200, 500),
        region("ASSET_SHELF", "BOTTOM", 100, 50, 800, 1),
    ]
    assert free_corner(SimpleNamespace(regions=others), window) == (40.0, 0.0)
    others.append(region("HUD", "FLOAT", 150, 60, 200, 90))
    assert free_corner(SimpleNamespace(regions=others), window) == (40.0, 100.0)


def test_drawing_can_be_begun_and_ended_twice() -> None:
    from toehold.panels.compare_overlay import CompareOverlay

    overlay = CompareOverlay()
    for act in (overlay.start, overlay.start, overlay.stop, overlay.stop):
        act()
    assert not overlay._handles
