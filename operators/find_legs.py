# SPDX-License-Identifier: GPL-3.0-or-later
"""Find the legs of the active armature."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bpy.types import Context, Object

from .. import settings
from ..rig.find_legs import find_legs
from ..rig.wording import say
from . import active
from .verb import Verb, counted

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import WmReportItems

# Legs that the search is less sure of than this are worth a look.
SURE = 0.6


class FindLegs(Verb):
    """Find the legs of the active armature by the names of its bones, or else by where they are"""

    bl_idname = "toehold.find_legs"
    bl_label = "Find Legs"

    @classmethod
    def why_not(cls, context: Context) -> str | None:
        return active.why_no_legs(context)

    def run(self, context: Context, armature: Object) -> tuple[WmReportItems, str]:
        limbs = find_legs(armature)
        settings.store_limbs(armature, limbs)
        names = ", ".join(limb.name for limb in limbs)
        found = say("Found {legs}: {names}", legs=counted(len(limbs), "leg"), names=names)
        unsure = [limb.name for limb in limbs if limb.confidence < SURE]
        if unsure:
            return "WARNING", say("{found}. Check {names}", found=found, names=", ".join(unsure))
        return "INFO", found
