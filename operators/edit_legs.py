# SPDX-License-Identifier: GPL-3.0-or-later
"""Add, correct and remove limbs by hand, where the search has found none or others than are meant."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bpy.types import Context, Object

from .. import settings
from ..rig.common.wording import say
from ..rig.legs.by_hand import part_name, selected_limb, with_bone
from ..rig.legs.limb_bones import LimbBones
from ..settings.properties import StringProperty
from . import active
from .verb import Verb

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import WmReportItems


class AddLeg(Verb):
    """Add a limb: the one that ends in the foot or hand that is selected in Pose Mode, or of all the bones that are \
selected. In Object Mode, one whose bones are still to be chosen"""

    bl_idname = "toehold.add_leg"
    bl_label = "Add Limb"

    @classmethod
    def why_not(cls, context: Context) -> str | None:
        return active.why_no_legs(context)

    def run(self, context: Context, armature: Object) -> tuple[WmReportItems, str]:
        limbs = settings.limb_bones(armature)
        name = say("Limb {number}", number=len(limbs) + 1)
        if armature.mode != "POSE":
            settings.store_limbs(armature, [*limbs, LimbBones(name, "", "", "", "")], active=len(limbs))
            return "INFO", say("Added {name}: choose its bones", name=name)
        settings.store_limbs(armature, [*limbs, selected_limb(armature, name)], active=len(limbs))
        return "INFO", say("Added {name}", name=name)


class RemoveLeg(Verb):
    """Remove the limb that is active in the list; no bone is changed"""

    bl_idname = "toehold.remove_leg"
    bl_label = "Remove Limb"

    @classmethod
    def why_not(cls, context: Context) -> str | None:
        return active.why_no_legs(context) or active.why_no_limb(context)

    def run(self, context: Context, armature: Object) -> tuple[WmReportItems, str]:
        limbs = settings.limb_bones(armature)
        removed = limbs.pop(settings.active_limb(armature, len(limbs)))
        settings.store_limbs(armature, limbs, active=len(limbs) - 1)
        return "INFO", say("Removed {name}", name=removed.name)


class PickBone(Verb):
    """Take the bone that is active in Pose Mode"""

    bl_idname = "toehold.pick_bone"
    bl_label = "Use Active Bone"

    part: StringProperty(  # type: ignore[valid-type]
        name="Part",
        description="Which bone of the limb that is active in the list",
        default="hip",
        options={"HIDDEN"},
    )

    @classmethod
    def why_not(cls, context: Context) -> str | None:
        return active.why_no_legs(context) or active.why_no_limb(context) or active.why_no_bone(context)

    def run(self, context: Context, armature: Object) -> tuple[WmReportItems, str]:
        limbs = settings.limb_bones(armature)
        at = settings.active_limb(armature, len(limbs))
        bone = armature.data.bones.active.name
        limbs[at], lost = with_bone(armature, limbs[at], self.part, bone)
        settings.store_limbs(armature, limbs, active=at)
        line = say(
            "{part} of {limb} is {bone}", part=say(part_name(limbs[at], self.part)), limb=limbs[at].name, bone=bone
        )
        if lost:
            parts = ", ".join(say(part_name(limbs[at], part)) for part in lost)
            return "WARNING", say("{line}. Choose {parts} again", line=line, parts=parts)
        return "INFO", line
