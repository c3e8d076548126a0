# SPDX-License-Identifier: GPL-3.0-or-later
"""The preview of the lock in a real window: shown on every frame, keyed nowhere, gone without a trace."""

from __future__ import annotations

from typing import Any

import pytest
from gui.window import Run, furthest

# Where both feet's lock has something to do in the walker, and the frame that is scrubbed to.
FRAMES, SCRUBBED = ("30", "60", "90", "120"), "60"


@pytest.fixture
def seen(window: Run) -> dict[str, Any]:
    return window.seen


def test_the_preview_shows_another_pose_and_keys_nothing(seen: dict[str, Any]) -> None:
    assert max(furthest(seen["previewed"][frame], seen["animation"][frame]) for frame in FRAMES) > 0.01
    assert seen["curves previewed"] == seen["curves"]


def test_a_frame_scrubbed_to_with_keys_shows_the_pose_of_that_frame(seen: dict[str, Any]) -> None:
    assert seen["frame scrubbed to"] == int(SCRUBBED)
    assert furthest(seen["scrubbed"], seen["previewed"][SCRUBBED]) < 1e-5


def test_saving_leaves_the_preview_on_the_screen_and_out_of_the_file(seen: dict[str, Any]) -> None:
    assert furthest(seen["after saving"], seen["previewed"][SCRUBBED]) < 1e-5
    assert furthest(seen["opened"], seen["animation"][SCRUBBED]) < 1e-5
    for frame in FRAMES:
        assert furthest(seen["opened poses"][frame], seen["animation"][frame]) < 1e-5


def test_opening_a_file_ends_the_preview(seen: dict[str, Any]) -> None:
    assert seen["handlers opened"] == seen["handlers before"]


def test_the_preview_can_be_switched_on_in_a_file_that_was_opened(seen: dict[str, Any]) -> None:
    for frame in FRAMES:
        assert furthest(seen["previewed again"][frame], seen["previewed"][frame]) < 1e-5


def test_switching_off_shows_the_animation_again_and_leaves_no_handler(seen: dict[str, Any]) -> None:
    for frame in FRAMES:
        assert furthest(seen["off"][frame], seen["animation"][frame]) < 1e-6
    assert seen["handlers off"] == seen["handlers before"]


def test_switching_the_add_on_off_while_previewing_does_too(seen: dict[str, Any]) -> None:
    for frame in FRAMES:
        assert furthest(seen["disabled"][frame], seen["animation"][frame]) < 1e-6
    assert sum(seen["handlers disabled"].values()) == 0
