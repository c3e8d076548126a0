# SPDX-License-Identifier: GPL-3.0-or-later
"""Choose the leg that the contact tools mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bpy.types import Context, Object

from .. import settings
from ..rig.common.wording import RigError
from ..rig.review.selection import select_only
from ..settings.properties import StringProperty
from . import active
from .verb import Verb

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import WmReportItems


class ChooseLeg(Verb):
    """Let the contact tools mean this leg. In Pose Mode its foot is selected; any bone or control of a leg may be \
selected instead"""

    bl_idname = "toehold.choose_leg"
    bl_label = "Choose Leg"

    leg: StringProperty(  # type: ignore[valid-type]
        name="Leg",
        description="Name of the leg",
        options={"SKIP_SAVE"},
    )

    @classmethod
    def why_not(cls, context: Context) -> str | None:
        return active.why_no_legs(context) or active.why_no_limb(context)

    def run(self, context: Context, armature: Object) -> tuple[WmReportItems, str]:
        limbs = settings.limb_bones(armature)
        at = next((index for index, limb in enumerate(limbs) if limb.name == self.leg), None)
        if at is None:
            raise RigError("limb {limb} is not in the list: measure again", limb=self.leg)
        settings.choose_limb(armature, at)
        if armature.mode == "POSE":
            select_only(armature, limbs[at].contact_bone)
        return "INFO", self.leg
