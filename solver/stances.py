# SPDX-License-Identifier: GPL-3.0-or-later
"""Stances that slide: what is low, slow for its swing and left behind by the body, and how it moves meanwhile.

Retargeted and generated feet slide through every stance, so speed alone does not tell them from a swing. But a foot
that stands is low, and the body passes over it: seen from the body it goes back. How it moves meanwhile is its slide.
Less that, it is judged as a foot that does not slide.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from . import signals
from .arrays import BoolArray, FloatArray
from .clip import Clip
from .ground import Ground
from .limb import Limb
from .signals import runs

# Slower than this share of its swing speed a low point may stand.
STANCE_SHARE = 0.5

# A low point is less than this over its lowest (m for a 0.9 m leg).
LOW = 0.11

# While it stands, the body passes over a point with at least this share of the body's speed, where the body is faster
# than this (m/s for a 0.9 m leg). The body's path is averaged over BODY_TIME seconds (a Gaussian's deviation).
PASSES_SHARE = 0.2
SLOWEST_BODY = 0.3
BODY_TIME = 0.06

# Landing and push-off, EDGE_TIME seconds each, are no slide. A stance as short as the second of these, or a clip's end
# that shows no more of one, has little else.
EDGE_TIME = 0.05
SHORTEST_SLIDE_TIME = 0.25

# A stance slides where its usual speed is this share of the swing's, wholly from the second share on; from the third
# on it is not taken for a slide.
SLIDES_FROM, SLIDES_WHOLLY, SLIDES_AT_MOST = 0.05, 0.1, 0.3

# Nor does it where it is slower than the first of these, m/s for a 0.9 m leg: flesh and markers move as fast in a true
# stance. From the second on it does.
SLOWEST_SLIDE, CLEAR_SLIDE = 0.1, 0.2


@dataclass(frozen=True)
class PointMotion:
    """How one point of a limb moves over its ground, in metres and seconds for a 0.9 m leg.

    track : (F, 3) where it is.
    velocity : (F, 3).
    height : (F,) over the ground.
    fastest : (F,) its swing speed around each frame.
    left_behind : (F,) whether the body passes over it, or hardly moves.
    rate : frames a second.
    """

    track: FloatArray
    velocity: FloatArray
    height: FloatArray
    fastest: FloatArray
    left_behind: BoolArray
    rate: float


@dataclass(frozen=True)
class Slide:
    """How a point slides in the stance nearest to each frame.

    velocity : (F, 3) m/s for a 0.9 m leg, zero where it stands still.
    unsteadiness : (F,) m/s, how much its velocity usually differs from that.
    share : (F,) from 0 where the stance is real to 1 where it slides.
    """

    velocity: FloatArray
    unsteadiness: FloatArray
    share: FloatArray


def passed_over(clip: Clip, limb: Limb, ground: Ground, velocity: FloatArray, refinement: int) -> BoolArray:
    """Return when the body passes over a point of a limb that moves with ``velocity`` (F, 3), or hardly moves, (F,).

    velocity : m/s for a 0.9 m leg over its ground, at ``refinement`` times the clip's rate.
    """
    rate, root = clip.fps * refinement, clip.positions[:, limb.root]
    path = (root - signals.carried(ground.velocity(root), clip.fps)) / (limb.scale(clip) or 1.0)
    level = signals.upsampled(path, refinement) * np.array([1.0, 1.0, 0.0])
    body = signals.velocity(signals.smoothed(level, BODY_TIME * rate), rate, 1)
    squared = np.sum(body**2, axis=-1)
    ahead = np.sum((velocity - body) * body, axis=-1)
    return np.asarray((ahead < -PASSES_SHARE * squared) | (squared < SLOWEST_BODY**2))


def may_stand(motion: PointMotion, vote_time: float, shortest: float) -> BoolArray:
    """Return (F,) where a point is low, slow for its swing and left behind, for at least ``shortest`` seconds."""
    low = motion.height < np.percentile(motion.height, 2.0) + LOW
    slow = np.linalg.norm(motion.velocity, axis=-1) < STANCE_SHARE * motion.fastest
    voted = signals.majority(low & slow & motion.left_behind, signals.odd(vote_time * motion.rate))
    return signals.without_short(voted, shortest * motion.rate, at_ends=True)


def slide_of(motion: PointMotion, may: BoolArray) -> Slide:
    """Return how a point slides in the stances that ``may`` (F,) be some; a frame between them has its nearest one's.

    The median of its velocity in a stance, without landing and push-off, is its slide. Short ones say nothing of it.
    """
    frame = np.arange(len(may))
    lasts = [span for span in runs(may) if span[1] + 1 - span[0] >= SHORTEST_SLIDE_TIME * motion.rate]
    spans = np.array(lasts, dtype=np.intp).reshape(-1, 2)
    if len(spans) == 0:
        return Slide(np.zeros_like(motion.velocity), np.zeros(len(may)), np.zeros(len(may)))
    found = [_slide_in(motion, first, last) for first, last in spans]
    away = np.maximum(spans[:, 0, None] - frame, frame - spans[:, 1, None])
    nearest = np.argmin(np.maximum(away, 0), axis=0)
    velocities, unsteady, shares = (np.array(part)[nearest] for part in zip(*found, strict=True))
    return Slide(velocities, unsteady, shares)


def _slide_in(motion: PointMotion, first: int, last: int) -> tuple[FloatArray, float, float]:
    """Return the slide's velocity (3,), unsteadiness and share in one stance."""
    edge = round(EDGE_TIME * motion.rate)
    velocities = motion.velocity[first + edge : last + 1 - edge]
    swing = max(float(np.median(motion.fastest[first + edge : last + 1 - edge])), 1e-9)
    usual = float(np.median(np.linalg.norm(velocities, axis=-1)))
    if usual >= SLIDES_AT_MOST * swing:
        return np.zeros(3), 0.0, 0.0
    for_its_swing = (usual / swing - SLIDES_FROM) / (SLIDES_WHOLLY - SLIDES_FROM)
    at_all = (usual - SLOWEST_SLIDE) / (CLEAR_SLIDE - SLOWEST_SLIDE)
    share = float(np.clip(min(for_its_swing, at_all), 0.0, 1.0))
    velocity = share * np.median(velocities, axis=0)
    return velocity, share * float(np.median(np.linalg.norm(velocities - velocity, axis=-1))), share
