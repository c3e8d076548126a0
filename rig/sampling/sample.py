# SPDX-License-Identifier: GPL-3.0-or-later
"""From an armature and its action to a Clip of the limbs and what they hang from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import bpy
import numpy as np

from ...solver import rotations
from ...solver.arrays import FloatArray, IntArray
from ...solver.clip import Clip, Skeleton
from ...solver.limb import Limb
from ..common import versions
from ..common.scene import frames_per_second
from ..common.steps import Steps, finished
from ..common.wording import RigError
from ..curves import object_transform, regime, rotation_modes, stack
from ..curves.channels import (
    Channels,
    active_action,
    all_channels_of,
    bone_values,
    channels_in,
    channels_of,
    motion_range,
    refuse_strips_of_others,
)
from ..curves.keys import end_holds
from ..curves.left_values import put_left_values_to_rest
from ..curves.mirrors import mirrored, mirrored_steps, turns_of
from ..legs.bone_tree import rest_matrix
from ..legs.by_hand import part_name, refuse_loose_bones
from ..legs.limb_bones import LimbBones, tip_of
from . import evaluated

# Furthest that a joint may lie from where Blender puts it: in metres, and in steps between two numbers of Blender's
# single precision where the joint is, which are longer than that far from the origin.
PROBE_TOLERANCE_M = 1e-5
_PROBE_STEPS = 4.0
_PROBES = 5


@dataclass(frozen=True)
class Sample:
    """An action as a clip, and what is needed to write the clip back.

    clip : of the limbs' bones and all their ancestors only; the object's own motion is in the roots.
    limbs : the limbs asked for, as indices into the clip's skeleton.
    frames : (F,) scene frames, whole and without gaps.
    bones : name of each joint's bone; None for the tip of a bone.
    evaluated : whether Blender stepped through the frames; False where the curves alone told all.
    animated : world matrices ``(F, 4, 4)`` of the bones that the action animates, where Blender stepped through.
    """

    clip: Clip
    limbs: tuple[Limb, ...]
    frames: FloatArray
    bones: tuple[str | None, ...]
    evaluated: bool
    animated: Mapping[str, FloatArray] = field(default_factory=dict)

    @property
    def key_frames(self) -> FloatArray:
        """(F,) scene frames to key the clip on: between two frames at its ends, where the action's own keys begin and
        end there."""
        return self.frames[0] + self.clip.frame_times


def sample(
    armature: bpy.types.Object,
    limbs: Sequence[LimbBones],
    frames: tuple[int, int] | None = None,
    *,
    whole: bool = False,
) -> Sample:
    """Return the motion of ``limbs`` over scene ``frames``, first and last; None for all that is keyed.

    whole : of all bones and their tips.

    The curves are read directly where that gives Blender's own pose to 1e-5 m, or to its single precision far from the
    origin, which is looked for and then probed at a few frames; else the scene is stepped through, and put back where
    it was. Values that a result has left on channels without keys are put to rest first.

    Raises
    ------
    RigError
        Where there is no action or slot, the action is another armature's, a bone is missing, the object is scaled
        unevenly, or the range is empty.
    """
    return finished(sample_in_steps(armature, limbs, frames, whole=whole))


def sample_in_steps(
    armature: bpy.types.Object,
    limbs: Sequence[LimbBones],
    frames: tuple[int, int] | None = None,
    *,
    whole: bool = False,
) -> Steps[Sample]:
    """Do what ``sample`` does, in steps."""
    several = stack.plays_strips(armature)
    if several:
        refuse_strips_of_others(armature)
    else:
        put_left_values_to_rest(armature)
    name = armature.name if several else active_action(armature).name
    if armature.data.pose_position == "REST":
        raise RigError(
            '"{armature}" shows its rest pose: switch it to Pose Position (Armature tab)', armature=armature.name
        )
    channels = all_channels_of(armature) if several else channels_of(armature)
    bones = _needed_bones(armature, limbs)
    numbers = _frame_numbers(name, frames or motion_range(armature))
    tips = _needed_tips(limbs)
    if whole:
        bones, tips = _all_bones(armature, limbs)

    clip: Clip | None = None
    if regime.moved_by_curves_only(armature, bones, channels, numbers):
        clip = _from_curves(armature, bones, tips, channels, numbers)
        if not _blender_agrees(armature, bones, clip, numbers):
            clip = None
    exact = clip is not None
    animated: dict[str, FloatArray] = {}
    if clip is None:
        also = [name for name in dict.fromkeys(bone for bone, _ in channels.of_bones) if name in armature.pose.bones]
        clip, worlds = yield from _from_evaluation(armature, bones, tips, numbers, also)
        animated = {name: worlds[:, at] for at, name in enumerate(also)}
    _refuse_broken_numbers(name, clip)
    if not several:
        clip = replace(clip, end_holds=end_holds(channels, armature.pose.bones.keys(), numbers))
    return replace(_sampled(clip, limbs, bones, numbers, evaluated=not exact), animated=animated)


def sample_by_looking(
    armature: bpy.types.Object, limbs: Sequence[LimbBones], action: bpy.types.Action | None = None
) -> Sample | None:
    """Return the motion by the curves alone, of the assigned action or of another one; None where they do not tell all.

    Nothing is evaluated, so that a pose that is being edited and has no keys yet stays as it is.
    """
    if stack.plays_strips(armature):
        return None
    chosen = active_action(armature) if action is None else action
    slot = chosen.slots.get(armature.animation_data.action_slot.identifier)
    channels = channels_in(None if slot is None else versions.channelbag_of(chosen, slot))
    bones = _needed_bones(armature, limbs)
    span = channels.key_range(armature.pose.bones.keys())
    if span is None or armature.data.pose_position == "REST":
        return None
    numbers = np.arange(span[0], span[1] + 1, dtype=np.float64)
    if not regime.moved_by_curves_only(armature, bones, channels, numbers):
        return None
    clip = _from_curves(armature, bones, _needed_tips(limbs), channels, numbers)
    _refuse_broken_numbers(chosen.name, clip)
    clip = replace(clip, end_holds=end_holds(channels, armature.pose.bones.keys(), numbers))
    return _sampled(clip, limbs, bones, numbers, evaluated=False)


def _sampled(
    clip: Clip, limbs: Sequence[LimbBones], bones: list[bpy.types.PoseBone], frames: FloatArray, *, evaluated: bool
) -> Sample:
    names = clip.skeleton.names
    tips = len(names) - len(bones)
    return Sample(
        clip=clip,
        limbs=tuple(_limb_of(limb, names) for limb in limbs),
        frames=frames,
        bones=tuple([bone.name for bone in bones] + [None] * tips),
        evaluated=evaluated,
    )


def _needed_bones(armature: bpy.types.Object, limbs: Sequence[LimbBones]) -> list[bpy.types.PoseBone]:
    """Return the limbs' bones and all their ancestors, parents before their children."""
    if not limbs:
        raise RigError('"{armature}" has no legs set: find or choose them first', armature=armature.name)
    needed: dict[str, bpy.types.PoseBone] = {}
    for limb in limbs:
        for part in ("root", "hip", "knee", "heel"):
            if not getattr(limb, part):
                raise RigError(
                    'limb "{limb}" has no {part}: choose it in the Limbs panel',
                    limb=limb.name,
                    part=part_name(limb, part),
                )
        for name in limb.bones:
            bone = armature.pose.bones.get(name)
            if bone is None:
                raise RigError(
                    '"{armature}" has no bone "{name}" (limb "{limb}"): find the legs again',
                    armature=armature.name,
                    name=name,
                    limb=limb.name,
                )
            for one in [*reversed(bone.parent_recursive), bone]:
                needed.setdefault(one.name, one)
        refuse_loose_bones(armature, limb)
    return list(needed.values())


def _needed_tips(limbs: Sequence[LimbBones]) -> list[str]:
    """Return the bones whose tip is a joint of a limb."""
    tips: dict[str, None] = {}
    for limb in limbs:
        for bone, joint in ((limb.heel, limb.toe_joint), (limb.toe, limb.toe_end_joint)):
            if joint == tip_of(bone) and bone:
                tips[bone] = None
    return list(tips)


def _all_bones(armature: bpy.types.Object, limbs: Sequence[LimbBones]) -> tuple[list[bpy.types.PoseBone], list[str]]:
    """Return all bones, parents before their children, and those whose tip is a joint: no other bone starts there."""
    bones = list(armature.pose.bones)
    names = {bone.name for bone in bones}
    ends = [bone.name for bone in bones if not bone.children and tip_of(bone.name) not in names]
    return bones, list(dict.fromkeys([*_needed_tips(limbs), *ends]))


def _frame_numbers(action_name: str, span: tuple[int, int] | None) -> FloatArray:
    if span is None:
        raise RigError('action "{action}" has no keys: choose another action', action=action_name)
    if span[1] < span[0]:
        raise RigError(
            "frames {first} to {last} are no range: the last frame has to come after the first",
            first=span[0],
            last=span[1],
        )
    return np.arange(span[0], span[1] + 1, dtype=np.float64)


def _limb_of(limb: LimbBones, names: tuple[str, ...]) -> Limb:
    toe_end = limb.toe_end_joint
    return Limb(
        name=limb.name,
        root=names.index(limb.root),
        hip=names.index(limb.hip),
        knee=names.index(limb.knee),
        heel=names.index(limb.heel),
        toe=names.index(limb.toe_joint),
        toe_end=None if toe_end is None else names.index(toe_end),
        hand=limb.hand,
        hock=names.index(limb.hock) if limb.hock else None,
        lower_leg=limb.lower_leg,
    )


def _skeleton(
    bones: list[bpy.types.PoseBone], tips: list[str], transform: object_transform.ObjectTransform
) -> Skeleton:
    """Return the skeleton at rest, the object where it is at the first frame."""
    names = [bone.name for bone in bones]
    parents = [-1 if bone.parent is None else names.index(bone.parent.name) for bone in bones]
    rests = np.array([rest_matrix(bone.bone) for bone in bones])
    turned = mirrored(rotations.from_matrices(rests[:, :3, :3]), transform.mirrors)
    located = mirrored_steps(rests[:, :3, 3], transform.mirrors) * transform.scales[0]
    for joint, parent in enumerate(parents):
        if parent < 0:
            located[joint] = transform.locations[0] + rotations.rotate(transform.rotations[0], located[joint])
            turned[joint] = rotations.multiply(transform.rotations[0], turned[joint])
    lengths = np.array([bones[names.index(tip)].bone.length for tip in tips])
    return Skeleton(
        names=(*names, *(tip_of(tip) for tip in tips)),
        parents=(*parents, *(names.index(tip) for tip in tips)),
        rest_rotations=np.concatenate([turned, np.tile(rotations.IDENTITY, (len(tips), 1))]),
        rest_locations=np.concatenate([located, lengths[:, None] * np.array([0.0, transform.scales[0], 0.0])]),
    )


def _from_curves(
    armature: bpy.types.Object, bones: list[bpy.types.PoseBone], tips: list[str], channels: Channels, frames: FloatArray
) -> Clip:
    """Return the clip by the curves alone: a bone's transform is its parent's, times its rest, times its channels.

    With whole matrices, not with rotations: Blender's rest matrices are not quite orthogonal, by 1e-5 for bones that
    point down, and what hangs from a bone is placed by the matrix as it is.
    """
    transform = object_transform.from_curves(armature, channels, frames)
    skeleton = _skeleton(bones, tips, transform)
    objects = object_transform.matrices(transform)
    worlds = np.array([rest_matrix(bone.bone) for bone in bones]) @ own_matrices(bones, channels, frames)
    for joint, parent in enumerate(skeleton.parents[: len(bones)]):
        worlds[:, joint] = (objects if parent < 0 else worlds[:, parent]) @ worlds[:, joint]
    return _clip_of(bones, skeleton, worlds)


def own_matrices(bones: list[bpy.types.PoseBone], channels: Channels, frames: FloatArray) -> FloatArray:
    """Return what each bone's channels do to its rest ``(F, B, 4, 4)``."""
    own = np.tile(np.eye(4), (len(frames), len(bones), 1, 1))
    modes = [bone.rotation_mode for bone in bones]
    for mode in set(modes):
        of_mode = [at for at, one in enumerate(modes) if one == mode]
        name = rotation_modes.property_of(mode)
        turns = np.stack([bone_values(channels, bones[at], name, frames) for at in of_mode], axis=1)
        own[:, of_mode, :3, :3] = rotations.to_matrices(rotation_modes.to_quaternions(mode, turns))
    for at, bone in enumerate(bones):
        own[:, at, :3, :3] *= bone_values(channels, bone, "scale", frames)[:, None, :]
        # The location of a bone that is connected to its parent counts for nothing.
        if bone.parent is None or not bone.bone.use_connect:
            own[:, at, :3, 3] = bone_values(channels, bone, "location", frames)
    return own


def _from_evaluation(
    armature: bpy.types.Object,
    bones: list[bpy.types.PoseBone],
    tips: list[str],
    frames: FloatArray,
    also: Sequence[str],
) -> Steps[tuple[Clip, FloatArray]]:
    """Return the clip by stepping through the scene, and the world matrices ``(F, B, 4, 4)`` of other bones."""
    if not evaluated.can_be_evaluated(armature):
        raise RigError(
            '"{armature}" is hidden or not in this view layer, and its constraints need it: show it',
            armature=armature.name,
        )
    names = [bone.name for bone in bones]
    objects, poses = yield from evaluated.frame_by_frame(armature, [*names, *also], frames)
    skeleton = _skeleton(bones, tips, object_transform.split(objects, armature.name))
    worlds = objects[:, None] @ poses
    return _clip_of(bones, skeleton, worlds[:, : len(names)]), worlds[:, len(names) :]


def clip_shown(
    armature: bpy.types.Object, like: Sample, also: Sequence[str] = (), rows: IntArray | None = None
) -> tuple[Clip, FloatArray]:
    """Return the clip that is seen now on a sample's frames, and the world matrices ``(F, B, 4, 4)`` of other bones.

    rows : which of the frames to look at, by index; None for all.
    """
    bones = [armature.pose.bones[name] for name in like.bones if name is not None]
    names = [bone.name for bone in bones]
    frames = like.frames if rows is None else like.frames[rows]
    objects, poses = evaluated.step_through(armature, [*names, *also], frames)
    worlds = objects[:, None] @ poses
    shown = replace(_clip_of(bones, like.clip.skeleton, worlds[:, : len(names)]), end_holds=like.clip.end_holds)
    return shown, worlds[:, len(names) :]


def _clip_of(bones: list[bpy.types.PoseBone], skeleton: Skeleton, worlds: FloatArray) -> Clip:
    """Return the clip in which bones are as their world ``(F, B, 4, 4)`` says; scale is in the joints' distances."""
    lengths = np.array([bone.bone.length for bone in bones])
    at_tips = np.array(skeleton.parents[len(bones) :], dtype=np.intp)
    tipped = worlds[:, at_tips]
    tip_positions = tipped[..., :3, 3] + tipped[..., :3, 1] * lengths[at_tips, None]
    turned = evaluated.continuous(turns_of(worlds[..., :3, :3]))
    turned = np.concatenate([turned, turned[:, at_tips]], axis=1)
    positions = np.concatenate([worlds[..., :3, 3], tip_positions], axis=1)
    parents = np.array(skeleton.parents)
    hanging = parents >= 0
    local_rotations, local_locations = turned.copy(), positions.copy()
    back = rotations.inverse(turned[:, parents[hanging]])
    local_rotations[:, hanging] = rotations.multiply(back, turned[:, hanging])
    local_locations[:, hanging] = rotations.rotate(back, positions[:, hanging] - positions[:, parents[hanging]])
    return Clip(skeleton, frames_per_second(), local_rotations, local_locations)


def _blender_agrees(
    armature: bpy.types.Object, bones: list[bpy.types.PoseBone], clip: Clip, frames: FloatArray
) -> bool:
    """Compare a few frames, the first and the last among them, with Blender's own evaluation."""
    if not evaluated.can_be_evaluated(armature):
        # Hidden, it cannot be asked; what was seen by looking has to do.
        return True
    probes = np.unique(np.linspace(0, len(frames) - 1, _PROBES).astype(np.intp))
    objects, poses = evaluated.step_through(armature, [bone.name for bone in bones], frames[probes])
    worlds = objects[:, None] @ poses
    count = len(bones)
    positions = clip.positions[probes, :count]
    shown = turns_of(worlds[..., :3, :3])
    turn = rotations.angle_between(clip.rotations[probes, :count], shown).max()
    off = np.abs(positions - worlds[..., :3, 3]).max()
    return bool(off <= _probe_tolerance(objects, poses) and turn <= 1e-4)


def _probe_tolerance(objects: FloatArray, poses: FloatArray) -> float:
    """Return how far in metres joints may lie from where Blender puts them, which rounds at each step to their places.

    objects, poses : world matrices ``(F, 4, 4)`` of the object, and ``(F, B, 4, 4)`` of the bones in its frame.
    """
    scale = np.linalg.norm(objects[:, :3, :3], axis=1).max()
    furthest = max(np.abs(objects[:, :3, 3]).max(), scale * np.abs(poses[..., :3, 3]).max())
    return max(PROBE_TOLERANCE_M, _PROBE_STEPS * float(np.spacing(np.float32(furthest))))


def _refuse_broken_numbers(action_name: str, clip: Clip) -> None:
    broken = ~(np.isfinite(clip.local_rotations).all(axis=(0, 2)) & np.isfinite(clip.local_locations).all(axis=(0, 2)))
    if np.any(broken):
        name = clip.skeleton.names[int(np.argmax(broken))]
        raise RigError(
            'action "{action}" has keys of bone "{name}" that are no numbers: mend or delete them',
            action=action_name,
            name=name,
        )


def sample_stand(armature: bpy.types.Object, limbs: Sequence[LimbBones], frames: FloatArray) -> Sample:
    """Return the pose that the whole armature has now, every bone of it, held over scene ``frames`` (F,)."""
    now = np.array([float(bpy.context.scene.frame_current)])
    stand = sample_whole(armature, limbs, now)
    clip = stand.clip
    held = clip.moved(
        np.repeat(clip.local_rotations, len(frames), axis=0), np.repeat(clip.local_locations, len(frames), axis=0)
    )
    return replace(stand, clip=held, frames=frames)


def sample_whole(armature: bpy.types.Object, limbs: Sequence[LimbBones], frames: FloatArray) -> Sample:
    """Return the poses of the whole armature, every bone of it, over scene ``frames`` (F,), as Blender shows them."""
    if armature.data.pose_position == "REST":
        raise RigError(
            '"{armature}" shows its rest pose: switch it to Pose Position (Armature tab)', armature=armature.name
        )
    _needed_bones(armature, limbs)
    bones, tips = _all_bones(armature, limbs)
    objects, poses = evaluated.step_through(armature, [bone.name for bone in bones], frames)
    skeleton = _skeleton(bones, tips, object_transform.split(objects, armature.name))
    clip = _clip_of(bones, skeleton, objects[:, None] @ poses)
    return _sampled(clip, limbs, bones, frames, evaluated=True)
