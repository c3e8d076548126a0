# SPDX-License-Identifier: GPL-3.0-or-later
"""What the search for limbs is not sure of, for report, JSON and panel. No bpy."""

from __future__ import annotations

from dataclasses import dataclass


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


# A leg that only its shape tells of, and its foot that hangs from elsewhere.
LIMB_BY_SHAPE = "limb-by-shape"
LIMB_FLOATING_FOOT = "limb-floating-foot"
# Arms whose hands carry weight are taken as front legs; or they do for a part of the clip, and are not.
LIMB_HANDS_CARRY = "limb-hands-carry"
LIMB_HANDS_MAY_CARRY = "limb-hands-may-carry"
# One leg only, and a leg whose foot has neither a toe nor anything that could tell where its toe is.
LIMB_ONLY_ONE = "limb-only-one"
LIMB_TOE_GUESSED = "limb-toe-guessed"
