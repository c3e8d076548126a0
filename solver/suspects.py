# SPDX-License-Identifier: GPL-3.0-or-later
"""Spans in which a foot may stand and is not called planted: low, level and slow for it, or the body would hang on air.

They are for a person to look at: nothing is done about them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from . import signals
from .arrays import BoolArray, FloatArray
from .clip import Clip
from .contacts import Contacts
from .detection import ContactSettings, motion_of
from .ground import Ground
from .limb import Limb, feet_among
from .stances import SLOWEST_BODY, STANCE_SHARE, may_stand

# Shorter spans are the beginning or the end of a contact, or nothing.
SHORTEST = 0.15

# A body that falls faster than this share of gravity (m/s²) is carried by no foot. Its path is averaged over
# FALL_TIME seconds (a Gaussian's standard deviation) before it is differentiated twice.
GRAVITY, FALLS = 9.81, 0.5
FALL_TIME = 0.06


def find_suspects(
    clip: Clip,
    limbs: Sequence[Limb],
    ground: Ground,
    contacts: Contacts,
    settings: ContactSettings | None = None,
) -> BoolArray:
    """Return (F, L) where a foot may stand and ``contacts`` (F, L) do not say so; hands are left out.

    ground : with the velocity of the clip's treadmill where it has one.
    """
    settings = settings or ContactSettings()
    found = np.zeros(contacts.toe.shape, dtype=np.bool_)
    if clip.frame_count < 3:
        return found
    down = contacts.foot_down
    hangs = ~down.any(axis=1) & _carried_by_something(clip, limbs[0]) if limbs else down.any(axis=1)
    for foot in feet_among(limbs):
        motion, fine = motion_of(clip, limbs[foot], limbs[foot].toe, ground, settings)
        stands = may_stand(motion, settings.vote_time, settings.min_contact_time)
        slow = np.linalg.norm(motion.velocity, axis=-1) < STANCE_SHARE * motion.fastest
        candidate = (stands[::fine] | (hangs & slow[::fine])) & ~down[:, foot]
        bridged = ~signals.without_short(~candidate, settings.min_gap_time * clip.fps) & ~down[:, foot]
        found[:, foot] = signals.without_short(bridged, SHORTEST * clip.fps, at_ends=True)
    return found


def _carried_by_something(clip: Clip, limb: Limb) -> BoolArray:
    """Return (F,) where the body moves and does not fall."""
    leg = limb.scale(clip) or 1.0
    path = signals.smoothed(clip.positions[:, limb.root] / leg, FALL_TIME * clip.fps)
    velocity = np.gradient(path, axis=0) * clip.fps
    rises: FloatArray = np.gradient(velocity[:, 2]) * clip.fps
    # The smaller a body, the faster it falls for its size.
    return np.asarray((rises > -FALLS * GRAVITY / leg) & (np.linalg.norm(velocity, axis=-1) > SLOWEST_BODY))
