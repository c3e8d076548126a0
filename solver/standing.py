# SPDX-License-Identifier: GPL-3.0-or-later
"""What a clean-up begins with on a ground of objects: feet pitched to their slope, and out of the risers of stairs.

A clip whose feet are so already, and any clip on a floor, is handed on as it is.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from . import signals
from .cleanup_settings import CleanupSettings
from .clip import Clip
from .contacts import Contacts
from .foot_pitch import lowering_turns, missing_turns, with_feet_turned
from .ground import FlatGround, Ground
from .limb import Limb, LimbSettings, joint_positions, solve_limbs
from .risers import moves_out
from .signals import BoolArray
from .treadmill import Treadmill

# How long it takes from frames that have to stay as they are to feet that stand as they should, in seconds.
EASE_TIME = 0.2


def set_down(
    clip: Clip,
    limbs: Sequence[Limb],
    contacts: Contacts,
    ground: Ground,
    settings: CleanupSettings,
    pinned: BoolArray | None = None,
) -> Clip:
    """Return the clip with standing feet turned and moved to how they can stand; their toes keep their heights.

    Parameters
    ----------
    settings : ``foot_pitch`` says by how much a foot is pitched, ``strength`` which share of all is done.
    pinned : (F,) frames that have to stay as they are, None for none.
    """
    base = ground.ground if isinstance(ground, Treadmill) else ground
    if isinstance(base, FlatGround) or not limbs:
        return clip
    toes = joint_positions(clip, limbs, "toe")
    turns = missing_turns(clip, limbs, contacts, ground, settings.foot_pitch)
    lowering = lowering_turns(clip, limbs, contacts, ground, with_feet_turned(clip, limbs, turns))
    turns += settings.foot_pitch * lowering
    moves = moves_out(with_feet_turned(clip, limbs, turns), limbs, contacts, ground, toes)
    if not np.any(turns) and not np.any(moves):
        return clip
    share = np.full(clip.frame_count, settings.strength)
    if pinned is not None:
        share *= signals.away_from(pinned, EASE_TIME * clip.fps)
    shares = share[:, None, None]
    feet = with_feet_turned(clip, limbs, shares * turns)
    return solve_limbs(clip, limbs, toes + shares * moves, ground, LimbSettings(), feet)
