# SPDX-License-Identifier: GPL-3.0-or-later
"""Look at contacts as curves, and put everything back after."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import bpy
from bpy.app.handlers import persistent
from bpy.app.translations import pgettext_n as n_
from bpy.types import Context, Object, Operator

from .. import settings
from ..rig.common.wording import CONTEXT, RigError, say
from ..rig.contacts.properties import CONTACT, HEEL, TOE
from ..rig.review import contact_tools, detection_curves, selection, step_curves
from ..rig.review.selection import Selection
from ..rig.review.step_curves import Stepped
from ..settings.properties import BoolProperty, EnumProperty
from . import active, graph_view
from .contact_choice import LEGS, ChosenLegs, named
from .graph_view import GraphView
from .verb import Verb, keep_legs

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems, WmReportItems

NO_WINDOW = n_("Review Contacts needs a window: without one, the curves are in the action all the same")
NO_REVIEW = n_("No review is open")


@dataclass(frozen=True)
class Review:
    """A review that is open. The armature is known by the number that it has in this session, in no other file.

    stepped, ease_time : the curves that have one key an edge meanwhile, and how they ease afterwards, in seconds.
    """

    armature_number: int
    selection: Selection
    view: GraphView
    stepped: tuple[Stepped, ...] = ()
    ease_time: float = 0.0


# At most one.
_open: list[Review] = []


class ReviewContacts(ChosenLegs, Verb):
    """Show exactly the contact curves of the legs in a Graph Editor. Called again, it puts everything back"""

    bl_idname = "toehold.review_contacts"
    bl_label = "Review Contacts"

    legs: EnumProperty(  # type: ignore[valid-type]
        name="Legs",
        description="Which legs to show",
        items=LEGS,
        default="ALL",
        options={"SKIP_SAVE"},
    )
    heel: BoolProperty(  # type: ignore[valid-type]
        name="Heels",
        description="Show the contact of each heel too, as a second curve",
        default=False,
    )
    curves: BoolProperty(  # type: ignore[valid-type]
        name="Speed and Height",
        description="Show the speed of each toe, its limit and its height too, as curves that go away with the review",
        default=False,
    )

    @classmethod
    def why_not(cls, context: Context) -> str | None:
        if bpy.app.background or not context.window_manager.windows:
            return NO_WINDOW
        return None if is_open() else active.why_no_motion(context)

    def run(self, context: Context, armature: Object) -> tuple[WmReportItems, str]:
        if is_open():
            end(context)
            # The redo panel wants another review, not none.
            if not self.options.is_repeat:
                return "INFO", say("Review ended")
        if self.curves and (reason := active.why_no_change(context)) is not None:
            raise RigError(reason)
        limbs, chosen = self.chosen_legs(armature)
        contact_tools.stored_tracks(armature, limbs, settings.journey_options(armature))
        reviewed = [limbs[limb] for limb in chosen]
        if active.why_no_legs(context) is None:
            keep_legs(armature, limbs)
        view_layer = context.view_layer
        assert view_layer is not None
        selected = selection.selection_of(view_layer, armature)
        points = (TOE, HEEL) if self.heel else (TOE,)
        selection.select_contacts(view_layer, armature, reviewed, points)
        ease_time = settings.journey_options(armature).contacts.blend_time
        stepped = tuple(step_curves.as_steps(armature, reviewed, points))
        words = (CONTACT["toe"], detection_curves.SPEED, detection_curves.HEIGHT) if self.curves else (CONTACT["toe"],)
        view = graph_view.open_view(context, words)
        _open.append(Review(armature.session_uid, selected, view, stepped, ease_time))
        if self.curves:
            # After the view was framed to the contacts: one leap of a foot would make them flat.
            detection_curves.write_review_curves(armature, reviewed, settings.journey_options(armature))
        return "INFO", say("Review of {legs}: edit the curves, then Clean", legs=named(limbs, chosen))


class EndReview(Operator):
    """Put the editor, its filter and the selection back as they were before Review Contacts"""

    bl_idname = "toehold.end_review"
    bl_label = "End Review"
    bl_translation_context = CONTEXT
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012 (Blender's own way)

    @classmethod
    def poll(cls, context: Context) -> bool:
        if not is_open():
            cls.poll_message_set(NO_REVIEW)
        return is_open()

    def execute(self, context: Context) -> set[OperatorReturnItems]:
        end(context)
        self.report({"INFO"}, say("Review ended"))
        return {"FINISHED"}


def register() -> None:
    """Watch for files that are opened; once, however often it is called."""
    if _after_loading not in bpy.app.handlers.load_post:
        bpy.app.handlers.load_post.append(_after_loading)


def unregister() -> None:
    """End the review that is open, and watch no longer."""
    end(bpy.context)
    if _after_loading in bpy.app.handlers.load_post:
        bpy.app.handlers.load_post.remove(_after_loading)


def is_open() -> bool:
    """Return whether a review is open."""
    return bool(_open)


def end(context: Context) -> None:
    """End the review that is open, if one is."""
    while _open:
        review = _open.pop()
        graph_view.close_view(context, review.view)
        step_curves.ease_again(review.stepped, review.ease_time)
        armature = next((item for item in bpy.data.objects if item.session_uid == review.armature_number), None)
        if armature is not None and armature.pose is not None:
            detection_curves.remove_review_curves(armature)
            view_layer = context.view_layer
            if view_layer is not None and armature.name in view_layer.objects:
                selection.put_back(view_layer, armature, review.selection)


@persistent
def _after_loading(*_: object) -> None:
    """Close a review of the file before: its windows may have stayed, its armature has not."""
    while _open:
        graph_view.close_view(bpy.context, _open.pop().view)
