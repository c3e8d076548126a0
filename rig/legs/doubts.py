# SPDX-License-Identifier: GPL-3.0-or-later
"""What the search for limbs is not sure of, for report, JSON and panel."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bpy.app.translations import pgettext_n as n_

from ..limb_bones import LimbBones
from ..wording import say


@dataclass(frozen=True)
class Doubt:
    """One thing to look at.

    limb : name of the limb that it is about; empty where it is about the whole armature.
    code : what kind it is, always the same for the same kind: one of those below.
    text : one line, translated: which limb, why, and how to set it.
    """

    limb: str
    code: str
    text: str


# A limb that the search is less sure of than this is worth a look.
SURE = 0.6

# Why an arm is among the legs.
CARRIES = n_("by the clip: it carries weight as the legs do")

LIMB_UNSURE = "limb-unsure"
LIMB_HANDS_CARRY = "limb-hands-carry"
LIMB_HANDS_TOUCH = "limb-hands-touch"
LIMB_ONLY_ONE = "limb-only-one"


def doubts_about(limbs: Sequence[LimbBones], *, touching: bool) -> Iterator[Doubt]:
    """Yield what is not sure of limbs that were found.

    touching : whether hands come down for a part of the clip that are not among the limbs.
    """
    for limb in limbs:
        if limb.confidence < SURE:
            text = say(
                "{limb}, from {bone} down, is not sure: found {reason}; choose its bones by hand if they are others",
                limb=limb.name,
                bone=limb.hip,
                reason=say(limb.reason),
            )
            yield Doubt(limb.name, LIMB_UNSURE, text)
        elif limb.reason == CARRIES:
            text = say(
                "{limb}, from {bone} down, is one of the limbs, since it carries weight for most of the clip; remove "
                "it if it should not be held to the ground",
                limb=limb.name,
                bone=limb.hip,
            )
            yield Doubt(limb.name, LIMB_HANDS_CARRY, text)
    if touching:
        yield Doubt(
            "", LIMB_HANDS_TOUCH, say("the hands come down for a part of the clip; find them too if they carry")
        )
    if sum(not limb.hand for limb in limbs) == 1:
        text = say(
            "only one leg was found, from {bone} down; choose the others by hand if there are", bone=limbs[0].hip
        )
        yield Doubt(limbs[0].name, LIMB_ONLY_ONE, text)
