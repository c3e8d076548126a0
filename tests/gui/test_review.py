# SPDX-License-Identifier: GPL-3.0-or-later
"""In a real window, a review shows exactly the contact curves, and then everything is as it was."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from gui.window import Run

CONTACTS = {"contact"}
LOOKED_AT = {"toe_speed", "toe_speed_limit", "toe_height"}


@pytest.fixture
def seen(window: Run) -> dict[str, Any]:
    return window.seen


def names(curves: list[str]) -> set[str]:
    """Return the custom properties of data paths; all of a path that is of none."""
    return {(re.findall(r'\["(\w+)"\]$', path) or [path])[0] for path in curves}


def test_a_review_opens_a_graph_editor_on_one_contact_curve_a_foot_alone(seen: dict[str, Any]) -> None:
    shown = seen["review"]
    assert shown["editors"] == sorted([*seen["before"]["editors"], "FCURVES"])
    assert names(shown["curves"]) == CONTACTS
    assert len(shown["curves"]) == 2
    assert len(shown["bones"]) == 2
    assert shown["filters"] == [[True, "contact", True]]


def test_heels_are_a_second_curve_on_demand(seen: dict[str, Any]) -> None:
    assert names(seen["with heels"]["curves"]) == {"contact", "heel_contact"}
    assert seen["after heels"] == seen["before"]


def test_the_curves_are_drawn(window: Run) -> None:
    pixels = window.picture("review")
    lower_left = pixels[pixels.shape[0] // 2 :, : pixels.shape[1] // 2]
    colourful = np.ptp(lower_left, axis=-1) > 80
    assert np.count_nonzero(colourful) > 500


def test_ended_from_within_its_editor_everything_is_as_before(seen: dict[str, Any]) -> None:
    assert seen["after review"] == seen["before"]


def test_with_speed_and_height_their_curves_are_shown_and_gone_when_it_is_called_again(seen: dict[str, Any]) -> None:
    assert seen["all"]["mode"] == "POSE"
    assert names(seen["all"]["curves"]) == CONTACTS | LOOKED_AT
    assert seen["after all"] == seen["pose"]


def test_a_graph_editor_that_is_there_is_used_and_gets_its_filter_back(seen: dict[str, Any]) -> None:
    assert seen["reused"]["editors"] == seen["graph"]["editors"]
    assert names(seen["reused"]["curves"]) == CONTACTS
    assert seen["graph"]["filters"] == [[False, "location", seen["graph"]["filters"][0][2]]]
    assert seen["after reused"] == seen["graph"]


def test_a_graph_editor_in_another_window_is_used(seen: dict[str, Any]) -> None:
    assert names(seen["second"]["curves"]) == CONTACTS
    assert seen["second"]["editors"] == seen["after second"]["editors"]


def test_switching_toehold_off_ends_the_review(seen: dict[str, Any]) -> None:
    assert "FCURVES" in seen["last"]["editors"]
    assert seen["switched off"]["editors"] == seen["before"]["editors"]
    assert seen["switched off"]["bones"] == seen["pose"]["bones"]


def test_no_key_is_taken_from_blender_and_a_pressed_one_jumps(seen: dict[str, Any]) -> None:
    assert seen["keys"] >= 20
    assert seen["clashes"] == []
    assert seen["jumped to"] > 1
