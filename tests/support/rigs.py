# SPDX-License-Identifier: GPL-3.0-or-later
"""Armatures for the rig tests: real files, and generated ones by a table of bones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import bpy
import numpy as np
from bpy_extras import anim_utils

from toehold.rig.legs.limb_bones import LimbBones
from toehold.rig.sampling.sample import Sample
from toehold.solver.rotations import FloatArray

Vector = tuple[float, float, float]


@dataclass(frozen=True)
class Bone:
    name: str
    parent: str
    head: Vector
    tail: Vector
    connected: bool = False
    deform: bool = True


def add_armature(bones: Sequence[Bone], name: str = "Rig") -> bpy.types.Object:
    """Add an armature of these bones to the scene, active."""
    armature = bpy.data.objects.new(name, bpy.data.armatures.new(name))
    bpy.context.scene.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    for bone in bones:
        made = armature.data.edit_bones.new(bone.name)
        made.head, made.tail = bone.head, bone.tail
        made.parent = armature.data.edit_bones.get(bone.parent)
        made.use_connect, made.use_deform = bone.connected, bone.deform
    bpy.ops.object.mode_set(mode="OBJECT")
    return armature


def leg(names: Sequence[str], parent: str, x: float = 0.1, y: float = 0.0) -> list[Bone]:
    """Return thigh, shin, foot and, with a fourth name, toe, standing on the ground under ``x``, ``y``; facing -Y."""
    joints = [(x, y, 0.9), (x, y - 0.03, 0.5), (x, y, 0.08), (x, y - 0.13, 0.02), (x, y - 0.2, 0.0)]
    above = [parent, *names]
    return [
        Bone(name, above[at], joints[at], joints[at + 1] if at < 3 or len(names) > 3 else joints[4])
        for at, name in enumerate(names)
    ]


def biped(hips: str, left: Sequence[str], right: Sequence[str]) -> list[Bone]:
    """Return a body with two legs, a spine and arms that hang down by the names of nobody."""
    body = [
        Bone(hips, "", (0.0, 0.0, 0.95), (0.0, 0.0, 1.1)),
        Bone("Torso", hips, (0.0, 0.0, 1.1), (0.0, 0.0, 1.5)),
    ]
    for side, x in (("P", 0.2), ("Q", -0.2)):
        body += [
            Bone(f"Up{side}", "Torso", (x, 0.0, 1.45), (x, 0.0, 1.15)),
            Bone(f"Low{side}", f"Up{side}", (x, 0.0, 1.15), (x, 0.0, 0.9)),
            Bone(f"Grip{side}", f"Low{side}", (x, 0.0, 0.9), (x, 0.0, 0.8)),
        ]
    return body + leg(left, hips, 0.1) + leg(right, hips, -0.1)


LEFT_AND_RIGHT = [[f"{part}.{side}" for part in ("thigh", "shin", "foot", "toe")] for side in ("L", "R")]


def two_legs(armature_of: Sequence[Sequence[str]] = LEFT_AND_RIGHT, root: str = "hips") -> list[LimbBones]:
    return [LimbBones(name, root, *bones) for name, bones in zip(("Left", "Right"), armature_of, strict=True)]


def import_bvh(path: Path) -> bpy.types.Object:
    """Import a BVH as ../shared/data/README.md says, one frame a frame."""
    bpy.ops.import_anim.bvh(
        filepath=str(path),
        global_scale=0.01,
        use_fps_scale=False,
        update_scene_fps=True,
        update_scene_duration=True,
    )
    return bpy.context.object


def import_gltf(path: Path) -> bpy.types.Object:
    """Import a glTF and return its armature, with no NLA track speaking."""
    bpy.ops.import_scene.gltf(filepath=str(path))
    armature = next(thing for thing in bpy.data.objects if thing.type == "ARMATURE")
    for track in armature.animation_data.nla_tracks:
        track.mute = True
    return armature


def play(armature: bpy.types.Object, action: bpy.types.Action) -> None:
    """Assign an action and its first slot."""
    armature.animation_data.action = action
    armature.animation_data.action_slot = action.slots[0]


def curve(owner: bpy.types.Object, path: str, index: int = 0) -> bpy.types.FCurve:
    """Return a curve of the assigned action."""
    animation = owner.animation_data
    bag = anim_utils.action_get_channelbag_for_slot(animation.action, animation.action_slot)
    return bag.fcurves.find(path, index=index)


def curves(action: bpy.types.Action) -> dict[tuple[str, str, int], tuple[bytes, ...]]:
    """Return every key of an action to the byte, by slot, path and index."""
    found = {}
    for bag in action.layers[0].strips[0].channelbags:
        for one in bag.fcurves:
            parts = []
            for name, width, kind in (
                ("co", 2, np.float32),
                ("handle_left", 2, np.float32),
                ("handle_right", 2, np.float32),
                ("interpolation", 1, np.int32),
                ("type", 1, np.int32),
            ):
                flat = np.empty(width * len(one.keyframe_points), kind)
                one.keyframe_points.foreach_get(name, flat)
                parts.append(flat.tobytes())
            found[bag.slot.identifier, one.data_path, one.array_index] = tuple(parts)
    return found


def key_motion(
    armature: bpy.types.Object, frames: Iterable[int], seed: int = 0, scale: float = 1.0, locations: Iterable[str] = ()
) -> None:
    """Key random rotations of every bone, in its own mode, and random locations of some, on ``frames``."""
    random = np.random.default_rng(seed)
    for frame in frames:
        for bone in armature.pose.bones:
            turn = random.normal(0.0, 0.3 * scale, 4)
            if bone.rotation_mode == "QUATERNION":
                bone.rotation_quaternion = (1.0, *turn[1:])
                bone.keyframe_insert("rotation_quaternion", frame=frame)
            elif bone.rotation_mode == "AXIS_ANGLE":
                bone.rotation_axis_angle = (turn[0], 0.3, 0.9, turn[1])
                bone.keyframe_insert("rotation_axis_angle", frame=frame)
            else:
                bone.rotation_euler = turn[1:]
                bone.keyframe_insert("rotation_euler", frame=frame)
            if bone.name in locations:
                bone.location = random.normal(0.0, 0.1, 3)
                bone.keyframe_insert("location", frame=frame)


def joints_by_blender(armature: bpy.types.Object, sample: Sample, frames: FloatArray | None = None) -> FloatArray:
    """Return where Blender puts each joint of a sample ``(F, J, 3)``, stepping through the scene."""
    scene = bpy.context.scene
    now = scene.frame_current
    found = []
    for frame in (sample.frames if frames is None else frames).tolist():
        scene.frame_set(int(frame))
        row = []
        for joint, name in enumerate(sample.bones):
            if name is None:
                bone = armature.pose.bones[sample.bones[sample.clip.skeleton.parents[joint]]]
                row.append(armature.matrix_world @ bone.tail)
            else:
                row.append(armature.matrix_world @ armature.pose.bones[name].head)
        found.append(row)
    scene.frame_set(now)
    return np.array(found, dtype=np.float64)
