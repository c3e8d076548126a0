# SPDX-License-Identifier: GPL-3.0-or-later
"""Drag a contact, or an edge of it, in the bar along the bottom of a timeline; the pose follows meanwhile."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from bpy.app.translations import pgettext_n as n_
from bpy.types import Context, Event, Object

from .. import settings
from ..rig.common.wording import RigError, said, say
from ..rig.contacts.properties import HEEL, TOE, put_values_back, values_of
from ..rig.contacts.shared import of_the_same_motion
from ..rig.curves import kept_action
from ..rig.curves.kept_action import KeptAction
from ..rig.review import contact_tools
from ..rig.review.contact_tools import Tracks
from ..rig.shown.live_clean import live
from ..settings.properties import EnumProperty, IntProperty, StringProperty
from ..solver.contacts import State
from . import active, contact_bar
from .contact_bar import BarPlace, Grip, Span
from .contact_choice import frames_named
from .contact_list import drop_suspects, let_pose_follow
from .verb import Verb, keep_legs, legs_at_hand

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems, WmReportItems

NO_BAR = n_("Contacts are dragged in a Timeline, a Dope Sheet or a Graph Editor that shows their bar")

# Seconds that the pose may take to follow one step of a drag; where it takes longer, it follows at the end.
FOLLOWS_WITHIN = 0.4

# How much of the mouse's way counts while Shift is held.
FINE = 0.2

HINTS = n_("Drag: Move   Shift: Fine   Esc: Cancel")


class DragContact(Verb):
    """Drag where a contact begins or ends, or all of it, in the bar of a timeline: Shift for fine, Alt for the heel \
alone, Esc to cancel. The pose follows where it can"""

    bl_idname = "toehold.drag_contact"
    bl_label = "Drag Contact"
    bl_options = {"REGISTER", "UNDO", "BLOCKING"}  # noqa: RUF012 (Blender's own way)

    leg: StringProperty(  # type: ignore[valid-type]
        name="Leg",
        description="Name of the leg; empty for the active one",
        options={"SKIP_SAVE"},
    )
    point: EnumProperty(  # type: ignore[valid-type]
        name="Point",
        description="Which contact of the foot is meant",
        items=(("TOE", "Toe", "The contact of the toes"), ("HEEL", "Heel", "The contact of the heel")),
        default="TOE",
        options={"SKIP_SAVE"},
    )
    part: EnumProperty(  # type: ignore[valid-type]
        name="Part",
        description="Which part of the contact is moved",
        items=(
            ("START", "Beginning", "Where the contact begins"),
            ("END", "End", "Where the contact ends"),
            ("WHOLE", "Whole", "All of the contact; that of the heel goes along with that of the toes"),
        ),
        default="WHOLE",
        options={"SKIP_SAVE"},
    )
    frame: IntProperty(  # type: ignore[valid-type]
        name="Frame",
        description="A frame of the contact as it was",
        options={"SKIP_SAVE"},
    )
    frames: IntProperty(  # type: ignore[valid-type]
        name="Frames",
        description="How many frames later; earlier where negative",
        options={"SKIP_SAVE"},
    )

    @classmethod
    def why_not(cls, context: Context) -> str | None:
        return active.why_no_change(context)

    def run(self, context: Context, armature: Object) -> tuple[WmReportItems, str]:
        limbs = legs_at_hand(armature)
        tracks = contact_tools.found_tracks(armature, limbs, settings.journey_options(armature))
        names = [limb.name for limb in limbs]
        if self.leg and self.leg not in names:
            raise RigError("limb {limb} is not in the list: measure again", limb=self.leg)
        limb = names.index(self.leg) if self.leg else settings.active_limb(armature, len(limbs))
        spans = contact_tools.spans_of(tracks, limb, self.point.lower())
        at = next((at for at, (first, last) in enumerate(spans) if first <= self.frame <= last), None)
        if at is None:
            raise RigError("{leg} has no contact at frame {frame}: choose another", leg=names[limb], frame=self.frame)
        old, new = self._move(tracks, Grip(limb, at, self.part, spans[at]), self.frames)
        return self._done(armature, tracks, limb, old, new)

    def invoke(self, context: Context, event: Event) -> set[OperatorReturnItems]:
        armature = active.active_armature(context)
        place = bar_under(context)
        if armature is None or place is None or place.row_at(event.mouse_region_y) is None:
            return {"PASS_THROUGH"}
        try:
            limbs = legs_at_hand(armature)
            self._tracks = contact_tools.found_tracks(armature, limbs, settings.journey_options(armature))
        except RigError as error:
            self.report({"ERROR"}, said(error))
            return {"CANCELLED"}
        self.point = "HEEL" if event.alt else "TOE"
        scale = context.preferences.system.ui_scale
        rows = [contact_tools.spans_of(self._tracks, limb, self.point.lower()) for limb in range(len(limbs))]
        at = event.mouse_region_x, event.mouse_region_y
        grip = contact_bar.grip_at(place, *at, rows, contact_bar.REACH * scale)
        # What lies over the frame numbers leaves them to be scrubbed, but for its edges.
        if grip is None or (grip.part == "WHOLE" and place.over_ruler):
            return {"PASS_THROUGH"}
        self._grip, self._place, self._way, self._x = grip, place, 0.0, event.mouse_region_x
        self._now, self._follows = 0, True
        self._kept: list[KeptAction] = []
        self.leg, self.part, self.frame, self.frames = limbs[grip.row].name, grip.part, grip.span[0], 0
        settings.choose_limb(armature, grip.row)
        context.window.cursor_modal_set("MOVE_X")
        context.workspace.status_text_set(say(HINTS))
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: Context, event: Event) -> set[OperatorReturnItems]:
        armature = active.active_armature(context)
        if armature is None or event.type in {"ESC", "RIGHTMOUSE"}:
            self.cancel(context)
            return {"CANCELLED"}
        try:
            if event.type == "MOUSEMOVE":
                self._way += (event.mouse_region_x - self._x) * (FINE if event.shift else 1.0)
                self._x = event.mouse_region_x
                self._go_to(context, armature, round(self._way / self._place.per_frame))
            elif event.type == "LEFTMOUSE" and event.value == "RELEASE":
                self._clear(context)
                if self._now == 0:
                    self._put_back()
                    return {"CANCELLED"}
                self.frames = self._now
                old, new = self._grip.span, self._new_span(self._tracks, self._grip, self._now)
                return self.tell(*self._done(armature, self._tracks, self._grip.row, old, new))
        except RigError as error:
            self.cancel(context)
            self.report({"ERROR"}, said(error))
            return {"CANCELLED"}
        return {"RUNNING_MODAL"}

    def cancel(self, context: Context) -> None:
        """Put all back as it was, as Blender asks for too when it is closed."""
        self._put_back()
        self._clear(context)

    def _go_to(self, context: Context, armature: Object, frames: int) -> None:
        if frames == self._now:
            return
        if not self._kept:
            action = active.active_action(context)
            assert action is not None, "there are contacts in it"
            self._kept = kept_action.keep([action, *of_the_same_motion(action)])
            self._values = values_of(armature, self._tracks.limbs)
        self._now = frames
        self._move(self._tracks, self._grip, frames)
        if self._follows:
            started = time.monotonic()
            live.contacts_changed(armature, self._tracks.limbs, settings.journey_options(armature), told=False)
            self._follows = time.monotonic() - started < FOLLOWS_WITHIN
        context.area.tag_redraw()

    def _move(self, tracks: Tracks, grip: Grip, frames: int) -> tuple[Span, Span]:
        """Write the contact where it is dragged to, and return where it was and is."""
        point, new = self.point.lower(), self._new_span(tracks, grip, frames)
        limits = int(tracks.frames[0]), int(tracks.frames[-1])
        moves = [(point, grip.span, new)]
        if point == TOE and grip.part == "WHOLE":
            step = new[0] - grip.span[0]
            moves += [
                (HEEL, span, (max(span[0] + step, limits[0]), min(span[1] + step, limits[1])))
                for span in contact_tools.spans_of(tracks, grip.row, HEEL)
                if span[0] <= grip.span[1] and grip.span[0] <= span[1]
            ]
        contact_tools.move_contacts(tracks, grip.row, moves)
        return grip.span, new

    def _new_span(self, tracks: Tracks, grip: Grip, frames: int) -> Span:
        of_row = contact_tools.spans_of(tracks, grip.row, self.point.lower())
        limits = int(tracks.frames[0]), int(tracks.frames[-1])
        return contact_bar.moved_span(grip, frames, of_row, limits)

    def _done(self, armature: Object, tracks: Tracks, limb: int, old: Span, new: Span) -> tuple[WmReportItems, str]:
        limbs = list(tracks.limbs)
        first, last = min(old[0], new[0]), max(old[1], new[1])
        drop_suspects(active.active_action_of(armature), limbs[limb].name, first, last)
        keep_legs(armature, limbs)
        let_pose_follow(armature, limbs)
        text = n_("{leg}: contact over {frames} now")
        return "INFO", say(text, leg=limbs[limb].name, frames=frames_named(*new))

    def _put_back(self) -> None:
        if self._kept:
            kept_action.put_back(self._kept)
            put_values_back(self._tracks.armature, self._tracks.limbs, self._values)
            live.forget()
        self._kept = []

    def _clear(self, context: Context) -> None:
        context.window.cursor_modal_restore()
        context.workspace.status_text_set(None)


class ToggleContact(Verb):
    """Plant the foot at the frame that was clicked in the bar of a timeline, or lift it where it is planted"""

    bl_idname = "toehold.toggle_contact"
    bl_label = "Plant or Lift"

    leg: StringProperty(  # type: ignore[valid-type]
        name="Leg",
        description="Name of the leg; empty for the active one",
        options={"SKIP_SAVE"},
    )
    frame: IntProperty(  # type: ignore[valid-type]
        name="Frame",
        description="Frame at which the foot is planted or lifted",
        options={"SKIP_SAVE"},
    )

    @classmethod
    def why_not(cls, context: Context) -> str | None:
        return active.why_no_change(context)

    def invoke(self, context: Context, event: Event) -> set[OperatorReturnItems]:
        armature, place = active.active_armature(context), bar_under(context)
        row = None if place is None else place.row_at(event.mouse_region_y)
        if armature is None or place is None or row is None:
            return {"PASS_THROUGH"}
        self.leg = settings.limb_bones(armature)[row].name
        self.frame = round(place.frame_at(event.mouse_region_x))
        return self.execute(context)

    def run(self, context: Context, armature: Object) -> tuple[WmReportItems, str]:
        limbs = legs_at_hand(armature)
        names = [limb.name for limb in limbs]
        if self.leg and self.leg not in names:
            raise RigError("limb {limb} is not in the list: measure again", limb=self.leg)
        limb = names.index(self.leg) if self.leg else settings.active_limb(armature, len(limbs))
        tracks = contact_tools.found_tracks(armature, limbs, settings.journey_options(armature))
        at = round(self.frame - float(tracks.frames[0]))
        if not 0 <= at < len(tracks.frames):
            raise RigError("frame {frame} is not in the action: choose another frame", frame=self.frame)
        lifts = bool(tracks.planted(limb, TOE)[at] or tracks.planted(limb, HEEL)[at])
        wanted, points = (State.LIFTED, (TOE, HEEL)) if lifts else (State.PLANTED, (TOE,))
        span = contact_tools.undone(tracks, limb, self.frame, wanted)
        if span is not None:
            contact_tools.set_states(tracks, {limb: [span]}, dict.fromkeys((TOE, HEEL), State.AUTO))
        else:
            span = contact_tools.span_at(tracks, limb, points, self.frame, wanted)
            assert span is not None, "the frame is in the action"
            contact_tools.set_states(tracks, {limb: [span]}, dict.fromkeys(points, wanted))
        drop_suspects(active.active_action(context), names[limb], *span)
        keep_legs(armature, limbs)
        let_pose_follow(armature, limbs)
        text = n_("{leg}: lifted over {frames}") if lifts else n_("{leg}: planted over {frames}")
        return "INFO", say(text, leg=names[limb], frames=frames_named(*span))


def bar_under(context: Context) -> BarPlace | None:
    """Return where the bar of the active armature is in the region that the mouse is in, None where it shows none."""
    # Any, since the stubs do not know which space a region is drawn in.
    region: Any = context.region
    manager: Any = context.window_manager
    armature, area = active.active_armature(context), context.area
    if armature is None or area is None or area.type not in {"DOPESHEET_EDITOR", "GRAPH_EDITOR"}:
        return None
    shown = manager.toehold_overlay
    if region.type != "WINDOW" or not (shown.enabled and shown.timeline):
        return None
    rows = len(settings.limb_bones(armature))
    view = region.view2d.region_to_view(0, 0)[0], region.view2d.region_to_view(region.width, 0)[0]
    size = region.width, region.height
    return contact_bar.bar_place(rows, view, size, context.preferences.system.ui_scale) if rows else None
