# SPDX-License-Identifier: GPL-3.0-or-later
"""The contact tools by their keys and by a click, in a real window."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from gui.window import Run


@pytest.fixture
def seen(window: Run) -> dict[str, Any]:
    return window.seen


def contact_curves(state: dict[str, Any]) -> dict[str, list[float]]:
    return {curve: keys for curve, keys in state["curves"].items() if '["contact"]' in curve}


def edges(keys: list[float]) -> np.ndarray:
    """Return the frames at which a contact curve crosses one half, between its two keys there."""
    frames, values = np.array(keys).reshape(-1, 2).T
    crossing = np.flatnonzero((values[:-1] > 0.5) != (values[1:] > 0.5))
    return 0.5 * (frames[crossing] + frames[crossing + 1])


def test_keys_jump_to_the_next_contact_and_back(seen: dict[str, Any]) -> None:
    assert seen["annotated"]["frame"] < seen["next"]["frame"] < seen["next but one"]["frame"]
    assert seen["back"]["frame"] == seen["next"]["frame"]
    starts = [round(edge) for keys in contact_curves(seen["annotated"]).values() for edge in edges(keys)]
    assert min(abs(seen["next"]["frame"] - start) for start in starts) <= 1


def test_keys_nudge_an_edge_by_one_frame_and_back(seen: dict[str, Any]) -> None:
    before, later, earlier = (contact_curves(seen[name]) for name in ("back", "later", "earlier"))
    moved = [curve for curve in before if before[curve] != later[curve]]
    assert len(moved) == 1
    shift = edges(later[moved[0]]) - edges(before[moved[0]])
    assert np.count_nonzero(shift) == 1
    assert shift.max() == pytest.approx(1.0, abs=0.01)
    assert edges(earlier[moved[0]]) == pytest.approx(edges(before[moved[0]]), abs=0.01)


def test_undo_takes_a_nudge_back_exactly(seen: dict[str, Any]) -> None:
    assert seen["undone"]["curves"] == seen["later"]["curves"]


def test_a_click_on_lift_takes_the_contact_away_and_annotating_again_keeps_to_it(seen: dict[str, Any]) -> None:
    def count(name: str) -> int:
        return sum(len(edges(keys)) for keys in contact_curves(seen[name]).values())

    assert count("lifted") < count("annotated")
    assert count("annotated again") == count("lifted")
    assert any("contact_state" in curve for curve in seen["lifted"]["curves"])
