# SPDX-License-Identifier: GPL-3.0-or-later
"""Say of a foot over a span that it is planted, lifted or slides, or leave it to detection again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bpy.app.translations import pgettext_n as n_
from bpy.types import Context, Object

from .. import settings
from ..rig.common.wording import RigError, say
from ..rig.contacts.properties import HEEL, TOE
from ..rig.legs.limb_bones import LimbBones
from ..rig.review import contact_tools
from ..rig.review.contact_tools import Span, Tracks
from ..rig.review.selection import selected_spans
from ..settings.properties import EnumProperty, IntProperty
from ..solver.contacts import State
from . import active
from .contact_choice import ChosenLegs, frames_named, keys_are_in_reach, named
from .contact_list import drop_suspects, let_pose_follow
from .verb import Verb, counted, keep_legs

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import WmReportItems

# What each choice of a point is about: where the contact is looked for, and which points are set.
_POINTS = {"FOOT": (TOE, HEEL), "TOE": (TOE,), "HEEL": (HEEL,)}

_DONE = {
    State.AUTO: n_("Left to detection"),
    State.PLANTED: n_("Planted"),
    State.LIFTED: n_("Lifted"),
    State.SLIDING: n_("Sliding"),
}


class SetContact(ChosenLegs, Verb):
    """Say that a foot is planted, lifted or slides there, whatever detection finds. It holds until it is set to \
Automatic"""

    bl_idname = "toehold.set_contact"
    bl_label = "Set Contact"

    state: EnumProperty(  # type: ignore[valid-type]
        name="State",
        description="What the foot does there",
        items=(
            ("PLANTED", "Planted", "The foot is held to the ground there: Clean makes its toes stand still"),
            ("LIFTED", "Lifted", "The foot is not held to the ground there: it is free to move"),
            ("SLIDING", "Sliding", "The foot is on the ground and moves on purpose, as in a pivot: it is not held"),
            ("AUTO", "Automatic", "What was set or edited there is given up, and detection decides again"),
        ),
        default="PLANTED",
    )
    point: EnumProperty(  # type: ignore[valid-type]
        name="Point",
        description="Which part of the foot is meant",
        items=(
            ("FOOT", "Foot", "Planted by the toes; lifted, sliding and automatic with toes and heel"),
            ("TOE", "Toe", "The toes only"),
            ("HEEL", "Heel", "The heel only"),
        ),
        default="FOOT",
        options={"SKIP_SAVE"},
    )
    over: EnumProperty(  # type: ignore[valid-type]
        name="Over",
        description="Which frames are meant",
        items=(
            (
                "AUTO",
                "Keys or Contact",
                "The selected contact keys in the Graph Editor or Dope Sheet, else the contact",
            ),
            ("CONTACT", "Contact", "The contact at the current frame, or what is between two contacts"),
            ("KEYS", "Selected Keys", "From the first to the last selected key of each contact curve"),
            ("PREVIEW_RANGE", "Preview Range", "The preview range of the scene"),
            ("FRAMES", "Frames", "From Start to End"),
        ),
        default="AUTO",
        options={"SKIP_SAVE"},
    )
    frame_start: IntProperty(  # type: ignore[valid-type]
        name="Start",
        description="First frame, where Over is Frames",
        options={"SKIP_SAVE"},
    )
    frame_end: IntProperty(  # type: ignore[valid-type]
        name="End",
        description="Last frame, where Over is Frames",
        options={"SKIP_SAVE"},
    )

    @classmethod
    def why_not(cls, context: Context) -> str | None:
        return active.why_no_change(context)

    def run(self, context: Context, armature: Object) -> tuple[WmReportItems, str]:
        limbs, chosen = self.chosen_legs(armature)
        state = State[self.state]
        # A foot is planted by its toes; its heel stays as free as it is.
        points = (TOE,) if self.point == "FOOT" and state is State.PLANTED else _POINTS[self.point]
        tracks = contact_tools.found_tracks(armature, limbs, settings.journey_options(armature))
        spans = self._spans(context, tracks, chosen, points)
        if not spans:
            frame = context.scene.frame_current
            raise RigError(
                "nothing was set or edited at frame {frame}: choose another frame, or frames with Over"
                if state is State.AUTO
                else "frame {frame} is not in the action: choose another frame, or frames with Over",
                frame=frame,
            )
        given_back = self._given_back(context, tracks, spans)
        rest = {limb: of_limb for limb, of_limb in spans.items() if limb not in given_back}
        if given_back:
            contact_tools.set_states(tracks, given_back, dict.fromkeys(_POINTS[self.point], State.AUTO))
        if rest:
            contact_tools.set_states(tracks, rest, dict.fromkeys(points, state))
        spans = given_back | rest
        for limb, of_limb in spans.items():
            for first, last in of_limb:
                drop_suspects(active.active_action(context), limbs[limb].name, first, last)
        keep_legs(armature, limbs)
        let_pose_follow(armature, limbs)
        return "INFO", f"{say(_DONE[state])}: {_told(limbs, spans)}"

    def _given_back(self, context: Context, tracks: Tracks, spans: dict[int, list[Span]]) -> dict[int, list[Span]]:
        """Return the spans, by limb, in which the press takes back what the opposite one has set before."""
        is_of_a_contact = self.over == "CONTACT" or (self.over == "AUTO" and not keys_are_in_reach(context))
        given = any(self.properties.is_property_set(name) for name in ("frame_start", "frame_end"))
        if not is_of_a_contact or given or self.point == "HEEL":
            return {}
        frame, state = context.scene.frame_current, State[self.state]
        found = {limb: contact_tools.undone(tracks, limb, frame, state) for limb in spans}
        return {limb: [span] for limb, span in found.items() if span is not None}

    def _spans(
        self, context: Context, tracks: Tracks, chosen: Sequence[int], points: tuple[str, ...]
    ) -> dict[int, list[Span]]:
        """Return the spans that are meant, by the index of their limb."""
        scene, over = context.scene, self.over
        given = [getattr(self, name) for name in ("frame_start", "frame_end") if self.properties.is_property_set(name)]
        if over == "FRAMES" or (over == "AUTO" and given):
            # A script that gives one of them means this frame.
            ends = given or [self.frame_start, self.frame_end]
            return {limb: [(min(ends), max(ends))] for limb in chosen}
        if over == "PREVIEW_RANGE":
            if not scene.use_preview_range:
                raise RigError("the scene has no preview range: set one in the Timeline (P)")
            return {limb: [(scene.frame_preview_start, scene.frame_preview_end)] for limb in chosen}
        if over == "KEYS" or (over == "AUTO" and keys_are_in_reach(context)):
            selected = selected_spans(tracks.armature, tracks.limbs, _POINTS[self.point])
            if selected:
                return {limb: [span] for limb, span in selected.items()}
            if over == "KEYS":
                raise RigError("no key of a contact curve is selected: select some in the Graph Editor")
        state, frame = State[self.state], scene.frame_current
        found = {limb: contact_tools.span_at(tracks, limb, points, frame, state) for limb in chosen}
        return {limb: [span] for limb, span in found.items() if span is not None}


def _told(limbs: Sequence[LimbBones], spans: dict[int, list[Span]]) -> str:
    """Return which legs over which frames, in a few words."""
    all_spans = [span for of_limb in spans.values() for span in of_limb]
    if len(set(all_spans)) == 1:
        return f"{named(limbs, list(spans))}, {frames_named(*all_spans[0])}"
    return f"{named(limbs, list(spans))}, {counted(len(all_spans), 'span')}"
