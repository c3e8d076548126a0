# SPDX-License-Identifier: GPL-3.0-or-later
"""What a previewed armature's bones were before, and how they become it again.

Keyed channels come back by themselves on the next frame, others never would. What those were is noted on the armature
itself, so that undo, a copy of the armature or a file that an interrupted Blender has saved can always be put right.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence

import bpy

from .channels import Channels, all_channels_of
from .lock_play import Channel

# Property of a previewed armature: JSON, [[bone, property, [value, ...]], ...] of all that the preview moves.
MARK = "toehold_preview"

Pose = dict[Channel, list[float]]


def read_pose(armature: bpy.types.Object, channels: Collection[Channel]) -> Pose:
    """Return what bones have now in each of ``channels``."""
    bones = armature.pose.bones
    return {(bone, name): list(getattr(bones[bone], name)) for bone, name in channels}


def write_pose(armature: bpy.types.Object, pose: Mapping[Channel, Sequence[float]]) -> None:
    """Give bones these values, those that are still there."""
    bones = armature.pose.bones
    for (bone_name, name), values in pose.items():
        bone = bones.get(bone_name)
        if bone is not None:
            setattr(bone, name, values)


def keyed(armature: bpy.types.Object, channels: Collection[Channel]) -> dict[Channel, list[bool]]:
    """Return of each of ``channels`` which of its values the armature's action sets on every frame."""
    found = all_channels_of(armature)
    bones = armature.pose.bones
    return {
        channel: [_is_keyed(found, channel, index) for index in range(len(getattr(bones[channel[0]], channel[1])))]
        for channel in channels
    }


def mark(armature: bpy.types.Object, pose: Pose) -> None:
    """Note on the armature what the channels of ``pose`` are without the preview."""
    armature[MARK] = json.dumps([[*channel, values] for channel, values in pose.items()])


def unmark(armature: bpy.types.Object) -> None:
    """Take the note away."""
    if is_marked(armature):
        del armature[MARK]


def is_marked(armature: bpy.types.Object) -> bool:
    """Whether the armature shows a preview, or did when this state of it was kept."""
    return armature.get(MARK) is not None


def pose_by_mark(armature: bpy.types.Object, frame: float) -> Pose:
    """Return what a marked armature has without the preview: by its curves at ``frame``, else by what was noted."""
    found = all_channels_of(armature)
    pose: Pose = {}
    for bone, name, values in json.loads(armature[MARK]):
        curves = found.of_bones.get((bone, name), {})
        pose[bone, name] = [
            curves[index].evaluate(frame) if _is_keyed(found, (bone, name), index) else value
            for index, value in enumerate(values)
        ]
    return pose


def put_right(armature: bpy.types.Object, frame: float) -> None:
    """Give a marked armature that shows no preview any more its own pose, and take the note away."""
    write_pose(armature, pose_by_mark(armature, frame))
    unmark(armature)


def _is_keyed(channels: Channels, channel: Channel, index: int) -> bool:
    curve = channels.of_bones.get(channel, {}).get(index)
    return curve is not None and not curve.mute and not curve.is_empty
