# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether an armature's bones move by their own curves alone, so that numpy gives exactly Blender's pose."""

from __future__ import annotations

from collections.abc import Collection

import bpy
import numpy as np

from ...solver.rotations import FloatArray
from ..common.wording import say
from . import object_transform
from .channels import TRANSFORMS, Channels, bone_values, values

_NO_SCALE = 1e-6


def moved_by_curves_only(
    armature: bpy.types.Object, bones: Collection[bpy.types.PoseBone], channels: Channels, frames: FloatArray
) -> bool:
    """Whether nothing but curves moves ``bones`` (each bone's ancestors among them), as far as looking can tell."""
    return (
        not _time_is_remapped()
        and _is_only_animation(armature)
        and object_transform.follows_curves(armature)
        and constrained_bones(armature, channels).keys().isdisjoint(bone.name for bone in bones)
        and not is_driven(armature, bones)
        and not any((bone.name, "rotation_mode") in channels.of_bones for bone in bones)
        and "rotation_mode" not in channels.of_object
        and all(bone.bone.use_inherit_rotation and bone.bone.use_local_location for bone in bones)
        and _hands_scale_on(bones, channels, frames)
    )


def other_animation(armature: bpy.types.Object) -> str:
    """Say what else than the action speaks in the armature's animation; empty where nothing does."""
    animation = armature.animation_data
    if animation.use_tweak_mode:
        return say("is in tweak mode in the NLA Editor")
    has_strips = any(not track.mute and any(not strip.mute for strip in track.strips) for track in animation.nla_tracks)
    if animation.use_nla and has_strips:
        if animation.action_blend_type != "REPLACE":
            return say("blends its action over NLA strips")
        if animation.action_influence < 1.0:
            return say("mixes its action with NLA strips by an influence")
        return say("has NLA strips below its action")
    return ""


def _is_only_animation(armature: bpy.types.Object) -> bool:
    return not other_animation(armature)


def _time_is_remapped() -> bool:
    render = bpy.context.scene.render
    return render.frame_map_old != render.frame_map_new


def constrained_bones(armature: bpy.types.Object, channels: Channels) -> dict[str, str]:
    """Return the bones that constraints move, by name, each with the name of such a constraint.

    Inverse kinematics move the whole chain above the bone that carries them.
    """
    animated = [driver.data_path for driver in armature.animation_data.drivers] + list(channels.of_object)
    found: dict[str, str] = {}
    for bone in armature.pose.bones:
        for constraint in bone.constraints:
            path = constraint.path_from_id()
            # One without influence now may have some at another frame.
            silent = constraint.mute or constraint.influence == 0.0
            if silent and not any(other.startswith(path) for other in animated):
                continue
            held = [bone]
            if constraint.type in {"IK", "SPLINE_IK"}:
                chain = [bone, *bone.parent_recursive]
                held = chain[: constraint.chain_count or len(chain)]
            for one in held:
                found.setdefault(one.name, constraint.name)
    return found


def is_driven(armature: bpy.types.Object, bones: Collection[bpy.types.PoseBone]) -> bool:
    """Whether a driver moves one of ``bones`` or the object."""
    starts = tuple(f'pose.bones["{bpy.utils.escape_identifier(bone.name)}"].' for bone in bones)
    return any(
        not driver.mute and (driver.data_path.startswith(starts) or driver.data_path in TRANSFORMS)
        for driver in armature.animation_data.drivers
    )


def is_scaled_unevenly(bones: Collection[bpy.types.PoseBone], channels: Channels, frames: FloatArray) -> bool:
    """Whether one of ``bones`` is longer than it is wide by its scale: what hangs from it is sheared as it turns."""
    for bone in bones:
        keyed = (bone.name, "scale") in channels.of_bones
        # One frame stands for all where nothing is keyed.
        scale = bone_values(channels, bone, "scale", frames if keyed else frames[:1])
        if np.any(np.ptp(scale, axis=-1) > _NO_SCALE):
            return True
    return False


def _hands_scale_on(bones: Collection[bpy.types.PoseBone], channels: Channels, frames: FloatArray) -> bool:
    """Whether bones hand their scale on in full, or have none to hand on."""
    if all(bone.bone.inherit_scale == "FULL" for bone in bones):
        return True
    for bone in bones:
        curves = channels.of_bones.get((bone.name, "scale"))
        # One frame stands for all where nothing is keyed.
        scale = bone_values(channels, bone, "scale", frames) if curves else values(bone, "scale", None, frames[:1])
        if np.any(np.abs(scale - 1.0) > _NO_SCALE):
            return False
    return True
