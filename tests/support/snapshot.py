# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything of the file that an operator may change, so that two moments can be held against each other."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np

KEY_FLOATS = {"co": 2, "handle_left": 2, "handle_right": 2}
KEY_ENUMS = ("interpolation", "type", "easing", "handle_left_type", "handle_right_type")


def snapshot() -> dict[str, Any]:
    """Return every action's curves to the byte, and what every object plays, is posed as and knows of its legs."""
    return {
        "actions": {action.name: _action(action) for action in bpy.data.actions},
        "objects": {armature.name: _armature(armature) for armature in bpy.data.objects if armature.type == "ARMATURE"},
        "frame": (bpy.context.scene.frame_current, bpy.context.scene.frame_subframe),
    }


def _action(action: bpy.types.Action) -> dict[str, Any]:
    curves = {}
    for layer in action.layers:
        for strip in layer.strips:
            for bag in strip.channelbags:
                for curve in bag.fcurves:
                    curves[bag.slot.identifier, curve.data_path, curve.array_index] = _curve(curve)
    return {"curves": curves, "properties": {key: _plain(value) for key, value in action.items()}}


def _plain(value: Any) -> Any:
    """Return a custom property's value as something that outlives undo, which moves what Blender owns in memory."""
    if isinstance(value, bpy.types.ID):
        return type(value).__name__, value.name
    if hasattr(value, "to_dict"):
        return value.to_dict()
    return value.to_list() if hasattr(value, "to_list") else value


def _curve(curve: bpy.types.FCurve) -> tuple[bytes, ...]:
    points = curve.keyframe_points
    values = []
    for name, width in KEY_FLOATS.items():
        array = np.empty(len(points) * width, np.float32)
        points.foreach_get(name, array)
        values.append(array.tobytes())
    for name in KEY_ENUMS:
        numbers = np.empty(len(points), np.int32)
        points.foreach_get(name, numbers)
        values.append(numbers.tobytes())
    return tuple(values)


def _track(track: bpy.types.NlaTrack) -> tuple[Any, ...]:
    strips = [(strip.name, strip.action.name, strip.frame_start, strip.frame_end) for strip in track.strips]
    return track.name, track.mute, track.is_solo, track.select, strips


def _armature(armature: bpy.types.Object) -> dict[str, Any]:
    animation = armature.animation_data
    return {
        "mode": armature.mode,
        "tracks": [] if animation is None else [_track(track) for track in animation.nla_tracks],
        "plays tracks": animation is not None and animation.use_nla,
        "action": animation.action.name if animation and animation.action else None,
        "slot": animation.action_slot.identifier if animation and animation.action_slot else None,
        "limbs": _stored(armature.toehold.limbs),
        "ground height": armature.toehold.ground_height,
        "pose": [tuple(map(tuple, bone.matrix_basis)) for bone in armature.pose.bones],
        "bone properties": {bone.name: sorted(bone.keys()) for bone in armature.pose.bones if bone.keys()},
    }


def _stored(limbs: Any) -> list[dict[str, Any]]:
    names = ("name", "root", "hip", "knee", "heel", "toe", "toe_end", "confidence", "reason")
    return [{name: getattr(limb, name) for name in names} for limb in limbs]
