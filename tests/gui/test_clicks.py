# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar's buttons, clicked with a mouse; what a click, an undo and a slider do to the file's data."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from gui.window import Run

ROOT_LOCATION = 'pose.bones["Hips"].location[1]'


@pytest.fixture
def seen(window: Run) -> dict[str, Any]:
    return window.seen


def data_of(state: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in state.items() if name != "last"}


def curves_shown(state: dict[str, Any]) -> dict[str, list[float]]:
    return state["actions"][state["shown"]]


def values(state: dict[str, Any], curve: str) -> np.ndarray:
    return np.array(curves_shown(state)[curve]).reshape(-1, 2)[:, 1]


def test_a_click_on_find_legs_lists_both_legs_and_touches_no_action(seen: dict[str, Any]) -> None:
    assert seen["found"]["last"] == "TOEHOLD_OT_find_legs"
    assert len(seen["found"]["legs"]) == 2
    assert seen["found"]["actions"] == seen["imported"]["actions"]


def test_a_click_on_annotate_adds_contact_curves_and_leaves_all_others(seen: dict[str, Any]) -> None:
    before, after = curves_shown(seen["found"]), curves_shown(seen["annotated"])
    new = after.keys() - before.keys()
    assert {curve for curve in new if '["contact"]' in curve}
    assert all("contact" in curve for curve in new)
    assert {curve: after[curve] for curve in before} == before


def test_a_click_on_clean_makes_a_new_action_and_leaves_the_source(seen: dict[str, Any]) -> None:
    annotated, cleaned = seen["annotated"], seen["cleaned"]
    assert cleaned["last"] == "TOEHOLD_OT_clean"
    assert cleaned["shown"] != annotated["shown"]
    assert cleaned["actions"][annotated["shown"]] == curves_shown(annotated)
    assert curves_shown(cleaned) != curves_shown(annotated)


def test_each_undo_goes_back_one_click_exactly(seen: dict[str, Any]) -> None:
    for count, before in ((1, "annotated"), (2, "found"), (3, "imported")):
        assert data_of(seen[f"undone {count}"]) == data_of(seen[before]), f"after {count} undos"


def test_redo_brings_everything_back_exactly(seen: dict[str, Any]) -> None:
    assert data_of(seen["redone"]) == data_of(seen["cleaned"])


def test_a_strength_that_is_typed_changes_the_result_at_once_and_in_place(seen: dict[str, Any]) -> None:
    assert seen["half"]["shown"] == seen["full"]["shown"] == seen["cleaned"]["shown"]
    assert seen["half"]["actions"].keys() == seen["cleaned"]["actions"].keys()
    source, full = values(seen["annotated"], ROOT_LOCATION), values(seen["full"], ROOT_LOCATION)
    assert np.abs(full - source).max() > 0.01
    assert values(seen["half"], ROOT_LOCATION) == pytest.approx(0.5 * (source + full), abs=1e-4)


def test_full_strength_again_gives_the_first_result_again(seen: dict[str, Any]) -> None:
    full, cleaned = curves_shown(seen["full"]), curves_shown(seen["cleaned"])
    assert full.keys() == cleaned.keys()
    assert max(np.abs(np.subtract(full[curve], cleaned[curve])).max() for curve in full) < 1e-5


def test_flip_shows_the_source_and_the_result_again_and_loses_neither(seen: dict[str, Any]) -> None:
    assert seen["flipped"]["shown"] == seen["annotated"]["shown"]
    assert seen["flipped back"]["shown"] == seen["full"]["shown"]
    assert seen["flipped"]["actions"] == seen["flipped back"]["actions"] == seen["full"]["actions"]


def test_restore_source_ends_where_the_animator_began(seen: dict[str, Any]) -> None:
    assert seen["restored"]["shown"] == seen["annotated"]["shown"]
    assert curves_shown(seen["restored"]) == curves_shown(seen["annotated"])


def test_the_sidebar_draws_something_in_every_part(window: Run) -> None:
    sidebar = window.part("cleaned", "sidebar")
    for part in np.array_split(sidebar, 4):
        assert part.std() > 5.0
