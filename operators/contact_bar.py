# SPDX-License-Identifier: GPL-3.0-or-later
"""The bar of contacts along the bottom of a timeline: where its rows are, what is under the mouse, where a drag ends.

Plain numbers, nothing of Blender: pixels from a region's lower left corner, and scene frames.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..solver.rotations import FloatArray

# Pixels at a user interface scale of 1: a row where there is room, the lowest one that a name fits in, the lowest of
# all, above the scroll bar, and what the frame numbers take on top.
ROW_HEIGHT, NAMED_ROW, LEAST_HEIGHT, ABOVE_SCROLL_BAR, RULER = 14.0, 10.5, 4.0, 3.0, 24.0

# The mouse is on an edge that is this near, in pixels at a user interface scale of 1.
REACH = 6.0

# First and last scene frame, inclusive.
Span = tuple[int, int]
Part = Literal["START", "END", "WHOLE"]


@dataclass(frozen=True)
class BarPlace:
    """Where the bar is in its region.

    bottom, height : pixels from below to its lowest row, and of each row; the first leg is on top.
    left, per_frame : the frame at the region's left side, and pixels of a frame.
    over_ruler : whether it lies over the frame numbers, since there is no room below them.
    """

    rows: int
    bottom: float
    height: float
    left: float
    per_frame: float
    over_ruler: bool

    def frame_at(self, x: float) -> float:
        """Return the frame at a place."""
        return self.left + x / self.per_frame

    def x_at(self, frame: float) -> float:
        """Return where a frame is."""
        return (frame - self.left) * self.per_frame

    def row_at(self, y: float) -> int | None:
        """Return the row at a height, None where there is none."""
        row = int(np.floor((y - self.bottom) / self.height))
        return self.rows - 1 - row if 0 <= row < self.rows else None


@dataclass(frozen=True)
class Grip:
    """What is under the mouse: which part of which contact of which row; ``at`` is its place in the row."""

    row: int
    at: int
    part: Part
    span: Span


def bar_place(rows: int, view: tuple[float, float], size: tuple[float, float], scale: float) -> BarPlace:
    """Return where the bar is in a region of ``size`` pixels that shows the frames of ``view``.

    scale : the user interface's.
    """
    bottom = ABOVE_SCROLL_BAR * scale
    below_ruler = (size[1] - RULER * scale - bottom) / max(rows, 1)
    over_ruler = below_ruler < NAMED_ROW * scale
    if over_ruler:
        # One row of a Timeline is all ruler: the bar shows the numbers through.
        bottom = scale
        below_ruler = (size[1] - 2.0 * bottom) / max(rows, 1)
    height = max(min(ROW_HEIGHT * scale, below_ruler), LEAST_HEIGHT * scale)
    per_frame = size[0] / max(view[1] - view[0], 1e-6)
    return BarPlace(rows, bottom, height, view[0], per_frame, over_ruler)


def grip_at(place: BarPlace, x: float, y: float, contacts: Sequence[Sequence[Span]], reach: float) -> Grip | None:
    """Return what is at a place of the bar, None where that is no contact.

    contacts : of each row, in order. A bar covers its frames as keys do: half a frame to either side.
    reach : pixels to either side of an edge that are its own; of a short contact a third at most.
    """
    row = place.row_at(y)
    if row is None or row >= len(contacts):
        return None
    found: list[tuple[float, Grip]] = []
    for at, span in enumerate(contacts[row]):
        left, right = place.x_at(span[0] - 0.5), place.x_at(span[1] + 0.5)
        inside = min(reach, (right - left) / 3.0)
        for part, edge, outward in (("START", left, -1.0), ("END", right, 1.0)):
            away = outward * (x - edge)
            if -inside <= away <= reach:
                grip = Grip(row, at, "START" if part == "START" else "END", span)
                found.append((abs(away), grip))
        if left + inside < x < right - inside:
            found.append((0.0, Grip(row, at, "WHOLE", span)))
    return min(found, key=lambda one: one[0])[1] if found else None


def moved_span(grip: Grip, frames: int, contacts: Sequence[Span], limits: Span) -> Span:
    """Return where a contact is that was dragged by ``frames``: never without a frame, nor into its neighbours.

    contacts : of its row, in order. limits : first and last frame of the action.
    """
    first, last = grip.span
    lowest = contacts[grip.at - 1][1] + 2 if grip.at > 0 else limits[0]
    highest = contacts[grip.at + 1][0] - 2 if grip.at + 1 < len(contacts) else limits[1]
    if grip.part == "START":
        return min(max(first + frames, min(lowest, first)), last), last
    if grip.part == "END":
        return first, max(min(last + frames, max(highest, last)), first)
    step = min(max(frames, min(lowest - first, 0)), max(highest - last, 0))
    return first + step, last + step


def label_place(place: BarPlace, frames: FloatArray, width: float, region_width: float, apart: float) -> float | None:
    """Return where a name of ``width`` pixels begins so that it covers no contact; None where there is no room.

    It stands before the first of ``frames`` (F,), or else after the last.
    """
    first, last = place.x_at(float(frames[0]) - 0.5), place.x_at(float(frames[-1]) + 0.5)
    if first >= width + 2.0 * apart:
        return max(first - width - apart, apart) if first < region_width else apart
    if last + apart + width <= region_width - apart:
        return max(last, 0.0) + apart
    return None
