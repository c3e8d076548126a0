# SPDX-License-Identifier: GPL-3.0-or-later
"""On a small screen, at two scales of the user interface, what is always needed is clicked without scrolling."""

from __future__ import annotations

import pytest
from gui.window import Run

# The window that the script runs in.
SIZE = (1366, 768)


@pytest.mark.parametrize("scale", ["1x", "2x"])
def test_clean_compare_fix_and_clean_again_are_in_sight(window: Run, scale: str) -> None:
    assert window.seen["size"] == list(SIZE)
    found = window.seen[scale]["found"]
    assert all(found.values()), found
    shown = window.seen[scale]["shown"]
    assert shown["clean"].endswith("Clean")
    assert not shown["source"].endswith("Clean")
    assert shown["result"] == shown["lift"] == shown["clean again"] == shown["clean"]
