# SPDX-License-Identifier: GPL-3.0-or-later
"""What carries root motion: a bone that carries all that moves, else the object, so that nothing stays behind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import bpy
import numpy as np

from ...solver import root_motion, rotations
from ...solver.clip import Clip
from ...solver.root_motion import RootMotion
from ...solver.rotations import FloatArray
from ..common import versions
from ..common.wording import RigError
from ..curves import actions, baked, keys, object_transform, rotation_modes
from ..curves.channels import TRANSFORMS, Curves, active_action, all_channels_of, bone_values, channels_of, values
from ..curves.mirrors import mirrored, mirrored_steps
from ..legs.bone_tree import rest_matrix
from ..sampling.sample import Sample, clip_shown
from .write import cycle_like_the_others, differing, refuse_impossible, turned_to, write, write_planned
from .write_controls import write_as_animated

# What carries the travel: a bone by its name, or one of these.
AUTO, OBJECT = "AUTO", "OBJECT"

# A limb's joint this near to where a moved bone should bring it, in shares of the leg's length, is there.
BROUGHT = 1e-3

_PLACING = frozenset(("location", "rotation_euler", "rotation_quaternion", "rotation_axis_angle"))


@dataclass(frozen=True)
class Carrier:
    """A joint of the clip; or a bone without parent that the clip's bones follow by constraints; or the object."""

    joint: int | None = None
    bone: str | None = None

    def named(self, clip: Clip) -> str:
        """Return the bone's name, or OBJECT."""
        return self.bone or (OBJECT if self.joint is None else clip.skeleton.names[self.joint])


def choose_carrier(armature: bpy.types.Object, motion_of: Sample, target: str) -> Carrier:
    """Return what has to move: ``target``, or with AUTO the topmost bone that leaves nothing behind, else the object.

    Raises RigError for a bone that does not carry all feet.
    """
    if target == OBJECT:
        return Carrier()
    skeleton = motion_of.clip.skeleton
    tops = [bone.name for bone in armature.pose.bones if bone.parent is None and _moves_all(armature, bone)]
    if target != AUTO:
        return _named(armature, motion_of, target, tops)
    for joint, parent in enumerate(skeleton.parents):
        name = motion_of.bones[joint]
        if parent < 0 and carries_all(skeleton.parents, joint, motion_of) and name in tops:
            return Carrier(joint=joint)
    return Carrier(bone=next((name for name in tops if armature.pose.bones[name].bone.use_local_location), None))


def _named(armature: bpy.types.Object, motion_of: Sample, target: str, tops: Sequence[str]) -> Carrier:
    if target not in armature.pose.bones:
        raise RigError('there is no bone "{target}": choose another for the root motion', target=target)
    if target not in motion_of.bones:
        if target in tops:
            return Carrier(bone=target)
        raise RigError(
            'bone "{target}" carries no leg: choose one that carries the whole body, or the object', target=target
        )
    joint = motion_of.bones.index(target)
    if not carries_all(motion_of.clip.skeleton.parents, joint, motion_of):
        raise RigError('bone "{target}" does not carry all feet: choose one that does, or the object', target=target)
    return Carrier(joint=joint)


def carries_all(parents: Sequence[int], carrier: int, motion_of: Sample) -> bool:
    """Whether all that is looked at of all legs hangs on a joint."""
    for limb in motion_of.limbs:
        for joint in (limb.root, limb.hip, limb.heel, limb.toe):
            while joint >= 0 and joint != carrier:
                joint = parents[joint]
            if joint < 0:
                return False
    return True


def _moves_all(armature: bpy.types.Object, top: bpy.types.PoseBone) -> bool:
    """Whether a bone without parent is free to move, and all that is keyed or moves the mesh by itself hangs on it."""
    keyed = {bone for (bone, name), curves in channels_of(armature).of_bones.items() if name in TRANSFORMS and curves}
    for bone in armature.pose.bones:
        above = (bone, *bone.parent_recursive)
        is_led = any(_is_constrained(one) for one in above)
        if above[-1] != top and (bone.name in keyed or (bone.bone.use_deform and not is_led)):
            return False
    return not _is_constrained(top)


def _is_constrained(bone: bpy.types.PoseBone) -> bool:
    return any(not constraint.mute and constraint.influence > 0.0 for constraint in bone.constraints)


def carried(clip: Clip, motion: RootMotion) -> Clip:
    """Return the clip with all that has no parent moved: what root motion comes to, whatever carries it."""
    for joint, parent in enumerate(clip.skeleton.parents):
        if parent < 0:
            clip = root_motion.apply(clip, joint, motion)
    return clip


def write_carried(
    armature: bpy.types.Object, motion_of: Sample, motion: RootMotion, carrier: Carrier, name: str
) -> tuple[bpy.types.Action, Clip, Carrier]:
    """Return a new action in which the carrier is moved, assigned, the clip that it shows, and what carries it.

    That is the object where a bone turns out not to bring all feet along.
    """
    result, clip, carrier = _written(armature, motion_of, motion, carrier, name)
    _travel_on(armature, carrier.named(clip))
    return result, clip, carrier


def _written(
    armature: bpy.types.Object, motion_of: Sample, motion: RootMotion, carrier: Carrier, name: str
) -> tuple[bpy.types.Action, Clip, Carrier]:
    clip = motion_of.clip
    if carrier.joint is not None:
        return *write_as_animated(armature, motion_of, root_motion.apply(clip, carrier.joint, motion), name), carrier
    moved = carried(clip, motion)
    if carrier.bone is not None:
        source = active_action(armature)
        result = _write_bone(armature, carrier.bone, motion_of, motion, name)
        off = np.abs(clip_shown(armature, motion_of)[0].positions - moved.positions).max()
        if off < BROUGHT * np.mean([limb.length(clip) for limb in motion_of.limbs]):
            return result, moved, carrier
        actions.assign(armature, source)
        baked.put_to_rest(armature, result)
        bpy.data.actions.remove(result)
    _refuse_unless_object_can_move(armature)
    result = write(armature, motion_of, clip, name)
    _move_object(armature, motion_of, motion)
    return result, moved, Carrier()


def _travel_on(armature: bpy.types.Object, name: str) -> None:
    """Let what carries the travel of a cyclic action begin each cycle where the last one ended."""
    channels = all_channels_of(armature)
    placing = channels.of_object.get("location") if name == OBJECT else channels.of_bones.get((name, "location"))
    for curve in (placing or {}).values():
        for modifier in curve.modifiers:
            if isinstance(modifier, bpy.types.FModifierCycles):
                modifier.mode_before = modifier.mode_after = "REPEAT_OFFSET"


def _write_bone(
    armature: bpy.types.Object, name: str, motion_of: Sample, motion: RootMotion, action: str
) -> bpy.types.Action:
    """Return a new action in which a bone without parent, and with it all that follows it, is moved."""
    channels, frames = channels_of(armature), motion_of.frames
    bone = armature.pose.bones[name]
    turn = rotations.from_axis_angle(np.array([0.0, 0.0, 1.0]), motion.turn)
    placed = object_transform.of(armature, channels, frames)
    rest = rest_matrix(bone.bone)
    # The bone's rest pose in the world: its own channels are seen from there.
    mirrors = placed.mirrors
    axes = rotations.multiply(placed.rotations, mirrored(rotations.from_matrices(rest[None, :3, :3]), mirrors))
    at_rest = placed.scales[:, None] * mirrored_steps(rest[:3, 3], mirrors)
    origin = placed.locations + rotations.rotate(placed.rotations, at_rest)
    step = rotations.rotate(turn, origin) + motion.displacement - origin
    own_turn = mirrored(rotations.multiply(rotations.inverse(axes), rotations.multiply(turn, axes)), mirrors)
    own_step = mirrored_steps(rotations.rotate(rotations.inverse(axes), step), mirrors) / placed.scales[:, None]
    located = bone_values(channels, bone, "location", frames)
    changes = differing(bone, "location", located, rotations.rotate(own_turn, located) + own_step, 1e-6)
    if np.any(motion.turn):
        mode = bone.rotation_mode
        own = rotation_modes.to_quaternions(mode, bone_values(channels, bone, rotation_modes.property_of(mode), frames))
        changes += turned_to(bone, channels, frames, rotations.multiply(own_turn, own))
    refuse_impossible(armature, changes, channels, frames)
    return write_planned(armature, changes, motion_of.key_frames, action)


def _refuse_unless_object_can_move(armature: bpy.types.Object) -> None:
    if not object_transform.follows_curves(armature):
        raise RigError(
            '"{armature}" is placed by its parent or a constraint: choose a bone for the root motion',
            armature=armature.name,
        )
    if any(not driver.mute for driver in armature.animation_data.drivers if driver.data_path in _PLACING):
        raise RigError('"{armature}" is placed by drivers: choose a bone for the root motion', armature=armature.name)
    if armature.matrix_world.is_negative:
        raise RigError(
            '"{armature}" is mirrored by a negative scale: choose a bone for the root motion', armature=armature.name
        )


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
            if not curve.modifiers:
                cycle_like_the_others(curve, channelbag)
