# SPDX-License-Identifier: GPL-3.0-or-later
"""Other timing for a clip whose root travels at another speed than its feet: steps as fast as the root goes.

Played r times as fast, a clip's feet go r times as fast. Where the root is r times too fast for its feet, the clip is
played r times as fast and its travel is set to what the feet say: the root keeps its speed, and comes as far as its
steps reach.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from . import rotations, signals
from .arrays import FloatArray
from .clip import Clip
from .limb import Limb
from .loops import find_loop
from .root_motion import RootMotion, speed_ratio, travel_velocity
from .stance import standing_steps, toe_steps
from .treadmill import mode

# Where the speed that feet say may change, it is averaged over this many seconds (a Gaussian's standard deviation). The
# largest factor by which a clip is played faster or slower.
CHANGE_TIME = 0.5
FASTEST = 4.0

# Over how many seconds (a Gaussian's standard deviation) the path of a body is averaged, so that it has no sway.
STRIDE_TIME = 0.4


@dataclass(frozen=True)
class Retiming:
    """When each frame comes, and how fast the root goes for its feet there.

    times : (F,) new frames, the first is where it was and the last is a whole number of frames later.
    ratios : (F,) speed of the root over the speed that feet say; 1 is no slide.
    """

    times: FloatArray
    ratios: FloatArray

    @property
    def ratio(self) -> float:
        """The mean ratio."""
        return float(1.0 / np.mean(1.0 / self.ratios))


def retiming(clip: Clip, limbs: Sequence[Limb], varying: bool) -> Retiming | None:
    """Return the timing with which feet go as fast as the root, None for a clip that does not travel.

    varying : follow a ratio that changes over the clip, else there is one for all of it.
    """
    ratio = speed_ratio(clip, limbs)
    if ratio is None or not 1.0 / FASTEST <= ratio <= FASTEST:
        return None
    ratios = np.full(clip.frame_count, ratio)
    if varying:
        ratios = _changing_ratios(clip, limbs, ratio)
    at = clip.frame_times
    lasts = np.concatenate([[0.0], np.cumsum(np.diff(at) * 0.5 * (1.0 / ratios[1:] + 1.0 / ratios[:-1]))])
    # On a whole frame; what that adds to the rate, the root's speed makes good for, and feet do not slide.
    whole = max(round(float(lasts[-1])), 1)
    return Retiming(at[0] + lasts * (whole / lasts[-1]), ratios)


def kept_speed(retimed: Clip, limbs: Sequence[Limb], timing: Retiming) -> RootMotion:
    """Return the motion that lets a clip with its new timing travel as its feet say.

    retimed : the clip in its new timing, whose root is as many times too fast as it was.
    """
    ratios = np.interp(retimed.frame_times, timing.times - timing.times[0] + retimed.frame_times[0], timing.ratios)
    # Its speed over a step, but its direction over a stride: a body sways from foot to foot, and that is to stay.
    direction = rotations.normalized(travel_velocity(retimed, limbs[0].root, STRIDE_TIME))
    speed = np.sum(direction * travel_velocity(retimed, limbs[0].root), axis=-1)
    velocity = ((1.0 / ratios - 1.0) * speed)[:, None] * direction
    displacement = np.zeros((retimed.frame_count, 3))
    steps = np.diff(retimed.frame_times)[:, None] / retimed.fps
    displacement[1:, :2] = np.cumsum(0.5 * steps * (velocity[1:] + velocity[:-1]), axis=0)
    return RootMotion(np.zeros(retimed.frame_count), displacement)


def _changing_ratios(clip: Clip, limbs: Sequence[Limb], usual: float) -> FloatArray:
    """Return the ratio (F,) at each frame, smooth in time; ``usual`` where nothing stands."""
    stands = standing_steps(clip, limbs)
    velocity = travel_velocity(clip, limbs[0].root)
    velocity = 0.5 * (velocity[1:] + velocity[:-1])
    squared = np.sum(velocity**2, axis=-1)
    travels = stands & (squared > 0.25 * np.median(squared))[:, None]
    along = np.sum(toe_steps(clip, limbs)[..., :2] * velocity[:, None], axis=-1) / np.maximum(squared, 1e-12)[:, None]
    # The root's speed over its feet's is averaged, not the inverse, which has no bounds.
    shares = np.clip(1.0 - along, 1.0 / FASTEST, FASTEST)
    known = travels.any(axis=1)
    if not known.any():
        return np.full(clip.frame_count, usual)
    means = np.sum(shares * travels, axis=1)[known] / np.sum(travels, axis=1)[known]
    loop = find_loop(clip, limbs[0].root)
    frame = np.arange(clip.frame_count)
    if loop is None or clip.frame_count > 4.0 * CHANGE_TIME * clip.fps:
        drawn = signals.smoothed(np.interp(frame, np.flatnonzero(known) + 0.5, means), CHANGE_TIME * clip.fps)
    else:
        # A stride or two: what comes after the end is the start.
        drawn = np.interp(frame, np.flatnonzero(known) + 0.5, means, period=loop.period)[: loop.period]
        around = signals.smoothed(np.tile(drawn, 3), CHANGE_TIME * clip.fps)[loop.period : 2 * loop.period]
        drawn = around[frame % loop.period]
    # Feet that roll pull the mean to one side; most of the time they stand, and that is the mode.
    relative = (shares / drawn[:-1, None])[travels]
    return 1.0 / (drawn * float(mode(np.stack([relative, np.zeros_like(relative)], axis=-1))[0]))
