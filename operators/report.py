# SPDX-License-Identifier: GPL-3.0-or-later
"""Measure how the feet of the active action slide."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bpy.types import Context, Object

from .. import settings
from ..rig.common.wording import say
from ..rig.verbs import journey
from ..rig.writing.results import remember_new_figures
from . import active
from .contact_list import keep_contacts, keep_suspects
from .verb import Verb, contacts_on_limbs, figure, keep_legs, legs_at_hand
from .warned import with_warnings

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import WmReportItems

# What is less below the ground than this would read as nothing.
LEAST_DEPTH_MM = 0.05


class MeasureFeet(Verb):
    """Measure how far planted feet slide, sink and float in the active action, and show the figures in the panel"""

    bl_idname = "toehold.report"
    bl_label = "Report"

    @classmethod
    def why_not(cls, context: Context) -> str | None:
        return active.why_no_motion(context)

    def run(self, context: Context, armature: Object) -> tuple[WmReportItems, str]:
        limbs = legs_at_hand(armature)
        measured = journey.measure(armature, limbs, settings.journey_options(armature))
        report = measured.report
        action = active.active_action(context)
        if active.why_no_change(context) is None:
            keep_legs(armature, limbs)
        if action is not None and active.why_no_change(context) is None:
            remember_new_figures(action, report, measured.warnings)
            keep_contacts(action, report, measured.sample)
            keep_suspects(action, armature, limbs, measured)
        line = say(
            "{contacts}, slide {slide} mm/s, worst drift {drift} mm",
            contacts=contacts_on_limbs(report, limbs),
            slide=figure(report.slide_mm_s),
            drift=figure(report.drift_mm),
        )
        if report.penetration_mm > LEAST_DEPTH_MM:
            line = say("{line}, up to {depth} mm below the ground", line=line, depth=figure(report.penetration_mm))
        return with_warnings(line, measured.warnings)
