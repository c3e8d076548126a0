# SPDX-License-Identifier: GPL-3.0-or-later
"""Root motion on an armature: put on a bone that carries the whole body, or on the object, in a new action."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import bpy
import numpy as np

from ..solver import root_motion, rotations, stance
from ..solver.clip import Clip
from ..solver.limb import Limb, feet_among
from ..solver.root_motion import Kind, RootMotion
from ..solver.rotations import FloatArray
from . import actions, keys, object_transform, results, rotation_modes, versions
from .channels import Curves, active_action, all_channels_of, values
from .errors import RigError
from .limb_bones import LimbBones
from .nla import over_strips
from .sample import Sample, sample
from .write import write
from .write_controls import write_as_animated

# What carries the travel: a bone by its name, or one of these.
AUTO, OBJECT = "AUTO", "OBJECT"

# Root motion that makes low feet so many times faster is none.
WORSE = 1.05


@dataclass(frozen=True)
class RootMotionOptions:
    """What is to be done with a clip's travel.

    way : IN, what the feet ask for is put in; OUT, what is there is taken out; STRIDE, the travel stays and steps are
        made longer or shorter to fit it.
    kind : how the feet are followed, see ``solver.root_motion.feet_motion``; of no matter but for IN.
    target : a bone's name, OBJECT, or AUTO for the topmost bone that carries all feet, the object where there is none.
    """

    way: Literal["IN", "OUT", "STRIDE"] = "IN"
    kind: Kind = "CONSTANT"
    target: str = AUTO


@dataclass(frozen=True)
class Moved:
    """What came of it: travel in metres, and how fast low feet move in m/s, median, before and after."""

    source: bpy.types.Action
    result: bpy.types.Action
    target: str
    travel: FloatArray
    turn_degrees: float
    stance_speed_before: float
    stance_speed_after: float


@over_strips
def move_root(armature: bpy.types.Object, limbs: Sequence[LimbBones], options: RootMotionOptions) -> Moved:
    """Give the body the travel that its feet ask for, or take its travel out, in a new action that is assigned.

    Raises
    ------
    RigError
        Where the feet agree on no travel, or the bone or object cannot be moved. Nothing has been changed then.
    """
    source = active_action(armature)
    motion_of = sample(armature, limbs)
    clip, legs = motion_of.clip, [motion_of.limbs[foot] for foot in feet_among(motion_of.limbs)]
    motion = (
        root_motion.feet_motion(clip, legs, options.kind)
        if options.way == "IN"
        else root_motion.travel_out(clip, legs[0].root)
    )
    if motion is None:
        raise RigError(
            'no foot of action "{action}" comes down, so nothing tells how far to go: check the legs',
            action=source.name,
        )
    joint = _joint(armature, motion_of, options.target)
    before = stance.stance_speed(clip, legs)
    moved = _carried(clip, motion) if joint is None else root_motion.apply(clip, joint, motion)
    if options.way == "IN" and stance.stance_speed(moved, legs, clip) > WORSE * before:
        raise RigError("the feet agree on no one speed: let the root motion vary in time (Varying)")
    name = f"{source.name} {'Root Motion' if options.way == 'IN' else 'In Place'}"
    if joint is None:
        _refuse_unless_object_can_move(armature)
        result = write(armature, motion_of, clip, name)
        _move_object(armature, motion_of, motion)
    else:
        result, moved = write_as_animated(armature, motion_of, moved, name)
    target = OBJECT if joint is None else clip.skeleton.names[joint]
    return _moved(source, result, target, (clip, moved, legs), float(np.degrees(motion.turn[-1])))


def _moved(
    source: bpy.types.Action,
    result: bpy.types.Action,
    target: str,
    change: tuple[Clip, Clip, Sequence[Limb]],
    turn_degrees: float,
) -> Moved:
    """Mark a result as one whose motion is kept, and return its figures; ``change`` is the clip before and after."""
    result[actions.NEW_MOTION_PROPERTY] = source
    if result.get(results.FIGURES) is not None:
        del result[results.FIGURES]
    before, after, legs = change
    root = after.positions[:, legs[0].root]
    return Moved(
        source=source,
        result=result,
        target=target,
        travel=(root[-1] - root[0]) * np.array([1.0, 1.0, 0.0]),
        turn_degrees=turn_degrees,
        stance_speed_before=stance.stance_speed(before, legs),
        stance_speed_after=stance.stance_speed(after, legs, before),
    )


def _carried(clip: Clip, motion: RootMotion) -> Clip:
    """Return the clip with all that has no parent moved: what root motion comes to, whatever carries it."""
    for joint, parent in enumerate(clip.skeleton.parents):
        if parent < 0:
            clip = root_motion.apply(clip, joint, motion)
    return clip


@over_strips
def fit_stride(armature: bpy.types.Object, limbs: Sequence[LimbBones]) -> Moved:
    """Make the steps as long as the travel wants them, in a new action that is assigned; the travel stays.

    Raises
    ------
    RigError
        Where the clip does not travel, or the legs cannot be changed. Nothing has been changed then.
    """
    source = active_action(armature)
    motion_of = sample(armature, limbs)
    clip, legs = motion_of.clip, [motion_of.limbs[foot] for foot in feet_among(motion_of.limbs)]
    ratio = root_motion.speed_ratio(clip, legs)
    if ratio is None:
        raise RigError(f'action "{source.name}" does not travel: give it its travel instead (Root Motion, Add)')
    fitted, _ = root_motion.stride_scaled(clip, legs, ratio)
    result, fitted = write_as_animated(armature, motion_of, fitted, f"{source.name} Stride")
    return _moved(source, result, "", (clip, fitted, legs), 0.0)


def _joint(armature: bpy.types.Object, motion_of: Sample, target: str) -> int | None:
    """Return the joint that has to move; None for the object."""
    if target == OBJECT:
        return None
    skeleton = motion_of.clip.skeleton
    if target != AUTO:
        if target not in armature.pose.bones:
            raise RigError('there is no bone "{target}": choose another for the root motion', target=target)
        if target not in motion_of.bones:
            raise RigError(
                'bone "{target}" carries no leg: choose one that carries the whole body, or the object', target=target
            )
        joint = motion_of.bones.index(target)
        if not _carries_all(skeleton.parents, joint, motion_of):
            raise RigError(
                'bone "{target}" does not carry all feet: choose one that does, or the object', target=target
            )
        return joint
    tops = [joint for joint, parent in enumerate(skeleton.parents) if parent < 0]
    return next((joint for joint in tops if _carries_all(skeleton.parents, joint, motion_of)), None)


def _carries_all(parents: Sequence[int], carrier: int, motion_of: Sample) -> bool:
    """Whether all that is looked at of all legs hangs on a joint."""
    for limb in motion_of.limbs:
        for joint in (limb.root, limb.hip, limb.heel, limb.toe):
            while joint >= 0 and joint != carrier:
                joint = parents[joint]
            if joint < 0:
                return False
    return True


def _refuse_unless_object_can_move(armature: bpy.types.Object) -> None:
    if not object_transform.follows_curves(armature):
        raise RigError(
            '"{armature}" is placed by its parent or a constraint: choose a bone for the root motion',
            armature=armature.name,
        )
    if any(not driver.mute for driver in armature.animation_data.drivers if driver.data_path in _PLACING):
        raise RigError('"{armature}" is placed by drivers: choose a bone for the root motion', armature=armature.name)


_PLACING = frozenset(("location", "rotation_euler", "rotation_quaternion", "rotation_axis_angle"))


def _move_object(armature: bpy.types.Object, motion_of: Sample, motion: RootMotion) -> None:
    """Bake a level motion into the curves that place the object in the assigned action."""
    frames, key_frames = motion_of.frames, motion_of.key_frames
    channels = all_channels_of(armature)
    placed = object_transform.from_curves(armature, channels, frames)
    turn = rotations.from_axis_angle(np.array([0.0, 0.0, 1.0]), motion.turn)
    above = object_transform.above(armature)
    moved = rotations.rotate(turn, placed.locations) + motion.displacement - placed.locations
    step = moved @ np.linalg.inv(above[:3, :3]).T
    location = values(armature, "location", channels.of_object.get("location"), frames)
    _bake(armature, channels.of_object, "location", key_frames, location + step)
    if not np.any(motion.turn):
        return
    name = rotation_modes.property_of(armature.rotation_mode)
    old = values(armature, name, channels.of_object.get(name), frames)
    own = rotation_modes.to_quaternions(armature.rotation_mode, old)
    # The world's turn as the object's own rotation channels see it, under its parents and its delta rotation.
    outer = rotations.multiply(placed.rotations, rotations.inverse(own))
    turned = rotations.multiply(rotations.inverse(outer), rotations.multiply(turn, placed.rotations))
    new = rotation_modes.from_quaternions(armature.rotation_mode, turned, old, False)
    _bake(armature, channels.of_object, name, key_frames, new)


def _bake(armature: bpy.types.Object, there: dict[str, Curves], name: str, frames: FloatArray, new: FloatArray) -> None:
    """Put new values (F, N) of one of the object's properties into its curves."""
    channelbag = versions.assigned_channelbag(armature)
    assert channelbag is not None
    for index, column in enumerate(new.T):
        curve = versions.ensure_curve(channelbag, name, index, "Object Transforms")
        if index in there.get(name, {}) and not curve.is_empty:
            keys.bake(curve, frames, column)
        else:
            keys.set_keys(curve, frames, column, interpolation="LINEAR", type="GENERATED")
