# SPDX-License-Identifier: GPL-3.0-or-later
"""Find the limbs of an armature with all that it can tell of them: names, shape, and what its clip shows."""

from __future__ import annotations

import bpy
import numpy as np

from ...solver.rotations import FloatArray
from ..common.wording import RigError
from ..curves import object_transform, regime, stack
from ..curves.channels import all_channels_of, channels_in, motion_range
from ..legs.bone_tree import rest_matrix
from ..legs.find_legs import FoundLimbs, find_limbs
from ..legs.motion import Motion
from . import evaluated
from .sample import own_matrices


def search_limbs(armature: bpy.types.Object, hands: bool = False) -> FoundLimbs:
    """Return the limbs of an armature, with what is not sure of them; a clip decides where there is one.

    hands : whether hands are looked for that carry no weight.

    Raises
    ------
    RigError
        Where no leg can be found.
    """
    # A transform that was just set is in `matrix_world` only after this.
    bpy.context.view_layer.update()
    return find_limbs(armature, hands, limb_motion(armature))


# Frames that are looked at: steps of a walk and strides of a gallop are told by fewer. Where Blender has to evaluate
# each, fewer still.
_FRAMES, _EVALUATED = 48, 24


def limb_motion(armature: bpy.types.Object) -> Motion | None:
    """Return where the bones begin and end on some frames spread over the clip; None where there is none to be seen.

    The curves are read where they tell all; else the scene is stepped through, and put back with the pose as it was,
    also what of it has no keys.
    """
    if armature.data.pose_position == "REST" or not armature.pose.bones:
        return None
    span = _span(armature)
    if span is None or span[1] <= span[0]:
        return None
    if stack.plays_strips(armature):
        return _by_stepping(armature, span)
    channels = channels_in(stack.channelbag_in_hand(armature))
    frames = _spread(span, _FRAMES)
    bones = list(armature.pose.bones)
    if not regime.moved_by_curves_only(armature, bones, channels, frames):
        return _by_stepping(armature, span)
    try:
        transform = object_transform.from_curves(armature, channels, frames)
    except RigError:
        return _by_stepping(armature, span)
    index = {bone.name: at for at, bone in enumerate(bones)}
    worlds = np.array([rest_matrix(bone.bone) for bone in bones]) @ own_matrices(bones, channels, frames)
    objects = object_transform.matrices(transform)
    for at, bone in enumerate(bones):
        above = objects if bone.parent is None else worlds[:, index[bone.parent.name]]
        worlds[:, at] = above @ worlds[:, at]
    return _motion(armature, worlds)


def _span(armature: bpy.types.Object) -> tuple[int, int] | None:
    if armature.animation_data is None:
        return None
    try:
        all_channels_of(armature)
        return motion_range(armature)
    except RigError:
        return None


def _spread(span: tuple[int, int], most: int) -> FloatArray:
    """Return whole frames spread over a range unevenly, so that none of a cycle's phases is missed for all of it."""
    count = span[1] - span[0] + 1
    if count <= most:
        return np.arange(span[0], span[1] + 1, dtype=np.float64)
    golden = (np.sqrt(5.0) - 1.0) / 2.0
    offsets = np.floor((np.arange(most) + (np.arange(most) * golden) % 1.0) * count / most)
    return span[0] + np.minimum(offsets, count - 1)


def _by_stepping(armature: bpy.types.Object, span: tuple[int, int]) -> Motion | None:
    if not evaluated.can_be_evaluated(armature):
        return None
    before = [bone.matrix_basis.copy() for bone in armature.pose.bones]
    names = [bone.name for bone in armature.pose.bones]
    objects, poses = evaluated.step_through(armature, names, _spread(span, _EVALUATED))
    for bone, basis in zip(armature.pose.bones, before, strict=True):
        if bone.matrix_basis != basis:
            bone.matrix_basis = basis
    return _motion(armature, objects[:, None] @ poses)


def _motion(armature: bpy.types.Object, worlds: FloatArray) -> Motion:
    lengths = np.array([bone.bone.length for bone in armature.pose.bones])
    heads = worlds[..., :3, 3]
    return Motion(heads, heads + worlds[..., :3, 1] * lengths[:, None])
