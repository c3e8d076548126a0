# SPDX-License-Identifier: GPL-3.0-or-later
"""Which action an armature has, which one a result was made from, and whether either may be changed."""

from __future__ import annotations

import bpy

from . import regime
from .errors import RigError

# The property of a result action that holds the action it was made from.
SOURCE_PROPERTY = "toehold_source"

# The property of a result whose motion is to be cleaned as it is, not its source's: it holds the source once more.
NEW_MOTION_PROPERTY = "toehold_new_motion"


def source_of(action: bpy.types.Action) -> bpy.types.Action | None:
    """Return the action that a result was made from; None where it is no result, or its source is gone."""
    source = action.get(SOURCE_PROPERTY)
    return source if isinstance(source, bpy.types.Action) else None


def start_of(action: bpy.types.Action) -> bpy.types.Action:
    """Return the action that is cleaned in place of ``action``: its source, where it was made by cleaning.

    Root motion and the way over a ground are kept: such a result is cleaned itself. What is made of it carries a copy
    of its properties, but has another source.
    """
    source = source_of(action)
    return action if source is None or action.get(NEW_MOTION_PROPERTY) == source else source


def assign(armature: bpy.types.Object, action: bpy.types.Action) -> None:
    """Give the armature ``action``, in the slot of the same name as before, else in the first that suits it.

    Raises
    ------
    RigError
        Where the armature cannot be changed, is in tweak mode, or no slot of the action suits it.
    """
    refuse_uneditable(armature)
    animation = armature.animation_data or armature.animation_data_create()
    if animation.use_tweak_mode:
        raise RigError(f'"{armature.name}" is in tweak mode: leave it in the NLA Editor (Tab) first')
    wanted = "" if animation.action_slot is None else animation.action_slot.identifier
    animation.action = action
    slot = action.slots.get(wanted) or next(iter(animation.action_suitable_slots), None)
    if slot is None:
        raise RigError(f'action "{action.name}" has no slot for "{armature.name}": choose another action')
    animation.action_slot = slot


def refuse_uneditable(owner: bpy.types.ID) -> None:
    """Raise RigError where Blender would forget changes of ``owner`` when the file is saved."""
    if not owner.is_editable:
        raise RigError(
            f'"{owner.name}" is linked from another file and cannot be changed: '
            "make a library override of it or make it local (Object, Relations)"
        )


def refuse_other_animation(armature: bpy.types.Object) -> None:
    """Raise RigError where not the assigned action alone speaks, so that a new one would not be what is seen."""
    reason = regime.other_animation(armature)
    if reason:
        raise RigError(f'"{armature.name}" {reason}: bake it to one action first (NLA Editor, Strip, Bake Action)')
