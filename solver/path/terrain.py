# SPDX-License-Identifier: GPL-3.0-or-later
"""What is under a way: the drawn line itself where there is no ground, else the ground, met from the line's height.

All in hip heights; the world's axes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from .. import rotations, signals
from ..ground import Ground
from ..rotations import FloatArray
from ..terrain import tracked_height
from .line import BEYOND, SPACING, Line

# How far apart heights are compared for a slope, hip heights.
_APART = 0.04


class Terrain(Protocol):
    """Anything under a way. ``way`` (...) tells where along the line points (..., 2) are, as lines may cross."""

    def height(self, points: FloatArray, way: FloatArray) -> FloatArray:
        """Return the height (...) under points (..., 2)."""

    def normal(self, points: FloatArray, way: FloatArray) -> FloatArray:
        """Return the unit normal (..., 3) under points."""


@dataclass(frozen=True)
class LineTerrain:
    """A floor that rises and falls with the line, level across it."""

    line: Line

    def height(self, points: FloatArray, way: FloatArray) -> FloatArray:
        heading = self.line.heading_at(way)
        along = np.stack([np.cos(heading), np.sin(heading)], axis=-1)
        on = way + ((points - self.line.at(way)[..., :2]) * along).sum(axis=-1)
        return self.line.at(on)[..., 2]

    def normal(self, points: FloatArray, way: FloatArray) -> FloatArray:
        return _normal(self, points, way)


@dataclass(frozen=True, eq=False)
class GroundTerrain:
    """A ground (metres) under a line. followed (N,) : its height along the line, by which it is met."""

    ground: Ground
    metres: float
    followed: FloatArray

    @staticmethod
    def under(line: Line, ground: Ground, metres: float, start: float) -> GroundTerrain:
        """Return the ground followed along ``line`` from the height ``start`` on (hip heights)."""
        points = line.places[:, None] * metres
        heights = tracked_height(ground, points, start * metres, round(0.6 / SPACING))[:, 0] / metres
        return GroundTerrain(ground, metres, heights)

    def height(self, points: FloatArray, way: FloatArray) -> FloatArray:
        return self.ground.height(self._met(points, way)) / self.metres

    def normal(self, points: FloatArray, way: FloatArray) -> FloatArray:
        return self.ground.normal(self._met(points, way))

    def _met(self, points: FloatArray, way: FloatArray) -> FloatArray:
        at = np.clip(np.round((way + BEYOND) / SPACING).astype(np.int64), 0, len(self.followed) - 1)
        return np.concatenate([points, self.followed[at][..., None]], axis=-1) * self.metres


def _normal(terrain: Terrain, points: FloatArray, way: FloatArray) -> FloatArray:
    slopes = []
    for axis in range(2):
        step = np.zeros(2)
        step[axis] = _APART
        slopes.append((terrain.height(points + step, way) - terrain.height(points - step, way)) / (2.0 * _APART))
    return rotations.normalized(np.stack([-slopes[0], -slopes[1], np.ones_like(slopes[0])], axis=-1))


def smooth_height(terrain: Terrain, points: FloatArray, way: FloatArray, deviation: float) -> FloatArray:
    """Return the height (G,) under points (G, 2), averaged over ``deviation`` moments."""
    return np.asarray(signals.smoothed(terrain.height(points, way)[:, None], deviation)[:, 0])
