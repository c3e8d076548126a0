# SPDX-License-Identifier: GPL-3.0-or-later
"""From a Clip to a new action, in which only the channels differ that had to change."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import bpy
import numpy as np

from ...solver import rotations, signals
from ...solver.clip import Clip
from ...solver.rotations import FloatArray
from ...solver.signals import BoolArray
from ..common import versions
from ..common.wording import RigError, say
from ..curves import actions, baked, keys, object_transform, regime, rotation_modes
from ..curves.channels import (
    Channels,
    active_action,
    bone_path,
    bone_rotations,
    bone_values,
    channels_of,
    has_active_modifiers,
)
from ..curves.mirrors import mirrored, mirrored_steps
from ..legs.bone_tree import rest_matrix
from ..sampling.sample import Sample

# Smaller changes than these are rounding, not movement.
_STILL_RAD = 1e-6
_STILL_M = 1e-6


@dataclass(frozen=True)
class Change:
    """New values ``(F,)`` of one channel of a bone."""

    bone: str
    property: str
    index: int
    values: FloatArray

    def channel(self) -> baked.BakedChannel:
        return self.bone, self.property, self.index


def write(armature: bpy.types.Object, sample: Sample, clip: Clip, name: str) -> bpy.types.Action:
    """Return a new action called ``name``, assigned to the armature, in which its bones move as in ``clip``.

    It is a copy of the action that ``sample`` was taken from (and has to be assigned still), which is left as it is.
    Only channels that differ from the sample get new keys, only on the sample's frames, and each bone keeps its
    rotation mode.

    Raises
    ------
    RigError
        Where the armature cannot be changed, or a channel that has to change is locked, driven, constrained, shaped by
        a modifier, or the location of a connected bone. Nothing has been changed then.
    """
    actions.refuse_uneditable(armature)
    changes = planned_changes(armature, sample, clip, channels_of(armature))
    return write_planned(armature, changes, sample.key_frames, name)


def write_planned(
    armature: bpy.types.Object, changes: Collection[Change], frames: FloatArray, name: str
) -> bpy.types.Action:
    """Return a copy of the armature's action called ``name``, assigned, with these channels baked on ``frames``."""
    source = active_action(armature)
    channels = channels_of(armature)
    slot = armature.animation_data.action_slot.identifier
    keyed = channels.key_range(armature.pose.bones.keys())
    result = source.copy()
    assert result is not None
    try:
        result.name = name
        result[actions.SOURCE_PROPERTY] = source
        channelbag = versions.channelbag_of(result, result.slots[slot])
        assert channelbag is not None
        stills = {change.channel(): still_value(armature, channels, change.channel()) for change in changes}
        write_changes(armature, channelbag, changes, frames, keyed)
        baked.remember(result, stills)
        actions.assign(armature, result)
    except Exception:
        actions.assign(armature, source)
        bpy.data.actions.remove(result)
        raise
    return result


def changed_channels(armature: bpy.types.Object, sample: Sample, clip: Clip) -> dict[tuple[str, str], FloatArray]:
    """Return what ``write`` would key for ``clip``, by bone and property: all channels of each ``(F, N)``.

    Raises RigError for what ``write`` refuses; nothing is changed in any case.
    """
    channels = channels_of(armature)
    changes = planned_changes(armature, sample, clip, channels)
    whole: dict[tuple[str, str], FloatArray] = {}
    for change in changes:
        key = change.bone, change.property
        if key not in whole:
            whole[key] = bone_values(channels, armature.pose.bones[change.bone], change.property, sample.frames)
        whole[key][:, change.index] = change.values
    return whole


def planned_changes(armature: bpy.types.Object, sample: Sample, clip: Clip, channels: Channels) -> list[Change]:
    """Return what has to be keyed for ``clip``; RigError where that cannot be done. Nothing is changed."""
    actions.refuse_other_animation(armature)
    changes = _changes(armature, sample, clip, channels)
    _refuse_constrained(armature, changes, channels)
    refuse_impossible(armature, changes, channels, sample.frames)
    return changes


def still_value(armature: bpy.types.Object, channels: Channels, channel: baked.BakedChannel) -> float | None:
    """Return the value that a channel has without animation; None where it is animated."""
    bone, name, index = channel
    curve = channels.of_bones.get((bone, name), {}).get(index)
    if curve is not None and not curve.mute and not curve.is_empty:
        return None
    return float(getattr(armature.pose.bones[bone], name)[index])


def _changes(armature: bpy.types.Object, sample: Sample, clip: Clip, channels: Channels) -> list[Change]:
    """Return every channel in which ``clip`` differs from the sampled clip."""
    before = sample.clip
    if clip.local_rotations.shape != before.local_rotations.shape:
        shapes = clip.local_rotations.shape, before.local_rotations.shape
        raise ValueError(f"the clip has rotations {shapes[0]}, the sample {shapes[1]}")
    turned, moved = _changed_joints(before, clip)
    placed = object_transform.of(armature, channels, sample.frames)
    changes: list[Change] = []
    for joint, bone_name in enumerate(sample.bones):
        if bone_name is None:
            continue
        bone = armature.pose.bones[bone_name]
        old, new = before.local_rotations[:, joint], clip.local_rotations[:, joint]
        turns = turned[joint]
        if bone.parent is not None and not bone.bone.use_inherit_rotation:
            # It turns against the armature, not against its parent.
            old, new = before.rotations[:, joint], clip.rotations[:, joint]
            turns = np.any(rotations.angle_between(old, new) > _STILL_RAD)
        if turns:
            turn = mirrored(rotations.multiply(rotations.inverse(old), new), placed.mirrors)
            changes += _turned(bone, channels, sample.frames, turn)
        if moved[joint]:
            step = clip.local_locations[:, joint] - before.local_locations[:, joint]
            changes += _moved(bone, channels, sample, joint, step, placed)
    return changes


def _changed_joints(before: Clip, after: Clip) -> tuple[BoolArray, BoolArray]:
    """Return which joints ``(J,)`` turn and which move otherwise than before, in their parent's frame."""
    turns = rotations.angle_between(before.local_rotations, after.local_rotations)
    steps = np.abs(after.local_locations - before.local_locations)
    return np.any(turns > _STILL_RAD, axis=0), np.any(steps > _STILL_M, axis=(0, 2))


def _turned(bone: bpy.types.PoseBone, channels: Channels, frames: FloatArray, turn: FloatArray) -> list[Change]:
    """Return the rotation channels of a bone that is turned further, in its own frame, by ``turn`` ``(F, 4)``."""
    mode = bone.rotation_mode
    old = bone_values(channels, bone, rotation_modes.property_of(mode), frames)
    return turned_to(bone, channels, frames, rotations.multiply(rotation_modes.to_quaternions(mode, old), turn))


def turned_to(bone: bpy.types.PoseBone, channels: Channels, frames: FloatArray, turned: FloatArray) -> list[Change]:
    """Return the rotation channels of a bone that is to have the rotation ``turned`` ``(F, 4)`` of its own."""
    mode = bone.rotation_mode
    name = rotation_modes.property_of(mode)
    old = bone_values(channels, bone, name, frames)
    keyed = channels.of_bones.get((bone.name, name), {}).values()
    goes_on = any(not curve.is_empty and curve.range()[1] > frames[-1] + 1e-3 for curve in keyed)
    new = rotation_modes.from_quaternions(mode, turned, old, goes_on)
    return differing(bone, name, old, new, _STILL_RAD)


def _moved(
    bone: bpy.types.PoseBone,
    channels: Channels,
    sample: Sample,
    joint: int,
    moved: FloatArray,
    placed: object_transform.ObjectTransform,
) -> list[Change]:
    """Return the location channels of a bone moved further by ``moved`` ``(F, 3)`` metres in its parent's frame."""
    if bone.parent is not None and bone.bone.use_connect:
        raise RigError(
            'bone "{bone}" is connected to its parent and cannot move: choose its parent as the root', bone=bone.name
        )
    frames = sample.frames
    old = bone_values(channels, bone, "location", frames)
    clip = sample.clip
    if not bone.bone.use_local_location:
        world = (
            moved if bone.parent is None else rotations.rotate(clip.rotations[:, clip.skeleton.parents[joint]], moved)
        )
        own = mirrored_steps(rotations.rotate(rotations.inverse(placed.rotations), world), placed.mirrors)
    elif bone.parent is None:
        # What is left of the bone's rotation in the world without its own channels is the frame of its location.
        step = mirrored_steps(
            rotations.rotate(rotations.inverse(clip.local_rotations[:, joint]), moved), placed.mirrors
        )
        own = rotations.rotate(bone_rotations(channels, bone, frames), step)
    else:
        own = mirrored_steps(moved, placed.mirrors) @ rest_matrix(bone.bone)[:3, :3]
    scales = placed.scales
    for parent in bone.parent_recursive:
        scales = scales * bone_values(channels, parent, "scale", frames).mean(axis=-1)
    return differing(bone, "location", old, old + own / scales[:, None], _STILL_M / float(scales.max()))


def differing(bone: bpy.types.PoseBone, name: str, old: FloatArray, new: FloatArray, tolerance: float) -> list[Change]:
    """Return the channels of a bone's property whose values ``(F, N)`` are to change by more than ``tolerance``."""
    differs = np.any(np.abs(new - old) > tolerance, axis=0)
    return [Change(bone.name, name, int(index), new[:, index]) for index in np.flatnonzero(differs)]


def _refuse_constrained(armature: bpy.types.Object, changes: Collection[Change], channels: Channels) -> None:
    """Raise RigError for the first bone that has to change and is moved by a constraint."""
    constrained = regime.constrained_bones(armature, channels)
    for change in changes:
        if change.bone in constrained:
            raise RigError(
                'bone "{bone}" is held by the constraint "{constraint}" and has to move: bake it first (Pose, '
                "Animation, Bake Action with Visual Keying and Clear Constraints)",
                bone=change.bone,
                constraint=constrained[change.bone],
            )


def refuse_impossible(
    armature: bpy.types.Object, changes: Collection[Change], channels: Channels, frames: FloatArray
) -> None:
    """Raise RigError for the first channel that has to change and cannot."""
    driven = {(driver.data_path, driver.array_index) for driver in armature.animation_data.drivers if not driver.mute}
    for change in changes:
        where = say('{channel} of bone "{bone}"', channel=change.property.replace("_", " "), bone=change.bone)
        if (bone_path(change.bone, change.property), change.index) in driven:
            raise RigError("the {where} is driven and has to change: remove the driver first", where=where)
        curve = channels.of_bones.get((change.bone, change.property), {}).get(change.index)
        if curve is None:
            continue
        if curve.lock or (curve.group is not None and curve.group.lock):
            raise RigError(
                "the curve for the {where} is locked and has to change: unlock it in the Graph Editor", where=where
            )
        if _reaches_outside(curve, frames):
            raise RigError(
                "the curve for the {where} has modifiers beyond these frames: bake it or clean all frames", where=where
            )


def shaping_modifiers(curve: bpy.types.FCurve) -> list[bpy.types.FModifier]:
    """Return the modifiers that change values inside the keyed range, as repeating it in cycles does not."""
    return [modifier for modifier in curve.modifiers if not modifier.mute and modifier.type != "CYCLES"]


def _reaches_outside(curve: bpy.types.FCurve, frames: FloatArray) -> bool:
    """Whether the curve is shaped by modifiers outside ``frames``, where it has to stay as it is."""
    if not has_active_modifiers(curve) or curve.mute or curve.is_empty:
        return False
    first, last = np.array(curve.range())
    return bool(first < frames[0] - 1e-3 or last > frames[-1] + 1e-3)


def write_changes(
    armature: bpy.types.Object,
    channelbag: bpy.types.ActionChannelbag,
    changes: Collection[Change],
    frames: FloatArray,
    keyed: tuple[int, int] | None,
) -> None:
    """Bake the changes into the curves of ``channelbag``; ``keyed`` is the range that the whole action had."""
    for change in changes:
        curve = versions.ensure_curve(channelbag, bone_path(change.bone, change.property), change.index, change.bone)
        for modifier in shaping_modifiers(curve):
            # Its share is in the baked values.
            curve.modifiers.remove(modifier)
        if not curve.mute and not curve.is_empty:
            keys.bake(curve, *_within_its_cycle(curve, frames, change.values))
            continue
        # The channel was not animated: outside the frames it keeps the value that the bone has.
        still = float(getattr(armature.pose.bones[change.bone], change.property)[change.index])
        curve.mute = False
        at, values = frames, change.values
        if keyed is not None and keyed[0] < np.floor(frames[0]):
            at, values = np.concatenate([[frames[0] - 1.0], at]), np.concatenate([[still], values])
        if keyed is not None and keyed[1] > np.ceil(frames[-1]):
            at, values = np.concatenate([at, [frames[-1] + 1.0]]), np.concatenate([values, [still]])
        keys.set_keys(curve, at, values, interpolation="LINEAR", type="GENERATED")
        cycle_like_the_others(curve, channelbag)


def _within_its_cycle(curve: bpy.types.FCurve, frames: FloatArray, values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return frames and values (N,) that leave a cyclic curve as long as it is, where it begins or ends between two of
    ``frames`` (F,)."""
    first, last = np.array(curve.range(), dtype=np.float64)
    cycles = any(modifier.type == "CYCLES" and not modifier.mute for modifier in curve.modifiers)
    if not cycles or (frames[0] > first - 1e-3 and frames[-1] < last + 1e-3):
        return frames, values
    first, last = max(first, frames[0]), min(last, frames[-1])
    inside = frames[(frames > first + 1e-3) & (frames < last - 1e-3)]
    at = np.concatenate([[first], inside, [last]])
    return at, signals.drawn_through(frames, values, at)


def cycle_like_the_others(curve: bpy.types.FCurve, channelbag: bpy.types.ActionChannelbag) -> None:
    """Let a new curve of an action that is made cyclic repeat too."""
    for other in channelbag.fcurves:
        for modifier in other.modifiers:
            if isinstance(modifier, bpy.types.FModifierCycles) and not modifier.mute:
                own = curve.modifiers.new("CYCLES")
                assert isinstance(own, bpy.types.FModifierCycles)
                own.mode_before, own.mode_after = modifier.mode_before, modifier.mode_after
                return
