# SPDX-License-Identifier: GPL-3.0-or-later
"""What feet stand on: its height under a point, which way it faces, and how it moves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from .rotations import FloatArray


class Ground(Protocol):
    """Anything that feet can stand on. Points are ``(F, ..., 3)`` metres in the world, frames first."""

    def height(self, points: FloatArray) -> FloatArray:
        """Return the ground's height ``(F, ...)`` in metres under each point."""

    def normal(self, points: FloatArray) -> FloatArray:
        """Return the unit direction ``(F, ..., 3)`` that the ground faces under each point."""

    def velocity(self, points: FloatArray) -> FloatArray:
        """Return the velocity ``(F, ..., 3)`` in metres a second of the surface under each point."""

    def during(self, window: slice) -> Ground:
        """Return the ground of the frames in ``window`` only: it may differ from frame to frame."""


@dataclass(frozen=True)
class FlatGround:
    """A level floor at one height, at rest or moving as a treadmill's belt does."""

    floor_height: float = 0.0
    belt_velocity: tuple[float, float, float] = (0.0, 0.0, 0.0)

    def height(self, points: FloatArray) -> FloatArray:
        return np.full(points.shape[:-1], self.floor_height)

    def normal(self, points: FloatArray) -> FloatArray:
        return np.broadcast_to(np.array([0.0, 0.0, 1.0]), points.shape).copy()

    def velocity(self, points: FloatArray) -> FloatArray:
        return np.broadcast_to(np.array(self.belt_velocity), points.shape).copy()

    def during(self, window: slice) -> FlatGround:
        return self
