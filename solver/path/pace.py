# SPDX-License-Identifier: GPL-3.0-or-later
"""How fast a body goes where: the speed that is wished, less in turns, from rest at the start to rest at the end."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .. import signals
from ..rotations import FloatArray
from .line import SPACING, Line

# Largest acceleration to the side (g), turn (radians a √(h/g)), and acceleration (g) of a slow body, and by speed.
_SIDEWAYS, _TURN, _ACCELERATION, _BY_SPEED = 0.3, 0.35, 0.1, 0.06
# Time that it stands at both ends, √(h/g), and the deviation by which changes of speed are smoothed.
HOLD, _SMOOTHING = 1.8, 0.6


@dataclass(frozen=True)
class Pace:
    """The way and its speeds at G moments ``dt`` apart, √(h/g): way, speed and turn (G,), heading (G,).

    begins, ends : times at which it starts and has come to rest.
    """

    dt: float
    way: FloatArray
    speed: FloatArray
    heading: FloatArray
    turn: FloatArray
    begins: float
    ends: float

    @property
    def time(self) -> FloatArray:
        return np.arange(len(self.way), dtype=np.float64) * self.dt


def paced(line: Line, wanted: FloatArray, ahead: float, dt: float, after: float) -> Pace:
    """Return the pace along a line. ``wanted`` (M,) : speeds at even shares of its length, √(g h).

    ahead : how long the body is before the point that follows the line. after : time that is added at rest.
    """
    count = max(int(np.ceil(line.length / (0.5 * SPACING))), 8)
    way = np.linspace(0.0, line.length, count + 1)
    step = way[1]
    fastest = np.interp(way / line.length, np.linspace(0.0, 1.0, len(wanted)), wanted)
    bend = np.abs(np.gradient(line.heading_at(way, ahead), step))
    limit = np.minimum(fastest, np.sqrt(_SIDEWAYS / np.maximum(bend, 1e-6)))
    limit = np.minimum(limit, _TURN / np.maximum(bend, 1e-6))
    square = limit**2
    square[[0, -1]] = 0.0
    gain = 2.0 * step * (_ACCELERATION + _BY_SPEED * float(fastest.max()))
    speed = np.sqrt(np.maximum(-signals.envelope(-square, gain), 0.0))
    times = np.concatenate([[0.0], np.cumsum(2.0 * step / (speed[1:] + speed[:-1]))])
    grid = np.arange(int(np.ceil((times[-1] + 2.0 * HOLD + after) / dt)) + 1) * dt
    # The square of the speed is straight between two places, so that the way between is, by the time, a parabola.
    at = np.clip(np.searchsorted(times, grid - HOLD, side="right") - 1, 0, count - 1)
    since = np.clip(grid - HOLD - times[at], 0.0, times[at + 1] - times[at])
    rise = (speed[at + 1] - speed[at]) / np.maximum(times[at + 1] - times[at], 1e-12)
    reached = np.clip(way[at] + speed[at] * since + 0.5 * rise * since**2, 0.0, line.length)
    reached = signals.smoothed(reached, _SMOOTHING / dt)
    heading = line.heading_at(reached, ahead)
    return Pace(dt, reached, np.gradient(reached, dt), heading, np.gradient(heading, dt), HOLD, HOLD + float(times[-1]))
