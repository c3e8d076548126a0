# SPDX-License-Identifier: GPL-3.0-or-later
"""Which of a file's actions are an armature's own, and in which slot each of them moves it."""

from __future__ import annotations

from collections.abc import Iterator

import bpy

from ..common import versions
from . import actions, stack
from .channels import TRANSFORMS, channels_in

OwnAction = tuple[bpy.types.Action, bpy.types.ActionSlot]

# What Blender puts before an object's name in the identifier of its slot.
_OBJECT = "OB"


def own_actions(armature: bpy.types.Object) -> list[OwnAction]:
    """Return the actions that move the armature: the assigned one, those of its NLA tracks, then all others by name.

    An action that a result was made from, at once or over others, is left out where that result is there.
    """
    found: dict[bpy.types.Action, bpy.types.ActionSlot] = {}
    for action, slot in _given(armature):
        found.setdefault(action, slot)
    for action in sorted(bpy.data.actions, key=lambda action: action.name):
        suiting = slot_for(armature, action)
        if suiting is not None:
            found.setdefault(action, suiting)
    sources = {source for action in found for source in actions.sources_of(action)}
    return [(action, slot) for action, slot in found.items() if action not in sources]


def slot_for(armature: bpy.types.Object, action: bpy.types.Action) -> bpy.types.ActionSlot | None:
    """Return the slot of an action that moves bones of the armature and is not meant for another object, if any."""
    identifier = f"{_OBJECT}{armature.name}"
    if identifier in action.slots:
        own = action.slots[identifier]
        return own if _moves(armature, action, own) else None
    for slot in action.slots:
        kind: str = slot.target_id_type
        of_another = slot.identifier.removeprefix(_OBJECT) in bpy.data.objects
        if kind in {"OBJECT", "UNSPECIFIED"} and not of_another and _moves(armature, action, slot):
            return slot
    return None


def _given(armature: bpy.types.Object) -> Iterator[OwnAction]:
    """Yield what the armature has: the action in hand, and those of its NLA tracks, muted or not."""
    animation = armature.animation_data
    in_hand, slot_in_hand = stack.action_in_hand(armature)
    if in_hand is not None and slot_in_hand is not None:
        yield in_hand, slot_in_hand
    # The topmost is the first of a file that was imported.
    for track in reversed(animation.nla_tracks) if animation is not None else ():
        for strip in track.strips:
            if strip.action is not None and strip.action_slot is not None:
                yield strip.action, strip.action_slot


def _moves(armature: bpy.types.Object, action: bpy.types.Action, slot: bpy.types.ActionSlot) -> bool:
    """Whether a slot's curves move bones, all of which the armature has."""
    curves = channels_in(versions.channelbag_of(action, slot)).of_bones
    moved = {bone for (bone, name), own in curves.items() if name in TRANSFORMS and own}
    return bool(moved) and all(bone in armature.pose.bones for bone in moved)
