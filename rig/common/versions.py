# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything that differs between the Blender versions Toehold runs in (4.5 LTS and newer), and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import bpy
from bpy_extras import anim_utils

# Blender 5.0 moved the selection of bones from the armature to the pose.
_POSE_KEEPS_SELECTION = bpy.app.version >= (5, 0, 0)

# Blender 5.0 gave a channelbag's curves `ensure`, which sets the group too.
_CURVES_CAN_BE_ENSURED = bpy.app.version >= (5, 0, 0)


def channelbag_of(action: bpy.types.Action, slot: bpy.types.ActionSlot) -> bpy.types.ActionChannelbag | None:
    """Return what holds the curves of ``slot`` in ``action``; None where nothing is keyed in it."""
    return anim_utils.action_get_channelbag_for_slot(action, slot)


def channelbag_named(action: bpy.types.Action, slot: str) -> bpy.types.ActionChannelbag | None:
    """Return what holds the curves of the slot with this identifier; None where there is no such slot, or no curve."""
    # The stubs know of no action without the slot that is asked for.
    found: bpy.types.ActionSlot | None = action.slots.get(slot)
    return channelbag_of(action, found) if found else None


def channelbags_of(action: bpy.types.Action) -> Iterator[bpy.types.ActionChannelbag]:
    """Yield what holds the curves of each slot of ``action``."""
    for layer in action.layers:
        # Any, since the stubs know nothing of what keyframe strips have, the only kind there is.
        strips: Any = layer.strips
        for strip in strips:
            yield from strip.channelbags


def assigned_channelbag(owner: bpy.types.Object) -> bpy.types.ActionChannelbag | None:
    """Return what holds the curves of the action and slot assigned to ``owner``; None where there is none."""
    animation = owner.animation_data
    if animation is None or animation.action is None or animation.action_slot is None:
        return None
    return channelbag_of(animation.action, animation.action_slot)


def ensure_curve(
    channelbag: bpy.types.ActionChannelbag, data_path: str, index: int, group_name: str
) -> bpy.types.FCurve:
    """Return the curve of a channel, made in the group called ``group_name`` where it is missing."""
    if _CURVES_CAN_BE_ENSURED:
        return channelbag.fcurves.ensure(data_path, index=index, group_name=group_name)
    curve = channelbag.fcurves.find(data_path, index=index)
    if curve is None:
        curve = channelbag.fcurves.new(data_path, index=index)
        curve.group = channelbag.groups.get(group_name) or channelbag.groups.new(group_name)
    return curve


def is_selected(bone: bpy.types.PoseBone) -> bool:
    """Return whether a bone is selected in the pose."""
    return bool(_selectable(bone).select)


def select(bone: bpy.types.PoseBone, selected: bool) -> None:
    """Select a bone in the pose, or not."""
    _selectable(bone).select = selected


def _selectable(bone: bpy.types.PoseBone) -> Any:
    # Any, since the stubs are those of the newest Blender.
    return bone if _POSE_KEEPS_SELECTION else bone.bone
