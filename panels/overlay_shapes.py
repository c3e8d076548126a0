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

# Where the colours of slide are reached, as shares of what is seen: calm, pale, doubtful, bad; and how near to white
# the pale one is.
STOPS_AT, PALE = (0.0, 0.25, 0.5, 1.0), 0.6

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

# Lines a second that draw a swing; metres that each line of a slide spans, shorter slides are not seen.
_SWING_RATE, _SLIDE_PIECE = 40.0, 0.005

# A trail has a tick every so many frames, fades within these seconds, and keeps this share of its colour beyond them.
TICK, FADE_TIME, FAINTEST = 5, 1.2, 0.14

# How long an arrow's head is, in metres for a 0.9 m leg.
_ARROW = 0.03

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
    """The ways of the toes, as lines between points in metres.

    swings : (S, 2, 3) while they are lifted.
    swing_at : (S,) index of the frame that each begins at.
    slides : (C, 2, 3) while they are planted and move.
    slide_drift_mm : (C, 2) how far each end of a slide is from where the toe should be.
    slide_at : (C,) as swing_at.
    ticks : (T, 3) where a lifted toe is every fifth frame, and tick_at (T,) at which.
    arrows : (A, 2, 3) lines of the arrows that say which way a swing goes, and arrow_at (A,) when it is there.
    """

    swings: Single
    swing_at: IntArray
    slides: Single
    slide_drift_mm: FloatArray
    slide_at: IntArray
    ticks: Single
    tick_at: IntArray
    arrows: Single
    arrow_at: IntArray


@dataclass(frozen=True)
class Places:
    """Where planted points should be and where they are, frame by frame, on what they stand on.

    target, reached : (F, L, 3) metres; NaN where a limb is not planted.
    miss_mm : (F, L) how far they are apart.
    """

    target: FloatArray
    reached: FloatArray
    miss_mm: FloatArray


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
    """Return the way of each toe over the whole clip, with no more lines than can be seen."""
    toes = feet.points[:, :, TOE]
    stride = max(1, round(feet.fps / _SWING_RATE))
    swings, swing_at = [np.zeros((0, 2, 3))], [np.zeros(0, dtype=np.intp)]
    arrows, arrow_at = [np.zeros((0, 2, 3))], [np.zeros(0, dtype=np.intp)]
    for limb in range(len(feet.names)):
        for first, last in runs(~feet.toe_planted[:, limb]):
            # From the frame in which the toe was still planted to the one in which it is again.
            start, end = max(first - 1, 0), min(last + 1, len(toes) - 1)
            at = np.append(np.arange(start, end, stride), end)
            swings.append(_joined(toes[at, limb]))
            swing_at.append(at[:-1])
            middle = (start + end) // 2
            head = _arrow(toes[max(middle - stride, start), limb], toes[middle, limb], _ARROW * feet.scales[limb])
            arrows.append(head)
            arrow_at.append(np.full(len(head), middle))
    slides, drifts, slide_at = [np.zeros((0, 2, 3))], [np.zeros((0, 2))], [np.zeros(0, dtype=np.intp)]
    for step in steps:
        if step.joint == TOE:
            way = toes[step.first : step.last + 1, step.limb]
            seen = _each_so_far(way, _SLIDE_PIECE)
            slides.append(_joined(way[seen]))
            drifts.append(_joined(step.drift_mm[seen]))
            slide_at.append(step.first + seen[:-1])
    frame, limb_of = np.nonzero(~feet.toe_planted & (np.arange(len(toes)) % TICK == 0)[:, None])
    return Trails(
        np.concatenate(swings).astype(np.float32),
        np.concatenate(swing_at),
        np.concatenate(slides).astype(np.float32),
        np.concatenate(drifts),
        np.concatenate(slide_at),
        toes[frame, limb_of].astype(np.float32),
        frame,
        np.concatenate(arrows).astype(np.float32),
        np.concatenate(arrow_at),
    )


def nearness(at: IntArray, now: float, fps: float) -> FloatArray:
    """Return how much of its colour what is drawn of frames ``at`` (N,) keeps at the frame ``now``, both indices.

    All of it now, less with distance in time, and a little of it however far away.
    """
    away = np.abs(at - now) / (FADE_TIME * fps)
    return np.asarray(FAINTEST + (1.0 - FAINTEST) * np.clip(1.0 - away, 0.0, 1.0))


def places(feet: Feet, steps: Sequence[Step]) -> Places:
    """Return where each planted point should be and is."""
    target = np.full((*feet.toe_planted.shape, 3), np.nan)
    reached, miss = target.copy(), target[..., 0].copy()
    for step in steps:
        span = slice(step.first, step.last + 1)
        target[span, step.limb] = step.anchor
        reached[span, step.limb, :2] = feet.points[span, step.limb, step.joint, :2]
        reached[span, step.limb, 2] = step.anchor[2]
        miss[span, step.limb] = step.drift_mm
    return Places(target, reached, miss)


def ring(centre: FloatArray, radius: float, corners: int = 20) -> Single:
    """Return a level circle as lines ``(corners, 2, 3)``."""
    turn = np.linspace(0.0, 2.0 * np.pi, corners, endpoint=False)
    points = centre + radius * np.stack([np.cos(turn), np.sin(turn), np.zeros(corners)], axis=-1)
    return np.stack([points, np.roll(points, -1, axis=0)], axis=1).astype(np.float32)


def severity_colours(drift_mm: FloatArray, calm: Colour, doubtful: Colour, bad: Colour, swing: Colour) -> Single:
    """Return (N, 4): from calm over doubtful to bad, which is reached where slide is seen; NaN is the swing.

    From calm to doubtful it goes by way of a pale colour: straight from blue to amber would be olive.
    """
    t = np.clip(np.nan_to_num(drift_mm) / SEEN_MM, 0.0, 1.0)
    stops = np.array([calm, calm, doubtful, bad])
    stops[1] = 0.5 * (stops[0] + stops[2])
    stops[1, :3] += PALE * (1.0 - stops[1, :3])
    mixed = np.stack([np.interp(t, STOPS_AT, of_channel) for of_channel in stops.T], axis=-1)
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


def _arrow(behind: FloatArray, tip: FloatArray, length: float) -> FloatArray:
    """Return the two lines (2, 2, 3) of an arrow's head, level; none where it would point nowhere."""
    way = (tip - behind)[:2]
    if np.linalg.norm(way) < 1e-6:
        return np.zeros((0, 2, 3))
    ahead = way / np.linalg.norm(way)
    across = np.array([-ahead[1], ahead[0]])
    ends = np.stack([np.append(length * (-ahead + side * 0.6 * across), 0.0) for side in (1.0, -1.0)])
    return np.stack([tip + ends, np.broadcast_to(tip, ends.shape)], axis=1)


def _joined(points: FloatArray) -> FloatArray:
    """Return points ``(N, ...)`` as ends of the lines that join them ``(N - 1, 2, ...)``."""
    return np.stack([points[:-1], points[1:]], axis=1)


def _each_so_far(way: FloatArray, apart: float) -> IntArray:
    """Return which points of a way ``(N, 3)`` to keep: the ends and some ``apart`` along it, or none at all."""
    gone = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(way, axis=0), axis=-1))])
    if gone[-1] < apart:
        return np.zeros(0, dtype=np.intp)
    passed = np.flatnonzero(np.diff(np.floor(gone / apart))) + 1
    return np.unique(np.concatenate([[0], passed, [len(way) - 1]])).astype(np.intp)


def _at_height(points: FloatArray, height: float) -> FloatArray:
    return np.concatenate([points, np.full((len(points), 1), height)], axis=1)
