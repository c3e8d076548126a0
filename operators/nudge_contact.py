# SPDX-License-Identifier: GPL-3.0-or-later
"""Move where a contact begins or ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bpy.app.translations import pgettext_n as n_
from bpy.types import Context, Object

from .. import settings
from ..rig.common.wording import RigError, say
from ..rig.review import contact_tools
from ..settings.properties import IntProperty
from . import active
from .contact_choice import ChosenLegs, ChosenPoint
from .contact_list import let_pose_follow
from .verb import Verb, counted, keep_legs

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import WmReportItems

# What is told of an edge: whether it is a beginning, and whether it comes later now.
_MOVED = {
    (True, True): n_("{leg}: contact begins {moved} later, at {frame}"),
    (True, False): n_("{leg}: contact begins {moved} earlier, at {frame}"),
    (False, True): n_("{leg}: contact ends {moved} later, at {frame}"),
    (False, False): n_("{leg}: contact ends {moved} earlier, at {frame}"),
}


class NudgeContact(ChosenLegs, ChosenPoint, Verb):
    """Move the beginning or end of a contact that is nearest to the current frame, earlier or later. If the current \
frame is on it, it goes along"""

    bl_idname = "toehold.nudge_contact"
    bl_label = "Nudge Contact"

    frames: IntProperty(  # type: ignore[valid-type]
        name="Frames",
        description="How many frames later; earlier where negative",
        default=1,
        soft_min=-10,
        soft_max=10,
    )

    @classmethod
    def why_not(cls, context: Context) -> str | None:
        return active.why_no_change(context)

    def run(self, context: Context, armature: Object) -> tuple[WmReportItems, str]:
        limbs, chosen = self.chosen_legs(armature)
        tracks = contact_tools.stored_tracks(armature, limbs, settings.journey_options(armature))
        scene, point = context.scene, self.point.lower()
        edges = contact_tools.edges(tracks, chosen, point, inner=True)
        if not edges or self.frames == 0:
            raise RigError("there is no contact edge to move: choose other legs, or Annotate Contacts")
        edge = min(edges, key=lambda edge: abs(edge.frame - scene.frame_current))
        span, state = contact_tools.nudged(tracks, edge, point, self.frames)
        contact_tools.set_states(tracks, {edge.limb: [span]}, {point: state})
        keep_legs(armature, limbs)
        let_pose_follow(armature, limbs)
        if scene.frame_current == edge.frame:
            scene.frame_set(edge.frame + self.frames)
        moved = counted(abs(self.frames), "frame")
        text = _MOVED[edge.rises, self.frames > 0]
        return "INFO", say(text, leg=limbs[edge.limb].name, moved=moved, frame=edge.frame + self.frames)
