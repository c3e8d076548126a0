# SPDX-License-Identifier: GPL-3.0-or-later
"""Find the legs of the active armature, and its hands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bpy.types import Context, Object

from .. import settings
from ..rig.common.wording import say
from ..rig.legs import doubts
from ..rig.sampling.limb_search import search_limbs
from ..settings.properties import BoolProperty
from . import active
from .verb import Verb, counted
from .warned import with_warnings

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import WmReportItems


class FindLegs(Verb):
    """Find the legs of the active armature by the names of its bones, or else by where they are"""

    bl_idname = "toehold.find_legs"
    bl_label = "Find Legs"

    hands: BoolProperty(  # type: ignore[valid-type]
        name="With Hands",
        description="Find the hands too, for crawling, climbing and cartwheels",
        default=False,
    )

    @classmethod
    def why_not(cls, context: Context) -> str | None:
        return active.why_no_legs(context)

    def run(self, context: Context, armature: Object) -> tuple[WmReportItems, str]:
        searched = search_limbs(armature, self.hands)
        limbs = list(searched.limbs)
        settings.store_limbs(armature, limbs)
        settings.note_search(armature, asked_for_hands=self.hands, hands_touch=searched.hands_touch)
        hands = sum(limb.hand for limb in limbs)
        counts = [counted(number, what) for number, what in ((len(limbs) - hands, "leg"), (hands, "hand")) if number]
        names = ", ".join(limb.name for limb in limbs)
        found = say("Found {limbs}: {names}", limbs=", ".join(counts), names=names)
        return with_warnings(found, doubts.of_limbs(limbs, self.hands, searched.hands_touch))
