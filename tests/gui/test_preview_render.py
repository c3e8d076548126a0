# SPDX-License-Identifier: GPL-3.0-or-later
"""A render from a real window, in its thread, shows the lock where that was chosen and leaves nothing of it."""

from __future__ import annotations

from typing import Any

import pytest
from gui.window import Run, furthest

FRAMES, FIRST = ("40", "41", "42"), "40"


@pytest.fixture
def seen(window: Run) -> dict[str, Any]:
    return window.seen


def test_the_lock_is_rendered_as_the_viewport_shows_it(seen: dict[str, Any]) -> None:
    assert max(furthest(seen["shown"][frame], seen["animation"][frame]) for frame in FRAMES) > 0.05
    for frame in FRAMES:
        assert furthest(seen["rendered"][frame], seen["shown"][frame]) < 2e-5
    assert seen["rendered in the main thread"] == [False]


def test_the_action_is_rendered_where_that_was_chosen(seen: dict[str, Any]) -> None:
    for frame in FRAMES:
        assert furthest(seen["rendered as it is"][frame], seen["animation"][frame]) < 1e-6


def test_a_render_that_ends_or_is_cancelled_leaves_the_preview_on_and_no_action(seen: dict[str, Any]) -> None:
    assert 1 < len(seen["cancelled"]) < 300
    for frame in FRAMES:
        assert furthest(seen["cancelled"].get(frame, seen["shown"][frame]), seen["shown"][frame]) < 2e-5
    for after in ("after", "after cancelling", "after as it is"):
        assert furthest(seen[after], seen["shown"][FIRST]) < 1e-6
    assert seen["actions after"] == seen["actions after cancelling"] == seen["actions"]
    assert seen["handlers after"] == seen["handlers"]


def test_a_file_saved_after_that_has_the_action_and_no_other(seen: dict[str, Any]) -> None:
    assert furthest(seen["opened"], seen["animation"][FIRST]) < 1e-6
    assert seen["actions opened"] == seen["actions"]
