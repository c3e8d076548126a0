# SPDX-License-Identifier: GPL-3.0-or-later
"""What feet stand on: its height under a point, the direction it faces, and how it moves (docs/mathematics.md, 4)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from .arrays import FloatArray, IntArray


class Ground(Protocol):
    """Anything that feet can stand on. Points are ``(F, ..., 3)`` metres in the world, frames first.

    What is defined here holds for uneven ground without a belt; a ground of another kind overrides it.
    """

    def height(self, points: FloatArray) -> FloatArray:
        """Return the ground's height ``(F, ...)`` in metres under each point."""

    def normal(self, points: FloatArray) -> FloatArray:
        """Return the unit direction ``(F, ..., 3)`` that the ground faces under each point."""

    def velocity(self, points: FloatArray) -> FloatArray:
        """Return the velocity ``(F, ..., 3)`` in metres a second of the surface under each point."""

    def during(self, window: slice) -> Ground:
        """Return the ground of the frames in ``window`` only: it may differ from frame to frame."""

    @property
    def level_height(self) -> float | None:
        """Metres: the height of a ground that is one level floor, None for any other."""
        return None

    def at_height(self, height: float) -> Ground:
        """Return a level floor at another height in metres. ValueError if the ground is not level."""
        raise ValueError("only a level floor can be at another height")

    def repeated(self, order: IntArray) -> Ground | None:
        """Return the ground in laps of a clip, ``order`` (N,) being each lap frame's frame of the clip.

        None where it would not be the same in the next lap.
        """
        return None

    @property
    def treadmill(self) -> Treadmill | None:
        """This ground if it is a treadmill, else None."""
        return None

    @property
    def without_belt(self) -> Ground:
        """What is under a treadmill's belt; any other ground itself."""
        return self


@dataclass(frozen=True)
class FlatGround(Ground):
    """A level floor at rest, ``floor_height`` metres above the world's origin."""

    floor_height: float = 0.0

    def height(self, points: FloatArray) -> FloatArray:
        return np.full(points.shape[:-1], self.floor_height)

    def normal(self, points: FloatArray) -> FloatArray:
        return np.broadcast_to(np.array([0.0, 0.0, 1.0]), points.shape).copy()

    def velocity(self, points: FloatArray) -> FloatArray:
        return np.zeros(points.shape)

    def during(self, window: slice) -> FlatGround:
        return self

    @property
    def level_height(self) -> float:
        return self.floor_height

    def at_height(self, height: float) -> FlatGround:
        return FlatGround(height)

    def repeated(self, order: IntArray) -> FlatGround:
        return self


@dataclass(frozen=True, eq=False)
class Treadmill(Ground):
    """A ground that moves as another does, with a belt's velocity added.

    belt_velocity : in m/s, (3,), or (F, 3) for a belt that changes.
    step_shares : (F,) the fraction of the step from each frame to the next in which the belt moves, None for all of
        each step (see ``Clip.end_holds``).
    """

    ground: Ground
    belt_velocity: FloatArray
    step_shares: FloatArray | None = None

    def height(self, points: FloatArray) -> FloatArray:
        return self.ground.height(points)

    def normal(self, points: FloatArray) -> FloatArray:
        return self.ground.normal(points)

    def velocity(self, points: FloatArray) -> FloatArray:
        belt = self.belt_velocity if self.step_shares is None else self.belt_velocity * self.step_shares[:, None]
        if belt.ndim > 1:
            belt = belt.reshape(len(belt), *[1] * (points.ndim - 2), 3)
        return self.ground.velocity(points) + belt

    def during(self, window: slice) -> Treadmill:
        belt = self.belt_velocity[window] if self.varies else self.belt_velocity
        shares = None if self.step_shares is None else self.step_shares[window]
        return Treadmill(self.ground.during(window), belt, shares)

    @property
    def level_height(self) -> float | None:
        return self.ground.level_height

    def at_height(self, height: float) -> Treadmill:
        return replace(self, ground=self.ground.at_height(height))

    def repeated(self, order: IntArray) -> Treadmill | None:
        ground = None if self.varies else self.ground.repeated(order)
        if ground is None:
            return None
        shares = None if self.step_shares is None else self.step_shares[order]
        return replace(self, ground=ground, step_shares=shares)

    @property
    def treadmill(self) -> Treadmill:
        return self

    @property
    def without_belt(self) -> Ground:
        return self.ground

    @property
    def mean_velocity(self) -> FloatArray:
        """(3,) m/s."""
        return self.belt_velocity.mean(axis=0) if self.varies else self.belt_velocity

    @property
    def varies(self) -> bool:
        """Whether the belt changes its velocity."""
        return self.belt_velocity.ndim > 1
