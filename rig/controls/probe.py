# SPDX-License-Identifier: GPL-3.0-or-later
"""How a rig answers when one bone is nudged: read off Blender's evaluation, with everything put back after."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import bpy
import numpy as np

from ...solver import rotations
from ...solver.rotations import FloatArray
from ..curves import rotation_modes
from ..curves.mirrors import mirrored, turns_of
from ..sampling.sample import Sample


@dataclass(frozen=True)
class Places:
    """Where an armature's bones are on the frame that the scene shows.

    heads, tails : ``(B, 3)`` metres in the world, of all pose bones in order.
    joints : ``(J, 3)`` of a sample's joints.
    turns : ``(J, 4)`` how their bones are turned in the world.
    """

    heads: FloatArray
    tails: FloatArray
    joints: FloatArray
    turns: FloatArray


def places(armature: bpy.types.Object, sample: Sample) -> Places:
    """Return where the bones are now."""
    bones = armature.pose.bones
    world = np.array(armature.matrix_world, dtype=np.float64)
    ends = []
    for name in ("head", "tail"):
        flat = np.empty(3 * len(bones), dtype=np.float32)
        bones.foreach_get(name, flat)
        ends.append(flat.reshape(-1, 3).astype(np.float64) @ world[:3, :3].T + world[:3, 3])
    heads, tails = ends
    parents = sample.clip.skeleton.parents
    joints = [
        tails[bones.find(str(sample.bones[parents[joint]]))] if name is None else heads[bones.find(name)]
        for joint, name in enumerate(sample.bones)
    ]
    of_joints = [str(sample.bones[parents[joint]] if name is None else name) for joint, name in enumerate(sample.bones)]
    shown = np.array([bones[name].matrix for name in of_joints], dtype=np.float64)[:, :3, :3]
    turns = turns_of(world[:3, :3] @ shown)
    return Places(heads, tails, np.array(joints), turns)


def location_axes(bone: bpy.types.PoseBone, object_axes: FloatArray, world: FloatArray, own: FloatArray) -> FloatArray:
    """Return ``(..., 3, 3)`` by which a change of a bone's location channels moves it in the world, as columns.

    object_axes, world, own : 3 x 3 of the object in the world, of the bone in the world, and of the bone's channels.
    """
    if bone.parent is not None and not bone.bone.use_local_location:
        return np.broadcast_to(object_axes, world.shape)
    return np.asarray(world @ np.linalg.inv(own))


def turned_channels(own: FloatArray, world: FloatArray, turn: FloatArray, parent_turn: FloatArray) -> FloatArray:
    """Return a bone's own rotation ``(..., 4)`` that turns it by ``turn`` in the world, its parent being turned too.

    own : the rotation of its channels before.
    world : ``(..., 3, 3)`` of the bone in the world before.
    """
    mirrors = bool(np.all(np.linalg.det(world) < 0.0))
    seen = mirrored(own, mirrors)
    frame = rotations.multiply(turns_of(world), rotations.inverse(seen))
    back = rotations.multiply(rotations.inverse(parent_turn), rotations.multiply(turn, frame))
    return mirrored(rotations.multiply(rotations.multiply(rotations.inverse(frame), back), seen), mirrors)


def about_own_axes(turn: FloatArray, of: FloatArray, other: FloatArray) -> FloatArray:
    """Return the turn in the world that is for ``other`` about its own axes what ``turn`` is for ``of`` about its."""
    own = rotations.multiply(rotations.inverse(of), rotations.multiply(turn, of))
    return rotations.multiply(other, rotations.multiply(own, rotations.inverse(other)))


@contextmanager
def moved(armature: bpy.types.Object, bone: bpy.types.PoseBone, step: FloatArray) -> Iterator[None]:
    """Show the pose with ``bone`` moved by ``step`` ``(3,)`` metres in the world, until the block ends."""
    object_axes = np.array(armature.matrix_world, dtype=np.float64)[:3, :3]
    world = object_axes @ np.array(bone.matrix, dtype=np.float64)[:3, :3]
    axes = location_axes(bone, object_axes, world, np.array(bone.matrix_basis, dtype=np.float64)[:3, :3])
    before = np.array(bone.location, dtype=np.float64)
    bone.location = (before + np.linalg.solve(axes, step)).tolist()
    try:
        bpy.context.view_layer.update()
        yield
    finally:
        # Not evaluated again: the next look comes after another nudge or on another frame.
        bone.location = before.tolist()


@contextmanager
def turned(armature: bpy.types.Object, bone: bpy.types.PoseBone, turn: FloatArray) -> Iterator[None]:
    """Show the pose with ``bone`` turned by ``turn`` ``(4,)`` in the world, until the block ends."""
    name = rotation_modes.property_of(bone.rotation_mode)
    before = np.array(getattr(bone, name))
    own = rotation_modes.to_quaternions(bone.rotation_mode, before)
    shown = np.array(armature.matrix_world, dtype=np.float64)[:3, :3] @ np.array(bone.matrix, dtype=np.float64)[:3, :3]
    new = turned_channels(own, shown, turn, rotations.IDENTITY)
    setattr(bone, name, rotation_modes.from_quaternions(bone.rotation_mode, new[None], before[None], False)[0])
    try:
        bpy.context.view_layer.update()
        yield
    finally:
        setattr(bone, name, before)
