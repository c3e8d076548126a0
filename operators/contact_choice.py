# SPDX-License-Identifier: GPL-3.0-or-later
"""What the contact tools act on: which legs, and which point of the foot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bpy.types import Context, Object

from .. import settings
from ..rig.common.wording import RigError, say
from ..rig.legs.limb_bones import LimbBones
from ..rig.review.selection import limbs_of_selected_bones, selected_bones
from ..settings.properties import EnumProperty, StringProperty
from .verb import Verb, counted, legs_at_hand

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems, WmReportItems

LEGS = (
    ("AUTO", "Selected or Active", "The legs of the selected bones in Pose Mode, else the active leg"),
    ("ACTIVE", "Active", "The leg that is active in the list of legs"),
    ("SELECTED", "Selected", "The legs of the selected bones"),
    ("ALL", "All", "All legs of the armature"),
)


class ChosenLegs(Verb):
    """The choice of legs that every contact tool has. It says so where bones are selected, and the active leg is taken
    all the same."""

    legs: EnumProperty(  # type: ignore[valid-type]
        name="Legs",
        description="Which legs to act on",
        items=LEGS,
        default="AUTO",
        options={"SKIP_SAVE"},
    )

    # The leg that a press falls back on, since no selected bone is of one; told at its end.
    _fell_back_on = ""

    leg: StringProperty(  # type: ignore[valid-type]
        name="Leg",
        description="Name of the one leg to act on, whatever is chosen; empty for what Legs says",
        options={"SKIP_SAVE", "HIDDEN"},
    )

    def chosen_legs(self, armature: Object) -> tuple[list[LimbBones], list[int]]:
        """Return all legs of the armature, and which of them are chosen, by index. RigError where none is."""
        limbs = legs_at_hand(armature)
        if self.leg:
            self._fell_back_on = ""
            named_so = [at for at, limb in enumerate(limbs) if limb.name == self.leg]
            if not named_so:
                raise RigError("limb {limb} is not in the list: measure again", limb=self.leg)
            return limbs, named_so
        chosen = limbs_of_selected_bones(armature, limbs)
        in_pose = self.legs == "AUTO" and armature.mode == "POSE"
        self._fell_back_on = ""
        if self.legs == "ALL":
            return limbs, list(range(len(limbs)))
        if self.legs == "SELECTED" and not chosen:
            raise RigError("no bone of a leg is selected: select one, or choose other legs")
        if chosen and (in_pose or self.legs == "SELECTED"):
            return limbs, chosen
        active = settings.active_limb(armature, len(limbs))
        if in_pose and selected_bones(armature):
            self._fell_back_on = limbs[active].name
        return limbs, [active]

    def tell(self, level: WmReportItems, line: str) -> set[OperatorReturnItems]:
        if self._fell_back_on:
            warning = say("the selected bones are of no leg, so the active one: {leg}", leg=self._fell_back_on)
            return super().tell("WARNING", f"{line}, {warning}")
        return super().tell(level, line)


class ChosenPoint:
    """The choice of the foot's point that tools have that work on the edges of one contact curve."""

    point: EnumProperty(  # type: ignore[valid-type]
        name="Point",
        description="Which contacts to act on",
        items=(
            ("TOE", "Toe", "The contacts of the toes, which are what is locked"),
            ("HEEL", "Heel", "The contacts of the heel"),
        ),
        default="TOE",
        options={"SKIP_SAVE"},
    )


def keys_are_in_reach(context: Context) -> bool:
    """Return whether the tool was called where keys are edited, so that selected keys are meant."""
    return context.area is not None and context.area.type in {"GRAPH_EDITOR", "DOPESHEET_EDITOR"}


def named(limbs: Sequence[LimbBones], chosen: Sequence[int]) -> str:
    """Return for instance ``Left``, ``Left and Right``, ``4 legs``."""
    names = [limbs[limb].name for limb in chosen]
    if len(names) == 2:
        return say("{one} and {other}", one=names[0], other=names[1])
    return names[0] if len(names) == 1 else counted(len(names), "leg")


def frames_named(first: int, last: int) -> str:
    """Return for instance ``frame 12``, ``frames 12 to 40``."""
    return (
        say("frame {first}", first=first) if first == last else say("frames {first} to {last}", first=first, last=last)
    )
