# SPDX-License-Identifier: GPL-3.0-or-later
"""What Bake Lock would key on the controls of a rig, as values for each frame: found out by baking, and taken back."""

from __future__ import annotations

import bpy

from ...solver.clip import Clip
from ...solver.rotations import FloatArray
from ..curves import actions, baked
from ..curves.channels import active_action, bone_values, channels_of
from ..sampling.sample import Sample
from ..writing.write_controls import write_as_animated
from .preview_pose import Channel


def controlled_channels(
    armature: bpy.types.Object, sample: Sample, clip: Clip
) -> tuple[dict[Channel, FloatArray], Clip]:
    """Return all values (F, N) of each property that is keyed on the controls for ``clip``, and what is seen then.

    The frames are stepped through, several times over. Action and frame are as before in the end.

    Raises
    ------
    RigError
        As ``write_as_animated`` does.
    """
    source = active_action(armature)
    result, shown = write_as_animated(armature, sample, clip, source.name)
    try:
        channels, bones = channels_of(armature), armature.pose.bones
        keyed = dict.fromkeys((bone, name) for bone, name, _ in baked.channels_of_result(result))
        return {(bone, name): bone_values(channels, bones[bone], name, sample.frames) for bone, name in keyed}, shown
    finally:
        actions.assign(armature, source)
        bpy.data.actions.remove(result)
