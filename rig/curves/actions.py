# SPDX-License-Identifier: GPL-3.0-or-later
"""Which action an armature has, which one a result was made from, and whether either may be changed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import bpy

from ...solver.rotations import FloatArray
from ..common.wording import RigError
from . import baked, regime

# The property of a result action that holds the action it was made from.
SOURCE_PROPERTY = "toehold_source"

# The property of a source action that holds the result it was last left for.
RESULT_PROPERTY = "toehold_result"

# The property of a result whose motion is to be cleaned as it is, not its source's: it holds the source once more.
NEW_MOTION_PROPERTY = "toehold_new_motion"

# The properties of a result that Clean made: its source once more, and the first and last scene frame cleaned.
CLEANED_PROPERTY, CLEANED_FRAMES_PROPERTY = "toehold_cleaned", "toehold_cleaned_frames"


def source_of(action: bpy.types.Action) -> bpy.types.Action | None:
    """Return the action that a result was made from; None where it is no result, or its source is gone."""
    source = action.get(SOURCE_PROPERTY)
    return source if isinstance(source, bpy.types.Action) else None


def sources_of(action: bpy.types.Action) -> list[bpy.types.Action]:
    """Return what a result was made from, what that was made from, and so on; none where it is no result."""
    found: list[bpy.types.Action] = []
    source = source_of(action)
    while source is not None and source not in found and source != action:
        found.append(source)
        source = source_of(source)
    return found


def lost_its_source(action: bpy.types.Action) -> bool:
    """Whether an action is a result whose source is not in the file any more."""
    return SOURCE_PROPERTY in action.keys() and source_of(action) is None  # noqa: SIM118 (the stubs know no other way)


def start_of(action: bpy.types.Action) -> bpy.types.Action:
    """Return the action that is cleaned in place of ``action``: its source, where it was made by cleaning.

    Root motion and the way over a ground are kept: such a result is cleaned itself. What is made of it carries a copy
    of its properties, but has another source.
    """
    source = source_of(action)
    return action if source is None or action.get(NEW_MOTION_PROPERTY) == source else source


def named_after(source: bpy.types.Action, verb: str) -> str:
    """Return the name of what ``verb`` makes of an action; a result without a source is not named for it twice."""
    return f"{re.sub(rf' {verb}([.][0-9]+)?$', '', source.name)} {verb}"


def mark_cleaned(result: bpy.types.Action, source: bpy.types.Action | None, frames: FloatArray) -> None:
    """Make ``result`` remember on which scene ``frames`` (F,) Clean made it of ``source``; None: it was not Clean."""
    for name in (CLEANED_PROPERTY, CLEANED_FRAMES_PROPERTY):
        if result.get(name) is not None:
            del result[name]
    if source is not None:
        result[CLEANED_PROPERTY] = source
        result[CLEANED_FRAMES_PROPERTY] = [int(frames[0]), int(frames[-1])]


def cleaned_frames(action: bpy.types.Action) -> tuple[int, int] | None:
    """Return the first and last scene frame that were cleaned in a result of Clean; None for any other action."""
    source, frames = source_of(action), action.get(CLEANED_FRAMES_PROPERTY)
    # What is made of a result carries a copy of its properties, but has another source.
    if source is None or action.get(CLEANED_PROPERTY) != source or frames is None or len(frames) != 2:
        return None
    return int(frames[0]), int(frames[1])


def assign(armature: bpy.types.Object, action: bpy.types.Action, chosen: bpy.types.ActionSlot | None = None) -> None:
    """Give the armature ``action``, in the ``chosen`` slot of it, else in that of the same name as before, else in the
    first that suits it.

    What only the action that is left animates is put back to what it was before that was baked.

    Raises
    ------
    RigError
        Where the armature cannot be changed, is in tweak mode, or no slot of the action suits it.
    """
    refuse_uneditable(armature)
    animation = armature.animation_data or armature.animation_data_create()
    refuse_tweak_mode(armature)
    wanted = "" if animation.action_slot is None else animation.action_slot.identifier
    left = animation.action
    animation.action = action
    slot = chosen or action.slots.get(wanted) or next(iter(animation.action_suitable_slots), None)
    if slot is None:
        raise RigError(
            'action "{action}" has no slot for "{armature}": choose another action',
            action=action.name,
            armature=armature.name,
        )
    animation.action_slot = slot
    if left is not None and left != action:
        baked.put_to_rest(armature, left)


def choose_slot(armature: bpy.types.Object, slot: bpy.types.ActionSlot) -> None:
    """Let the armature play another slot of its action; RigError where it cannot be changed, or is in tweak mode."""
    refuse_uneditable(armature)
    refuse_tweak_mode(armature)
    armature.animation_data.action_slot = slot


@contextmanager
def on_source(armature: bpy.types.Object) -> Iterator[None]:
    """Let the armature play what its assigned result was made from until the block ends; nothing for other actions."""
    animation = armature.animation_data
    result = None if animation is None else animation.action
    source = result if result is None or animation.use_tweak_mode else start_of(result)
    if result is None or source is None or source == result:
        yield
        return
    assign(armature, source)
    try:
        yield
    finally:
        assign(armature, result)


def refuse_uneditable(owner: bpy.types.ID) -> None:
    """Raise RigError where Blender would forget changes of ``owner`` when the file is saved."""
    if not owner.is_editable:
        raise RigError(
            '"{owner}" is linked from another file and cannot be changed: make a library override of it or '
            "make it local (Object, Relations)",
            owner=owner.name,
        )


def refuse_tweak_mode(armature: bpy.types.Object) -> None:
    """Raise RigError where a strip is being edited: no other action can be assigned then."""
    if armature.animation_data.use_tweak_mode:
        raise RigError('"{armature}" is in tweak mode: leave it in the NLA Editor (Tab) first', armature=armature.name)


def refuse_other_animation(armature: bpy.types.Object) -> None:
    """Raise RigError where not the assigned action alone speaks, so that a new one would not be what is seen."""
    reason = regime.other_animation(armature)
    if reason:
        raise RigError(
            '"{armature}" {reason}: bake it to one action first (NLA Editor, Strip, Bake Action)',
            armature=armature.name,
            reason=reason,
        )
