# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet that stand, found from the pose alone: where toes are low and calm, and how fast they go then."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .arrays import BoolArray, FloatArray
from .clip import Clip
from .limb import Limb, joint_positions
from .loops import find_loop
from .signals import runs
from .treadmill import LOW, LOW_OF_LIFT

# A toe that stands rises and sinks slower than this fraction of its speed in swing, past the body: landing and rolling
# off are no stance. A stance of fewer frames than this is found by its height alone.
CALM = 0.06
FEWEST_FRAMES = 2

# How long feet come to rest and begin to roll off, in seconds.
EDGE_TIME = 1.0 / 30.0


def stance_speed(clip: Clip, limbs: Sequence[Limb], source: Clip | None = None) -> float:
    """Return the median level speed in m/s of toes while they stand in ``source`` (default: the clip itself)."""
    speeds = np.linalg.norm(toe_steps(clip, limbs)[..., :2], axis=-1)[standing_steps(source or clip, limbs)]
    return float(np.median(speeds)) if speeds.size else 0.0


def standing_steps(clip: Clip, limbs: Sequence[Limb]) -> BoolArray:
    """Return over which steps from frame to frame each toe stands ``(F - 1, L)``."""
    stands = standing(clip, limbs)
    both, one = stands[:-1] & stands[1:], stands[:-1] | stands[1:]
    # A toe that stands in single frames only has no better steps than those to and from them.
    return np.asarray(np.where(both.any(axis=0), both, one))


def without_edges(stands: BoolArray, fps: float) -> BoolArray:
    """Return ``stands`` (F - 1, L) less the first and last steps of each stance that is long enough: toes still come to
    rest in them, or roll off already."""
    kept = stands.copy()
    edge = max(1, round(EDGE_TIME * fps))
    for limb in range(stands.shape[1]):
        for first, last in runs(stands[:, limb]):
            if last - first + 1 >= 4 * edge:
                kept[first : first + edge, limb] = kept[last + 1 - edge : last + 1, limb] = False
    return kept


def toe_steps(clip: Clip, limbs: Sequence[Limb]) -> FloatArray:
    """Return the velocities ``(F - 1, L, 3)`` in m/s with which toes go from frame to frame."""
    moved = np.diff(joint_positions(clip, limbs, "toe"), axis=0)
    return np.asarray(moved * (clip.fps / np.diff(clip.frame_times))[:, None, None])


def standing(clip: Clip, limbs: Sequence[Limb]) -> BoolArray:
    """Return where each toe is low and neither lands nor rolls off ``(F, L)``."""
    toes = joint_positions(clip, limbs, "toe")
    lowest, highest = np.percentile(toes[..., 2], (2.0, 98.0), axis=0)
    scales = np.array([limb.scale(clip) or 1.0 for limb in limbs])
    low = toes[..., 2] <= lowest + np.minimum(LOW * scales, LOW_OF_LIFT * (highest - lowest))
    velocities = toe_velocities(clip, limbs)
    roots = np.stack([clip.positions[:, limb.root] for limb in limbs], axis=1)
    past = velocities - _velocities(clip, limbs[0].root, roots)
    swing = np.percentile(np.linalg.norm(past, axis=-1), 95.0, axis=0)
    calm = low & (np.abs(velocities[..., 2]) <= CALM * swing)
    return np.asarray(np.where(np.count_nonzero(calm, axis=0) >= FEWEST_FRAMES, calm, low))


def toe_velocities(clip: Clip, limbs: Sequence[Limb]) -> FloatArray:
    """Return the velocities (F, L, 3) in m/s of the toes at each frame, in a loop over its end too."""
    return _velocities(clip, limbs[0].root, joint_positions(clip, limbs, "toe"))


def _velocities(clip: Clip, root: int, tracks: FloatArray) -> FloatArray:
    """Return the velocities of points (F, L, 3) in m/s, over about a 60th of a second to either side."""
    reach = max(1, round(clip.fps / 60.0))
    times, frame = clip.frame_times, np.arange(clip.frame_count)
    loop = find_loop(clip, root)
    if loop is None or loop.period <= reach:
        before, after = np.maximum(frame - reach, 0), np.minimum(frame + reach, clip.frame_count - 1)
        moved, taken = tracks[after] - tracks[before], times[after] - times[before]
    else:
        before, after = frame - reach, frame + reach
        laps = after // loop.period - before // loop.period
        lasts = np.ptp(times) + loop.seam
        before, after = before % loop.period, after % loop.period
        moved = tracks[after] - tracks[before] + (laps[:, None] * loop.travel)[:, None]
        taken = times[after] - times[before] + laps * lasts
    return np.asarray(moved * (clip.fps / np.maximum(taken, 1e-6))[:, None, None])
