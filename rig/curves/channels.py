# SPDX-License-Identifier: GPL-3.0-or-later
"""What an action animates of an armature: its curves by bone and property, and their values."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

import bpy
import numpy as np

from ...solver.rotations import FloatArray
from ..common import versions
from ..common.wording import RigError
from . import rotation_modes, stack

Curves = dict[int, bpy.types.FCurve]

_OF_A_BONE = re.compile(r'pose\.bones\["((?:[^"\\]|\\.)*)"\](?:\.(\w+)|(\["(?:[^"\\]|\\.)*"\]))$')

# Kinds of slots that an armature's object can play.
_TYPES_FOR_OBJECTS = ("OBJECT", "UNSPECIFIED")

TRANSFORMS = frozenset(
    (
        "location",
        "rotation_quaternion",
        "rotation_euler",
        "rotation_axis_angle",
        "scale",
        "rotation_mode",
        "delta_location",
        "delta_rotation_quaternion",
        "delta_rotation_euler",
        "delta_scale",
    )
)


@dataclass(frozen=True)
class Channels:
    """The curves of an action's slot.

    of_bones : bone and property (``location``, ``["contact"]``) to the curves by array index.
    of_object : property of the object to its curves by array index.
    """

    of_bones: dict[tuple[str, str], Curves]
    of_object: dict[str, Curves]

    def key_range(self, bone_names: Iterable[str]) -> tuple[int, int] | None:
        """Return the first and last whole frame round all keys that move the object or one of the bones."""
        known = set(bone_names)
        ranges = [
            curve.range()
            for (bone, name), curves in self.of_bones.items()
            if name in TRANSFORMS and bone in known
            for curve in curves.values()
            if not curve.is_empty
        ]
        ranges += [
            curve.range()
            for name, curves in self.of_object.items()
            if name in TRANSFORMS
            for curve in curves.values()
            if not curve.is_empty
        ]
        if not ranges:
            return None
        starts, ends = np.array(ranges).T
        # A key meant for a whole frame may lie a thousandth beside it.
        return int(np.floor(starts.min() + 1e-3)), int(np.ceil(ends.max() - 1e-3))


def bone_path(bone: str, name: str) -> str:
    """Return the data path of a bone's property; of a custom one where ``name`` is in square brackets."""
    joined = name if name.startswith("[") else f".{name}"
    return f'pose.bones["{bpy.utils.escape_identifier(bone)}"]{joined}'


def custom_property(name: str) -> str:
    """Return a custom property's name as a data path spells it."""
    return f'["{bpy.utils.escape_identifier(name)}"]'


def active_action(armature: bpy.types.Object) -> bpy.types.Action:
    """Return the action that the tools work on; RigError where there is none or it has no slot.

    It is the one assigned, or over NLA strips that of Toehold's own strip on top.
    """
    action, slot = stack.action_in_hand(armature)
    if action is None and stack.plays_strips(armature):
        raise RigError(
            '"{armature}" plays NLA strips and no action: clean it or annotate its contacts first, or bake it to one '
            "action (NLA Editor, Strip, Bake Action)",
            armature=armature.name,
        )
    if action is None:
        raise RigError('"{armature}" has no action: assign one in the Action Editor', armature=armature.name)
    if slot is None:
        raise _of_another_slot(armature) or RigError(
            'action "{action}" has no slot assigned on "{armature}": choose its slot in the Action Editor',
            action=action.name,
            armature=armature.name,
        )
    return action


def other_slot(armature: bpy.types.Object) -> bpy.types.ActionSlot | None:
    """Return a slot of the action in hand that moves the armature's bones where the one assigned moves none.

    None where that one does, or no other does. Cheap enough to ask at every redraw: one curve of a bone is enough.
    """
    action, slot = stack.action_in_hand(armature)
    if action is None or stack.plays_strips(armature):
        return None
    if slot is not None and _slot_moves_a_bone(armature, action, slot):
        return None
    others = (one for one in action.slots if one != slot and one.target_id_type in _TYPES_FOR_OBJECTS)
    return next((one for one in others if _slot_moves_a_bone(armature, action, one)), None)


def _slot_moves_a_bone(armature: bpy.types.Object, action: bpy.types.Action, slot: bpy.types.ActionSlot) -> bool:
    channelbag = versions.channelbag_of(action, slot)
    if channelbag is None:
        return False
    bones = armature.pose.bones
    paths = (_OF_A_BONE.match(curve.data_path) for curve in channelbag.fcurves)
    return any(
        match is not None and match[2] in TRANSFORMS and bpy.utils.unescape_identifier(match[1]) in bones
        for match in paths
    )


def _of_another_slot(armature: bpy.types.Object) -> RigError | None:
    """Return what to tell where another slot than the one assigned moves the bones, None where none does."""
    slot, (action, _) = other_slot(armature), stack.action_in_hand(armature)
    if slot is None:
        return None
    return RigError(
        'the bones of "{armature}" are moved by slot "{slot}" of action "{action}": choose that slot in the Action '
        "Editor",
        armature=armature.name,
        slot=slot.name_display,
        action="" if action is None else action.name,
    )


def channels_of(armature: bpy.types.Object) -> Channels:
    """Return the curves of the action that the tools work on; RigError where they are not of this armature."""
    action = active_action(armature)
    found = all_channels_of(armature)
    # What lies over strips need not move anything itself.
    if not stack.plays_strips(armature) and not _moves_a_bone(armature, found):
        raise _of_another_slot(armature) or RigError(
            'action "{action}" moves no bone of "{armature}": assign one made for this armature',
            action=action.name,
            armature=armature.name,
        )
    return found


def refuse_strips_of_others(armature: bpy.types.Object) -> None:
    """Raise RigError where none of the strips, nor the assigned action over them, moves a bone of this armature."""
    bags = [versions.channelbag_of(action, slot) for action, slot in stack.played_actions(armature) if slot is not None]
    if not any(_moves_a_bone(armature, channels_in(bag)) for bag in bags):
        raise RigError(
            'the NLA strips of "{armature}" move none of its bones: use strips made for this armature',
            armature=armature.name,
        )


def _moves_a_bone(armature: bpy.types.Object, channels: Channels) -> bool:
    bones = armature.pose.bones
    return any(name in TRANSFORMS and bone in bones for bone, name in channels.of_bones)


def all_channels_of(armature: bpy.types.Object) -> Channels:
    """Return the curves of the action that the tools work on, whatever they move; none where there is no action."""
    return channels_in(stack.channelbag_in_hand(armature))


def channels_in(channelbag: bpy.types.ActionChannelbag | None) -> Channels:
    """Return the curves of one slot of an action by what they move."""
    found = Channels({}, {})
    for curve in () if channelbag is None else channelbag.fcurves:
        match = _OF_A_BONE.match(curve.data_path)
        if match:
            bone = bpy.utils.unescape_identifier(match[1])
            found.of_bones.setdefault((bone, match[2] or match[3]), {})[curve.array_index] = curve
        else:
            found.of_object.setdefault(curve.data_path, {})[curve.array_index] = curve
    return found


def keyed_frames(armature: bpy.types.Object) -> FloatArray:
    """Return the whole scene frames ``(F,)`` over which actions and strips move the armature; RigError if none."""
    span = motion_range(armature)
    if span is None:
        raise RigError('action "{action}" has no keys: choose another action', action=active_action(armature).name)
    return np.arange(span[0], span[1] + 1, dtype=np.float64)


def motion_range(armature: bpy.types.Object) -> tuple[int, int] | None:
    """Return the first and last whole scene frame over which the armature is moved; None where nothing moves it."""
    if not stack.plays_strips(armature):
        return channels_of(armature).key_range(armature.pose.bones.keys())
    ranges = [
        (int(np.floor(strip.frame_start + 1e-3)), int(np.ceil(strip.frame_end - 1e-3)))
        for strip in stack.strips(armature)
        if strip.action is None or strip.action.get(stack.OWN_PROPERTY) != stack.CONTACTS
    ]
    assigned = channels_in(versions.assigned_channelbag(armature)).key_range(armature.pose.bones.keys())
    ranges += [] if assigned is None else [assigned]
    return (min(start for start, _ in ranges), max(end for _, end in ranges)) if ranges else None


def has_active_modifiers(curve: bpy.types.FCurve) -> bool:
    """Whether something else than the keys shapes the curve."""
    return any(not modifier.mute for modifier in curve.modifiers)


def key_coordinates(curve: bpy.types.FCurve) -> FloatArray:
    """Return frame and value ``(K, 2)`` of each key."""
    # Blender keeps float32: any other type is converted value by value.
    flat = np.empty(2 * len(curve.keyframe_points), dtype=np.float32)
    curve.keyframe_points.foreach_get("co", flat)
    return flat.reshape(-1, 2).astype(np.float64)


def evaluate(curve: bpy.types.FCurve, frames: FloatArray) -> FloatArray:
    """Return the curve's value ``(F,)`` at each frame, as Blender evaluates it.

    Where every frame has its key and nothing else shapes the curve, the values are the keys', which is much quicker.
    """
    if not has_active_modifiers(curve) and len(curve.keyframe_points) > 0:
        keys = key_coordinates(curve)
        if np.array_equal(keys[:, 0], frames):
            return keys[:, 1]
        at = np.minimum(np.searchsorted(keys[:, 0], frames), len(keys) - 1)
        if np.array_equal(keys[at, 0], frames):
            return keys[at, 1]
    return np.array([curve.evaluate(frame) for frame in frames.tolist()], dtype=np.float64)


def values(
    owner: bpy.types.Object | bpy.types.PoseBone, name: str, curves: Curves | None, frames: FloatArray
) -> FloatArray:
    """Return a property's channels ``(F, N)``: of its curves; where one is missing or muted, as the property is now."""
    still = np.array(getattr(owner, name), dtype=np.float64)
    result = np.tile(still, (len(frames), 1))
    for index, curve in (curves or {}).items():
        if index < len(still) and not curve.mute and not curve.is_empty:
            result[:, index] = evaluate(curve, frames)
    return result


def bone_values(channels: Channels, bone: bpy.types.PoseBone, name: str, frames: FloatArray) -> FloatArray:
    """Return the channels ``(F, N)`` of a bone's property."""
    return values(bone, name, channels.of_bones.get((bone.name, name)), frames)


def bone_rotations(channels: Channels, bone: bpy.types.PoseBone, frames: FloatArray) -> FloatArray:
    """Return a bone's own rotation ``(F, 4)``, the rest pose's share left out."""
    name = rotation_modes.property_of(bone.rotation_mode)
    return rotation_modes.to_quaternions(bone.rotation_mode, bone_values(channels, bone, name, frames))
