# SPDX-License-Identifier: GPL-3.0-or-later
"""What the search for limbs is not sure of, for report, JSON and panel."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bpy.app.translations import pgettext_n as n_

from ..common.warnings import Warning
from .limb_bones import LimbBones

# A limb that the search is less sure of than this is worth a look.
SURE = 0.6

# Why an arm is among the legs.
CARRIES = n_("by the clip: it carries weight as the legs do")

LIMB_UNSURE = "limb-unsure"
LIMB_HANDS_CARRY = "limb-hands-carry"
LIMB_HANDS_TOUCH = "limb-hands-touch"
LIMB_ONLY_ONE = "limb-only-one"


def doubts_about(limbs: Sequence[LimbBones], *, touching: bool) -> Iterator[Warning]:
    """Yield what is not sure of limbs; nothing is to doubt of those that a person has named.

    touching : whether hands come down for a part of the clip that are not among the limbs.
    """
    for limb in limbs:
        if limb.confidence < SURE:
            yield Warning(LIMB_UNSURE, {"bone": limb.hip, "reason": limb.reason}, limb.name)
        elif limb.reason == CARRIES:
            yield Warning(LIMB_HANDS_CARRY, {"bone": limb.hip}, limb.name)
    if touching:
        yield Warning(LIMB_HANDS_TOUCH)
    legs = [limb for limb in limbs if not limb.hand]
    if len(legs) == 1 and legs[0].confidence < 1.0:
        yield Warning(LIMB_ONLY_ONE, {"bone": legs[0].hip}, legs[0].name)


def of_limbs(limbs: Sequence[LimbBones], hands_asked_for: bool = False, hands_touch: bool = False) -> list[Warning]:
    """Return what there is to doubt of the limbs themselves.

    hands_asked_for : whether hands were looked for.
    hands_touch : whether hands come down in the clip that are not among the limbs.
    """
    warnings = list(doubts_about(limbs, touching=hands_touch))
    # Arms that carry as legs do are no hands that are missing.
    if hands_asked_for and limbs and not any(limb.hand or limb.reason == CARRIES for limb in limbs):
        warnings.append(Warning("no-hands"))
    return warnings
