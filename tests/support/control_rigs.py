# SPDX-License-Identifier: GPL-3.0-or-later
"""Control rigs with an action: the shared files, Rigify's human as it is generated, and a small one made here."""

from __future__ import annotations

import math
from pathlib import Path

import bpy

from support.rigs import LEFT_AND_RIGHT, Bone, add_armature, biped, play

SHARED = {
    "human": ("rig-human.blend", "animation-human-run-anime.blend"),
    "kaiju": ("rig-kaiju.blend", "animation-kaiju-walk-rm.blend"),
}


def open_shared(data: Path, kind: str) -> bpy.types.Object:
    """Open a rig of ../shared/data/blend with its animation assigned."""
    rig, animation = SHARED[kind]
    bpy.ops.wm.open_mainfile(filepath=str(data / "blend" / rig))
    with bpy.data.libraries.load(str(data / "blend" / animation), link=False) as (_, appended):
        appended.actions = list(_.actions)
    armature = next(thing for thing in bpy.data.objects if thing.type == "ARMATURE")
    armature.animation_data_create()
    play(armature, appended.actions[0])
    return armature


def generated(kind: str) -> bpy.types.Object:
    """Return the control rig that Rigify generates for one of its metarigs."""
    # Found only once bpy is there.
    import addon_utils

    addon_utils.enable("rigify", default_set=True)
    getattr(bpy.ops.object, f"armature_{kind}_metarig_add")()
    bpy.ops.pose.rigify_generate()
    return bpy.data.objects["rig"]


def key(bone: bpy.types.PoseBone, name: str, values: tuple[float, ...], frame: int) -> None:
    setattr(bone, name, values)
    bone.keyframe_insert(name, frame=frame)


def rigify_walk(in_forward: dict[int, float]) -> bpy.types.Object:
    """Return Rigify's basic human on a rough walk of 40 frames.

    in_forward : how far its legs are in forward kinematics, keyed at these frames.
    """
    armature = generated("basic_human")
    bones = armature.pose.bones
    for frame in range(1, 41, 3):
        travel = -(frame - 1) / 40.0
        key(
            bones["torso"],
            "location",
            (0.02 * math.sin(frame * 0.3), travel, -0.06 + 0.01 * math.sin(frame * 0.6)),
            frame,
        )
        for side, phase in (("L", frame * 0.314), ("R", frame * 0.314 + math.pi)):
            stride = travel + 0.25 * math.cos(phase)
            key(bones[f"foot_ik.{side}"], "location", (0.0, stride, max(0.0, 0.1 * math.sin(phase))), frame)
            key(bones[f"thigh_fk.{side}"], "rotation_quaternion", (1.0, -0.1 + 0.2 * math.cos(phase), 0.0, 0.0), frame)
            key(bones[f"shin_fk.{side}"], "rotation_quaternion", (1.0, 0.2 + 0.15 * math.sin(phase), 0.0, 0.0), frame)
            key(bones[f"foot_fk.{side}"], "rotation_quaternion", (1.0, 0.05, 0.0, 0.0), frame)
    for frame, share in in_forward.items():
        for side in "LR":
            bones[f"thigh_parent.{side}"]["IK_FK"] = share
            bones[f"thigh_parent.{side}"].keyframe_insert('["IK_FK"]', frame=frame)
    return armature


def small_control_rig() -> bpy.types.Object:
    """Return a biped whose legs follow two keyed targets, ``target.L`` and ``target.R``, over 20 frames."""
    bones = biped("hips", *LEFT_AND_RIGHT)
    for side, x in (("L", 0.1), ("R", -0.1)):
        bones.append(Bone(f"target.{side}", "", (x, 0.0, 0.08), (x, 0.2, 0.08), deform=False))
    armature = add_armature(bones)
    pose = armature.pose.bones
    for side in "LR":
        pull = pose[f"shin.{side}"].constraints.new("IK")
        pull.target, pull.subtarget, pull.chain_count = armature, f"target.{side}", 2
        turn = pose[f"foot.{side}"].constraints.new("COPY_ROTATION")
        turn.name, turn.target, turn.subtarget = "Foot", armature, f"target.{side}"
        turn.target_space = turn.owner_space = "LOCAL_WITH_PARENT"
    for frame in range(1, 22, 4):
        key(pose["hips"], "location", (0.0, -0.08, 0.02 * math.sin(frame)), frame)
        for side, phase in (("L", 0.0), ("R", 2.0)):
            key(pose[f"target.{side}"], "location", (0.0, 0.1 * math.sin(frame * 0.3 + phase), 0.02), frame)
    return armature
