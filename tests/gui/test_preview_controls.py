# SPDX-License-Identifier: GPL-3.0-or-later
"""On a control rig in a real window the lock is played when it has to be, and what is shown is what is baked."""

from __future__ import annotations

from typing import Any

import bpy
import pytest
from gui.window import Run, furthest


def add_to_scene() -> None:
    from support.control_rigs import small_control_rig

    small_control_rig().name = "Control Rig"
    # Not the walker's rate: the rig's steps would be too short to be planted.
    bpy.context.scene.render.fps = 24


@pytest.fixture
def seen(window: Run) -> dict[str, Any]:
    return window.seen


def test_the_controls_show_the_lock_and_follow_sliders_and_edits(seen: dict[str, Any]) -> None:
    for before, after in (("animation", "shown"), ("shown", "slid"), ("slid", "edited")):
        assert furthest(seen[before], seen[after]) > 1e-3, after


def test_it_is_played_once_for_each_change_and_not_by_playback(seen: dict[str, Any]) -> None:
    plays = [seen[f"plays {when}"] for when in ("when on", "after slider", "after edit", "at the end")]
    assert plays == [1, 2, 3, 3]


def test_what_is_shown_is_what_is_baked_and_no_other_action_is_left(seen: dict[str, Any]) -> None:
    assert furthest(seen["edited"], seen["baked"]) < 1e-4
    # The walker's, the rig's and what was baked.
    assert seen["actions"] == 3
