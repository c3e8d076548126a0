# SPDX-License-Identifier: GPL-3.0-or-later
"""What a previewed armature's bones were before, and how they become it again.

Keyed channels come back by themselves on the next frame, others never would. What those were is noted on the armature
itself, so that undo, a copy of the armature or a file that an interrupted Blender has saved can always be put right.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager

import bpy

from ..curves.channels import TRANSFORMS, Channels, all_channels_of

# Bone and property, for instance ("Thigh.L", "rotation_quaternion").
Channel = tuple[str, str]

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


@contextmanager
def unkeyed_edits_kept(armature: bpy.types.Object) -> Iterator[None]:
    """Put bones back that a person has posed and not keyed yet: stepping through the frames loses that."""
    bones = armature.pose.bones
    animated = all_channels_of(armature).of_bones
    numbers = [(bone, name) for bone, name in animated if name in TRANSFORMS - {"rotation_mode"} and bone in bones]
    before = read_pose(armature, [(bone, name) for bone, name in numbers if hasattr(bones[bone], name)])
    try:
        yield
    finally:
        # An action that was assigned anew poses the bones once more.
        bpy.context.view_layer.update()
        now = read_pose(armature, before)
        write_pose(armature, {channel: values for channel, values in before.items() if now[channel] != values})


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
    return pose_at(armature, {(bone, name): values for bone, name, values in json.loads(armature[MARK])}, frame)


def pose_at(armature: bpy.types.Object, pose: Pose, frame: float) -> Pose:
    """Return ``pose`` with the values of the action's curves at ``frame`` wherever there are any."""
    found = all_channels_of(armature)
    return {
        channel: [
            found.of_bones[channel][index].evaluate(frame) if _is_keyed(found, channel, index) else value
            for index, value in enumerate(values)
        ]
        for channel, values in pose.items()
    }


def put_right(armature: bpy.types.Object, frame: float) -> None:
    """Give a marked armature that shows no preview any more its own pose, and take the note away."""
    write_pose(armature, pose_by_mark(armature, frame))
    unmark(armature)


def _is_keyed(channels: Channels, channel: Channel, index: int) -> bool:
    curve = channels.of_bones.get(channel, {}).get(index)
    return curve is not None and not curve.mute and not curve.is_empty
