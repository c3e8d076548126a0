# SPDX-License-Identifier: GPL-3.0-or-later
"""Which armature an operator works on, and why it can not: cheap enough to ask at every redraw."""

from __future__ import annotations

from typing import Any

from bpy.app.translations import pgettext_n as n_
from bpy.types import Action, Context, Object

from ..rig.curves import stack
from ..rig.curves.actions import lost_its_source, source_of
from ..rig.verbs.flip import result_of
from ..rig.writing.results import FIGURES

NO_ARMATURE = n_("Select an armature")
NO_LIMBS = n_("There are no limbs in the list")
NO_BONE = n_("Click a bone in Pose Mode first")
EDIT_MODE = n_("Leave Edit Mode first")
NO_ACTION = n_("This armature has no action: import or assign one")
NO_SLOT = n_("The action has no slot for this armature: choose one in the Action Editor")
TWEAK_MODE = n_("Leave the NLA's tweak mode first")
LINKED_ARMATURE = n_("The armature is linked: make a library override of it first")
NO_SOURCE = n_("This action was not made by Clean, so there is no source to restore")
SOURCE_GONE = n_("The action that this one was made from is not in this file any more")
NO_OTHER_SIDE = n_("Clean first: this action has no cleaned one to change to")
NO_FIGURES = n_("Measure or clean first: there are no figures yet")
IS_VERSION = n_("This result is kept already")
LINKED_ACTION = n_("The action is linked: make it local first")


def active_armature(context: Context) -> Object | None:
    """Return the armature that a script names with ``temp_override(active_object=...)``, else the active object's.

    The view layer is asked, which is there without a window too.
    """
    view_layer = context.view_layer
    active = view_layer.objects.active if view_layer else None
    for name in ("active_object", "object"):
        named = getattr(context, name, None)
        if named is not None and named != active and named.type == "ARMATURE":
            return named
    return active if active is not None and active.type == "ARMATURE" else None


def armatures(context: Context) -> list[Object]:
    """Return the armatures that are worked on: the active one first, then all others that are selected.

    One that a script names with ``temp_override`` is worked on alone.
    """
    first = active_armature(context)
    view_layer = context.view_layer
    if first is None or view_layer is None:
        return []
    if first != view_layer.objects.active:
        return [first]
    chosen = [item for item in view_layer.objects.selected if item.type == "ARMATURE" and item != first]
    return [first, *sorted(chosen, key=lambda item: item.name)]


def active_action(context: Context) -> Action | None:
    """Return the action that is worked on: the one that the active armature plays, or that of a strip on top."""
    return active_action_of(active_armature(context))


def active_action_of(armature: Object | None) -> Action | None:
    """Return the action that is worked on of an armature."""
    return stack.action_in_hand(armature)[0] if armature else None


def why_no_legs(context: Context) -> str | None:
    """Return why no legs can be stored with the active armature, None if they can."""
    return why_no_legs_of(active_armature(context))


def why_no_legs_of(armature: Object | None) -> str | None:
    """Return why no legs can be stored with an armature, None if they can."""
    if armature is None:
        return NO_ARMATURE
    if armature.mode == "EDIT":
        return EDIT_MODE
    return None if armature.is_editable else LINKED_ARMATURE


def why_no_limb(context: Context) -> str | None:
    """Return why there is no limb in the list that could be changed, None if there is."""
    armature: Any = active_armature(context)
    return None if armature is not None and armature.toehold.limbs else NO_LIMBS


def why_no_bone(context: Context) -> str | None:
    """Return why no bone of the active armature can be taken, None if one is active in Pose Mode."""
    armature: Any = active_armature(context)
    return None if armature is not None and armature.mode == "POSE" and armature.data.bones.active else NO_BONE


def why_no_motion(context: Context) -> str | None:
    """Return why the active armature has no motion to look at, None if it has."""
    return why_no_motion_of(active_armature(context))


def why_no_motion_of(armature: Object | None) -> str | None:
    """Return why an armature has no motion to look at, None if it has."""
    if armature is None:
        return NO_ARMATURE
    if armature.mode == "EDIT":
        return EDIT_MODE
    animation = armature.animation_data
    if animation is not None and animation.use_tweak_mode:
        return TWEAK_MODE
    if stack.plays_strips(armature):
        return None
    if animation is None or animation.action is None:
        return NO_ACTION
    return None if animation.action_slot is not None else NO_SLOT


def why_no_new_action(context: Context) -> str | None:
    """Return why the active armature can not be given another action, None if it can."""
    return why_no_legs(context) or why_no_motion(context)


def why_no_change(context: Context) -> str | None:
    """Return why the active armature's action can not be changed, None if it can."""
    reason = why_no_new_action(context)
    action = active_action(context)
    return reason or (None if action is None or action.is_editable else LINKED_ACTION)


def why_no_source(context: Context) -> str | None:
    """Return why the active armature has no source action to go back to, None if it has."""
    reason = why_no_new_action(context)
    action = active_action(context)
    if reason is not None or action is None:
        return reason or NO_SOURCE
    return None if source_of(action) is not None else SOURCE_GONE if lost_its_source(action) else NO_SOURCE


def why_no_other_side(context: Context) -> str | None:
    """Return why there is nothing to flip to: no source of the active action, and no result of it."""
    reason = why_no_new_action(context)
    action = active_action(context)
    armature = active_armature(context)
    if reason is None and armature is not None and stack.own_track(armature, stack.RESULT, muted_too=True) is not None:
        return None
    if reason is not None or action is None:
        return reason
    if lost_its_source(action):
        return SOURCE_GONE
    # A linked action can not remember its result, which is looked for when it is asked for.
    known = source_of(action) is not None or result_of(action) is not None or not action.is_editable
    return None if known else NO_OTHER_SIDE


def why_no_figures(context: Context) -> str | None:
    """Return why there are no figures of the active action to take elsewhere, None if there are."""
    if active_armature(context) is None:
        return NO_ARMATURE
    action = active_action(context)
    if action is None:
        return NO_ACTION
    return None if action.get(FIGURES) else NO_FIGURES
