# SPDX-License-Identifier: GPL-3.0-or-later
"""In a real window, a review shows exactly the contact curves, and then everything is as it was."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest


@pytest.fixture(scope="module")
def found(drive: Callable[[str], dict[str, Any]]) -> dict[str, Any]:
    return drive("review_steps")


def names(curves: list[str]) -> set[str]:
    return {path.split('"]["')[-1].rstrip('"]') for path in curves}


def test_a_review_opens_a_graph_editor_on_the_contact_curves_alone(found: dict[str, Any]) -> None:
    shown = found["review"]
    assert sorted([*found["before"]["editors"], "FCURVES"]) == shown["editors"]
    assert names(shown["curves"]) == {"contact", "heel_contact"}
    assert len(shown["curves"]) == 4
    assert len(shown["bones"]) == 2
    assert shown["filters"] == [True, "contact", True]


def test_ended_from_within_the_editor_it_closes_everything_is_as_before(found: dict[str, Any]) -> None:
    assert found["after review"] == found["before"]


def test_in_pose_mode_with_all_curves_it_shows_speed_limit_and_height_too_and_called_again_it_ends(
    found: dict[str, Any],
) -> None:
    shown = found["all"]
    assert shown["mode"] == "POSE"
    assert names(shown["curves"]) == {"contact", "heel_contact", "toe_speed", "toe_speed_limit", "toe_height"}
    assert found["after all"] == found["pose"]


def test_a_graph_editor_that_is_there_is_used_and_gets_its_filter_back(found: dict[str, Any]) -> None:
    assert found["reused"]["editors"] == found["graph"]["editors"]
    assert names(found["reused"]["curves"]) == {"contact", "heel_contact"}
    assert found["after reused"] == found["graph"]
    assert found["graph"]["filters"][:2] == [False, "location"]


def test_a_graph_editor_in_another_window_is_found(found: dict[str, Any]) -> None:
    assert found["second"]["graph window"] == 1
    assert names(found["second"]["curves"]) == {"contact", "heel_contact"}


def test_switching_toehold_off_ends_the_review(found: dict[str, Any]) -> None:
    after = found["switched off"]
    assert after["editors"] == found["before"]["editors"]
    assert after["bones"] == found["pose"]["bones"]


def test_no_key_is_taken_from_blender_and_a_pressed_one_jumps(found: dict[str, Any]) -> None:
    assert found["keys"] >= 20
    assert found["clashes"] == []
    assert found["jumped"] > found["frame"]
