# SPDX-License-Identifier: GPL-3.0-or-later
"""Find when each foot is planted and write it as curves."""

from __future__ import annotations

from bpy.types import Context, Object

from .. import settings
from ..rig.common.steps import Steps
from ..rig.common.wording import say
from ..rig.curves.channels import active_action
from ..rig.verbs import journey
from . import active
from .contact_list import keep_contacts, keep_suspects
from .long_verb import LongVerb, Reported
from .verb import contacts_on_limbs, figure, keep_legs, legs_at_hand
from .warned import with_warnings


class AnnotateContacts(LongVerb):
    """Find when each foot is planted and write it as contact curves into the active action"""

    bl_idname = "toehold.annotate_contacts"
    bl_label = "Annotate Contacts"

    @classmethod
    def why_not(cls, context: Context) -> str | None:
        return active.why_no_change(context)

    def steps(self, context: Context, armature: Object) -> Steps[Reported]:
        limbs = legs_at_hand(armature)
        measured = yield from journey.annotate_in_steps(armature, limbs, settings.journey_options(armature))
        report = measured.report
        keep_legs(armature, limbs)
        keep_contacts(active_action(armature), report, measured.sample)
        keep_suspects(active_action(armature), armature, limbs, measured)
        line = say(
            "Found {contacts}, slide {slide} mm/s",
            contacts=contacts_on_limbs(report, limbs),
            slide=figure(report.slide_mm_s),
        )
        return with_warnings(line, measured.warnings)
