# SPDX-License-Identifier: GPL-3.0-or-later
"""The shapes of the overlays: numbers in, arrays out, nothing of Blender."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..solver.feet import HEEL, TOE, TOE_END, Feet, Step
from ..solver.rotations import FloatArray
from ..solver.signals import BoolArray, IntArray, runs

Colour = tuple[float, float, float, float]
Single = NDArray[np.float32]

# A planted point that gets further than this from where it should be is seen to slide.
SEEN_MM = 15.0

# A sole from its back to its tip: how far along, and half its width there, both in lengths of the sole.
_SOLE = np.array(
    [
        (0.0, 0.0),
        (0.015, 0.055),
        (0.06, 0.1),
        (0.15, 0.128),
        (0.28, 0.12),
        (0.43, 0.113),
        (0.58, 0.142),
        (0.72, 0.172),
        (0.83, 0.162),
        (0.92, 0.124),
        (0.98, 0.06),
        (1.0, 0.0),
    ]
)
# The sole reaches this far behind the ankle, and this far before the ball where there is no toe end, in lengths from
# the ankle to the ball; a foot whose joints all coincide is this long (m for a 0.9 m leg).
_BEHIND_ANKLE, _BEFORE_BALL, _SHORTEST = 0.32, 0.4, 0.05

# What a heel alone leaves: the back of the sole up to here.
_HEEL_ENDS_AT = 5


@dataclass(frozen=True)
class Prints:
    """Footprints, as triangles and as outlines.

    triangles : (T, 3, 3) metres.
    triangle_drift_mm : (T,) worst drift of the contact that each belongs to.
    outlines : (S, 2, 3) metres, ends of lines.
    outline_drift_mm : (S,).
    """

    triangles: Single
    triangle_drift_mm: FloatArray
    outlines: Single
    outline_drift_mm: FloatArray


@dataclass(frozen=True)
class Trails:
    """The ways of the toes.

    points : (N, 3) metres.
    lines : (M, 2) which points are joined.
    drift_mm : (N,) how far the planted toe is from where it should be; NaN while it swings.
    """

    points: Single
    lines: NDArray[np.int32]
    drift_mm: FloatArray


@dataclass(frozen=True)
class Mark:
    """Where a planted point should be now and where it is, (3,) metres each, as seen from its ground."""

    limb: int
    target: FloatArray
    reached: FloatArray
    miss_mm: float


@dataclass(frozen=True)
class Bar:
    """A span of frames of one limb, first and last whole ones, as the timeline shows it."""

    row: int
    kind: str
    first: float
    last: float


def footprints(feet: Feet, steps: Sequence[Step]) -> Prints:
    """Return the sole of every toe contact, and the heel of every contact of the heel alone."""
    triangles, outlines, of_triangle, of_outline = [], [], [], []
    soles = [_sole(feet, limb) for limb in range(len(feet.names))]
    for step in steps:
        length, to_ball = soles[step.limb]
        shape = _SOLE[:_HEEL_ENDS_AT] if step.joint == HEEL else _SOLE
        from_back = _BEHIND_ANKLE / (1.0 + _BEHIND_ANKLE) * to_ball if step.joint == HEEL else to_ball
        along, half = shape[:, :1] * length - from_back, shape[:, 1:] * length
        across = np.array([-step.direction[1], step.direction[0]])
        left = step.anchor[:2] + along * step.direction + half * across
        right = step.anchor[:2] + along * step.direction - half * across
        ring = _at_height(np.concatenate([left, right[::-1]]), step.anchor[2])
        left, right = _at_height(left, step.anchor[2]), _at_height(right, step.anchor[2])
        worst = float(step.drift_mm.max(initial=0.0))
        triangles += [np.stack([left[:-1], right[:-1], left[1:]], axis=1)]
        triangles += [np.stack([right[:-1], right[1:], left[1:]], axis=1)]
        outlines += [np.stack([ring, np.roll(ring, -1, axis=0)], axis=1)]
        of_triangle += [worst] * (2 * (len(shape) - 1))
        of_outline += [worst] * len(ring)
    return Prints(
        np.concatenate([np.zeros((0, 3, 3)), *triangles]).astype(np.float32),
        np.array(of_triangle),
        np.concatenate([np.zeros((0, 2, 3)), *outlines]).astype(np.float32),
        np.array(of_outline),
    )


def trails(feet: Feet, steps: Sequence[Step]) -> Trails:
    """Return the way of each toe over the whole clip."""
    count, limbs = feet.toe_planted.shape
    drift = np.full((limbs, count), np.nan)
    for step in steps:
        if step.joint == TOE:
            drift[step.limb, step.first : step.last + 1] = step.drift_mm
    first = np.arange(count - 1, dtype=np.int32)
    lines = np.stack([first, first + 1], axis=-1)
    return Trails(
        np.ascontiguousarray(feet.points[:, :, TOE].transpose(1, 0, 2).reshape(-1, 3), dtype=np.float32),
        np.concatenate([lines + limb * count for limb in range(limbs)]).astype(np.int32),
        drift.ravel(),
    )


def marks(feet: Feet, steps_at: Mapping[int, Step], index: int) -> list[Mark]:
    """Return the marks of one frame; ``steps_at`` has the contact of each limb that is planted in it."""
    found = []
    for limb, step in steps_at.items():
        point = feet.points[index, limb, step.joint]
        reached = np.array([point[0], point[1], step.anchor[2]])
        found.append(Mark(limb, step.anchor, reached, float(step.drift_mm[index - step.first])))
    return found


def steps_by_frame(count: int, limbs: int, steps: Sequence[Step]) -> IntArray:
    """Return (F, L): which of ``steps`` each limb is in, -1 where it is in none."""
    at = np.full((count, limbs), -1, dtype=np.intp)
    for number, step in enumerate(steps):
        at[step.first : step.last + 1, step.limb] = number
    return at


def ring(centre: FloatArray, radius: float, corners: int = 24) -> Single:
    """Return a level circle as lines ``(corners, 2, 3)``."""
    turn = np.linspace(0.0, 2.0 * np.pi, corners, endpoint=False)
    points = centre + radius * np.stack([np.cos(turn), np.sin(turn), np.zeros(corners)], axis=-1)
    return np.stack([points, np.roll(points, -1, axis=0)], axis=1).astype(np.float32)


def severity_colours(drift_mm: FloatArray, calm: Colour, doubtful: Colour, bad: Colour, swing: Colour) -> Single:
    """Return (N, 4): from calm over doubtful to bad, which is reached where slide is seen; NaN is the swing."""
    t = np.clip(np.nan_to_num(drift_mm) / SEEN_MM, 0.0, 1.0)[:, None]
    stops = np.array([calm, doubtful, bad])
    low = stops[0] + (stops[1] - stops[0]) * np.minimum(2.0 * t, 1.0)
    mixed = low + (stops[2] - stops[1]) * np.maximum(2.0 * t - 1.0, 0.0)
    return np.where(np.isnan(drift_mm)[:, None], np.array(swing), mixed).astype(np.float32)


def bars(frames: FloatArray, kinds: Mapping[str, BoolArray]) -> list[Bar]:
    """Return the spans of each limb in which each of ``kinds`` (F, L) is true."""
    return [
        Bar(limb, kind, float(frames[first]), float(frames[last]))
        for kind, where in kinds.items()
        for limb in range(where.shape[1])
        for first, last in runs(where[:, limb])
    ]


def bar_triangles(shown: Sequence[Bar], rows: int, bottom: float, top: float) -> Single:
    """Return (2 N, 3, 2): bars in frames and rows, the first limb on top; each takes ``bottom`` to ``top`` of its row.

    A bar covers its frames as keys do: half a frame to either side.
    """
    if not shown:
        return np.zeros((0, 3, 2), dtype=np.float32)
    left = np.array([bar.first for bar in shown]) - 0.5
    right = np.array([bar.last for bar in shown]) + 0.5
    low = np.array([rows - 1.0 - bar.row for bar in shown]) + bottom
    high = low - bottom + top
    a, b, c, d = (np.stack(corner, axis=-1) for corner in ((left, low), (right, low), (right, high), (left, high)))
    return np.stack([a, b, c, a, c, d], axis=1).reshape(-1, 3, 2).astype(np.float32)


def bar_outlines(shown: Sequence[Bar], rows: int, bottom: float, top: float) -> Single:
    """Return (4 N, 2, 2): the outlines of bars, as ``bar_triangles`` has them."""
    corners = bar_triangles(shown, rows, bottom, top).reshape(-1, 6, 2)[:, (0, 1, 2, 5)]
    return np.stack([corners, np.roll(corners, -1, axis=1)], axis=2).reshape(-1, 2, 2)


def _sole(feet: Feet, limb: int) -> tuple[float, float]:
    """Return how long the sole of a limb is, and how far its ball is from its back; metres."""
    heel, toe, end = (feet.points[:, limb, joint] for joint in (HEEL, TOE, TOE_END))
    flat = feet.toe_planted[:, limb] & feet.heel_planted[:, limb]
    chosen = flat if flat.any() else np.ones(len(flat), dtype=bool)
    to_ball = float(np.median(np.linalg.norm((toe - heel)[chosen, :2], axis=-1)))
    to_ball = max(to_ball, _SHORTEST * float(feet.scales[limb]))
    to_end = max(float(np.median(np.linalg.norm(end - toe, axis=-1))), _BEFORE_BALL * to_ball)
    return (1.0 + _BEHIND_ANKLE) * to_ball + to_end, (1.0 + _BEHIND_ANKLE) * to_ball


def _at_height(points: FloatArray, height: float) -> FloatArray:
    return np.concatenate([points, np.full((len(points), 1), height)], axis=1)
