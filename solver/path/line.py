# SPDX-License-Identifier: GPL-3.0-or-later
"""A drawn path as it is walked: at even steps along the ground, its corners rounded, with a heading everywhere.

Lengths are in hip heights, the world's axes are kept. What is drawn steeper than can be climbed is refused.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .. import signals
from ..gait.plan import PlanError
from ..rotations import FloatArray

SPACING = 0.05
# A Gaussian's deviation, hip heights, by which corners are rounded; and the heading.
_ROUNDING, _HEADING = 0.2, 0.3
# How far a line goes on beyond its ends, straight.
BEYOND = 6.0
_STEEPEST = 40.0
_LEAST_LENGTH = 0.05
# No path has more hip heights than this: an hour of walking.
_LONGEST = 10000.0


@dataclass(frozen=True)
class Line:
    """Places (N, 3) every ``SPACING`` along the ground, and heading (N,), radians from x to y, unwrapped.

    length : of the way from start to end; both go on straight for a while beyond.
    drawn (N, 2) : the same places as they were drawn, before corners were rounded.
    """

    places: FloatArray
    heading: FloatArray
    length: float
    drawn: FloatArray

    def at(self, way: FloatArray) -> FloatArray:
        """Return places (..., 3) at lengths of the way (...)."""
        return _between(self.places, way)

    def drawn_at(self, way: FloatArray) -> FloatArray:
        """Return places (..., 2) as they were drawn, at lengths of the way (...)."""
        return _between(self.drawn, way)

    def heading_at(self, way: FloatArray, ahead: float = 0.0) -> FloatArray:
        """Return the mean heading (...) from ``way`` to as far ahead: the direction of a body that is as long."""
        if abs(ahead) < SPACING:
            return _between(self.heading, way + 0.5 * ahead)
        total = SPACING * np.concatenate([[0.0], np.cumsum(0.5 * (self.heading[1:] + self.heading[:-1]))])
        return np.asarray((_between(total, way + ahead) - _between(total, way)) / ahead)

    def slope_at(self, way: FloatArray) -> FloatArray:
        """Return how steeply (...) the line climbs."""
        return (self.at(way + SPACING)[..., 2] - self.at(way - SPACING)[..., 2]) / (2.0 * SPACING)


def _between(values: FloatArray, way: FloatArray) -> FloatArray:
    at = np.clip((way + BEYOND) / SPACING, 0.0, len(values) - 1.001)
    before = at.astype(np.int64)
    part = at - before
    part = part.reshape(*part.shape, *[1] * (values.ndim - 1))
    return np.asarray(values[before] * (1.0 - part) + values[before + 1] * part)


def drawn_line(points: FloatArray, height: float) -> Line:
    """Return the line through ``points`` (P, 3), metres, for a body of hip ``height`` metres; else PlanError."""
    places = _checked(points) / height
    level = np.linalg.norm(np.diff(places[:, :2], axis=0), axis=-1)
    kept = np.concatenate([[True], level > 1e-9])
    places = places[kept]
    way = np.concatenate([[0.0], np.cumsum(level[kept[1:]])])
    length = float(way[-1]) if len(way) else 0.0
    if length < _LEAST_LENGTH:
        least = 1000.0 * _LEAST_LENGTH * height
        raise PlanError(f"the path is {1000.0 * length * height:.0f} mm long: draw at least {least:.0f} mm")
    if length > _LONGEST:
        most = _LONGEST * height / 1000.0
        raise PlanError(f"the path is {length * height / 1000.0:.0f} km long: at most {most:.0f} for this body")
    step = np.arange(-round(BEYOND / SPACING), round((length + BEYOND) / SPACING) + 2) * SPACING
    even = np.stack([np.interp(step, way, axis) for axis in places.T], axis=-1)
    headings = np.unwrap(np.arctan2(*np.diff(places[:, :2], axis=0).T[::-1]))
    heading = headings[np.clip(np.searchsorted(way, step, side="right") - 1, 0, len(headings) - 1)]
    for outside, at, end in ((step < 0.0, 0.0, 0), (step > length, length, -1)):
        direction = np.array([np.cos(headings[end]), np.sin(headings[end]), 0.0])
        even[outside] = places[end] + (step[outside] - at)[:, None] * direction
    rounded = signals.smoothed(even, _ROUNDING / SPACING)
    line = Line(rounded, signals.smoothed(heading[:, None], _HEADING / SPACING)[:, 0], length, even[:, :2])
    inside = np.arange(0.0, length, SPACING)
    steep = np.degrees(np.arctan(np.abs(line.slope_at(inside)))) if len(inside) else np.zeros(1)
    if steep.max() > _STEEPEST:
        at = inside[steep.argmax()] * height
        raise PlanError(
            f"the path climbs {steep.max():.0f} degrees, {at:.2f} m from its start: at most {_STEEPEST:.0f}"
        )
    return line


def _checked(points: FloatArray) -> FloatArray:
    places = np.asarray(points, dtype=np.float64)
    if places.ndim != 2 or places.shape[-1] != 3 or len(places) < 2:
        raise PlanError("a path needs at least two points of three numbers each, x, y and z in metres")
    broken = np.flatnonzero(~np.isfinite(places).all(axis=-1))
    if len(broken):
        raise PlanError(f"point {broken[0] + 1} of the path is not made of numbers: give x, y and z in metres")
    if np.abs(places).max() > 1e7:
        raise PlanError(f"point {np.abs(places).max(axis=-1).argmax() + 1} of the path is more than 10000 km away")
    return places
