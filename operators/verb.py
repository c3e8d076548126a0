# SPDX-License-Identifier: GPL-3.0-or-later
"""What every operator shares: it refuses with a reason, and ends in one line for the user."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from bpy.app.translations import pgettext_n as n_
from bpy.types import Context, Object, Operator

from .. import settings
from ..rig.common.wording import CONTEXT, RigError, said, say
from ..rig.legs.limb_bones import LimbBones
from ..rig.sampling.limb_search import search_limbs
from ..rig.shown.preview import preview
from ..solver.metrics import Report
from . import active

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems, WmReportItems

# Who wants to know when a verb has changed something.
change_listeners: list[Callable[[], None]] = []


# What there can be one or more of.
COUNTED = {
    "contact": (n_("{count} contact"), n_("{count} contacts")),
    "event": (n_("{count} event"), n_("{count} events")),
    "foot": (n_("{count} foot"), n_("{count} feet")),
    "frame": (n_("{count} frame"), n_("{count} frames")),
    "hand": (n_("{count} hand"), n_("{count} hands")),
    "leg": (n_("{count} leg"), n_("{count} legs")),
    "limb": (n_("{count} limb"), n_("{count} limbs")),
    "marker": (n_("{count} marker"), n_("{count} markers")),
    "span": (n_("{count} span of frames"), n_("{count} spans of frames")),
}


class Verb(Operator):
    """A verb on the active armature. Each says why it refuses, and what it did."""

    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012 (Blender's own way)
    bl_translation_context = CONTEXT

    @classmethod
    def why_not(cls, context: Context) -> str | None:
        """Return why the verb can not run now, None if it can."""
        raise NotImplementedError

    def run(self, context: Context, armature: Object) -> tuple[WmReportItems, str]:
        """Do it, and return how serious the outcome is and the line to tell. RigError: nothing has been changed."""
        raise NotImplementedError

    @classmethod
    def poll(cls, context: Context) -> bool:
        reason = cls.why_not(context)
        if reason is not None:
            cls.poll_message_set(say(reason))
        return reason is None

    def execute(self, context: Context) -> set[OperatorReturnItems]:
        armature = active.active_armature(context)
        if armature is None:
            return {"CANCELLED"}
        try:
            # What a verb reads and changes is the action, not what a preview of it shows.
            with preview.hidden():
                level, line = self.run(context, armature)
        except RigError as error:
            self.report({"ERROR"}, said(error))
            return {"CANCELLED"}
        return self.tell(level, line)

    def tell(self, level: WmReportItems, line: str) -> set[OperatorReturnItems]:
        """Tell the user, and all listeners, what has been done."""
        for listener in change_listeners:
            listener()
        self.report({level}, line)
        return {"FINISHED"}


def legs_at_hand(armature: Object) -> list[LimbBones]:
    """Return the legs stored with an armature, or those found now if there are none yet. RigError if there are none."""
    return settings.limb_bones(armature) or list(search_limbs(armature).limbs)


def keep_legs(armature: Object, limbs: list[LimbBones]) -> None:
    """Store legs that were found on the way, so that the user sees which they are."""
    if not settings.limb_bones(armature):
        settings.store_limbs(armature, limbs)


def contacts_on_limbs(report: Report, limbs: Sequence[LimbBones]) -> str:
    """Return for instance ``7 contacts on 2 feet``, or ``on 2 feet and 1 hand``."""
    held = {contact.limb for contact in report.contacts}
    hands = sum(limbs[limb].hand for limb in held)
    contacts, feet = counted(len(report.contacts), "contact"), counted(len(held) - hands, "foot")
    if not hands:
        return say("{contacts} on {feet}", contacts=contacts, feet=feet)
    return say("{contacts} on {feet} and {hands}", contacts=contacts, feet=feet, hands=counted(hands, "hand"))


def counted(count: int, what: str) -> str:
    """Return for instance ``1 contact``, ``2 contacts``."""
    one, many = COUNTED[what]
    return say(one if count == 1 else many, count=count)


def figure(value: float) -> str:
    """Return a figure as short as it can be trusted: ``358``, ``0.2``."""
    return f"{value:.0f}" if abs(value) >= 10.0 else f"{value:.1f}"
