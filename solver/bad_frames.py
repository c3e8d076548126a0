# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames that do not belong to the motion around them: a bind pose in front, a pose that teleports, a cut.

A step from a frame to the next is a jump where the joints' mean step is more than a foot could do and

    step(f) > JUMP * p90 of the other steps within half a second of f,

and where the pose before it (two steps long at most, with a jump at its other end too) leads on to the one after it,
the frames between are bad: the motion goes on over them. A jump that nothing bridges is a cut, and what is on its two
sides is judged separately; one frame alone on a side of it is bad.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from .arrays import BoolArray, FloatArray, IntArray
from .clip import Clip
from .rotations import normalized

# How much larger a jump is than steps around it, and how far joints move in it at least on average: in
# skeleton sizes, and in skeleton sizes a second.
JUMP = 4.0
JUMP_OF_SIZE, JUMP_OF_SIZE_A_SECOND = 0.03, 1.0

# A step is compared with those within this time (s) of it.
AROUND = 0.5

# The most frames in a row that can be bad.
MOST_BAD = 2


@dataclass(frozen=True)
class Breaks:
    """Where a clip's motion breaks off.

    bad : (F,) frames that do not belong to it.
    cuts : frames that begin another motion than the one before them.
    """

    bad: BoolArray
    cuts: tuple[int, ...]

    @property
    def any(self) -> bool:
        return bool(self.bad.any() or self.cuts)

    def stretches(self) -> list[slice]:
        """Return the frames between cuts, in order, without bad ones at the beginning or the end of each."""
        found = []
        for first, end in pairwise([0, *self.cuts, len(self.bad)]):
            good = first + np.flatnonzero(~self.bad[first:end])
            if len(good):
                found.append(slice(int(good[0]), int(good[-1]) + 1))
        return found


def find_breaks(clip: Clip) -> Breaks:
    """Return the bad frames and the cuts of a clip."""
    bad, cuts = np.zeros(clip.frame_count, dtype=np.bool_), list[int]()
    steps = np.linalg.norm(np.diff(clip.positions, axis=0), axis=-1).mean(axis=-1)
    size = float(np.median(np.linalg.norm(np.ptp(clip.positions, axis=1), axis=-1)))
    large = np.flatnonzero(steps > size * max(JUMP_OF_SIZE, JUMP_OF_SIZE_A_SECOND / clip.fps))
    jumps = [int(at) for at in large if steps[at] > JUMP * _usual(steps, int(at), clip.fps, large)]
    while jumps:
        first = jumps.pop(0)
        last = next((jump for jump in jumps if jump - first <= MOST_BAD and _bridged(clip, first, jump, steps)), None)
        if last is not None:
            bad[first + 1 : last + 1] = True
            jumps = [jump for jump in jumps if jump > last]
        else:
            cuts.append(first + 1)
    if cuts and cuts[0] == 1:
        bad[0], cuts = True, cuts[1:]
    if cuts and cuts[-1] == clip.frame_count - 1:
        bad[-1], cuts = True, cuts[:-1]
    return Breaks(bad, tuple(cuts))


def without_bad(clip: Clip, bad: BoolArray) -> Clip:
    """Return the clip with bad frames filled in: interpolated between the good ones around, or as the nearest."""
    good = np.flatnonzero(~bad)
    if len(good) == 0 or not bad.any():
        return clip
    frames = np.arange(len(bad))
    after = np.clip(np.searchsorted(good, frames), 0, len(good) - 1)
    before = np.clip(np.searchsorted(good, frames, side="right") - 1, 0, len(good) - 1)
    first, last = good[before], good[after]
    share = np.where(last > first, (frames - first) / np.maximum(last - first, 1), 0.0)[:, None, None]
    turned, moved = clip.local_rotations, clip.local_locations
    same_side = np.where(np.sum(turned[first] * turned[last], axis=-1, keepdims=True) < 0.0, -1.0, 1.0)
    return clip.moved(
        normalized(turned[first] + share * (same_side * turned[last] - turned[first])),
        moved[first] + share * (moved[last] - moved[first]),
    )


def _usual(steps: FloatArray, at: int, fps: float, large: IntArray) -> float:
    """Return how large steps around one are, without large ones next to it: one of them may be the jump back."""
    reach = max(4, round(AROUND * fps))
    around = np.arange(max(at - reach, 0), min(at + reach + 1, len(steps)))
    beside = (np.abs(around - at) <= MOST_BAD) & np.isin(around, large)
    others = steps[around[~beside]]
    return float(np.percentile(others, 90.0)) if len(others) else float("inf")


def _bridged(clip: Clip, first: int, last: int, steps: FloatArray) -> bool:
    """Whether the pose at frame ``first`` leads on to the one after ``last``: nearer than either jump by far."""
    apart = float(np.linalg.norm(clip.positions[last + 1] - clip.positions[first], axis=-1).mean())
    return apart < 0.5 * min(float(steps[first]), float(steps[last]))
