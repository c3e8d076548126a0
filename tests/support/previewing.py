# SPDX-License-Identifier: GPL-3.0-or-later
"""What tests of the preview look at: poses as Blender evaluates them, values to the bit, and who listens."""

from __future__ import annotations

import bpy
import numpy as np

# Whole ones and others, there and back.
FRAMES = (3.0, 40.0, 41.0, 77.25, 100.5, 12.0, 11.0)


def go_to(frame: float) -> None:
    bpy.context.scene.frame_set(int(frame), subframe=frame - int(frame))


def poses(armature: bpy.types.Object) -> np.ndarray:
    """Where the bones are as Blender has evaluated them (B, 4, 4)."""
    evaluated = armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return np.array([bone.matrix for bone in evaluated.pose.bones])


def poses_over(armature: bpy.types.Object, frames: tuple[float, ...] = FRAMES) -> np.ndarray:
    shown = []
    for frame in frames:
        go_to(frame)
        shown.append(poses(armature))
    return np.array(shown)


def channels(armature: bpy.types.Object) -> list[tuple[float, ...]]:
    """Return every value of every bone, to the bit."""
    names = ("location", "rotation_quaternion", "rotation_euler", "rotation_axis_angle", "scale")
    return [tuple(getattr(bone, name)) for bone in armature.pose.bones for name in names]


def toggle() -> None:
    bpy.ops.toehold.preview_lock()


def handlers() -> dict[str, int]:
    lists = (name for name in dir(bpy.app.handlers) if isinstance(getattr(bpy.app.handlers, name), list))
    return {name: len(getattr(bpy.app.handlers, name)) for name in lists}


def thigh_of(armature: bpy.types.Object) -> bpy.types.PoseBone:
    if not armature.toehold.limbs:
        bpy.ops.toehold.find_legs()
    return armature.pose.bones[armature.toehold.limbs[0].hip]


def unkey(armature: bpy.types.Object, bone: str) -> None:
    """Take away the curves that turn a bone."""
    animation = armature.animation_data
    bag = animation.action.layers[0].strips[0].channelbag(animation.action_slot)
    path = f'pose.bones["{bone}"].rotation_quaternion'
    for curve in [curve for curve in bag.fcurves if curve.data_path == path]:
        bag.fcurves.remove(curve)
