# SPDX-License-Identifier: GPL-3.0-or-later
"""Clips that walk in place: how fast the ground would have to move under their feet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from . import signals
from .clip import Clip
from .ground import Ground
from .limb import Limb
from .loops import nearly_repeats
from .rotations import FloatArray

# A belt slower than this (m/s for a 0.9 m leg) is told from feet that stand and shift by nothing.
SLOWEST_BELT = 0.3

# The body stays over a belt: it travels at less than this share of the belt's speed.
MOST_TRAVEL = 0.2

# Toes on a belt have its velocity to within this share of its speed, for at least this share of the time that they are
# within this height (m for a 0.9 m leg) of their lowest.
SAME_VELOCITY = 0.15
LEAST_SHARED = 0.3
LOW = 0.05

# Hand-made loops ease their feet over the floor at no one speed. They are told by all feet being lifted, and by the
# share of low feet's motion that goes one way; low is then also less than this share of how high the foot is lifted.
ONE_WAY = 0.7
LOW_OF_LIFT = 0.2

# So many samples, spread over the clip, tell the mode: their distances from each other are looked at in pairs.
SAMPLES = 500


@dataclass(frozen=True, eq=False)
class Treadmill:
    """A ground that moves as another does, and with a belt's constant velocity (3,) in m/s besides."""

    ground: Ground
    belt_velocity: FloatArray

    def height(self, points: FloatArray) -> FloatArray:
        return self.ground.height(points)

    def normal(self, points: FloatArray) -> FloatArray:
        return self.ground.normal(points)

    def velocity(self, points: FloatArray) -> FloatArray:
        return self.ground.velocity(points) + self.belt_velocity

    def during(self, window: slice) -> Treadmill:
        return Treadmill(self.ground.during(window), self.belt_velocity)


def on_treadmill(clip: Clip, limbs: Sequence[Limb], ground: Ground) -> Ground:
    """Return ``ground``, moving as the clip's treadmill does if it has one and the ground does not move already."""
    feet = clip.positions[:, [joint for limb in limbs for joint in (limb.heel, limb.toe)]]
    if np.any(ground.velocity(feet) != 0.0):
        return ground
    belt = estimate_treadmill_velocity(clip, limbs)
    return ground if belt is None else Treadmill(ground, belt)


def estimate_treadmill_velocity(clip: Clip, limbs: Sequence[Limb]) -> FloatArray | None:
    """Return the level velocity (3,) in m/s that planted feet share in a clip in place, None if it travels or stands.

    It is the mode of the toes' velocities while they are low: feet on a belt all move as it does, for most of that
    time. The mode of feet that plant is near zero; feet that slide while the body travels are no treadmill. In a loop
    whose feet agree less than that, it is the median.
    """
    if clip.frame_count < 3 or not limbs:
        return None
    scales = np.array([limb.scale(clip) or 1.0 for limb in limbs])
    leg = float(scales.mean())
    root = clip.positions[:, limbs[0].root, :2] / leg
    travel = float(np.linalg.norm(root[-1] - root[0])) * clip.fps / (clip.frame_count - 1)
    belt = _shared_velocity(_low_toe_velocities(clip, limbs, LOW * scales) / leg, travel)
    if belt is None:
        belt = _loop_velocity(clip, limbs, scales)
    if belt is None or float(np.linalg.norm(belt)) < max(SLOWEST_BELT, travel / MOST_TRAVEL):
        return None
    return np.append(belt * leg, 0.0)


def _shared_velocity(samples: FloatArray, travel: float) -> FloatArray | None:
    """Return the velocity (2,) that enough of the samples (N, 2) agree on, None where there is none.

    travel : how fast the body travels; all in m/s for a 0.9 m leg.
    """
    # No belt that enough samples share is faster than this: most clips are told from it, without the search for a mode.
    speeds = np.linalg.norm(samples, axis=-1)
    fastest = float(np.percentile(speeds, 100.0 * (1.0 - LEAST_SHARED))) / (1.0 - SAME_VELOCITY)
    if fastest < max(SLOWEST_BELT, travel / MOST_TRAVEL):
        return None
    belt = mode(samples)
    shared = np.mean(np.linalg.norm(samples - belt, axis=-1) < SAME_VELOCITY * np.linalg.norm(belt))
    return belt if shared >= LEAST_SHARED else None


def _loop_velocity(clip: Clip, limbs: Sequence[Limb], scales: FloatArray) -> FloatArray | None:
    """Return the median velocity (2,) of low toes in a loop that lifts all its feet, None where it is no such loop.

    It is in m/s for a 0.9 m leg; ``scales`` (L,) are the limbs' lengths over that.
    """
    lowest, highest = np.percentile(clip.positions[:, [limb.toe for limb in limbs], 2], (2.0, 98.0), axis=0)
    lifts = highest - lowest
    if np.any(lifts < LOW * scales) or not nearly_repeats(clip, limbs[0].root):
        return None
    low = np.minimum(LOW * scales, LOW_OF_LIFT * lifts)
    samples = _low_toe_velocities(clip, limbs, low) / float(scales.mean())
    if np.linalg.norm(samples.mean(axis=0)) < ONE_WAY * np.linalg.norm(samples, axis=-1).mean():
        return None
    return np.asarray(np.median(samples, axis=0))


def _low_toe_velocities(clip: Clip, limbs: Sequence[Limb], low: FloatArray) -> FloatArray:
    """Return the level velocities ``(N, 2)`` in m/s of all toes while less than ``low`` (L,) m over their lowest."""
    reach = max(1, round(clip.fps / 60.0))
    found = []
    for limb, height in zip(limbs, low, strict=True):
        toe = clip.positions[:, limb.toe]
        is_low = toe[:, 2] <= np.percentile(toe[:, 2], 2.0) + height
        found.append(signals.velocity(toe, clip.fps, reach)[is_low, :2])
    return np.concatenate(found)


def mode(samples: FloatArray) -> FloatArray:
    """Return where samples ``(N, 2)`` in m/s are densest: mean shift, from the sample with most others near it.

    A foot rolls forward on its ball while it is planted, which pulls a wide mean off the belt's velocity. So the
    width in which samples count narrows step by step, to a third.
    """
    few = samples[:: -(-len(samples) // SAMPLES)]
    apart = np.linalg.norm(few[:, None] - few[None], axis=-1)
    widths = np.maximum(SAME_VELOCITY * np.linalg.norm(few, axis=-1), SAME_VELOCITY * SLOWEST_BELT)
    densest = int(np.argmax(np.sum(np.exp(-((apart / widths[:, None]) ** 2)), axis=1)))
    mode = few[densest]
    for width in widths[densest] * np.geomspace(1.0, 1.0 / 3.0, 20):
        weight = np.exp(-np.sum((samples - mode) ** 2, axis=-1) / width**2)
        mode = weight @ samples / weight.sum()
    return np.asarray(mode)
