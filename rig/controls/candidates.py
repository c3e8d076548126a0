# SPDX-License-Identifier: GPL-3.0-or-later
"""Which bones an animator may mean to be animated, likely ones first."""

from __future__ import annotations

from collections.abc import Callable, Collection

import bpy
import numpy as np

from ..curves.channels import TRANSFORMS, Channels, bone_path


def candidates(
    armature: bpy.types.Object,
    channels: Channels,
    property_named: Callable[[bpy.types.PoseBone], str],
    allowed: Callable[[bpy.types.PoseBone], bool],
) -> list[bpy.types.PoseBone]:
    """Return the bones whose property can be keyed, those first that an animator is most likely to mean."""
    driven = {driver.data_path for driver in armature.animation_data.drivers if not driver.mute}
    keyed = {bone for bone, name in channels.of_bones if name in TRANSFORMS}
    ranked = []
    for bone in armature.pose.bones:
        name = property_named(bone)
        if not allowed(bone) or bone_path(bone.name, name) in driven:
            continue
        unlikely = (
            is_locked(channels, bone.name, name),
            (bone.name, name) not in channels.of_bones,
            bone.name not in keyed,
            bone.custom_shape is None,
        )
        if unlikely[2] and unlikely[3] and bone.bone.use_deform:
            continue
        ranked.append((*unlikely, len(bone.parent_recursive), bone.name))
    return [armature.pose.bones[rank[-1]] for rank in sorted(ranked)]


def unkeyed_targets(armature: bpy.types.Object, listed: Collection[bpy.types.PoseBone]) -> list[bpy.types.PoseBone]:
    """Return the bones that constraints follow, that can be moved, and that are not ``listed``.

    An action of the arms alone does not key the targets of the legs; they move the legs all the same.
    """
    driven = {driver.data_path for driver in armature.animation_data.drivers if not driver.mute}
    followed = {getattr(constraint, "subtarget", "") for bone in armature.pose.bones for constraint in bone.constraints}
    return [
        bone
        for bone in armature.pose.bones
        if bone.name in followed
        and bone not in listed
        and can_be_moved(bone)
        and bone_path(bone.name, "location") not in driven
    ]


def is_locked(channels: Channels, bone: str, name: str) -> bool:
    """Whether a curve that a change would need is locked by the animator."""
    curves = channels.of_bones.get((bone, name), {}).values()
    return any(curve.lock or (curve.group is not None and curve.group.lock) for curve in curves)


def can_be_moved(bone: bpy.types.PoseBone) -> bool:
    return not bool(np.any(np.array(bone.lock_location))) and not (bone.parent is not None and bone.bone.use_connect)


def can_be_turned(bone: bpy.types.PoseBone) -> bool:
    return not bool(np.all(np.array(bone.lock_rotation)))


def mirror_name(bone: str) -> str:
    """Return the name of a bone's counterpart on the other side; the same where its name tells no side."""
    return bpy.utils.flip_name(bone)
