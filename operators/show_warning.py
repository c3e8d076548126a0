# SPDX-License-Identifier: GPL-3.0-or-later
"""Go to where a warning is about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bpy.types import Context, Object

from .. import settings
from ..rig.common.wording import RigError, say
from ..rig.review.selection import select_only
from ..settings.properties import BoolProperty, IntProperty, StringProperty
from . import active
from .verb import Verb, keep_legs, legs_at_hand

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import WmReportItems


class ShowWarning(Verb):
    """Go to the first frame that the warning is about, with its limb chosen in the list and its bone selected"""

    bl_idname = "toehold.show_warning"
    bl_label = "Show Warning"

    limb: StringProperty(  # type: ignore[valid-type]
        name="Limb",
        description="Name of the limb that the warning is about",
    )
    has_frame: BoolProperty(  # type: ignore[valid-type]
        name="Has Frame",
        description="Whether the warning is about some frames only",
    )
    frame: IntProperty(  # type: ignore[valid-type]
        name="Frame",
        description="First frame that the warning is about",
    )

    @classmethod
    def why_not(cls, context: Context) -> str | None:
        return active.why_no_legs(context)

    def run(self, context: Context, armature: Object) -> tuple[WmReportItems, str]:
        limbs = legs_at_hand(armature)
        at = next((index for index, limb in enumerate(limbs) if limb.name == self.limb), None)
        if at is None:
            raise RigError("limb {limb} is not in the list: measure again", limb=self.limb)
        keep_legs(armature, limbs)
        settings.choose_limb(armature, at)
        select_only(armature, limbs[at].contact_bone)
        if not self.has_frame or context.scene is None:
            return "INFO", limbs[at].name
        context.scene.frame_set(self.frame)
        return "INFO", say("{limb}, frame {frame}", limb=limbs[at].name, frame=self.frame)
