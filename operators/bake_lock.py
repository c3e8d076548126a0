# SPDX-License-Identifier: GPL-3.0-or-later
"""Lock planted feet as a game does, in a new action."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bpy.types import Context, Object

from .. import settings
from ..rig.common.wording import say
from ..rig.verbs import journey
from . import active
from .contact_list import keep_cleaned
from .verb import Verb, contacts_on_limbs, figure, keep_legs, legs_at_hand
from .warned import with_warnings

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import WmReportItems


class BakeLock(Verb):
    """Lock planted feet as a game does while it plays, in a new action. The action that was there is kept as it is"""

    bl_idname = "toehold.bake_lock"
    bl_label = "Bake Lock"

    @classmethod
    def why_not(cls, context: Context) -> str | None:
        return active.why_no_new_action(context)

    def run(self, context: Context, armature: Object) -> tuple[WmReportItems, str]:
        limbs = legs_at_hand(armature)
        locked = journey.lock(armature, limbs, settings.journey_options(armature))
        keep_legs(armature, limbs)
        keep_cleaned(locked)
        before, after = locked.before, locked.after
        line = say(
            "Locked {contacts}, slide {before} → {after} mm/s, up to {lag} mm from the animation",
            contacts=contacts_on_limbs(after, limbs),
            before=figure(before.slide_mm_s),
            after=figure(after.slide_mm_s),
            lag=figure(after.lag_mm),
        )
        return with_warnings(line, locked.warnings)
