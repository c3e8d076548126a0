# SPDX-License-Identifier: GPL-3.0-or-later
"""Take contacts away again, with all that was set for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bpy.types import Context, Object

from ..rig.common.wording import RigError, say
from ..rig.review import contact_tools
from . import active
from .contact_choice import ChosenLegs, named
from .verb import Verb

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import WmReportItems


class ClearContacts(ChosenLegs, Verb):
    """Remove the contact curves of legs from the active action, with everything that was set or edited in them"""

    bl_idname = "toehold.clear_contacts"
    bl_label = "Clear Contacts"

    @classmethod
    def why_not(cls, context: Context) -> str | None:
        return active.why_no_change(context)

    def run(self, context: Context, armature: Object) -> tuple[WmReportItems, str]:
        limbs, chosen = self.chosen_legs(armature)
        if contact_tools.clear(armature, [limbs[limb] for limb in chosen]) == 0:
            raise RigError(
                "{legs} has no contacts in this action: there is nothing to clear", legs=named(limbs, chosen)
            )
        return "INFO", say("Cleared the contacts of {legs}", legs=named(limbs, chosen))
