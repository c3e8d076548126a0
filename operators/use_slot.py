# SPDX-License-Identifier: GPL-3.0-or-later
"""Choose the slot of the active action that moves the armature, where another is chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bpy.app.translations import pgettext_n as n_
from bpy.types import Context, Object

from ..rig.common.wording import RigError, say
from ..rig.curves.actions import choose_slot
from ..rig.curves.channels import other_slot
from . import active
from .verb import Verb

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import WmReportItems

NO_OTHER_SLOT = n_("No other slot of the action moves this armature")


class UseSlot(Verb):
    """Choose the slot of the action that moves the bones of this armature"""

    bl_idname = "toehold.use_slot"
    bl_label = "Use That Slot"

    @classmethod
    def why_not(cls, context: Context) -> str | None:
        reason = active.why_no_legs(context)
        armature = active.active_armature(context)
        if reason is None and armature is not None and other_slot(armature) is None:
            return NO_OTHER_SLOT
        return reason

    def run(self, context: Context, armature: Object) -> tuple[WmReportItems, str]:
        slot = other_slot(armature)
        if slot is None:
            raise RigError(NO_OTHER_SLOT)
        choose_slot(armature, slot)
        return "INFO", say("Plays slot {slot}", slot=slot.name_display)
