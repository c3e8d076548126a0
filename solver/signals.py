# SPDX-License-Identifier: GPL-3.0-or-later
"""Small tools for things that change over a clip's frames: ``(F, ...)``, frames first."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from .arrays import BoolArray as BoolArray
from .arrays import FloatArray
from .arrays import IntArray as IntArray


def runs(planted: BoolArray) -> list[tuple[int, int]]:
    """Return the first and last frame, inclusive, of each unbroken run of True in ``(F,)``."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], planted, [False]]).astype(np.int8)))
    return [(int(start), int(end) - 1) for start, end in edges.reshape(-1, 2)]


def pieces(frame_count: int, longest: int, overlap: int) -> list[tuple[slice, slice]]:
    """Return the pieces of a long clip: for each the frames that it looks at, and which of these are its own.

    Own frames follow one another without a gap and are ``longest`` at most; up to ``overlap`` frames are looked at on
    either side. A clip of no frames is one empty piece.
    """
    count = max(-(-frame_count // longest), 1)
    edges = [frame_count * piece // count for piece in range(count + 1)]
    found = []
    for first, end in itertools.pairwise(edges):
        around = slice(max(first - overlap, 0), min(end + overlap, frame_count))
        found.append((around, slice(first - around.start, end - around.start)))
    return found


def odd(frames: float) -> int:
    """Return the odd number nearest to ``frames``, at least 1: the width of a window with a middle frame."""
    return 2 * int(max(frames, 0.0) / 2.0) + 1


def upsampled(values: FloatArray, factor: int) -> FloatArray:
    """Return ``(F, ...)`` at ``factor`` times the rate, ``((F - 1) factor + 1, ...)``, through the same values.

    Cubic Hermite pieces whose slopes are the central differences (Catmull-Rom).
    """
    count = len(values)
    if factor == 1 or count < 2:
        return values
    slope = np.gradient(values, axis=0)
    frame = np.arange((count - 1) * factor + 1)
    left = np.minimum(frame // factor, count - 2)
    t = (frame / factor - left).reshape(-1, *[1] * (values.ndim - 1))
    from_left = (1.0 + 2.0 * t) * values[left] + t * slope[left]
    from_right = (3.0 - 2.0 * t) * values[left + 1] - (1.0 - t) * slope[left + 1]
    return np.asarray((1.0 - t) ** 2 * from_left + t**2 * from_right)


def drawn_through(times: FloatArray, values: FloatArray, at: FloatArray) -> FloatArray:
    """Return values (N, ...) at times ``at`` (N,) of those (F, ...) that are known at ``times`` (F,), which rise.

    Cubic Hermite pieces whose slopes are those of the parabola through a value and its neighbours; flat outside.
    """
    if len(times) < 2:
        return np.repeat(values, len(at), axis=0)
    at = np.clip(at, times[0], times[-1])
    slope = np.gradient(values, times, axis=0, edge_order=2 if len(times) > 2 else 1)
    left = np.clip(np.searchsorted(times, at, side="right") - 1, 0, len(times) - 2)
    lasts, shape = times[left + 1] - times[left], (-1, *[1] * (values.ndim - 1))
    t, lasts = ((at - times[left]) / lasts).reshape(shape), lasts.reshape(shape)
    from_left = (1.0 + 2.0 * t) * values[left] + t * lasts * slope[left]
    from_right = (3.0 - 2.0 * t) * values[left + 1] - (1.0 - t) * lasts * slope[left + 1]
    return np.asarray((1.0 - t) ** 2 * from_left + t**2 * from_right)


def velocity(track: FloatArray, fps: float, reach: int) -> FloatArray:
    """Return the velocity ``(F, 3)`` a second, from ``reach`` frames before to as many after, fewer at the ends."""
    frame = np.arange(len(track))
    after = np.minimum(frame + reach, len(track) - 1)
    before = np.maximum(frame - reach, 0)
    return np.asarray((track[after] - track[before]) * (fps / np.maximum(after - before, 1))[:, None])


def carried(velocities: FloatArray, fps: float) -> FloatArray:
    """Return how far ``velocities`` ``(F, ...)`` a second, each from its frame to the next, lead by each frame."""
    return np.concatenate([np.zeros_like(velocities[:1]), np.cumsum(velocities[:-1], axis=0)]) / fps


def slopes(values: FloatArray, width: int) -> FloatArray:
    """Return the slope a frame, by least squares, of all ``width`` values in a row, ``(F - width + 1,)``."""
    frame = np.arange(width) - 0.5 * (width - 1)
    return np.asarray(sliding_window_view(values, width) @ (frame / (frame @ frame)))


def mirrored_windows(values: FloatArray, width: int) -> FloatArray:
    """Return ``(F, ..., width)``: the frames around each frame, mirrored at the clip's ends."""
    half = min(width // 2, len(values) - 1)
    padded = np.pad(values, [(half, half)] + [(0, 0)] * (values.ndim - 1), mode="reflect")
    return np.asarray(sliding_window_view(padded, 2 * half + 1, axis=0))


def between_spans(values: FloatArray, known: BoolArray) -> FloatArray:
    """Return values (F, N) with those not known going smoothly from the last known ones to the next."""
    at = np.flatnonzero(known)
    if len(at) == 0:
        return values
    frame = np.arange(len(values))
    before = at[np.clip(np.searchsorted(at, frame, side="right") - 1, 0, len(at) - 1)]
    after = at[np.clip(np.searchsorted(at, frame), 0, len(at) - 1)]
    share = np.clip((frame - before) / np.maximum(after - before, 1), 0.0, 1.0)
    share = (share * share * (3.0 - 2.0 * share))[:, None]
    return np.asarray((1.0 - share) * values[before] + share * values[after])


def away_from(marked: BoolArray, frames: float) -> FloatArray:
    """Return (F,) 0 where ``marked`` (F,) is True, rising evenly to 1 over ``frames`` before and after it."""
    frame = np.arange(len(marked))
    never = len(marked) + frames
    since = frame - np.maximum.accumulate(np.where(marked, frame, -never))
    until = np.minimum.accumulate(np.where(marked, frame, len(marked) + never)[::-1])[::-1] - frame
    return np.asarray(np.clip(np.minimum(since, until) / max(frames, 1.0), 0.0, 1.0))


def rolling_median(values: FloatArray, width: int) -> FloatArray:
    """Return the median of the ``width`` frames around each of ``(F,)``; near the ends, of the first or last ``width``.

    Not mirrored: bad frames at a clip's end, which captures often have, would count twice.
    """
    width = min(width, len(values))
    medians = np.median(sliding_window_view(values, width), axis=-1)
    return np.asarray(medians[np.clip(np.arange(len(values)) - width // 2, 0, len(medians) - 1)])


def rolling_minimum(values: FloatArray, width: int) -> FloatArray:
    """Return the least of the ``width`` frames, an odd number, around each of ``(F,)``, fewer at the ends."""
    half, count = width // 2, len(values)
    least = np.pad(values, (half, half), constant_values=np.inf)
    # Windows twice as long each time, then two that overlap.
    length = 1
    while 2 * length <= width:
        least = np.minimum(least[:-length], least[length:])
        length *= 2
    return np.asarray(np.minimum(least[:count], least[width - length : width - length + count]))


def spread(track: FloatArray, width: int) -> FloatArray:
    """Return the diagonal ``(F,)`` of the box that a point ``(F, 3)`` stays in during the frames around each."""
    around = mirrored_windows(track, width)
    return np.asarray(np.linalg.norm(around.max(axis=-1) - around.min(axis=-1), axis=-1))


def envelope(values: FloatArray, slope: float) -> FloatArray:
    """Return the lowest curve ``(F,)`` on or over ``values`` that never changes by more than ``slope`` a frame."""
    age = slope * np.arange(len(values))
    past = np.maximum.accumulate(values + age) - age
    coming = np.maximum.accumulate((values - age)[::-1])[::-1] + age
    return np.asarray(np.maximum(past, coming))


def majority(planted: BoolArray, width: int) -> BoolArray:
    """Return whether most of the ``width`` frames around each are True."""
    return np.asarray(mirrored_windows(planted.astype(np.float64), width).mean(axis=-1) > 0.5)


def hysteresis(loose: BoolArray, strict: BoolArray) -> BoolArray:
    """Return those runs of ``loose`` that have a frame of ``strict``."""
    kept = np.zeros_like(loose)
    for first, last in runs(loose):
        kept[first : last + 1] = strict[first : last + 1].any()
    return kept


def without_short(planted: BoolArray, frames: float, at_ends: bool = False) -> BoolArray:
    """Return ``planted`` less the runs shorter than ``frames``.

    at_ends : whether those count, too, that a clip's end cuts off and that may be longer.
    """
    kept = planted.copy()
    for first, last in runs(planted):
        whole = at_ends or (first > 0 and last < len(planted) - 1)
        if whole and last + 1 - first < frames - 1e-6:
            kept[first : last + 1] = False
    return kept


def to_the_ends(planted: BoolArray, frames: float) -> BoolArray:
    """Return the frames before the first and after the last of ``planted`` (F,), each where fewer than ``frames``."""
    at, added = np.flatnonzero(planted), np.zeros_like(planted)
    if len(at) and at[0] < frames:
        added[: at[0]] = True
    if len(at) and len(planted) - 1 - at[-1] < frames:
        added[at[-1] + 1 :] = True
    return added


def eased(planted: BoolArray, frames: float) -> FloatArray:
    """Return a signal 0 to 1 that rises and falls smoothly over ``frames``, and is 0.5 halfway between the two frames
    where ``planted`` changes, so that what is over 0.5 stays exactly ``planted``."""
    edges = np.flatnonzero(planted[1:] != planted[:-1]) + 0.5
    if len(edges) == 0:
        return planted.astype(np.float64)
    frame = np.arange(len(planted))
    following = np.searchsorted(edges, frame)
    to_last = frame - edges[np.maximum(following - 1, 0)]
    to_next = edges[np.minimum(following, len(edges) - 1)] - frame
    distance = np.minimum(np.abs(to_last), np.abs(to_next))
    t = np.clip(0.5 + np.where(planted, distance, -distance) / max(frames, 1.0), 0.0, 1.0)
    return np.asarray(t * t * (3.0 - 2.0 * t))


def jitter(values: FloatArray) -> float:
    """Return the standard deviation in each coordinate of white noise in ``(F, N)``, at most.

    The third difference of what moves smoothly is noise, with 20 times its variance. A quarter of its absolute values
    is below 0.319 deviations: the quiet quarter of the frames tells, since fast motion at a low rate is not smooth.
    """
    if len(values) < 8:
        return 0.0
    return float(np.percentile(np.abs(np.diff(values, 3, axis=0)), 25.0)) / (0.319 * np.sqrt(20.0))


def smoothed(values: FloatArray, deviation: float) -> FloatArray:
    """Return ``(F, ...)`` averaged over time by a Gaussian of ``deviation`` frames; the end values go on.

    A deviation of less than a third of a frame changes nothing.
    """
    reach = int(np.ceil(3.0 * deviation))
    if deviation < 1.0 / 3.0 or len(values) < 2:
        return values
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) / deviation) ** 2)
    padded = np.pad(values, [(reach, reach)] + [(0, 0)] * (values.ndim - 1), mode="edge")
    return np.asarray(sliding_window_view(padded, 2 * reach + 1, axis=0) @ (weights / weights.sum()))


def smoothed_along(values: FloatArray, deviation: float) -> FloatArray:
    """Return ``(F,)`` averaged as by ``smoothed``, but at both ends the values go on as steeply as they did there."""
    reach = min(int(np.ceil(3.0 * deviation)), len(values) - 1)
    if deviation < 1.0 / 3.0 or reach < 1:
        return values
    # Mirrored through its end point, a straight line goes on straight.
    before, after = 2.0 * values[0] - values[reach:0:-1], 2.0 * values[-1] - values[-2 : -reach - 2 : -1]
    return smoothed(np.concatenate([before, values, after]), deviation)[reach : reach + len(values)]
