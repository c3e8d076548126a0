# SPDX-License-Identifier: GPL-3.0-or-later
"""Compare what a game's lock and the clean-up make of the active action."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bpy.types import Context, Object

from .. import settings
from ..rig.common.wording import say
from ..rig.shown.kept_comparison import kept_comparison
from ..rig.verbs.compare import compare
from ..rig.writing.results import remember_comparison
from . import active
from .verb import Verb, figure, keep_legs, legs_at_hand

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import WmReportItems


class Compare(Verb):
    """Measure the action as it is, as a game's lock would show it and as Clean would make it, and draw the paths \
of the toes in the viewport. Nothing is changed"""

    bl_idname = "toehold.compare"
    bl_label = "Compare"

    @classmethod
    def why_not(cls, context: Context) -> str | None:
        return active.why_no_change(context)

    def run(self, context: Context, armature: Object) -> tuple[WmReportItems, str]:
        limbs = legs_at_hand(armature)
        options = settings.journey_options(armature)
        compared = compare(armature, limbs, options)
        keep_legs(armature, limbs)
        action = active.active_action(context)
        assert action is not None, "the poll has asked"
        remember_comparison(action, compared.as_dict())
        kept_comparison.keep(armature, compared, options.ground_objects)
        source, lock, clean = compared.source, compared.lock, compared.clean
        return "INFO", say(
            "Slide {before} mm/s, with the lock {after}, cleaned {cleaned}",
            before=figure(source.slide_mm_s),
            after=figure(lock.slide_mm_s),
            cleaned=figure(clean.slide_mm_s),
        )
