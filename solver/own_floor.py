# SPDX-License-Identifier: GPL-3.0-or-later
"""The floor that a clip itself stands on, where that is another than the ground's height.

Feet in contact tell it: where nearly all their contacts agree, it is the lowest that a joint of a foot comes in them,

    floor = min over contacts of the 2nd percentile of min(heel, toe, tip) over the contact's frames,

so that on its own floor no foot that stands is in the ground, and a clip is cleaned alike wherever it is put.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .clip import Clip
from .contacts import Contacts
from .detection import ContactSettings, find_contacts
from .ground import Ground
from .limb import Limb, feet_among
from .rotations import FloatArray
from .signals import runs

# Metres for a 0.9 m leg. Joints stand over their soles, so that a floor above the ground has to be higher than any foot
# is thick, while no foot that is right is below it.
ABOVE, BELOW = 0.12, 0.05

# Contacts agree whose heights differ by less than this (metres, 0.9 m leg), but for a tenth at either end.
AGREE = 0.06


def on_own_floor(
    clip: Clip, limbs: Sequence[Limb], ground: Ground, settings: ContactSettings
) -> tuple[Ground, float | None]:
    """Return the ground at the height of the clip's own floor, and that height in metres; None where it is the same.

    Ground that is more than one flat floor has been put under the clip, and stays as it is.
    """
    level = ground.level_height
    if level is None or not limbs:
        return ground, None
    feet = [limbs[at] for at in feet_among(limbs)]
    scale = float(np.mean([limb.scale(clip) for limb in feet]))
    lowest = np.stack([_lowest_joint(clip, limb) for limb in feet], axis=1)
    guess = float(np.percentile(lowest, 2.0))
    if not _is_elsewhere(guess - level, scale):
        return ground, None
    contacts = find_contacts(clip, feet, ground.at_height(guess), settings, belt_known=True)
    floor, usual = floor_of(lowest, contacts, scale)
    if floor is None or not all(_is_elsewhere(height - level, scale) for height in (floor, usual)):
        return ground, None
    return ground.at_height(floor), floor


def floor_of(lowest: FloatArray, contacts: Contacts, scale: float) -> tuple[float | None, float]:
    """Return the height of the floor that all contacts agree on, and how high the lowest joint usually is in them.

    None where they do not agree, or there are none.

    lowest : (F, L) metres, how high the lowest joint of each foot is.
    scale : the limbs' length over 0.9 m.
    """
    usual, least = [], []
    for at in range(lowest.shape[1]):
        for first, last in runs(contacts.toe_planted[:, at] | contacts.heel_planted[:, at]):
            span = lowest[first : last + 1, at]
            usual.append(float(np.median(span)))
            least.append(float(np.percentile(span, 2.0)))
    if not usual or np.ptp(np.percentile(usual, (10.0, 90.0))) > AGREE * scale:
        return None, 0.0
    return min(least), float(np.median(usual))


def _is_elsewhere(off: float, scale: float) -> bool:
    return off > ABOVE * scale or off < -BELOW * scale


def _lowest_joint(clip: Clip, limb: Limb) -> FloatArray:
    joints = [limb.heel, limb.toe] + ([] if limb.toe_end is None else [limb.toe_end])
    return clip.positions[:, joints, 2].min(axis=1)
