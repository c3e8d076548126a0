# SPDX-License-Identifier: GPL-3.0-or-later
"""What comes before the clean-up on a ground of objects: feet pitched to their slope and moved out of risers.

docs/mathematics.md, 4.4, 4.5 and 5.10. On one level floor, and in a clip whose feet are so already, nothing changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .. import signals
from ..arrays import BoolArray, FloatArray
from ..clip import Clip
from ..contacts import Contacts
from ..foot_pitch import lowering_turns, missing_turns, with_feet_turned
from ..ground import Ground
from ..limb import Limb, LimbSettings, joint_positions, solve_limbs
from ..risers import moves_out

# How long it takes from frames that have to stay as they are to feet that stand as they should, in seconds.
EASE_TIME = 0.2


@dataclass(frozen=True)
class GroundFit:
    """How standing feet turn and move to fit their ground, at full strength.

    turns : (F, L, 3) rotation vectors in the world, about the heel.
    moves : (F, L, 3) metres that the toes move, level.
    """

    turns: FloatArray
    moves: FloatArray


def find_fit(
    clip: Clip,
    limbs: Sequence[Limb],
    contacts: Contacts,
    ground: Ground,
    foot_pitch: float,
    pinned: BoolArray | None = None,
) -> GroundFit | None:
    """Return how the clip's feet fit their ground, None where they do already.

    Parameters
    ----------
    foot_pitch : the fraction of the slope under it that a standing foot is pitched by, at least.
    pinned : (F,) frames that have to stay as they are, None for none.
    """
    if ground.level_height is not None or not limbs:
        return None
    toes = joint_positions(clip, limbs, "toe")
    turns = missing_turns(clip, limbs, contacts, ground, foot_pitch)
    lowering = lowering_turns(clip, limbs, contacts, ground, with_feet_turned(clip, limbs, turns))
    turns += foot_pitch * lowering
    moves = moves_out(with_feet_turned(clip, limbs, turns), limbs, contacts, ground, toes)
    if not np.any(turns) and not np.any(moves):
        return None
    if pinned is None:
        return GroundFit(turns, moves)
    eased = signals.away_from(pinned, EASE_TIME * clip.fps)[:, None, None]
    return GroundFit(eased * turns, eased * moves)


def fit_feet(clip: Clip, limbs: Sequence[Limb], ground: Ground, fit: GroundFit | None, strength: float = 1.0) -> Clip:
    """Return the clip with its feet turned and moved by the fraction ``strength`` of a fit."""
    if fit is None:
        return clip
    feet = with_feet_turned(clip, limbs, strength * fit.turns)
    targets = joint_positions(clip, limbs, "toe") + strength * fit.moves
    return solve_limbs(clip, limbs, targets, ground, LimbSettings(), feet)
