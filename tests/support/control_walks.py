# SPDX-License-Identifier: GPL-3.0-or-later
"""Walks that slide, keyed on the controls of rigs that Rigify generates, and what is seen of their legs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import bpy
import numpy as np
from mathutils import Quaternion, Vector

from support.control_rigs import key
from toehold.rig.curves import baked
from toehold.rig.legs.find_legs import find_legs
from toehold.rig.legs.limb_bones import LimbBones
from toehold.rig.verbs import journey
from toehold.solver.rotations import FloatArray

FRAMES = range(1, 48)


@dataclass(frozen=True)
class LegControls:
    """The controls of one kind of leg, without their sides: its foot in inverse kinematics, the bone with its settings,
    and thigh, shin and foot in forward kinematics."""

    foot: str
    settings: str
    forward: tuple[str, str, str]


def _leg(foot: str, settings: str, *forward: str) -> LegControls:
    return LegControls(foot, settings, (forward[0], forward[1], forward[2]))


_BACK = _leg("foot_ik", "thigh_parent", "thigh_fk", "shin_fk", "foot_fk")
_FRONT = _leg("front_foot_ik", "front_thigh_parent", "front_thigh_fk", "front_shin_fk", "front_foot_fk")
LEGS: dict[str, tuple[LegControls, ...]] = {
    "basic_human": (_BACK,),
    "human": (_BACK,),
    "bird": (_BACK,),
    "basic_quadruped": (_BACK, _FRONT),
    "wolf": (_BACK, _FRONT),
    "horse": (
        _leg("hind_foot_ik", "thigh_parent", "thigh_fk", "lower_leg_fk", "hind_foot_fk"),
        _leg("forefoot_ik", "upper_arm_parent", "upper_arm_fk", "forearm_fk", "forefoot_fk"),
    ),
    "cat": (_BACK, _leg("hand_ik", "upper_arm_parent", "upper_arm_fk", "forearm_fk", "hand_fk")),
}

# inverse and forward kinematics, one after the other, inverse ones without stretch, and a first pose in which the legs
# are stretched and the feet pitched.
WAYS = ("inverse", "forward", "switching", "no stretch", "stretched at first")


def slide_along(armature: bpy.types.Object, kind: str, way: str) -> None:
    """Key a walk of two seconds in which planted feet slide by 8 % of the leg."""
    bones = armature.pose.bones
    leg = float(bones[f"{LEGS[kind][0].forward[0]}.L"].bone.matrix_local.translation.z)
    speed = 0.9 * leg
    bpy.context.scene.render.fps = 24
    for frame in range(FRAMES.start, FRAMES.stop + 1, 2):
        first = way == "stretched at first" and frame == FRAMES.start
        time = (frame - 1) / 24
        _place(bones["torso"], frame, (0.0, -time * speed, (0.25 if first else -0.06) * leg))
        for at, controls in enumerate(LEGS[kind]):
            for side, phase in (("L", 0.25 * at), ("R", 0.5 + 0.25 * at)):
                ahead, height = _step(time, phase, speed, leg)
                foot = bones[f"{controls.foot}.{side}"]
                _place(foot, frame, (0.0, -time * speed - ahead * leg, height * leg))
                if way == "stretched at first":
                    key(foot, "rotation_quaternion", tuple(Quaternion((1, 0, 0), 0.5 * first)), frame)
                if way in ("forward", "switching"):
                    bends = (-0.15 - ahead, 0.3 + 0.6 * height, -0.15 + 0.7 * ahead)
                    for name, bend in zip(controls.forward, bends, strict=True):
                        _bend(bones[f"{name}.{side}"], frame, bend)
    for controls in LEGS[kind]:
        for side in "LR":
            _set_up(bones[f"{controls.settings}.{side}"], way)


def _step(time: float, phase: float, speed: float, leg: float) -> tuple[float, float]:
    """Return how far a foot is ahead of the body and above the ground, in leg lengths."""
    strides = math.floor(time + phase)
    share = time + phase - strides
    along = (strides - phase - time) * speed / leg - 0.2
    if share < 0.6:
        return along + 0.08 * share / 0.6, 0.0
    swing = (share - 0.6) / 0.4
    eased = swing * swing * (3.0 - 2.0 * swing)
    return along + 0.08 + (speed / leg - 0.08) * eased, 0.12 * math.sin(math.pi * swing)


def _place(bone: bpy.types.PoseBone, frame: int, world: tuple[float, float, float]) -> None:
    key(bone, "location", tuple(bone.bone.matrix_local.to_3x3().inverted() @ Vector(world)), frame)


def _bend(bone: bpy.types.PoseBone, frame: int, angle: float) -> None:
    axis = bone.bone.matrix_local.to_3x3().inverted() @ Vector((1.0, 0.0, 0.0))
    bone.rotation_mode = "QUATERNION"
    key(bone, "rotation_quaternion", tuple(Quaternion(axis, -angle)), frame)


def _set_up(settings: bpy.types.PoseBone, way: str) -> None:
    if way == "no stretch":
        settings["IK_Stretch"] = 0.0
    half = FRAMES.stop // 2
    shares = {1: 0.0, half: 0.0, half + 1: 1.0} if way == "switching" else {1: float(way == "forward")}
    for frame, share in shares.items():
        settings["IK_FK"] = share
        settings.keyframe_insert('["IK_FK"]', frame=frame)


def leg_bones(armature: bpy.types.Object, limbs: Sequence[LimbBones]) -> list[str]:
    """Return all bones of the mesh that legs consist of, from hip to toes."""
    names = []
    for limb in limbs:
        toe = armature.pose.bones[limb.toe]
        chain = [toe, *toe.parent_recursive]
        names += [bone.name for bone in chain[: chain.index(armature.pose.bones[limb.hip]) + 1]]
    return names


def seen_lengths(armature: bpy.types.Object, names: Sequence[str]) -> tuple[FloatArray, FloatArray]:
    """Return how long bones are as Blender evaluates them, and how far each is from its parent's end ``(F, B)``, in
    mm."""
    lengths, gaps = [], []
    for frame in FRAMES:
        bpy.context.scene.frame_set(frame)
        bones = [armature.pose.bones[name] for name in names]
        lengths.append([(bone.tail - bone.head).length for bone in bones])
        gaps.append([(bone.head - bone.parent.tail).length if bone.bone.use_connect else 0.0 for bone in bones])
    return 1000.0 * np.array(lengths), 1000.0 * np.array(gaps)


@dataclass(frozen=True)
class ControlChange:
    """What cleaning did to a walk on controls.

    longer : mm by which a bone of a leg is at most longer than in the source, or than at rest where it was shorter.
    apart : mm by which a bone is at most further from its parent's end than in the source.
    slides : mm/s before and after.
    keyed : for each side, which properties of which controls got other keys, the side left out.
    """

    longer: float
    apart: float
    slides: tuple[float, float]
    keyed: tuple[set[str], set[str]]


def clean_and_look(armature: bpy.types.Object) -> ControlChange:
    limbs = find_legs(armature)
    names = leg_bones(armature, limbs)
    at_rest = 1000.0 * np.array([armature.data.bones[name].length for name in names])
    lengths, gaps = seen_lengths(armature, names)
    cleaned = journey.clean(armature, limbs, journey.Options())
    lengths_after, gaps_after = seen_lengths(armature, names)
    baked_names = {f"{bone}.{name}" for bone, name, _ in baked.channels_of_result(cleaned.result)}
    keyed = [{name.replace(f".{side}.", ".") for name in baked_names if f".{side}." in name} for side in "LR"]
    return ControlChange(
        longer=float((lengths_after - np.maximum(lengths, at_rest)).max()),
        apart=float((gaps_after - gaps).max()),
        slides=(cleaned.before.slide_mm_s, cleaned.after.slide_mm_s),
        keyed=(keyed[0], keyed[1]),
    )
