# SPDX-License-Identifier: GPL-3.0-or-later
"""Stances that slide: what is low, slow for its swing and left behind by the body, and how it moves meanwhile.

Retargeted and generated feet slide through every stance, so speed alone does not tell them from a swing. But a foot
that stands is low, and the body passes over it: seen from the body it goes back. How it moves meanwhile is its slide.
Less that, it is judged as a foot that does not slide.

Where a slide is not steady even that does not tell. What does is the evidence of all feet together: a foot that stands
is low, level and slow, the others move more than it does, and the body does not fall (docs/mathematics.md, 3.4).
"""

from __future__ import annotations

from collections.abc import Sequence
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

# What tells that a foot stands, in log odds, fitted by logistic regression to 124 clips. Those were made of recordings
# (21 walks, runs, turns, jumps, dances, fights) by sliding, blurring, lifting and shaking them as networks do; 72 clips
# of 15 other recordings have shown that it holds for these, too. Metres and seconds for a 0.9 m leg:
#   BASE : for any foot, before anything is known of it;
#   PER_HEIGHT, PER_LEVEL : for each metre over the lowest that it gets, and over its lowest within LEVEL_TIME seconds;
#   PER_RISE : for rising or sinking as fast as it swings;
#   PER_SPEED : for each m/s, up to FASTEST_TOLD;
#   PER_RATIO : for being e times as fast as the other feet;
#   PER_PUSH : for each g with which the body is pushed up.
BASE, PER_HEIGHT, PER_LEVEL, PER_RISE = 5.23, -2.69, -17.96, -3.46
PER_SPEED, PER_RATIO, PER_PUSH = -2.53, -1.02, 2.30
LEVEL_TIME, FASTEST_TOLD, HARDEST_PUSH = 0.5, 3.0, 2.0

# A body that falls with this share of gravity is in flight, and no foot of it stands. (Walking pelvises stay under half
# of it; a share, since paths are averaged.)
GRAVITY, IN_FLIGHT = 9.81, 0.7
NEVER = -10.0

# No speed under the first counts as slower still, and no swing under the second as a swing (m/s for a 0.9 m leg).
SLOWEST_TOLD, SLOWEST_SWING = 0.05, 0.3

# The evidence is averaged over this long (a Gaussian's deviation in seconds). A stance has to have CLEAR of it in some
# frame, and to last; one of which less than the share FOUND is called planted for other reasons has been missed.
EVIDENCE_TIME, CLEAR, FOUND = 0.05, 1.5, 0.8

# Seconds that it has to last, and that a clip's end has to show of it: a landing or a push-off is shorter.
SHORTEST_TOLD_TIME, SHORTEST_SHOWN_TIME = 0.1, 0.2
VOTE_TIME = 5.0 / 60.0

# In at least this share of a missed stance the body passes over the point, or hardly moves, and the point is low, or
# the hip is as high over it as over a foot that is down: not so on a sledge, and not so of a foot that is held up.
LEAST_SHARE = 0.25

# A foot does not slide further in one stance (m for a 0.9 m leg): a body that is turned or pushed about on feet
# that take no step would be pulled out of its path to hold them.
FURTHEST_SLIDE = 1.0

# In at most this share of it another foot stands still: one that does shows that the clip does not slide just then.
MOST_RELIEVED = 0.5


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
class Evidence:
    """What all feet together tell of one point.

    odds : (F,) log odds that it stands.
    relieved : (F,) whether another foot stands still: the clip does not slide then, and what moves is meant to.
    """

    odds: FloatArray
    relieved: BoolArray


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
    share = slide_share(usual, swing)
    velocity = share * np.median(velocities, axis=0)
    return velocity, share * float(np.median(np.linalg.norm(velocities - velocity, axis=-1))), share


def body_push(clip: Clip, limb: Limb, refinement: int) -> FloatArray:
    """Return the vertical acceleration (F,) of a limb's root in g, -1 where it falls, at ``refinement`` times the rate.

    As for a 0.9 m leg, since motion of people is put on bodies of any size, and units may be guessed wrongly.
    """
    rate = clip.fps * refinement
    root = clip.positions[:, limb.root, 2] / (limb.scale(clip) or 1.0)
    height = signals.smoothed(signals.upsampled(root, refinement), BODY_TIME * rate)
    if len(height) < 2:
        return np.zeros(len(height))
    return np.asarray(np.gradient(np.gradient(height) * rate) * rate / GRAVITY)


def evidence_of(motions: Sequence[PointMotion], push: FloatArray) -> list[Evidence]:
    """Return what tells of the same point of each foot that it stands, from how all of them move.

    push : (F,) how the body accelerates upwards, in g (see body_push).
    """
    speeds = [np.linalg.norm(motion.velocity, axis=-1) for motion in motions]
    told = [np.log(np.maximum(speed, SLOWEST_TOLD)) for speed in speeds]
    still = np.array([_stands_still(motion) for motion in motions])
    found = []
    for at, (motion, speed) in enumerate(zip(motions, speeds, strict=True)):
        lowest_around = signals.rolling_minimum(motion.height, signals.odd(LEVEL_TIME * motion.rate))
        others = [log for other, log in enumerate(told) if other != at]
        ratio = told[at] - np.mean(others, axis=0) if others else np.zeros_like(speed)
        odds = (
            BASE
            + PER_HEIGHT * (motion.height - np.percentile(motion.height, 2.0))
            + PER_LEVEL * (motion.height - lowest_around)
            + PER_RISE * np.abs(motion.velocity[:, 2]) / np.maximum(motion.fastest, SLOWEST_SWING)
            + PER_SPEED * np.minimum(speed, FASTEST_TOLD)
            + PER_RATIO * ratio
            + PER_PUSH * np.minimum(push, HARDEST_PUSH)
        )
        averaged = signals.smoothed(odds, EVIDENCE_TIME * motion.rate)
        relieved = np.delete(still, at, axis=0).any(axis=0)
        found.append(Evidence(np.where(push < -IN_FLIGHT, NEVER, averaged), relieved))
    return found


def _stands_still(motion: PointMotion) -> BoolArray:
    """Return where (F,) a point is low and moves no faster than flesh and markers do in a true stance."""
    slow = np.linalg.norm(motion.velocity, axis=-1) < SLOWEST_SLIDE
    low = motion.height < np.percentile(motion.height, 2.0) + LOW
    return signals.majority(slow & low, signals.odd(VOTE_TIME * motion.rate))


def missed_stances(motion: PointMotion, evidence: Evidence, bears: BoolArray, planted: BoolArray) -> BoolArray:
    """Return (F,) the stances that slide of which little or nothing is ``planted`` (F,), by the ``evidence``.

    bears : (F,) where the point is low, or the hip as high over it as over a foot that is down.
    """
    stands = signals.majority(evidence.odds > 0.0, signals.odd(VOTE_TIME * motion.rate))
    missed, speed = np.zeros_like(planted), np.linalg.norm(motion.velocity, axis=-1)
    for first, last in runs(stands):
        span = slice(first, last + 1)
        if planted[span].mean() >= FOUND:
            continue
        whole = first > 0 and last + 1 < len(stands)
        lasts = (last + 1 - first) / motion.rate + 1e-9 >= (SHORTEST_TOLD_TIME if whole else SHORTEST_SHOWN_TIME)
        slides = slide_share(float(np.median(speed[span])), float(np.median(motion.fastest[span]))) >= 0.5
        carries = min(motion.left_behind[span].mean(), bears[span].mean()) >= LEAST_SHARE
        clear = evidence.odds[span].max() >= CLEAR and evidence.relieved[span].mean() <= MOST_RELIEVED
        near = speed[span].sum() / motion.rate <= FURTHEST_SLIDE
        missed[span] = lasts and slides and carries and clear and near
    return missed


def slide_share(usual: float, swing: float) -> float:
    """Return how much (0 to 1) a stance slides whose usual speed is this, beside that of its swing, both m/s."""
    for_its_swing = (usual / max(swing, 1e-9) - SLIDES_FROM) / (SLIDES_WHOLLY - SLIDES_FROM)
    at_all = (usual - SLOWEST_SLIDE) / (CLEAR_SLIDE - SLOWEST_SLIDE)
    return float(np.clip(min(for_its_swing, at_all), 0.0, 1.0))
