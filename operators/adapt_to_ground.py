# SPDX-License-Identifier: GPL-3.0-or-later
"""Bring a clip that was made for a flat floor onto the ground objects, in a new action."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bpy.app.translations import pgettext_n as n_
from bpy.types import Context, Object

from .. import settings
from ..rig.common.wording import say
from ..rig.verbs.adapt import adapt
from . import active
from .verb import Verb, contacts_on_limbs, figure, keep_legs, legs_at_hand
from .warned import with_warnings

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import WmReportItems

NO_GROUND = n_("Choose a ground object or a ground collection first")


class AdaptToGround(settings.FootPitch, Verb):
    """Let a clip that was made for a flat floor walk over the ground objects, in a new action. The body follows the \
ground, feet stand on it and are lifted over its edges"""

    bl_idname = "toehold.adapt_to_ground"
    bl_label = "Adapt to Ground"

    @classmethod
    def why_not(cls, context: Context) -> str | None:
        reason = active.why_no_new_action(context)
        armature = active.active_armature(context)
        if reason is None and armature is not None and not settings.ground_names(armature):
            return NO_GROUND
        return reason

    def run(self, context: Context, armature: Object) -> tuple[WmReportItems, str]:
        limbs = legs_at_hand(armature)
        options = settings.journey_options(armature)
        if self.properties.is_property_set("foot_pitch"):
            options = replace(options, cleanup=replace(options.cleanup, foot_pitch=self.foot_pitch))
        self.foot_pitch = options.cleanup.foot_pitch
        adapted = adapt(armature, limbs, options)
        keep_legs(armature, limbs)
        after = adapted.after
        line = say(
            "{contacts} on the ground, worst drift {drift} mm",
            contacts=contacts_on_limbs(after, limbs),
            drift=figure(after.drift_mm),
        )
        return with_warnings(line, adapted.warnings)
