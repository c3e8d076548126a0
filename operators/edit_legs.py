# SPDX-License-Identifier: GPL-3.0-or-later
"""Add and remove legs by hand, where the search has found none or others than are meant."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bpy.types import Context, Object

from .. import settings
from ..rig.leg_by_hand import selected_leg
from ..rig.limb_bones import LimbBones
from ..rig.wording import say
from . import active
from .verb import Verb

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import WmReportItems


class AddLeg(Verb):
    """Add a leg of the bones that are selected in Pose Mode, or one whose bones are still to be chosen"""

    bl_idname = "toehold.add_leg"
    bl_label = "Add Leg"

    @classmethod
    def why_not(cls, context: Context) -> str | None:
        return active.why_no_legs(context)

    def run(self, context: Context, armature: Object) -> tuple[WmReportItems, str]:
        limbs = settings.limb_bones(armature)
        name = say("Leg {number}", number=len(limbs) + 1)
        if armature.mode != "POSE":
            settings.store_limbs(armature, [*limbs, LimbBones(name, "", "", "", "")], active=len(limbs))
            return "INFO", say("Added {name}: choose its bones", name=name)
        settings.store_limbs(armature, [*limbs, selected_leg(armature, name)], active=len(limbs))
        return "INFO", say("Added {name}", name=name)


class RemoveLeg(Verb):
    """Remove the leg that is active in the list; no bone is changed"""

    bl_idname = "toehold.remove_leg"
    bl_label = "Remove Leg"

    @classmethod
    def why_not(cls, context: Context) -> str | None:
        return active.why_no_legs(context) or active.why_no_leg_to_remove(context)

    def run(self, context: Context, armature: Object) -> tuple[WmReportItems, str]:
        limbs = settings.limb_bones(armature)
        removed = limbs.pop(settings.active_limb(armature, len(limbs)))
        settings.store_limbs(armature, limbs, active=len(limbs) - 1)
        return "INFO", say("Removed {name}", name=removed.name)
