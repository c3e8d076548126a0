# SPDX-License-Identifier: GPL-3.0-or-later
"""Contacts grabbed by the mouse in a real window: in the one row of the Timeline, and in a Dope Sheet."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from gui.window import Run, near

# Of preferences.Palette, 0 to 255, over the dark ruler.
CALM_SEEN = 90.0


@pytest.fixture
def seen(window: Run) -> dict[str, Any]:
    return window.seen


def spans(state: dict[str, Any], leg: int = 0) -> list[tuple[int, int]]:
    """Return first and last frame of the toe contacts of a leg, by where its curve crosses one half."""
    curves = [keys for name, keys in sorted(state["curves"].items()) if '["contact"]' in name]
    frames, values = np.array(curves[leg]).reshape(-1, 2).T
    all_frames = np.arange(frames[0], frames[-1] + 1)
    planted = np.interp(all_frames, frames, values) > 0.5
    edges = np.flatnonzero(np.diff(np.concatenate([[0], planted, [0]])))
    return [(int(all_frames[a]), int(all_frames[b - 1])) for a, b in edges.reshape(-1, 2)]


def motion(state: dict[str, Any]) -> dict[str, list[float]]:
    return {name: keys for name, keys in state["curves"].items() if "contact" not in name}


def test_an_edge_is_dragged_in_the_one_row_of_the_timeline_and_the_pose_follows(seen: dict[str, Any]) -> None:
    before, after = spans(seen["cleaned"]), spans(seen["dragged in the timeline"])
    first, last = before[1]
    assert after == [before[0], (first, last - 4), *before[2:]]
    assert seen["dragged in the timeline"]["shown"] == seen["cleaned"]["shown"]
    assert motion(seen["dragged in the timeline"]) != motion(seen["cleaned"])


def test_a_whole_contact_is_moved_in_a_dope_sheet(seen: dict[str, Any]) -> None:
    before, after = spans(seen["dragged in the timeline"]), spans(seen["moved in the dope sheet"])
    first, last = before[1]
    assert after == [before[0], (first + 5, last + 5), *before[2:]]


def test_esc_calls_a_drag_off_exactly(seen: dict[str, Any]) -> None:
    assert seen["called off"] == seen["before"]


def test_a_double_click_lifts_a_contact(seen: dict[str, Any]) -> None:
    before, after = spans(seen["called off"]), spans(seen["double-clicked"])
    assert after == [*before[:2], *before[3:]]


def test_the_other_leg_is_left_alone(seen: dict[str, Any]) -> None:
    assert spans(seen["double-clicked"], leg=1) == spans(seen["cleaned"], leg=1)


def test_both_legs_are_seen_in_the_one_row_and_told_apart(window: Run) -> None:
    timeline = window.part("timeline", "timeline")
    blue = (timeline[..., 2] > timeline[..., 0] + 40) & (timeline[..., 2] > 70)
    upper, lower = np.array_split(blue[1:-1], 2)
    assert upper.sum() > 500
    assert lower.sum() > 500
    bright, dark = (timeline[1:-1][part][..., 2] for part in (slice(2, 10), slice(-10, -2)))
    assert np.percentile(bright, 95) > 1.2 * np.percentile(dark, 95)


def test_slide_is_seen_in_the_bar(window: Run) -> None:
    sheet = window.part("dope sheet", "dope sheet")
    assert near(sheet, (0, 140, 242), CALM_SEEN).any(), "a foot that stands still is blue"
