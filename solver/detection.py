# SPDX-License-Identifier: GPL-3.0-or-later
"""When each foot is planted, found from how its points move (docs/mathematics.md, 3).

A point is planted while it is slow for itself: the limit is a share of its own swing speed around that time, so that
one set of numbers serves a stroll and a sprint. Stillness, height and durations sort out what speed alone gets wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from operator import attrgetter

import numpy as np

from . import signals, stances
from .arrays import BoolArray, FloatArray, IntArray
from .bad_frames import find_breaks, without_bad
from .clip import Clip
from .contacts import PLANTED, Contacts
from .ground import Ground
from .limb import Limb, feet_among, joint_positions
from .loops import laps_on
from .signals import runs
from .sole import on_its_heel
from .stances import Evidence, PointMotion
from .treadmill import on_treadmill

# Motion is looked at no coarser than this (Hz), and speed over one such frame to either side whatever the clip's rate:
# the same motion then has the same speed, and the jitter of a 250 Hz recording is not taken for motion.
DETECTION_RATE = 60.0

# The speed (m/s for a 0.9 m leg) that jitter may still make after positions are averaged, and the longest average in
# seconds (a Gaussian's standard deviation). Ordinary captures have less jitter than that, and are not averaged.
JITTER_SPEED = 0.2
LONGEST_SMOOTHING = 0.018

# Feet that slide through every stance are never really slow. Up to this share of the swing speed counts as slide.
MOST_SLIDE = 0.2

# A stance that slides is planted up to this share of its limit, may be this high over the lowest that the point gets,
# and may rise and sink by SLID_RISE (m for a 0.9 m leg): generated feet keep to no floor.
SLID_PLANTED_SHARE = 0.7
SLID_HEIGHT = 0.1
SLID_RISE = 0.07
SHORTEST_SLID_TIME = 0.1

# A hand is put down and taken up without rolling: it is planted up to this share of its limit.
HAND_PLANTED_SHARE = 0.4

# While it is planted a point may be this many times as fast as it usually is in the same touch, and a little more.
STEADY = 1.5

# A point is down, and not still landing or rolling off, within this share of how far it may rise within one touch.
LANDED_SHARE = 0.6

# A step this long (m for a 0.9 m leg) and this fast (m/s) is a jump of the pose: a T-pose before the motion, a cut, a
# lost marker. Whatever stands on both sides of it, nothing is planted across it.
JUMP_DISTANCE, JUMP_SPEED = 0.04, 1.5

# A foot that is high above its lowest still stands (stairs, a box) where the hip comes to be as high over it as over a
# foot that is down, and for at least this many seconds: not so a lifted knee, a kick, feet that dangle, a jump's top.
HIGH_CONTACT_TIME = 0.3


# A hand (m for a 0.9 m leg) is planted no higher than this over where feet get lowest: one that hangs still, rests on a
# knee or holds something is not, and no more is known of a wall or a table.
HAND_HEIGHT = 0.15


@dataclass(frozen=True)
class ContactSettings:
    """What counts as planted. Metres are for a 0.9 m leg and scale with the limb's length; durations are seconds.

    toe_share, heel_share : a point touches the ground while slower than this share of its own swing speed around then.
    planted_share : it is planted, to be locked, while slower than this share of that limit: touching begins with a
        landing and ends with a push-off, in which the point moves.
    entry_share : a touch has to be slower than this share of its limit somewhere (hysteresis).
    memory_time : how long a swing's speed counts; it fades by 1/e in this time, before and after.
    still_distance, still_time : a point that stays within this distance for this time is still, whatever its swing.
    height : how far a touching point may be above the lowest that it gets, under the hip or over the ground.
    rise : how far it may rise within one touch.
    vote_time : length of the majority vote.
    min_contact_time, min_gap_time : shorter contacts, and shorter gaps between two contacts, are not real.
    blend_time : how long the signal takes from 0 to 1; it is 0.5 at the detected edge.
    """

    toe_share: float = 0.25
    heel_share: float = 0.18
    planted_share: float = 0.2
    entry_share: float = 0.75
    memory_time: float = 2.0
    still_distance: float = 0.04
    still_time: float = 0.2
    height: float = 0.08
    rise: float = 0.04
    vote_time: float = 5.0 / 60.0
    min_contact_time: float = 0.05
    min_gap_time: float = 0.08
    blend_time: float = 0.1


def find_contacts(
    clip: Clip,
    limbs: Sequence[Limb],
    ground: Ground,
    settings: ContactSettings = ContactSettings(),
    *,
    belt_known: bool = False,
) -> Contacts:
    """Return when toe and heel of each limb are planted on ``ground``, and when its foot touches it.

    Where the clip walks in place over a ground that does not move, its treadmill's velocity is found and counts as
    the ground's (see treadmill.py). In a clip that repeats, contacts go on over its end (see loops.py).

    Where the motion breaks off (see bad_frames.py) its parts are looked at by themselves; a bad frame has no contacts.

    belt_known : whether the treadmill has been looked for already, so that ``ground`` has its velocity where there is
        one.
    """
    ground = ground if belt_known else on_treadmill(clip, limbs, ground)
    breaks = find_breaks(clip)
    if not breaks.any:
        return _in_one_motion(clip, limbs, ground, settings)
    whole = without_bad(clip, breaks.bad)
    shape = clip.frame_count, len(limbs)
    found = Contacts(np.zeros(shape), np.zeros(shape), np.zeros(shape, dtype=np.bool_))
    for part in breaks.stretches():
        found = found.replaced(part, _in_one_motion(whole.during(part), limbs, ground.during(part), settings))
    good = ~breaks.bad[:, None]
    # Whatever stands on both sides of a cut, nothing is planted across it.
    good[[frame - side for frame in breaks.cuts for side in (0, 1)]] = False
    return Contacts(found.toe * good, found.heel * good, found.foot_down & good)


def _in_one_motion(clip: Clip, limbs: Sequence[Limb], ground: Ground, settings: ContactSettings) -> Contacts:
    """Return the contacts of a clip that does not break off, on a ground whose treadmill is known."""
    laps = laps_on(clip, limbs, ground)
    if laps is None:
        return _in_one_lap(clip, limbs, ground, settings)
    # A cycle was made to repeat: its feet do what they are meant to, and no stance of it is to be guessed.
    found = _in_one_lap(laps.clip, limbs, laps.ground, settings, guesses=False).during(laps.middle)
    # What is planted at the clip's end is so fully: a curve that ends there has no room to ease.
    for signal in (found.toe, found.heel):
        signal[[0, -1]] = np.where(signal[[0, -1]] > PLANTED, 1.0, signal[[0, -1]])
    return found


def _in_one_lap(
    clip: Clip, limbs: Sequence[Limb], ground: Ground, settings: ContactSettings, guesses: bool = True
) -> Contacts:
    """Return the contacts of a clip on a ground that moves as its treadmill does; what repeats is not looked for.

    guesses : whether stances that their own speed does not show are found by the evidence of all feet.
    """
    feet = [limbs[foot] for foot in feet_among(limbs)]
    ceiling = _hand_ceiling(clip, feet, ground) if any(limb.hand for limb in limbs) else None
    toe = np.zeros((clip.frame_count, len(limbs)))
    heel = np.zeros((clip.frame_count, len(limbs)))
    touching = np.zeros((clip.frame_count, len(limbs)), dtype=np.bool_)
    push = stances.body_push(clip, feet[0], _refinement(clip)) if feet else np.zeros(0)
    for signal, joint_of in ((toe, attrgetter("toe")), (heel, attrgetter("heel"))):
        motions = [motion_of(clip, limb, joint_of(limb), ground, settings)[0] for limb in limbs]
        evidence = _evidence(limbs, motions, push) if guesses else [None] * len(limbs)
        # A heel that comes down or goes up alone is not told by it.
        known = np.ones_like(touching) if signal is toe else toe > PLANTED
        for column, limb in enumerate(limbs):
            told = _where_known(evidence[column], known[:, column], _refinement(clip))
            point = _Point(joint_of(limb), motions[column], told, ceiling if limb.hand else None)
            signal[:, column], touches = _point_contact(clip, limb, point, settings)
            touching[:, column] |= touches
    contacts = Contacts(toe, heel, touching)
    return replace(contacts, heel=np.where(on_its_heel(clip, limbs, contacts, ground), heel, 0.0))


def _evidence(limbs: Sequence[Limb], motions: Sequence[PointMotion], push: FloatArray) -> list[Evidence | None]:
    """Return what tells of each limb's point that it stands, from how the same point of all feet moves; None for
    hands."""
    feet = feet_among(limbs)
    found: list[Evidence | None] = [None] * len(limbs)
    for foot, told in zip(feet, stances.evidence_of([motions[foot] for foot in feet], push), strict=True):
        found[foot] = None if limbs[foot].hand else told
    return found


def _where_known(evidence: Evidence | None, known: BoolArray, fine: int) -> Evidence | None:
    """Return evidence, at ``fine`` times the clip's rate, where ``known`` (F,) is True; elsewhere that of never."""
    if evidence is None:
        return None
    at = np.arange(len(evidence.odds)) // fine
    return replace(evidence, odds=np.where(known[at], evidence.odds, stances.NEVER))


def _hand_ceiling(clip: Clip, feet: Sequence[Limb], ground: Ground) -> float:
    """Return how high over the ground, in metres, a hand may be planted: a little over where feet get lowest."""
    toes = joint_positions(clip, feet, "toe")
    lowest = np.percentile(toes[..., 2] - ground.height(toes), 2.0, axis=0).min()
    return float(max(lowest, 0.0) + HAND_HEIGHT * np.mean([foot.scale(clip) or 1.0 for foot in feet]))


def toe_speed(
    clip: Clip, limb: Limb, ground: Ground, settings: ContactSettings = ContactSettings()
) -> tuple[FloatArray, FloatArray]:
    """Return the speed of a limb's toe over its ground and the limit under which it may touch it, ``(F,)`` in m/s.

    A stance that slides is judged by its speed less its slide: the limit has the slide's speed on top.

    ground : with the velocity of the clip's treadmill where it has one.
    """
    leg, fine = limb.scale(clip) or 1.0, _refinement(clip)
    motion, _ = motion_of(clip, limb, limb.toe, ground, settings)
    pace = _pace(motion, settings.toe_share, settings)
    speed = np.linalg.norm(pace.motion.velocity, axis=-1)
    return leg * speed[::fine], leg * (pace.slide_speed + pace.slowest + pace.allowed)[::fine]


@dataclass(frozen=True)
class _Pace:
    """How fast a point is, at the rate of detection, for a 0.9 m leg. All arrays are (F,).

    motion : where it is and how it moves.
    speed : m/s, less the slide of the stance that is nearest.
    slowest, allowed : m/s, what it does at its slowest, and how much faster is still slow for it.
    slid, slide_speed : how much the nearest stance slides, from 0 to 1, and how fast, in m/s.
    """

    motion: PointMotion
    speed: FloatArray
    slowest: FloatArray
    allowed: FloatArray
    slid: FloatArray
    slide_speed: FloatArray


@dataclass(frozen=True)
class _Point:
    """One joint of a limb: its index, how it moves, what all feet tell of it (None where nothing is known), and how
    high over the ground in metres it may be planted, None for wherever it can stand."""

    joint: int
    motion: PointMotion
    evidence: Evidence | None
    ceiling: float | None


def _pace(motion: PointMotion, share: float, settings: ContactSettings) -> _Pace:
    """Return how fast a point is, and what is slow for it."""
    slide = stances.slide_of(motion, stances.may_stand(motion, settings.vote_time, settings.min_contact_time))
    speed = np.linalg.norm(motion.velocity - slide.velocity, axis=-1)
    slowest, fastest = _range_of(speed, motion.rate, settings)
    slowest = np.minimum(np.maximum(slowest, slide.unsteadiness), MOST_SLIDE * fastest)
    slide_speed = np.linalg.norm(slide.velocity, axis=-1)
    return _Pace(motion, speed, slowest, share * (fastest - slowest), slide.share, slide_speed)


def motion_of(clip: Clip, limb: Limb, joint: int, ground: Ground, settings: ContactSettings) -> tuple[PointMotion, int]:
    """Return how one of the limb's joints moves over its ground, and at how many times the clip's rate that is."""
    leg, fine = limb.scale(clip) or 1.0, _refinement(clip)
    rate, point = clip.fps * fine, clip.positions[:, joint]
    point = signals.smoothed(point, _jitter_frames(point / leg, clip.fps))
    track = signals.upsampled((point - signals.carried(ground.velocity(point), clip.fps)) / leg, fine)
    height = signals.upsampled((point[:, 2] - ground.height(point)) / leg, fine)
    velocity = signals.velocity(track, rate, max(1, round(rate / DETECTION_RATE)))
    _, fastest = _range_of(np.linalg.norm(velocity, axis=-1), rate, settings)
    passed_over = stances.passed_over(clip, limb, ground, velocity, fine)
    return PointMotion(track, velocity, height, fastest, passed_over, rate), fine


def _point_contact(clip: Clip, limb: Limb, point: _Point, settings: ContactSettings) -> tuple[FloatArray, BoolArray]:
    """Return the contact signal ``(F,)`` of one of the limb's joints, and when it touches the ground ``(F,)``."""
    leg, fine = limb.scale(clip) or 1.0, _refinement(clip)
    rate = clip.fps * fine
    pace = _pace(point.motion, settings.toe_share if point.joint == limb.toe else settings.heel_share, settings)
    drop = signals.upsampled((clip.positions[:, limb.hip, 2] - clip.positions[:, point.joint, 2]) / leg, fine)
    spread = signals.spread(pace.motion.track, signals.odd(settings.still_time * rate))
    still, limit = spread < settings.still_distance, pace.slowest + pace.allowed
    slow = signals.hysteresis(
        ((pace.speed < limit) & pace.motion.left_behind) | still,
        (pace.speed < settings.entry_share * limit) | (spread < settings.entry_share * settings.still_distance),
    )
    jumps = _after_jumps(pace.motion.track, rate)
    down = _on_the_ground(slow, pace.motion.height, drop, rate, settings)
    slides = pace.slid >= 0.5
    if slides.any():
        # What slides over the floor slides up and down, too.
        lenient = replace(settings, height=SLID_HEIGHT, rise=SLID_RISE)
        down = np.where(slides, _on_the_ground(slow, pace.motion.height, drop, rate, lenient), down)
        # A clip cut within such a stance has no other end of it: velocities there are known from one side only.
        at_ends = signals.to_the_ends(down, settings.min_gap_time * rate)
        down |= at_ends & slides & (pace.speed < STEADY * limit)
    if point.ceiling is not None:
        down &= pace.motion.height < point.ceiling / leg
    touching = _tidy(down, jumps, rate, settings)
    # Of a stance that is real only what stands is planted; one that slides is to be held from end to end.
    usual_share = max(settings.planted_share, HAND_PLANTED_SHARE) if limb.hand else settings.planted_share
    planted_share = usual_share + pace.slid * max(SLID_PLANTED_SHARE - usual_share, 0.0)
    steady = _steady(touching, pace.speed, planted_share * pace.allowed) | still
    planted = _tidy(touching & steady & (_low(touching, pace.motion.height, settings) | slides), jumps, rate, settings)
    # What a clip's end shows of a stance that slides may be nothing but a landing or a push-off.
    planted &= ~slides | signals.without_short(planted, SHORTEST_SLID_TIME * rate, at_ends=True)
    if point.evidence is not None:
        bears = _is_low(pace.motion.height, SLID_HEIGHT) | _is_upright(drop, settings)
        missed = stances.missed_stances(pace.motion, point.evidence, bears, planted)
        if missed.any():
            planted = _tidy(planted | missed, jumps, rate, settings)
            touching |= planted
    return signals.eased(planted, settings.blend_time * rate)[::fine], touching[::fine]


def _jitter_frames(point: FloatArray, fps: float) -> float:
    """Return over how many frames (a Gaussian's deviation) a point's places (F, 3) have to be averaged for jitter to
    make no more speed than JITTER_SPEED of them.

    White noise of a frame's deviation ``s`` has the speed 0.376 s fps / d^1.5 after a Gaussian of ``d`` frames.
    """
    wanted = (0.376 * signals.jitter(point) * fps / JITTER_SPEED) ** (2.0 / 3.0)
    return min(wanted, LONGEST_SMOOTHING * fps)


def _refinement(clip: Clip) -> int:
    """Return how many times the clip's frame rate is looked at."""
    return max(1, int(np.ceil(DETECTION_RATE / clip.fps - 0.01)))


def _range_of(speed: FloatArray, rate: float, settings: ContactSettings) -> tuple[FloatArray, FloatArray]:
    """Return how fast a point is at its slowest and at its fastest around each frame, ``(F,)`` in m/s.

    Both ends of its range fade from where they are met, so that a walk that follows a sprint, or a stand, is judged as
    a walk.
    """
    # A few bad frames must not count.
    usual = np.log(np.maximum(signals.rolling_median(speed, signals.odd(settings.vote_time * rate)), 1e-9))
    fading = 1.0 / (rate * settings.memory_time)
    return np.exp(-signals.envelope(-usual, fading)), np.exp(signals.envelope(usual, fading))


def _steady(touching: BoolArray, speed: FloatArray, allowed: FloatArray) -> BoolArray:
    """Return the part of each touch without its landing and its push-off: little faster than that touch usually is."""
    limit = np.zeros_like(speed)
    for first, last in runs(touching):
        span = slice(first, last + 1)
        limit[span] = STEADY * np.median(speed[span]) + allowed[span]
    return speed < limit


def _low(touching: BoolArray, height: FloatArray, settings: ContactSettings) -> BoolArray:
    """Return the part of each touch in which the point is down: not still landing, not rolling off yet."""
    low = np.zeros_like(touching)
    for first, last in runs(touching):
        span = slice(first, last + 1)
        low[span] = height[span] < np.median(height[span]) + LANDED_SHARE * settings.rise
    return low


def _after_jumps(track: FloatArray, rate: float) -> IntArray:
    """Return the frames to which the point jumps from the one before."""
    step = np.linalg.norm(np.diff(track, axis=0), axis=-1)
    return np.flatnonzero(step > max(JUMP_DISTANCE, JUMP_SPEED / rate)) + 1


def _tidy(planted: BoolArray, jumps: IntArray, rate: float, settings: ContactSettings) -> BoolArray:
    """Return ``planted`` by majority vote, and without gaps and contacts too short to be real, cut at ``jumps``."""
    planted = signals.majority(planted, signals.odd(settings.vote_time * rate))
    planted = ~signals.without_short(~planted, settings.min_gap_time * rate)
    planted[jumps] = planted[jumps - 1] = False
    return signals.without_short(planted, settings.min_contact_time * rate)


def _on_the_ground(
    slow: BoolArray, height: FloatArray, drop: FloatArray, rate: float, settings: ContactSettings
) -> BoolArray:
    """Return the part of ``slow`` in which the point can stand on something.

    height, drop : of the point over its ground, and of the hip over the point, metres for a 0.9 m leg.
    """
    highest = _lowest(height) + settings.height
    upright = _is_upright(drop, settings)
    planted = np.zeros_like(slow)
    for first, last in runs(slow):
        span = slice(first, last + 1)
        # Within one contact, from its lower quartile: some feet sink further in while they stand.
        quarter = (last - first) // 4
        base = np.partition(height[span], quarter)[quarter]
        level = height[span] < base + settings.rise
        high = base > highest
        if not high or (upright[span][level].any() and np.count_nonzero(level) >= HIGH_CONTACT_TIME * rate):
            planted[span] = level
    return planted


def _lowest(height: FloatArray) -> float:
    """Return the lowest that a point gets, so that feet sunk into the floor or floating over it are found too; a
    percentile, since one bad frame must not decide it."""
    return float(np.percentile(height, 2.0))


def _is_low(height: FloatArray, most: float) -> BoolArray:
    return np.asarray(height < _lowest(height) + most)


def _is_upright(drop: FloatArray, settings: ContactSettings) -> BoolArray:
    """Return where (F,) the hip is as high over a point as over a foot that is down."""
    return np.asarray(drop > np.percentile(drop, 95.0) - settings.height)
