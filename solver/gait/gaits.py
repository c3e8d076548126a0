# SPDX-License-Identifier: GPL-3.0-or-later
"""The gaits: when each foot comes down, how long it stays, at which speeds, how high it is lifted.

Hildebrand's diagrams as LOCOMOTION 3.1 has them: phases are shares of the stride at touch-down, the duty factor is the
share of the stride in which a foot is down, and speed counts as Froude number, v²/(g h).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..rotations import FloatArray
from ..signals import BoolArray


@dataclass(frozen=True)
class Gait:
    """One gait.

    legs : the fewest and the most legs that it is for.
    phases : of left and right foot, row by row from the front; None where ``lag`` says them.
    lag : share of the stride by which a row comes down after the row behind it; sides are half a stride apart.
    duty : duty factor is ``duty[0] * froude ** duty[1]``, held to 0.15 to 0.85.
    froude : the speeds that it is for.
    stride : length of the stride in hip heights is ``stride[0] * froude ** stride[1]``.
    clearance : height of a foot's swing, in hip heights.
    pitch_weight : how firmly the trunk keeps from pitching.
    """

    name: str
    legs: tuple[int, int]
    phases: tuple[tuple[float, float], ...] | None
    duty: tuple[float, float]
    froude: tuple[float, float]
    stride: tuple[float, float]
    clearance: float
    pitch_weight: float = 1.0
    lag: float = 0.5

    def duty_at(self, froude: float) -> float:
        """Return the duty factor at a speed."""
        return float(np.clip(self.duty[0] * max(froude, 1e-4) ** self.duty[1], 0.15, 0.85))

    @property
    def usual_froude(self) -> float:
        """The speed that is taken where none is asked for."""
        slowest, fastest = self.froude
        return float(np.clip(0.4 * fastest, slowest, max(1.5, 2.0 * slowest)))

    def stride_at(self, froude: float) -> float:
        """Return the length of the stride at a speed, in hip heights."""
        return float(self.stride[0] * max(froude, 1e-4) ** self.stride[1])


_QUAD, _PERSON, _RUN, _CRAWL = (2.7, 0.33), (2.5, 0.29), (2.45, 0.36), (1.7, 0.33)
_FAST = (0.36, -0.26)
_FOUR, _TWO, _MANY = (4, 4), (2, 2), (5, 20)

GAITS = (
    Gait("WALK", _FOUR, ((0.23, 0.73), (0.0, 0.5)), (0.56, -0.08), (0.01, 0.5), _QUAD, 0.15, 3.0),
    Gait("AMBLE", _FOUR, ((0.16, 0.66), (0.0, 0.5)), (0.51, 0.0), (0.15, 2.0), _QUAD, 0.16, 1.5),
    Gait("TROT", _FOUR, ((0.485, 0.985), (0.0, 0.5)), (0.37, -0.25), (0.3, 3.0), _QUAD, 0.2, 0.7),
    Gait("FLYING_TROT", _FOUR, ((0.485, 0.985), (0.0, 0.5)), (0.34, -0.25), (1.0, 4.0), _QUAD, 0.22, 0.7),
    Gait("PACE", _FOUR, ((0.0, 0.5), (0.0, 0.5)), (0.43, -0.15), (0.3, 3.0), _QUAD, 0.2, 0.7),
    Gait("CANTER", _FOUR, ((0.62, 0.3), (0.3, 0.0)), (0.42, -0.15), (0.8, 3.5), (2.5, 0.33), 0.25, 0.5),
    Gait("TRANSVERSE_GALLOP", _FOUR, ((0.56, 0.44), (0.13, 0.0)), _FAST, (1.5, 20.0), (2.2, 0.32), 0.3, 0.3),
    Gait("ROTARY_GALLOP", _FOUR, ((0.46, 0.58), (0.12, 0.0)), _FAST, (1.5, 25.0), (2.2, 0.32), 0.3, 0.3),
    Gait("HALF_BOUND", _FOUR, ((0.45, 0.55), (0.0, 0.0)), (0.32, -0.1), (0.8, 8.0), (2.1, 0.33), 0.3, 0.3),
    Gait("BOUND", _FOUR, ((0.45, 0.45), (0.0, 0.0)), (0.33, -0.1), (0.8, 8.0), (2.1, 0.33), 0.3, 0.3),
    Gait("PRONK", _FOUR, ((0.0, 0.0), (0.0, 0.0)), (0.35, 0.0), (0.2, 4.0), (2.4, 0.33), 0.3, 0.7),
    Gait("WALK", _TWO, ((0.0, 0.5),), (0.535, -0.07), (0.01, 0.55), _PERSON, 0.1, 3.0),
    Gait("RUN", _TWO, ((0.0, 0.5),), (0.36, -0.25), (0.3, 9.0), _RUN, 0.22, 0.7),
    Gait("HOP", _TWO, ((0.0, 0.0),), (0.45, 0.0), (0.15, 3.0), (2.0, 0.33), 0.2, 0.7),
    Gait("TRIPOD", _MANY, None, (0.55, 0.0), (0.05, 1.5), _CRAWL, 0.15, 1.0, 0.5),
    Gait("RIPPLE", _MANY, None, (0.67, 0.0), (0.005, 0.3), _CRAWL, 0.1, 1.0, 1.0 / 3.0),
    Gait("WAVE", _MANY, None, (0.83, 0.0), (0.002, 0.2), _CRAWL, 0.1, 1.0, 1.0 / 6.0),
    Gait("TETRAPOD", _MANY, None, (0.58, 0.0), (0.02, 1.0), _CRAWL, 0.12, 1.0, 0.5),
)


def gait_for(name: str, legs: int) -> Gait | None:
    """Return the gait of that name for so many legs; None where there is none."""
    return next((gait for gait in GAITS if gait.name == name and gait.legs[0] <= legs <= gait.legs[1]), None)


def names_for(legs: int) -> list[str]:
    """Return the names of the gaits that so many legs can do."""
    return [gait.name for gait in GAITS if gait.legs[0] <= legs <= gait.legs[1]]


def by_speed(froude: float, legs: int) -> Gait | None:
    """Return the gait that animals take at a speed: walk to trot or run near Froude 0.5, to gallop near 2.5."""
    gaits, borders = all_speeds(legs)
    return gaits[int(np.searchsorted(borders, froude))] if gaits else None


def all_speeds(legs: int) -> tuple[tuple[Gait, ...], tuple[float, ...]]:
    """Return the gaits that animals take, slowest first, and the Froude numbers between them; none for such legs."""
    order = {2: ("WALK", "RUN"), 4: ("WALK", "TROT", "ROTARY_GALLOP")}.get(legs, ("RIPPLE", "TRIPOD"))
    borders = {2: (0.5,), 4: (0.4, 2.5)}.get(legs, (0.05,))
    found = tuple(gait for name in order if (gait := gait_for(name, legs)) is not None)
    return (found, borders) if len(found) == len(order) else ((), ())


def touch_downs(gait: Gait, rows: Sequence[int], left: BoolArray) -> FloatArray:
    """Return (L,) shares of the stride at which each foot comes down.

    rows : (L,) of each foot, 0 the front row. left : (L,) whether it is a left foot.
    """
    row = np.array(rows)
    if gait.phases is not None and row.max() < len(gait.phases):
        return np.array([gait.phases[at][0 if is_left else 1] for at, is_left in zip(row, left, strict=True)])
    return ((row.max() - row) * gait.lag + np.where(left, 0.0, 0.5)) % 1.0
