# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a foot's flesh touches the ground: the heel point, below and behind the ankle.

A recorded heel is the ankle joint. At heel strike the foot turns about its heel, not about the ankle: with the ankle
held, a toe that comes down would come backwards, since the ankle is above the sole. The point is fixed to the foot;
seen from the ankle, where the clip's own flat stances have it,

    offset = fraction * median over them of R(f)^-1 (-BEHIND * length * forward - height * up),

with R the foot's rotation, ``forward`` the level direction from ankle to toe, ``length`` the level distance between
them and ``height`` how high the ankle is above the ground. The fraction, 0 to 1, is what keeps the point stillest while
the heel alone stands: the least squares of D(ankle) + fraction * D(R offset) over those frame steps, each stance's mean
step left out, so that feet that slide count too. It is 0 for a foot that is keyed to
turn about its ankle.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from . import rotations
from .arrays import BoolArray, FloatArray
from .clip import Clip
from .contacts import Contacts
from .ground import Ground
from .limb import Limb, joint_positions
from .signals import runs

# How far the heel point is behind the ankle, as a fraction of the level distance from ankle to toe joint.
BEHIND = 0.3

# An ankle is no higher above its sole than this (metres, 0.9 m leg).
HIGHEST_ANKLE = 0.15

# An ankle that is higher over its toe by more than this (metres, 0.9 m leg) has its heel off the ground.
RAISED_HEEL = 0.03

# A heel that goes faster than this (m/s, 0.9 m leg) for half of the time that it is down alone does not stand.
FASTEST_HEEL = 1.25

_LEVEL = np.array([1.0, 1.0, 0.0])
_UP = np.array([0.0, 0.0, 1.0])


def heel_offsets(clip: Clip, limbs: Sequence[Limb], contacts: Contacts, ground: Ground) -> FloatArray:
    """Return where the heel point of each limb is (L, 3), in metres from its ankle, in the axes of its foot.

    At the ankle itself where a limb is never planted, or its foot turns about its ankle.
    """
    offsets = np.zeros((len(limbs), 3))
    ankles = joint_positions(clip, limbs, "heel")
    above = ankles[..., 2] - ground.height(ankles)
    for at, limb in enumerate(limbs):
        flat = _flat_frames(contacts, at)
        if flat.any():
            offset = _offset(clip, limb, flat, above[:, at])
            turned = rotations.rotate(clip.rotations[:, limb.heel], np.broadcast_to(offset, ankles[:, at].shape))
            heel_alone = contacts.heel_planted[:, at] & ~contacts.toe_planted[:, at]
            offsets[at] = _stillest_fraction(ankles[:, at], turned, heel_alone) * offset
    return offsets


def heel_points(clip: Clip, limbs: Sequence[Limb], offsets: FloatArray) -> FloatArray:
    """Return where the heel points (F, L, 3) of ``limbs`` are in the world, in metres, for their offsets (L, 3)."""
    ankles = joint_positions(clip, limbs, "heel")
    turns = np.stack([clip.rotations[:, limb.heel] for limb in limbs], axis=1)
    return ankles + rotations.rotate(turns, np.broadcast_to(offsets, ankles.shape))


def on_its_heel(clip: Clip, limbs: Sequence[Limb], contacts: Contacts, ground: Ground) -> BoolArray:
    """Return where (F, L) a heel that is down could stand: false while it is down alone, its ankle high or fast.

    High over its toe, that is, against where it is when the foot is flat. A sprinter's ankle that brakes above toes
    that are about to land is no heel that stands.
    """
    could = np.ones(contacts.heel.shape, dtype=np.bool_)
    ankles = joint_positions(clip, limbs, "heel")
    passing = np.gradient(ankles, axis=0) * clip.fps if clip.frame_count > 1 else np.zeros_like(ankles)
    speed = np.linalg.norm((passing - ground.velocity(ankles)) * _LEVEL, axis=-1)
    for at, limb in enumerate(limbs):
        flat, scale = _flat_frames(contacts, at), limb.scale(clip)
        if not flat.any():
            continue
        over = ankles[:, at, 2] - clip.positions[:, limb.toe, 2]
        highest = float(np.median(over[flat])) + RAISED_HEEL * scale
        for first, last in runs(contacts.heel_planted[:, at] & ~contacts.toe_planted[:, at]):
            alone = slice(first, last + 1)
            usual = np.median(over[alone]), np.median(speed[alone, at])
            could[alone, at] = usual[0] < highest and usual[1] < FASTEST_HEEL * scale
    return could


def _flat_frames(contacts: Contacts, limb: int) -> BoolArray:
    """Return the frames (F,) in which heel and toe are down; where there are none, those in which the toe is."""
    toe, heel = contacts.toe_planted[:, limb], contacts.heel_planted[:, limb]
    return toe & heel if (toe & heel).any() else toe


def _offset(clip: Clip, limb: Limb, flat: BoolArray, above: FloatArray) -> FloatArray:
    """Return the heel point (3,) from the ankle, which is ``above`` (F,) the ground, in the axes of the foot."""
    ankle, toe = clip.positions[flat, limb.heel], clip.positions[flat, limb.toe]
    foot = (toe - ankle) * _LEVEL
    length = float(np.median(np.linalg.norm(foot, axis=-1)))
    highest = HIGHEST_ANKLE * limb.scale(clip)
    height = float(np.clip(np.median(above[flat]), 0.0, highest))
    from_ankle = -BEHIND * length * rotations.normalized(foot) - height * _UP
    turns = rotations.inverse(clip.rotations[flat, limb.heel])
    return np.asarray(np.median(rotations.rotate(turns, from_ankle), axis=0))


def _stillest_fraction(ankle: FloatArray, turned: FloatArray, heel_alone: BoolArray) -> float:
    """Return the fraction of ``turned`` (F, 3), 0 to 1, with which the heel point is stillest while ``heel_alone``."""
    ankle_steps, turned_steps = (np.diff(points, axis=0) * _LEVEL for points in (ankle, turned))
    along = across = 0.0
    for first, last in runs(heel_alone):
        if last - first < 2:
            continue
        own, by_turning = (steps[first:last] - steps[first:last].mean(axis=0) for steps in (ankle_steps, turned_steps))
        along -= float(np.sum(own * by_turning))
        across += float(np.sum(by_turning**2))
    return float(np.clip(along / across, 0.0, 1.0)) if across > rotations.TINY else 1.0
