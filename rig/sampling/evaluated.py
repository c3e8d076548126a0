# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses as Blender's own evaluation gives them."""

from __future__ import annotations

from collections.abc import Sequence

import bpy
import numpy as np

from ...solver.rotations import FloatArray
from ..common.steps import Steps, finished


def can_be_evaluated(armature: bpy.types.Object) -> bool:
    """Whether Blender evaluates the armature: not where its view layer leaves it out or its display is disabled."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    return armature.evaluated_get(depsgraph).is_evaluated


def step_through(armature: bpy.types.Object, bones: Sequence[str], frames: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the object's world matrix ``(F, 4, 4)`` and the bones' pose matrices ``(F, B, 4, 4)`` in its frame.

    The scene's frame and sub-frame are put back whatever happens.
    """
    return finished(frame_by_frame(armature, bones, frames))


def frame_by_frame(
    armature: bpy.types.Object, bones: Sequence[str], frames: FloatArray
) -> Steps[tuple[FloatArray, FloatArray]]:
    """Do what ``step_through`` does, a frame a step."""
    scene = bpy.context.scene
    frame, subframe = scene.frame_current, scene.frame_subframe
    order = [armature.pose.bones.find(name) for name in bones]
    flat = np.empty(16 * len(armature.pose.bones), dtype=np.float32)
    objects = np.empty((len(frames), 4, 4))
    poses = np.empty((len(frames), len(bones), 4, 4))
    try:
        for at, number in enumerate(frames.tolist()):
            whole = int(np.floor(number))
            scene.frame_set(whole, subframe=number - whole)
            objects[at] = np.array(armature.matrix_world)
            armature.pose.bones.foreach_get("matrix", flat)
            # Blender hands the matrices out column by column.
            poses[at] = flat.reshape(-1, 4, 4)[order].transpose(0, 2, 1)
            yield at / len(frames)
    finally:
        scene.frame_set(frame, subframe=subframe)
    return objects, poses


def continuous(quaternions: FloatArray) -> FloatArray:
    """Return ``(F, ..., 4)`` with the signs chosen so that each frame is the near one of the frame before."""
    flips = np.where(np.sum(quaternions[1:] * quaternions[:-1], axis=-1, keepdims=True) < 0.0, -1.0, 1.0)
    signed = quaternions.copy()
    signed[1:] *= np.cumprod(flips, axis=0)
    return signed
