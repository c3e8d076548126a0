# SPDX-License-Identifier: GPL-3.0-or-later
"""Go to where a contact begins or ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bpy.app.translations import pgettext_n as n_
from bpy.types import Context, Object

from .. import settings
from ..rig.common.wording import RigError, say
from ..rig.review import contact_tools
from ..settings.properties import EnumProperty
from . import active
from .contact_choice import ChosenLegs, ChosenPoint
from .verb import Verb

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import WmReportItems


class JumpContact(ChosenLegs, ChosenPoint, Verb):
    """Go to the frame at which the next or the previous contact begins or ends"""

    bl_idname = "toehold.jump_contact"
    bl_label = "Jump to Contact"

    direction: EnumProperty(  # type: ignore[valid-type]
        name="Direction",
        description="Which way in time to go",
        items=(
            ("NEXT", "Next", "To the first frame that begins or ends a contact after the current one"),
            ("PREVIOUS", "Previous", "To the last frame that begins or ends a contact before the current one"),
        ),
        default="NEXT",
    )

    @classmethod
    def why_not(cls, context: Context) -> str | None:
        return active.why_no_motion(context)

    def run(self, context: Context, armature: Object) -> tuple[WmReportItems, str]:
        limbs, chosen = self.chosen_legs(armature)
        tracks = contact_tools.stored_tracks(armature, limbs, settings.journey_options(armature))
        scene = context.scene
        now = scene.frame_current + scene.frame_subframe
        edges = contact_tools.edges(tracks, chosen, self.point.lower())
        if self.direction == "NEXT":
            there = next((edge for edge in edges if edge.frame > now), None)
        else:
            there = next((edge for edge in reversed(edges) if edge.frame < now), None)
        if there is None:
            raise RigError(
                "there is no next contact: choose other legs, or Annotate Contacts"
                if self.direction == "NEXT"
                else "there is no previous contact: choose other legs, or Annotate Contacts"
            )
        scene.frame_set(there.frame)
        text = n_("{leg}: contact begins at {frame}") if there.rises else n_("{leg}: contact ends at {frame}")
        return "INFO", say(text, leg=limbs[there.limb].name, frame=there.frame)
