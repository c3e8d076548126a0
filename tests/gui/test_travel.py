# SPDX-License-Identifier: GPL-3.0-or-later
"""A click fits the timing to the travel, and one undo takes it back."""

from __future__ import annotations

import pytest
from gui.conftest import SLIDE_MM_S
from gui.window import Run


def test_a_click_fits_the_timing_and_one_undo_takes_it_back(window: Run) -> None:
    before, after = (last - first for first, last in (window.seen["before"], window.seen["after"]))
    speed = 1200.0 / 1.1
    assert after == pytest.approx(before * speed / (speed + SLIDE_MM_S), abs=1.5)
    assert window.seen["name"].endswith("Timing")
    assert not window.seen["undone"].endswith("Timing")
