# SPDX-License-Identifier: GPL-3.0-or-later
"""Make two contacts of one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bpy.types import Context, Object

from .. import settings
from ..rig.common.scene import frames_per_second
from ..rig.common.wording import RigError, say
from ..rig.review import contact_tools
from ..settings.properties import IntProperty
from ..solver.contacts import State
from . import active
from .contact_choice import ChosenLegs, ChosenPoint, frames_named, named
from .contact_list import let_pose_follow
from .verb import Verb, keep_legs

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import WmReportItems


class SplitContact(ChosenLegs, ChosenPoint, Verb):
    """Make two contacts of the one at the current frame, so that the foot may stand in two places"""

    bl_idname = "toehold.split_contact"
    bl_label = "Split Contact"

    gap: IntProperty(  # type: ignore[valid-type]
        name="Gap",
        description="How many frames the foot is free between the two contacts. 0 takes the shortest gap that "
        "Annotate Contacts would leave",
        default=0,
        min=0,
        soft_max=60,
        options={"SKIP_SAVE"},
    )

    @classmethod
    def why_not(cls, context: Context) -> str | None:
        return active.why_no_change(context)

    def run(self, context: Context, armature: Object) -> tuple[WmReportItems, str]:
        limbs, chosen = self.chosen_legs(armature)
        options = settings.journey_options(armature)
        gap = self.gap or max(1, round(options.contacts.min_gap_time * frames_per_second()))
        tracks = contact_tools.stored_tracks(armature, limbs, options)
        frame, point = context.scene.frame_current, self.point.lower()
        found = {limb: contact_tools.split_span(tracks, limb, point, frame, gap) for limb in chosen}
        spans = {limb: [span] for limb, span in found.items() if span is not None}
        if not spans:
            raise RigError(
                "frame {frame} is not inside a contact of {legs}: go to one, or choose legs",
                frame=frame,
                legs=named(limbs, chosen),
            )
        contact_tools.set_states(tracks, spans, {point: State.LIFTED})
        keep_legs(armature, limbs)
        let_pose_follow(armature, limbs)
        first = next(iter(spans.values()))[0]
        return "INFO", say(
            "Split: {legs}, lifted over {frames}", legs=named(limbs, list(spans)), frames=frames_named(*first)
        )
