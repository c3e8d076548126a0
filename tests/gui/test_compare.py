# SPDX-License-Identifier: GPL-3.0-or-later
"""In a real window the compared paths are drawn in their three colours, with a legend, while they are true."""

from __future__ import annotations

import numpy as np
import pytest
from gui.window import Run, near

# Of preferences.Palette, 0 to 255.
SOURCE, LOCK, CLEAN = (255, 255, 255), (242, 153, 0), (26, 140, 230)

# Places of a picture count as different from this sum of channels on, and a picture from this many of them on.
DIFFERENT, FEW = 30, 60


def changed(window: Run, name: str) -> np.ndarray:
    """Return (height, width) where a picture of the viewport is not what it is before comparing."""
    return np.abs(window.part(name, "viewport") - window.part("before", "viewport")).sum(axis=-1) > DIFFERENT


@pytest.mark.parametrize("colour", [SOURCE, LOCK, CLEAN])
def test_each_way_is_drawn_in_its_colour(window: Run, colour: tuple[int, int, int]) -> None:
    drawn = near(window.part("compared", "viewport"), colour) & changed(window, "compared")
    assert np.count_nonzero(drawn) > FEW


def test_the_legend_stands_in_the_lower_left_corner(window: Run) -> None:
    height, width = changed(window, "compared").shape
    corner = changed(window, "compared")[-height // 4 :, : width // 3]
    assert np.count_nonzero(corner) > 5000


def test_the_whole_clip_has_more_of_each_path(window: Run) -> None:
    clean = [
        np.count_nonzero(near(window.part(name, "viewport"), CLEAN) & changed(window, name))
        for name in ("compared", "whole")
    ]
    assert clean[1] > 1.2 * clean[0]


@pytest.mark.parametrize("name", ["off", "edited"])
def test_nothing_of_it_is_drawn_when_it_is_switched_off_or_the_action_was_edited(window: Run, name: str) -> None:
    assert np.count_nonzero(changed(window, name)) <= FEW
