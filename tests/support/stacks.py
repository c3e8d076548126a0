# SPDX-License-Identifier: GPL-3.0-or-later
"""A sliding walker that plays NLA strips in many ways, and what is to be held on to of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bpy
import numpy as np

from support.rigs import curves, play
from support.walker import walk
from support.walker_armature import walking_armature
from toehold.rig.legs.find_legs import find_legs
from toehold.rig.legs.limb_bones import LimbBones


def walker() -> bpy.types.Object:
    return walking_armature(walk(strides=1.5, slide_mm_s=120.0))


def add_strip(armature: bpy.types.Object, start: int = 1, action: bpy.types.Action | None = None) -> Any:
    action = action or armature.animation_data.action
    return armature.animation_data.nla_tracks.new().strips.new(f"from {start}", start, action)


def one_strip(armature: bpy.types.Object) -> None:
    add_strip(armature)
    armature.animation_data.action = None


def a_slowed_one(armature: bpy.types.Object) -> None:
    one_strip(armature)
    strip = armature.animation_data.nla_tracks[0].strips[0]
    strip.scale, strip.frame_start = 1.3, -7


def one_there_and_back(armature: bpy.types.Object) -> None:
    one_strip(armature)
    strip = armature.animation_data.nla_tracks[0].strips[0]
    strip.use_reverse, strip.repeat = True, 1.4


def one_between_frames(armature: bpy.types.Object) -> None:
    one_strip(armature)
    strip = armature.animation_data.nla_tracks[0].strips[0]
    strip.frame_end += 3.5
    strip.frame_start += 3.5


def one_in_a_time_of_its_own(armature: bpy.types.Object) -> None:
    one_strip(armature)
    strip = armature.animation_data.nla_tracks[0].strips[0]
    strip.use_animated_time = True
    for frame, time in ((1, 1.0), (100, 90.0)):
        strip.fcurves.find("strip_time").keyframe_points.insert(frame, time)


def one_that_carries_the_object(armature: bpy.types.Object) -> None:
    one_strip(armature)
    action = bpy.data.actions.new("Carry")
    slot = action.slots.new("OBJECT", "Walker")
    bag = action.layers.new("Layer").strips.new(type="KEYFRAME").channelbag(slot, ensure=True)
    curve = bag.fcurves.new("location", index=0)
    for frame, x in ((1, 0.0), (100, 0.3)):
        curve.keyframe_points.insert(frame, x)
    add_strip(armature, 1, action)


def lean() -> bpy.types.Action:
    """Return an action that leans the hips over and back."""
    action = bpy.data.actions.new("Lean")
    slot = action.slots.new("OBJECT", "Walker")
    bag = action.layers.new("Layer").strips.new(type="KEYFRAME").channelbag(slot, ensure=True)
    for index, turn in ((0, 1.0), (1, 0.0), (2, 0.0), (3, 0.0)):
        curve = bag.fcurves.new('pose.bones["Spine"].rotation_quaternion', index=index)
        curve.keyframe_points.insert(10, turn)
        curve.keyframe_points.insert(40, 0.98 if index == 0 else 0.12)
        curve.keyframe_points.insert(70, turn)
    return action


def a_layer_added(armature: bpy.types.Object) -> None:
    one_strip(armature)
    strip = add_strip(armature, 10, lean())
    strip.blend_type = "COMBINE"


def a_weak_layer(armature: bpy.types.Object) -> None:
    a_layer_added(armature)
    strip = armature.animation_data.nla_tracks[1].strips[0]
    strip.use_animated_influence = True
    strip.fcurves.find("influence").keyframe_points[0].co.y = 0.4


def a_muted_one(armature: bpy.types.Object) -> None:
    a_layer_added(armature)
    armature.animation_data.nla_tracks[1].mute = True


def an_action_over_one(armature: bpy.types.Object) -> None:
    add_strip(armature, 5)


def an_action_mixed_in(armature: bpy.types.Object) -> None:
    add_strip(armature, 4)
    armature.animation_data.action_influence = 0.6


def an_action_added(armature: bpy.types.Object) -> None:
    one_strip(armature)
    play(armature, lean())
    armature.animation_data.action_blend_type = "COMBINE"


def two_with_a_gap(armature: bpy.types.Object) -> None:
    one_strip(armature)
    first = armature.animation_data.nla_tracks[0].strips[0]
    first.action_frame_end = 40
    action = first.action
    second = armature.animation_data.nla_tracks[0].strips.new("second", 60, action)
    second.action_frame_end = 50


STACKS = [
    one_strip,
    a_slowed_one,
    one_there_and_back,
    one_between_frames,
    one_in_a_time_of_its_own,
    one_that_carries_the_object,
    a_layer_added,
    a_weak_layer,
    a_muted_one,
    an_action_over_one,
    an_action_mixed_in,
    an_action_added,
    two_with_a_gap,
]


def stack_of(armature: bpy.types.Object) -> tuple[Any, ...]:
    """Return all of the stack, and of how the armature is animated beside it."""
    animation = armature.animation_data
    # Not the influence, which Blender sets itself while it plays.
    strip_parts = (
        *("name", "type", "frame_start", "frame_end", "action_frame_start", "action_frame_end", "blend_type", "scale"),
        *("extrapolation", "repeat", "use_reverse", "mute", "select", "use_animated_influence"),
    )
    tracks = tuple(
        (
            *(getattr(track, part) for part in ("name", "mute", "is_solo", "lock", "select")),
            *((strip.action, *(getattr(strip, part) for part in strip_parts)) for strip in track.strips),
        )
        for track in animation.nla_tracks
    )
    slot = animation.action_slot.identifier if animation.action_slot else ""
    parts = ("action", "use_nla", "action_blend_type", "action_influence", "action_extrapolation")
    return (*(getattr(animation, part) for part in parts), slot, tracks)


def every_curve() -> dict[str, Any]:
    return {action.name: curves(action) for action in bpy.data.actions}


def poses(armature: bpy.types.Object, frames: range) -> np.ndarray:
    """Return what is seen of each bone, in its parent's frame ``(F, B, 4, 4)``."""
    now = bpy.context.scene.frame_current
    found = []
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        found.append([np.array(bone.matrix_basis) for bone in armature.pose.bones])
    bpy.context.scene.frame_set(now)
    return np.array(found)


def stacked(how: Callable[[bpy.types.Object], None]) -> tuple[bpy.types.Object, list[LimbBones]]:
    armature = walker()
    how(armature)
    bpy.context.view_layer.update()
    return armature, find_legs(armature)
