# SPDX-License-Identifier: GPL-3.0-or-later
"""Grounds by formula: slopes, stairs, bumps, a lift and a turntable, for solver tests and as meshes for Blender."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from toehold.solver import rotations
from toehold.solver.ground import Ground
from toehold.solver.rotations import FloatArray

# How far apart points are whose heights tell the slope, in metres.
_NEAR = 1e-4


@dataclass(frozen=True)
class Terrain(Ground):
    """A ground at rest whose height is a function of x and y, in metres; normals are those of its slope."""

    height_at: Callable[[FloatArray, FloatArray], FloatArray]

    def height(self, points: FloatArray) -> FloatArray:
        return self.height_at(points[..., 0], points[..., 1])

    def normal(self, points: FloatArray) -> FloatArray:
        x, y = points[..., 0], points[..., 1]
        by_x = (self.height_at(x + _NEAR, y) - self.height_at(x - _NEAR, y)) / (2.0 * _NEAR)
        by_y = (self.height_at(x, y + _NEAR) - self.height_at(x, y - _NEAR)) / (2.0 * _NEAR)
        level = np.hypot(by_x, by_y) > np.tan(np.radians(60.0))
        slope = np.stack([-by_x, -by_y, np.ones_like(by_x)], axis=-1)
        return rotations.normalized(np.where(level[..., None], [0.0, 0.0, 1.0], slope))

    def velocity(self, points: FloatArray) -> FloatArray:
        return np.zeros(points.shape)

    def during(self, window: slice) -> Terrain:
        return self


def ramp(degrees: float, begin: float = 0.6) -> Terrain:
    """Return a floor that begins to rise at ``begin`` metres along -Y, where walkers go; a negative slope falls."""
    slope = np.tan(np.radians(degrees))
    return Terrain(lambda x, y: slope * np.maximum(-y - begin, 0.0))


def stairs(rise: float, tread: float = 0.6, begin: float = 0.5, steps: int = 6) -> Terrain:
    """Return stairs along -Y."""
    return Terrain(lambda x, y: rise * np.clip(np.ceil((-y - begin) / tread), 0, steps))


def bumps(highest: float = 0.15, seed: int = 1) -> Terrain:
    """Return a smooth random heightfield, some tens of centimetres from bump to bump."""
    random = np.random.default_rng(seed)
    waves = random.normal(0.0, 2.0, (12, 2))
    phases = random.uniform(0.0, 2.0 * np.pi, 12)

    def height_at(x: FloatArray, y: FloatArray) -> FloatArray:
        total = sum(np.sin(wave[0] * x + wave[1] * y + phase) for wave, phase in zip(waves, phases, strict=True))
        return highest * np.asarray(total) / 6.0

    return Terrain(height_at)


def heightfield(highest: float = 0.04, cell: float = 0.1, seed: int = 3) -> Terrain:
    """Return random heights on a grid, with straight slopes in between: rough ground, some of it steep."""
    heights = np.random.default_rng(seed).uniform(-highest, highest, (128, 128))

    def height_at(x: FloatArray, y: FloatArray) -> FloatArray:
        column, row = np.floor(x / cell).astype(int), np.floor(y / cell).astype(int)
        right, up = x / cell - column, y / cell - row
        corners = [heights[(row + i) % 128, (column + j) % 128] for i in (0, 1) for j in (0, 1)]
        near, far = ((1.0 - right) * corners[at] + right * corners[at + 1] for at in (0, 2))
        return np.asarray((1.0 - up) * near + up * far)

    return Terrain(height_at)


@dataclass(frozen=True)
class Carried(Ground):
    """A level ground that is carried rigidly: frames (F, 4, 4) from the first frame's world to each frame's."""

    placed: FloatArray
    fps: float

    def height(self, points: FloatArray) -> FloatArray:
        tall = self.placed[:, 2, 3].reshape(-1, *[1] * (points.ndim - 2))
        return np.broadcast_to(tall, points.shape[:-1]).copy()

    def normal(self, points: FloatArray) -> FloatArray:
        return np.broadcast_to(np.array([0.0, 0.0, 1.0]), points.shape).copy()

    def velocity(self, points: FloatArray) -> FloatArray:
        step = self.placed[1:] @ np.linalg.inv(self.placed[:-1])
        step = np.concatenate([step, step[-1:]])
        carried = np.einsum("fij,f...j->f...i", step[:, :3, :3], points)
        moved = step[:, :3, 3].reshape(-1, *[1] * (points.ndim - 2), 3)
        return np.asarray((carried + moved - points) * self.fps)

    def during(self, window: slice) -> Carried:
        return Carried(self.placed[window], self.fps)


def lift(frames: int, fps: float, speed: float = 0.3) -> Carried:
    """Return a floor that rises and falls."""
    placed = np.tile(np.eye(4), (frames, 1, 1))
    placed[:, 2, 3] = speed * (1.0 - np.cos(np.arange(frames) / fps))
    return Carried(placed, fps)


def shuttle(frames: int, fps: float, speed: float = 0.4) -> Carried:
    """Return a floor that goes to and fro, sideways."""
    placed = np.tile(np.eye(4), (frames, 1, 1))
    placed[:, 0, 3] = speed * np.sin(np.arange(frames) / fps)
    return Carried(placed, fps)


def turntable(frames: int, fps: float, degrees_a_second: float = 20.0) -> Carried:
    """Return a floor that turns about the origin."""
    angle = np.radians(degrees_a_second) * np.arange(frames) / fps
    placed = np.tile(np.eye(4), (frames, 1, 1))
    placed[:, :3, :3] = rotations.to_matrices(rotations.from_axis_angle(np.array([0.0, 0.0, 1.0]), angle))
    return Carried(placed, fps)
