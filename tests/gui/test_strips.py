# SPDX-License-Identifier: GPL-3.0-or-later
"""Clicks over NLA strips: what they add to the tracks, and that it goes again."""

from __future__ import annotations

from typing import Any

import bpy
import pytest
from gui.window import Run


def add_to_scene() -> None:
    animation = bpy.data.objects["Walker"].animation_data
    strip = animation.nla_tracks.new().strips.new("walk", 1, animation.action)
    strip.name = "Walk"
    animation.action = None


@pytest.fixture
def seen(window: Run) -> dict[str, Any]:
    return window.seen


def tracks(state: dict[str, Any]) -> list[list[Any]]:
    return list(state["tracks"])


def test_annotate_and_clean_each_add_a_track_on_top_and_leave_the_others(seen: dict[str, Any]) -> None:
    opened, annotated, cleaned = (tracks(seen[name]) for name in ("opened", "annotated", "cleaned"))
    assert tracks(seen["found"]) == opened
    assert annotated[:-1] == opened
    assert cleaned[:-1] == annotated
    assert cleaned[-1] == ["Toehold", False, "Walker Strips Clean"]
    assert seen["cleaned"]["action"] is None


def test_undo_and_redo_take_the_strip_away_and_bring_it_back(seen: dict[str, Any]) -> None:
    assert seen["undone"] == seen["annotated"]
    assert seen["redone"] == seen["cleaned"]


def test_flip_mutes_the_strip_and_restore_takes_it_away(seen: dict[str, Any]) -> None:
    assert [mute for _, mute, *_ in tracks(seen["flipped"])] == [False, False, True]
    assert seen["flipped back"] == seen["cleaned"]
    assert tracks(seen["restored"]) == tracks(seen["annotated"])
