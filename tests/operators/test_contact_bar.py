# SPDX-License-Identifier: GPL-3.0-or-later
"""The bar of contacts in numbers: what the mouse is on, how far a drag goes, and where names stand."""

from __future__ import annotations

import numpy as np
import pytest

from toehold.operators.contact_bar import (
    NAMED_ROW,
    REACH,
    RULER,
    BarPlace,
    Grip,
    bar_place,
    grip_at,
    label_place,
    moved_span,
)

# Frames 1 to 101 over 1000 pixels, so that a frame is 10 pixels wide.
VIEW, SIZE = (1.0, 101.0), (1000.0, 200.0)
LEFT, RIGHT = [(10, 20), (40, 60)], [(22, 38), (70, 70)]


@pytest.fixture
def place() -> BarPlace:
    return bar_place(2, VIEW, SIZE, 1.0)


def height_of_row(place: BarPlace, row: int) -> float:
    return place.bottom + (place.rows - 1 - row + 0.5) * place.height


def grip(place: BarPlace, frame: float, row: int = 0) -> Grip | None:
    return grip_at(place, place.x_at(frame), height_of_row(place, row), [LEFT, RIGHT], REACH)


def test_the_first_leg_is_on_top(place: BarPlace) -> None:
    assert [place.row_at(height_of_row(place, row)) for row in (0, 1)] == [0, 1]
    assert place.row_at(place.bottom - 1.0) is None
    assert place.row_at(place.bottom + 2.0 * place.height + 1.0) is None


@pytest.mark.parametrize("height", [24, 33, 40, 60, 200])
@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_two_legs_have_names_in_a_timeline_of_any_height(height: float, scale: float) -> None:
    place = bar_place(2, VIEW, (1000.0, height * scale), scale)
    assert place.height >= NAMED_ROW * scale
    assert place.bottom + 2.0 * place.height <= height * scale
    assert place.over_ruler == (height < RULER + 2.0 * NAMED_ROW + 3.0)


def test_edges_and_the_middle_of_a_contact_are_told_apart(place: BarPlace) -> None:
    # A bar covers half a frame to either side of its first and last frame.
    for frame, part, span in (
        (9.5, "START", (10, 20)),
        (20.5, "END", (10, 20)),
        (15.0, "WHOLE", (10, 20)),
        (9.1, "START", (10, 20)),
        (60.9, "END", (40, 60)),
    ):
        found = grip(place, frame)
        assert found is not None
        assert (found.part, found.span) == (part, span), frame
    assert grip(place, 30.0) is None
    assert grip(place, 30.0, row=1) is not None


def test_a_contact_of_one_frame_can_be_taken_by_either_edge_and_as_a_whole(place: BarPlace) -> None:
    parts = {found.part for frame in np.linspace(69.0, 71.0, 41) if (found := grip(place, float(frame), row=1))}
    assert parts == {"START", "END", "WHOLE"}


@pytest.mark.parametrize("frames", range(-120, 121, 7))
@pytest.mark.parametrize("part", ["START", "END", "WHOLE"])
def test_a_drag_never_loses_a_contact_nor_a_gap(frames: int, part: str) -> None:
    for at, span in enumerate(LEFT):
        first, last = moved_span(Grip(0, at, part, span), frames, LEFT, (1, 101))  # type: ignore[arg-type]
        assert 1 <= first <= last <= 101
        if part == "WHOLE":
            assert last - first == span[1] - span[0]
        elif part == "START":
            assert last == span[1]
        else:
            assert first == span[0]
        other = LEFT[1 - at]
        assert first > other[1] + 1 or last < other[0] - 1, "one frame at least is between them"


def test_a_drag_with_room_goes_as_far_as_the_mouse() -> None:
    assert moved_span(Grip(0, 1, "START", (40, 60)), -5, LEFT, (1, 101)) == (35, 60)
    assert moved_span(Grip(0, 1, "END", (40, 60)), -5, LEFT, (1, 101)) == (40, 55)
    assert moved_span(Grip(0, 1, "WHOLE", (40, 60)), 7, LEFT, (1, 101)) == (47, 67)


@pytest.mark.parametrize(
    "view", [(-10.0, 90.0), (1.0, 101.0), (0.5, 130.0), (30.0, 40.0), (-200.0, 0.0), (-30.0, 150.0)]
)
def test_a_name_never_covers_the_frames_of_the_action(view: tuple[float, float]) -> None:
    place = bar_place(2, view, SIZE, 1.0)
    frames = np.arange(1.0, 102.0)
    left = label_place(place, frames, 30.0, SIZE[0], 6.0)
    if left is not None:
        assert left + 30.0 <= place.x_at(0.5) or left >= place.x_at(101.5)
        assert 0.0 <= left <= SIZE[0] - 30.0
