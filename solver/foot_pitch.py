# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet turned with the slope that they stand on, so that heel and toe are both down, uphill and downhill.

A turn is a rotation vector in the world, about the toe: feet only turn here, the limb solve brings the rest along.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from . import rotations, signals
from .clip import Clip
from .contact_heights import height_kept_by_heel
from .contacts import Contacts, runs
from .ground import Ground
from .limb import Limb, joint_positions
from .rotations import FloatArray
from .signals import BoolArray

# A slope less than this (degrees) along a foot is level ground, on which a clip shows how its foot stands.
LEVEL = 3.0

# The number of places from toe to heel at which the slope is looked up: on rough ground each differs.
ALONG_FOOT = 4

# A clip whose feet follow less of the slopes than the first share is taken to follow nothing of them, and one whose
# feet follow more than the second to follow them wholly: feet never stand twice alike.
FOLLOWS_NOTHING, FOLLOWS_ALL = 0.25, 0.75

# Where no step of the clip is on level ground, the rest pose has to show how its foot stands. Feet at rest may point
# a few degrees elsewhere, so at least this much (degrees) has to be missing.
CLEARLY_MISSING = 8.0

# A toe that stays this high (metres, 0.9 m leg) above where it stands is in the air: feet never stand twice alike.
TOE_IN_THE_AIR = 0.003


def slope_turns(
    clip: Clip, limbs: Sequence[Limb], contacts: Contacts, ground: Ground, toes: FloatArray, share: float = 1.0
) -> FloatArray:
    """Return the turns (F, L, 3) of standing feet by ``share`` of the slope under their ``toes`` (F, L, 3)."""
    turns = np.zeros((clip.frame_count, len(limbs), 3))
    for at in range(len(limbs)):
        down = foot_down(contacts, at)
        slopes = np.zeros((clip.frame_count, 2))
        under = _steepness_under(clip, limbs[at], ground, toes[:, at])
        for first, last in runs(down):
            slopes[first : last + 1] = np.median(under[first : last + 1], axis=0)
        turns[:, at] = _turns(share * slopes, down)
    return turns


def missing_turns(
    clip: Clip, limbs: Sequence[Limb], contacts: Contacts, ground: Ground, share: float = 1.0
) -> FloatArray:
    """Return the turns (F, L, 3) that bring the pitch of standing feet up to ``share`` of the slope under them.

    What the clip's feet follow of the slopes already is found from all its steps together: their pitch, against that
    of its steps on level ground, over the slopes. A clip recorded on its slope gets no turn, nor does one on a floor.
    """
    turns = np.zeros((clip.frame_count, len(limbs), 3))
    if share == 0.0:
        return turns
    under = [_steepness_under(clip, limb, ground, clip.positions[:, limb.toe]) for limb in limbs]
    if np.all(np.linalg.norm(under, axis=-1) < np.tan(np.radians(LEVEL))):
        return turns
    steps = [_steps(clip, limb, contacts, at, under[at]) for at, limb in enumerate(limbs)]
    followed = _followed(clip, limbs, steps)
    if followed >= share:
        return turns
    for at, own in enumerate(steps):
        slopes = np.zeros((clip.frame_count, 2))
        for first, last, slope, _, forward in own:
            slopes[first : last + 1] = np.tan((share - followed) * slope) * forward
        turns[:, at] = _turns(slopes, foot_down(contacts, at))
    return turns


def lowering_turns(clip: Clip, limbs: Sequence[Limb], contacts: Contacts, ground: Ground, turned: Clip) -> FloatArray:
    """Return the further turns (F, L, 3) that bring down toes which would stay in the air, since their heel is down.

    A foot stands so that has slid over the edge of a ramp: it lies along the plane that it has left. Where all that a
    limb steps on is level, it stands as it does on a floor.

    turned : the clip with its feet turned already (see ``with_feet_turned``), their toes still where ``clip`` has them.
    """
    turns = np.zeros((clip.frame_count, len(limbs), 3))
    toes, feet = joint_positions(clip, limbs, "toe"), joint_positions(turned, limbs, "toe")
    feet = feet - joint_positions(turned, limbs, "heel")
    in_the_air = height_kept_by_heel(clip, limbs, contacts, ground, toes - feet)
    for at, limb in enumerate(limbs):
        under = np.linalg.norm(_steepness_under(clip, limb, ground, toes[:, at]), axis=-1)
        down = foot_down(contacts, at)
        if not np.any(under[down] > np.tan(np.radians(LEVEL))):
            continue
        flat = contacts.toe_planted[:, at] & contacts.heel_planted[:, at]
        slopes = np.zeros((clip.frame_count, 2))
        for first, last in runs(down):
            span = np.arange(first, last + 1)[flat[first : last + 1]]
            drop = float(np.median(in_the_air[span, at])) if len(span) else 0.0
            if drop > TOE_IN_THE_AIR * limb.scale(clip):
                slopes[first : last + 1] = _slope_down(np.median(feet[span, at], axis=0), drop)
        turns[:, at] = _turns(slopes, down)
    return turns


def _slope_down(foot: FloatArray, drop: float) -> FloatArray:
    """Return the slope (2,) that a ``foot`` (3,), from heel to toe, turns by for its toe to come down by ``drop``."""
    length = float(np.linalg.norm(foot))
    pitch, lower = (np.arcsin(np.clip(height / length, -1.0, 1.0)) for height in (foot[2], foot[2] - drop))
    return np.asarray(np.tan(lower - pitch) * rotations.normalized(foot * [1.0, 1.0, 0.0])[:2])


def with_feet_turned(clip: Clip, limbs: Sequence[Limb], turns: FloatArray) -> Clip:
    """Return the clip with each foot turned (F, L, 3); heels stay where they are, so that toes move."""
    if not np.any(turns):
        return clip
    heels = [limb.heel for limb in limbs]
    turned = {
        heel: rotations.multiply(rotations.from_vector(turns[:, at]), clip.rotations[:, heel])
        for at, heel in enumerate(heels)
    }
    # A foot that does not turn keeps its rotation to the last bit.
    local_rotations = clip.local_rotations.copy()
    turning = np.any(turns, axis=-1, keepdims=True)
    found = clip.with_world(turned).local_rotations
    local_rotations[:, heels] = np.where(turning, found[:, heels], local_rotations[:, heels])
    return clip.moved(local_rotations=local_rotations)


def foot_down(contacts: Contacts, limb: int) -> BoolArray:
    return np.asarray(contacts.toe_planted[:, limb] | contacts.heel_planted[:, limb])


# A step on the ground: its first and last frame, the slope along the foot and the foot's pitch while heel and toe are
# down (radians, up is above 0), and the level direction (2,) that the foot points in.
_Step = tuple[int, int, float, float, FloatArray]


def _steps(clip: Clip, limb: Limb, contacts: Contacts, at: int, under: FloatArray) -> list[_Step]:
    """Return the steps of a limb, the one ``at`` its place among the contacts' limbs, on slopes ``under`` it (F, 2)."""
    flat = contacts.toe_planted[:, at] & contacts.heel_planted[:, at]
    foot = clip.positions[:, limb.toe] - clip.positions[:, limb.heel]
    found = []
    for first, last in runs(foot_down(contacts, at)):
        span = np.arange(first, last + 1)[flat[first : last + 1]]
        if len(span) == 0:
            continue
        way = np.median(foot[span], axis=0)
        forward = rotations.normalized(way * [1.0, 1.0, 0.0])[:2]
        slope = float(np.arctan(np.median(under[span], axis=0) @ forward))
        pitch = float(np.arctan2(way[2], np.linalg.norm(way[:2])))
        found.append((first, last, slope, pitch, forward))
    return found


def _followed(clip: Clip, limbs: Sequence[Limb], steps: Sequence[Sequence[_Step]]) -> float:
    """Return the share, 0 to 1, of the slopes that the clip's feet follow; 1 where nothing is known."""
    level = np.radians(LEVEL)
    known, at_rest = [], []
    for limb, own in zip(limbs, steps, strict=True):
        flat = [pitch for _, _, slope, pitch, _ in own if abs(slope) < level]
        sloping = [(slope, pitch) for _, _, slope, pitch, _ in own if abs(slope) >= level]
        if flat:
            known += [(slope, pitch - float(np.median(flat))) for slope, pitch in sloping]
        else:
            at_rest += [(slope, pitch - _pitch_at_rest(clip, limb)) for slope, pitch in sloping]
    slopes, pitches = np.array(known or at_rest).reshape(-1, 2).T
    if slopes.size == 0:
        return 1.0
    share = float(slopes @ pitches / (slopes @ slopes))
    if not known and np.degrees(np.median(np.sign(slopes) * (slopes - pitches))) < CLEARLY_MISSING:
        return 1.0
    return float(np.clip((share - FOLLOWS_NOTHING) / (FOLLOWS_ALL - FOLLOWS_NOTHING), 0.0, 1.0))


def _pitch_at_rest(clip: Clip, limb: Limb) -> float:
    rest = clip.skeleton.rest_positions
    way = rest[limb.toe] - rest[limb.heel]
    return float(np.arctan2(way[2], np.linalg.norm(way[:2])))


def _steepness_under(clip: Clip, limb: Limb, ground: Ground, toes: FloatArray) -> FloatArray:
    """Return the mean slope (F, 2), metres a metre the way that it rises, under a foot whose toe is at (F, 3)."""
    to_heel = (clip.positions[:, limb.heel] - clip.positions[:, limb.toe]) * [1.0, 1.0, 0.0]
    normals = ground.normal(toes[:, None] + to_heel[:, None] * np.linspace(0.0, 1.0, ALONG_FOOT)[:, None])
    return np.asarray(-normals[..., :2] / normals[..., 2:]).mean(axis=1)


def _turns(slopes: FloatArray, stands: BoolArray) -> FloatArray:
    """Return the turns (F, 3) from level to slopes (F, 2), going from one to the next where no foot ``stands`` (F,)."""
    if not np.any(slopes):
        return np.zeros((len(slopes), 3))
    tilted = signals.between_spans(slopes, stands)
    # About the level axis across the slope, so that what points up it is raised.
    axis = np.stack([tilted[:, 1], -tilted[:, 0], np.zeros(len(tilted))], axis=-1)
    return np.asarray(rotations.normalized(axis) * np.arctan(np.linalg.norm(tilted, axis=-1, keepdims=True)))
