# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a foot's flesh touches the ground: the heel point, below and behind the ankle.

A recorded heel is the ankle joint. At heel strike the foot turns about the heel point, not about the ankle: with the
ankle held, a toe that comes down would come backwards, since the ankle is above the sole. The point is fixed to the
foot; where it is seen from the ankle comes from the clip's own flat stances,

    offset = median over them of R(f)^-1 (-BEHIND * length * forward - height * up),

with R the foot's rotation, ``forward`` the level direction from ankle to toe, ``length`` the level distance between
them and ``height`` how high the ankle is above the ground.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from . import rotations
from .clip import Clip
from .contacts import Contacts
from .ground import Ground
from .limb import Limb
from .rotations import FloatArray
from .signals import BoolArray

# How far the heel point is behind the ankle, as a share of the level distance from ankle to toe joint.
BEHIND = 0.3

# An ankle is no higher above its sole than this (metres, 0.9 m leg).
HIGHEST_ANKLE = 0.15

_LEVEL = np.array([1.0, 1.0, 0.0])
_UP = np.array([0.0, 0.0, 1.0])


def heel_points(clip: Clip, limbs: Sequence[Limb], contacts: Contacts, ground: Ground) -> FloatArray:
    """Return where the heel points (F, L, 3) of ``limbs`` are, in metres in the world.

    A limb that is never planted, or whose foot points straight down, has its ankle there.
    """
    points = np.stack([clip.positions[:, limb.heel] for limb in limbs], axis=1)
    for at, limb in enumerate(limbs):
        flat = _flat_frames(contacts, at)
        if flat.any():
            offset = _offset(clip, limb, flat, ground)
            turned = rotations.rotate(clip.rotations[:, limb.heel], np.broadcast_to(offset, points[:, at].shape))
            points[:, at] += turned
    return points


def _flat_frames(contacts: Contacts, limb: int) -> BoolArray:
    """Return the frames (F,) in which heel and toe are down; where there are none, those in which the toe is."""
    toe, heel = contacts.toe_planted[:, limb], contacts.heel_planted[:, limb]
    return toe & heel if (toe & heel).any() else toe


def _offset(clip: Clip, limb: Limb, flat: BoolArray, ground: Ground) -> FloatArray:
    """Return the heel point (3,) as seen from the ankle, in the axes of the foot."""
    ankle, toe = clip.positions[flat, limb.heel], clip.positions[flat, limb.toe]
    foot = (toe - ankle) * _LEVEL
    length = float(np.median(np.linalg.norm(foot, axis=-1)))
    highest = HIGHEST_ANKLE * limb.scale(clip)
    height = float(np.clip(np.median(ankle[:, 2] - ground.height(ankle)), 0.0, highest))
    from_ankle = -BEHIND * length * rotations.normalized(foot) - height * _UP
    turns = rotations.inverse(clip.rotations[flat, limb.heel])
    return np.asarray(np.median(rotations.rotate(turns, from_ankle), axis=0))
