# SPDX-License-Identifier: GPL-3.0-or-later
"""Grounds by formula for ways along paths, in metres: hills, slopes and stairs across -Y."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from toehold.solver.arrays import FloatArray
from toehold.solver.ground import Ground
from toehold.solver.rotations import normalized

_STEP = 1e-4


@dataclass(frozen=True)
class MadeGround(Ground):
    """A ground at rest whose height is a function of x and y."""

    of: Callable[[FloatArray, FloatArray], FloatArray]

    def height(self, points: FloatArray) -> FloatArray:
        return self.of(points[..., 0], points[..., 1])

    def normal(self, points: FloatArray) -> FloatArray:
        x, y = points[..., 0], points[..., 1]
        slopes = [
            (self.of(x + dx, y + dy) - self.of(x - dx, y - dy)) / (2.0 * _STEP) for dx, dy in ((_STEP, 0), (0, _STEP))
        ]
        return normalized(np.stack([-slopes[0], -slopes[1], np.ones_like(x)], axis=-1))

    def velocity(self, points: FloatArray) -> FloatArray:
        return np.zeros_like(points)

    def during(self, window: slice) -> MadeGround:
        return self


def hills(h: float, high: float = 0.12) -> MadeGround:
    """Return hills of plus and minus a share of the hip height."""
    return MadeGround(lambda x, y: high * h * np.sin(np.pi * y / (3.1 * h)) * np.cos(np.pi * x / (2.7 * h)))


def slope(h: float, degrees: float) -> MadeGround:
    """Return a ramp that begins three hip heights ahead and ends eight ahead."""
    return MadeGround(lambda x, y: np.tan(np.radians(degrees)) * np.clip(-y - 3.0 * h, 0.0, 5.0 * h))


def stairs(h: float) -> MadeGround:
    """Return twelve steps, 0.15 h high and 0.35 h deep, three hip heights ahead."""
    return MadeGround(lambda x, y: 0.15 * h * np.clip(np.floor((-y - 3.0 * h) / (0.35 * h)) + 1.0, 0.0, 12.0))
