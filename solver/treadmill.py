# SPDX-License-Identifier: GPL-3.0-or-later
"""Clips that walk in place: how fast the ground would have to move under their feet."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from . import rotations, signals
from .clip import Clip
from .ground import Ground, Treadmill
from .limb import Limb, feet_among
from .loops import find_loop, nearly_repeats
from .rotations import FloatArray
from .signals import BoolArray

# A belt slower than this (m/s for a 0.9 m leg) is told from feet that stand and shift by nothing.
SLOWEST_BELT = 0.3

# The body stays over a belt: it travels at less than this share of the belt's speed.
MOST_TRAVEL = 0.2

# A body that walks there and back travels, though it ends where it began: it is looked at over this many seconds.
TRAVEL_TIME = 2.0

# Toes on a belt have its velocity to within this share of its speed, for at least this share of the time that they are
# within this height (m for a 0.9 m leg) of their lowest.
SAME_VELOCITY = 0.15
LEAST_SHARED = 0.3
LOW = 0.05

# Hand-made loops ease their feet over the floor at no one speed. They are told by all feet being lifted, and by the
# share of low feet's motion that goes one way; low is then also less than this share of how high the foot is lifted.
ONE_WAY = 0.7
LOW_OF_LIFT = 0.2

# The most samples, spread over the clip, from which the mode is found: all pairs of them are compared.
SAMPLES = 500

# Positions are averaged over this many seconds (a Gaussian's standard deviation) before they become velocities: the
# jitter of a recording at 120 Hz would otherwise be as fast as a belt.
JITTER_TIME = 0.01

# A planted foot rolls forward on the belt and never backward, so the belt is as fast as a planted toe is at its most
# steady: its speed over spans of STEADY_TIME seconds, this percentile of it in each touch that lasts at least
# SHORTEST_TOUCH seconds, and the median over the touches.
STEADY_TIME = 0.15
STEADY_PERCENTILE = 85.0
SHORTEST_TOUCH = 0.08

# Whether a belt changes its speed is looked at over windows of WINDOW_TIME seconds, at most MOST_WINDOWS of them, in
# clips of at least LONG_TIME seconds. It does where their speeds differ by more than this share of their mean, most
# have a belt, and nearly all others stand still or creep along with it.
WINDOW_TIME = 3.0
MOST_WINDOWS = 60
LONG_TIME = 6.0
VARIES = 0.1
MOST_HAVE_ONE = 0.6
NEARLY_ALL = 0.8

# The speeds of a changing belt at its touches are averaged over this many seconds (a Gaussian's standard deviation).
CHANGE_TIME = 0.5


def on_treadmill(clip: Clip, limbs: Sequence[Limb], ground: Ground) -> Ground:
    """Return ``ground``, moving as the clip's treadmill does if it has one and the ground does not move already.

    Feet tell of it, hands do not.
    """
    limbs = [limbs[foot] for foot in feet_among(limbs)]
    feet = clip.positions[:, [joint for limb in limbs for joint in (limb.heel, limb.toe)]]
    if np.any(ground.velocity(feet) != 0.0):
        return ground
    belt = changing_belt_velocity(clip, limbs)
    if belt is None:
        belt = estimate_treadmill_velocity(clip, limbs)
    return ground if belt is None else Treadmill(ground, belt, _step_shares(clip, limbs))


def _step_shares(clip: Clip, limbs: Sequence[Limb]) -> FloatArray | None:
    """Return how much of each step (F,) a clip whose pose is held at its ends moves, None where all moves."""
    if clip.end_holds == (0.0, 0.0):
        return None
    loop = find_loop(clip, limbs[0].root)
    return np.append(np.diff(clip.frame_times), 1.0 if loop is None or loop.seam == 0.0 else loop.seam)


def estimate_treadmill_velocity(clip: Clip, limbs: Sequence[Limb]) -> FloatArray | None:
    """Return the level velocity (3,) in m/s that planted feet share in a clip in place, None if it travels or stands.

    It is found from the mode of the toes' velocities while they are low: feet on a belt all move as it does, for most
    of that time. The mode of feet that plant is near zero; feet that slide while the body travels are no treadmill. In
    a loop whose feet agree less than that, it is the median.
    """
    if clip.frame_count < 3 or not limbs:
        return None
    scales = np.array([limb.scale(clip) or 1.0 for limb in limbs])
    leg = float(scales.mean())
    travel = _travel_speed(clip, limbs[0].root) / leg
    belt = _shared_velocity(_low_toe_velocities(clip, limbs, LOW * scales) / leg, travel)
    if belt is None:
        belt = _loop_velocity(clip, limbs, scales)
    elif not nearly_repeats(clip, limbs[0].root):
        belt = _steadiest(clip, limbs, belt * leg) / leg
    if belt is None or float(np.linalg.norm(belt)) < max(SLOWEST_BELT, travel / MOST_TRAVEL):
        return None
    return np.append(belt * leg, 0.0)


def _travel_speed(clip: Clip, root: int) -> float:
    """Return how fast in m/s the body travels from first to last frame, or there and back, over TRAVEL_TIME."""
    at = clip.positions[:, root, :2]
    net = float(np.linalg.norm(at[-1] - at[0])) * clip.fps / (clip.frame_count - 1)
    width = round(TRAVEL_TIME * clip.fps)
    if clip.frame_count < 2 * width:
        return net
    return max(net, float(np.median(np.linalg.norm(at[width:] - at[:-width], axis=-1))) * clip.fps / width)


def changing_belt_velocity(clip: Clip, limbs: Sequence[Limb]) -> FloatArray | None:
    """Return the level velocity (F, 3) in m/s of a belt that becomes faster or slower, None where there is no such."""
    seconds = (clip.frame_count - 1) / clip.fps
    if not limbs or seconds < LONG_TIME:
        return None
    width = round(WINDOW_TIME * clip.fps)
    starts = np.linspace(0, clip.frame_count - width, min(MOST_WINDOWS, int(2.0 * seconds))).astype(np.intp)
    belts = [estimate_treadmill_velocity(clip.during(slice(start, start + width)), limbs) for start in starts]
    has_one = np.array([belt is not None for belt in belts])
    if np.mean(has_one) < MOST_HAVE_ONE:
        return None
    for at in np.flatnonzero(~has_one):
        belts[at] = _creep(clip.during(slice(starts[at], starts[at] + width)), limbs)
    known = np.array([belt is not None for belt in belts])
    found = np.array([belt[:2] for belt in belts if belt is not None])
    speeds = np.linalg.norm(found, axis=-1)
    way = found.sum(axis=0) / np.linalg.norm(found.sum(axis=0))
    if np.mean(known) < NEARLY_ALL or np.ptp(speeds) < VARIES * speeds.mean() or np.any(found @ way < 0.9 * speeds):
        return None
    frame = np.arange(clip.frame_count, dtype=np.float64)
    # Windows first, then each touch that agrees with them, since a window is long for a belt that changes.
    rough = _drawn_on(frame, starts[known] + 0.5 * (width - 1), found @ way)
    touches = _touches(clip, limbs, rough[:, None] * way)
    if len(touches) >= 2:
        order = np.argsort(touches[:, 0])
        rough = _drawn_on(frame, touches[order, 0], touches[order, 1])
    along = signals.smoothed_along(rough, CHANGE_TIME * clip.fps)
    return np.append(np.maximum(along, 0.0)[:, None] * way, np.zeros((clip.frame_count, 1)), axis=-1)


def _creep(clip: Clip, limbs: Sequence[Limb]) -> FloatArray | None:
    """Return the velocity (2,) that low toes have most of the time, where it is too slow for a belt; else None."""
    scales = np.array([limb.scale(clip) or 1.0 for limb in limbs])
    slow = mode(_low_toe_velocities(clip, limbs, LOW * scales))
    return slow if np.linalg.norm(slow) < SLOWEST_BELT * scales.mean() else None


def _drawn_on(frame: FloatArray, at: FloatArray, values: FloatArray) -> FloatArray:
    """Return values (N,) at frames ``at`` drawn at each ``frame`` (F,): straight lines that go on over their ends."""
    inside = np.interp(frame, at, values)
    # A line through a few neighbours, since a single one is a few per cent off.
    for end, few in ((frame < at[0], slice(0, 4)), (frame > at[-1], slice(-4, None))):
        inside[end] = np.polyval(np.polyfit(at[few], values[few], 1), frame[end]) if len(at) > 2 else inside[end]
    return inside


def _touches(clip: Clip, limbs: Sequence[Limb], belt: FloatArray) -> FloatArray:
    """Return middle frame, speed in m/s and length in frames ``(N, 3)`` of each touch of a toe that goes with the belt.

    belt : (F, 2) m/s, about; the speed is along it, over STEADY_TIME, where the touch is steadily fastest.
    """
    speed = np.linalg.norm(belt, axis=-1)
    way = belt[np.argmax(speed)] / speed.max()
    span, shortest = round(STEADY_TIME * clip.fps) + 1, max(3.0, SHORTEST_TOUCH * clip.fps)
    found = []
    for limb in limbs:
        scale = limb.scale(clip) or 1.0
        velocities, is_low = _toe(clip, limb, LOW * scale)
        allowed = SAME_VELOCITY * np.maximum(speed, SLOWEST_BELT * scale)
        near = is_low & (np.linalg.norm(velocities - belt, axis=-1) < allowed)
        for first, last in signals.runs(near):
            if last - first + 1 >= shortest:
                along = clip.positions[first : last + 1, limb.toe, :2] @ way
                found.append((0.5 * (first + last), _steadily_fastest(along, span) * clip.fps, last - first + 1.0))
    return np.array(found).reshape(-1, 3)


def _steadily_fastest(along: FloatArray, span: int) -> float:
    """Return how far a frame a point (F,) goes where it is fast, over ``span`` frames, less what jitter makes of it."""
    span = min(span, len(along))
    speeds = signals.slopes(along, span)
    usual, fast = np.percentile(speeds, (50.0, STEADY_PERCENTILE))
    # The third difference of what moves smoothly is jitter, of 20 times its variance.
    jitter = np.var(np.diff(along, 3)) / 20.0 if len(along) > 5 else 0.0
    own = max(float(np.var(speeds)), rotations.TINY)
    real = max(0.0, 1.0 - jitter * 12.0 / (span * (span**2 - 1.0)) / own)
    return float(usual + np.sqrt(real) * (fast - usual))


def _steadiest(clip: Clip, limbs: Sequence[Limb], belt: FloatArray) -> FloatArray:
    """Return the velocity (2,) of a belt that is about ``belt`` (2,): how fast planted toes steadily go its way."""
    touches = _touches(clip, limbs, np.tile(belt, (clip.frame_count, 1)))
    if len(touches) == 0:
        return belt
    _, speeds, lengths = touches[np.argsort(touches[:, 1])].T
    middle = np.searchsorted(np.cumsum(lengths), 0.5 * lengths.sum())
    return np.asarray(speeds[middle] * belt / np.linalg.norm(belt))


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
    found = [_toe(clip, limb, float(height)) for limb, height in zip(limbs, low, strict=True)]
    return np.concatenate([velocities[is_low] for velocities, is_low in found])


def _toe(clip: Clip, limb: Limb, low: float) -> tuple[FloatArray, BoolArray]:
    """Return a toe's level velocity ``(F, 2)`` in m/s, and where it is less than ``low`` m over its lowest ``(F,)``."""
    toe = clip.positions[:, limb.toe]
    smooth = signals.smoothed(toe, JITTER_TIME * clip.fps)
    velocities = signals.velocity(smooth, clip.fps, max(1, round(clip.fps / 60.0)))
    return velocities[:, :2], np.asarray(toe[:, 2] <= np.percentile(toe[:, 2], 2.0) + low)


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
