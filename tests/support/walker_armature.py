# SPDX-License-Identifier: GPL-3.0-or-later
"""The walker as a Blender armature with an action: any bone axes, any object scale, Y-up or Z-up."""

from __future__ import annotations

import bpy
import numpy as np
from mathutils import Matrix, Vector

from toehold.solver import rotations
from toehold.solver.arrays import FloatArray
from toehold.solver.clip import Skeleton

from .walker import Walk

FIRST_FRAME = 1


def walking_armature(
    walk: Walk, name: str = "Walker", scale: float = 1.0, y_up: bool = False, axes_seed: int | None = None
) -> bpy.types.Object:
    """Add an armature to the scene that walks as ``walk`` does from frame 1 on; the scene takes its frame rate.

    scale : of the object; its bones are so much larger, as Mixamo's are at 0.01.
    y_up : the armature's own data are Y up and the object stands it upright, as many importers do.
    axes_seed : None lays every bone along its limb. A number turns the axes of every bone but the toes' at random, as
        importers that know no bone tails do.
    """
    to_world = np.diag([scale] * 3)
    if y_up:
        to_world = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]]) * scale
    scene = bpy.context.scene
    scene.render.fps, scene.render.fps_base = round(walk.clip.fps), round(walk.clip.fps) / walk.clip.fps
    scene.frame_start, scene.frame_end = FIRST_FRAME, FIRST_FRAME + walk.clip.frame_count - 1
    armature = bpy.data.objects.new(name, bpy.data.armatures.new(name))
    armature.matrix_world = Matrix(to_world.tolist()).to_4x4()
    scene.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    armature.select_set(True)
    _add_bones(armature, walk.clip.skeleton, np.linalg.inv(to_world), axes_seed)
    _add_action(armature, walk, to_world)
    scene.frame_set(FIRST_FRAME)
    return armature


def _add_bones(armature: bpy.types.Object, skeleton: Skeleton, to_armature: FloatArray, axes_seed: int | None) -> None:
    """Make a bone of every joint that has children; the last bone of a limb ends at the limb's tip."""
    heads = skeleton.rest_positions @ to_armature.T
    random = None if axes_seed is None else np.random.default_rng(axes_seed)
    bpy.ops.object.mode_set(mode="EDIT")
    for joint, joint_name in enumerate(skeleton.names):
        children = [child for child, parent in enumerate(skeleton.parents) if parent == joint]
        if not children:
            continue
        bone = armature.data.edit_bones.new(joint_name)
        bone.head, bone.tail = heads[joint].tolist(), heads[children[0]].tolist()
        is_last = skeleton.names[children[0]] == f"{joint_name}_end"
        if random is not None:
            bone.roll = random.uniform(-np.pi, np.pi)
            if not is_last:
                bone.tail = bone.head + bone.length * Vector(random.normal(size=3).tolist()).normalized()
        if skeleton.parents[joint] >= 0:
            bone.parent = armature.data.edit_bones[skeleton.names[skeleton.parents[joint]]]
    bpy.ops.object.mode_set(mode="OBJECT")


def _add_action(armature: bpy.types.Object, walk: Walk, to_world: FloatArray) -> None:
    """Key every frame of every bone's rotation, and of the root's location."""
    clip, skeleton = walk.clip, walk.clip.skeleton
    action = bpy.data.actions.new(f"{armature.name} Walk")
    slot = action.slots.new("OBJECT", armature.name)
    channels = action.layers.new("Layer").strips.new(type="KEYFRAME").channelbag(slot, ensure=True)
    animation = armature.animation_data_create()
    animation.action, animation.action_slot = action, slot
    frames = np.arange(clip.frame_count, dtype=np.float64) + FIRST_FRAME
    scale = np.cbrt(np.linalg.det(to_world))
    upright = rotations.from_matrices(to_world / scale)
    for joint, parent in enumerate(skeleton.parents):
        bone = armature.data.bones.get(skeleton.names[joint])
        if bone is None:
            continue
        # The rest pose's joint frames are the world's: the bone sees the same turn about other axes.
        bone_in_world = rotations.multiply(upright, np.array(bone.matrix_local.to_quaternion()))
        turn = rotations.multiply(clip.local_rotations[:, joint], bone_in_world)
        path = f'pose.bones["{bone.name}"]'
        _key(
            channels, f"{path}.rotation_quaternion", frames, rotations.multiply(rotations.inverse(bone_in_world), turn)
        )
        if parent < 0:
            moved = (clip.local_locations[:, joint] - skeleton.rest_locations[joint]) / scale
            _key(channels, f"{path}.location", frames, rotations.rotate(rotations.inverse(bone_in_world), moved))


def _key(channels: bpy.types.ActionChannelbag, path: str, frames: FloatArray, values: FloatArray) -> None:
    """Write one curve for each column of ``values`` (F, N), a key a frame."""
    for index, column in enumerate(values.T):
        curve = channels.fcurves.new(path, index=index)
        curve.keyframe_points.add(len(frames))
        curve.keyframe_points.foreach_set("co", np.stack([frames, column], axis=-1).astype(np.float32).ravel())
        curve.update()
