# SPDX-License-Identifier: GPL-3.0-or-later
"""What the overlays draw in a real window: where, in which colours, and nothing when they are off."""

from __future__ import annotations

import numpy as np
import pytest
from gui.window import Run, near

# Of preferences.Palette, 0 to 255.
BAD, GHOST = (230, 38, 13), (191, 128, 255)

# Places of a picture count as different from this sum of channels on, and a picture from this many of them on.
DIFFERENT, FEW = 30, 40


def changed(window: Run, name: str, region: str) -> np.ndarray:
    """Return (height, width) where a picture of a region is not what it is with all overlays off."""
    return np.abs(window.part(name, region) - window.part("off", region)).sum(axis=-1) > DIFFERENT


@pytest.mark.parametrize("part", ["footprints", "trails", "targets", "ghost"])
def test_a_part_that_is_switched_on_is_drawn_in_the_viewport_alone(window: Run, part: str) -> None:
    assert np.count_nonzero(changed(window, part, "viewport")) > FEW
    assert np.count_nonzero(changed(window, part, "dope sheet")) <= FEW


def test_timeline_bars_are_drawn_in_the_dope_sheet_alone(window: Run) -> None:
    assert np.count_nonzero(changed(window, "timeline", "dope sheet")) > 1000
    assert np.count_nonzero(changed(window, "timeline", "viewport")) <= FEW


def test_timeline_bars_keep_to_the_bottom_and_leave_the_keys_visible(window: Run) -> None:
    rows = np.flatnonzero(changed(window, "timeline", "dope sheet").any(axis=1))
    height = window.seen["regions"]["dope sheet"][3]
    assert rows.min() > height / 2


def test_feet_that_slide_are_drawn_in_red(window: Run) -> None:
    for part in ("footprints", "trails"):
        red = near(window.part(part, "viewport"), BAD) & changed(window, part, "viewport")
        assert np.count_nonzero(red) > FEW, part


def test_the_ghost_is_drawn_in_its_own_colour(window: Run) -> None:
    purple = near(window.part("ghost", "viewport"), GHOST) & changed(window, "ghost", "viewport")
    assert np.count_nonzero(purple) > FEW


@pytest.mark.parametrize("region", ["viewport", "dope sheet"])
def test_overlays_that_are_off_draw_what_blender_draws_without_the_add_on(window: Run, region: str) -> None:
    assert np.count_nonzero(changed(window, "disabled", region)) == 0


def test_the_add_on_can_be_switched_off_while_it_draws_and_leaves_nothing(window: Run) -> None:
    seen = window.seen
    assert sum(seen["handlers"].values()) > 0
    assert sum(seen["handlers left"].values()) == 0
    assert seen["classes left"] == seen["properties left"] == seen["keys left"] == []


def test_what_was_set_is_there_again_when_the_add_on_is_switched_on(window: Run) -> None:
    assert window.seen["legs kept"] == 2
