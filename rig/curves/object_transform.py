# SPDX-License-Identifier: GPL-3.0-or-later
"""Where an armature's object is in the world, frame by frame, without stepping through the frames."""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import numpy as np

from ...solver import rotations
from ...solver.rotations import FloatArray
from ..common.wording import RigError
from . import rotation_modes
from .channels import TRANSFORMS, Channels, values
from .mirrors import turns_of, unmirrored


@dataclass(frozen=True)
class ObjectTransform:
    """The object's world transform: rotation ``(F, 4)``, location ``(F, 3)`` metres, and scale ``(F,)``.

    mirrors : whether a negative scale turns its first axis round before all that, as ``mirrors.mirrored`` does.
    """

    rotations: FloatArray
    locations: FloatArray
    scales: FloatArray
    mirrors: bool = False


def split(matrices: FloatArray, object_name: str) -> ObjectTransform:
    """Take world matrices ``(F, 4, 4)`` apart; RigError where the scale is uneven, or changes its sign."""
    lengths = np.linalg.norm(matrices[:, :3, :3], axis=1)
    mean = lengths.mean(axis=1)
    if not np.all(mean > 0.0):
        raise RigError(
            '"{armature}" is scaled to nothing: give it a scale and apply it (Ctrl A, Scale)', armature=object_name
        )
    axes = matrices[:, :3, :3] / mean[:, None, None]
    skew = np.abs(np.einsum("fij,fik->fjk", axes, axes) - np.eye(3)).max()
    if skew > 1e-3:
        raise RigError('"{armature}" is not scaled evenly: apply its scale (Ctrl A, Scale)', armature=object_name)
    mirrored = np.linalg.det(axes) < 0.0
    if mirrored.any() and not mirrored.all():
        raise RigError(
            '"{armature}" is mirrored by a negative scale on some frames only: choose others', armature=object_name
        )
    return ObjectTransform(turns_of(axes), matrices[:, :3, 3], mean, bool(mirrored[0]))


def matrices(transform: ObjectTransform) -> FloatArray:
    """Return the world matrices ``(F, 4, 4)`` of a transform."""
    result = np.tile(np.eye(4), (len(transform.scales), 1, 1))
    axes = unmirrored(rotations.to_matrices(transform.rotations), transform.mirrors)
    result[:, :3, :3] = axes * transform.scales[:, None, None]
    result[:, :3, 3] = transform.locations
    return result


def follows_curves(armature: bpy.types.Object) -> bool:
    """Whether nothing but the armature's own curves and unmoving parents places it."""
    if any(not constraint.mute for constraint in armature.constraints):
        return False
    child = armature
    while child.parent is not None:
        parent = child.parent
        if child.parent_type != "OBJECT" or parent.animation_data is not None:
            return False
        if any(not constraint.mute for constraint in parent.constraints):
            return False
        child = parent
    return True


def from_curves(armature: bpy.types.Object, channels: Channels, frames: FloatArray) -> ObjectTransform:
    """Return the object's transform by its curves; for an object of which ``follows_curves`` holds."""
    outside = above(armature)
    if not TRANSFORMS & channels.of_object.keys():
        return split(np.tile(outside @ np.array(armature.matrix_basis), (len(frames), 1, 1)), armature.name)

    def channel(name: str) -> FloatArray:
        return values(armature, name, channels.of_object.get(name), frames)

    mode = armature.rotation_mode
    turned = rotation_modes.to_quaternions(mode, channel(rotation_modes.property_of(mode)))
    # Axis and angle have no delta of their own that is used.
    if mode == "QUATERNION":
        turned = rotations.multiply(rotation_modes.to_quaternions(mode, channel("delta_rotation_quaternion")), turned)
    elif mode != "AXIS_ANGLE":
        turned = rotations.multiply(rotation_modes.to_quaternions(mode, channel("delta_rotation_euler")), turned)
    own = np.tile(np.eye(4), (len(frames), 1, 1))
    scales = channel("scale") * channel("delta_scale")
    own[:, :3, :3] = rotations.to_matrices(turned) * scales[:, None, :]
    own[:, :3, 3] = channel("location") + channel("delta_location")
    return split(outside @ own, armature.name)


def above(armature: bpy.types.Object) -> FloatArray:
    """Return the matrix (4, 4) from the object's own channels to the world, where ``follows_curves`` holds."""
    if armature.parent is None:
        return np.eye(4)
    return _still_world(armature.parent) @ np.array(armature.matrix_parent_inverse)


def of(armature: bpy.types.Object, channels: Channels, frames: FloatArray) -> ObjectTransform:
    """Return the object's transform by its curves; where something else places it, as it stands now."""
    if follows_curves(armature):
        return from_curves(armature, channels, frames)
    return split(np.tile(np.array(armature.matrix_world), (len(frames), 1, 1)), armature.name)


def _still_world(thing: bpy.types.Object) -> FloatArray:
    """Return the world matrix of an object that nothing moves: `matrix_world` itself may be out of date."""
    own = np.array(thing.matrix_basis)
    if thing.parent is None:
        return own
    return _still_world(thing.parent) @ np.array(thing.matrix_parent_inverse) @ own
