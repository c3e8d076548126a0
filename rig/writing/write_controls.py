# SPDX-License-Identifier: GPL-3.0-or-later
"""From a Clip to a new action in which the rig's controls, not the bones that they move, bring the limbs there.

A rig may do anything between its controls and its limbs, so it is asked: the controls are moved by what the limbs lack,
the frames are stepped through, and what is still lacking is made up for.
"""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import numpy as np

from ...solver import rotations
from ...solver.cleanup.solution import displace_roots
from ...solver.clip import Clip
from ...solver.limb import LimbSettings, solve_pose
from ...solver.rotations import FloatArray
from ...solver.signals import BoolArray, IntArray
from ..common.wording import RigError
from ..controls.lengths import lengths_of
from ..controls.limb_controls import any_is_held, find_controls, forget_controls, needs_controls
from ..controls.looks import (
    STILL_M,
    THERE,
    Look,
    Task,
    Values,
    at_start,
    look,
    movers,
    sizes,
    there_for,
    with_way_given,
)
from ..controls.probe import location_axes
from ..controls.turns import carried_along, rotation_vectors, turned_by, turners_of, turns_of_controls
from ..curves import actions, baked
from ..curves.channels import active_action, bone_rotations, bone_values, channels_of
from ..curves.regime import is_scaled_unevenly
from ..sampling.sample import Sample, clip_shown
from .write import Change, differing, refuse_impossible, turned_to, write, write_planned

# How many rounds are tried at most.
_ROUNDS = 10

# A limb that is longer or shorter than it may be by more than this is refused (metres, likewise).
_STRETCHED = 5e-3

# What a foot gives way shortens its limb by no less than this share.
_LEAST_GAIN = 0.1

# Frames are looked at again down to this share of what is there: it costs little, since few are left by then.
_ENOUGH = 0.25

# A round that does not bring a frame nearer by this share does not help it; _IDLE_ROUNDS of these in a row end it.
_WORTH_A_ROUND = 0.05
_IDLE_ROUNDS = 3

# Where a round covers less than this share of what was lacking, the next takes twice the stride, up to this factor.
_IDLE = 0.2
_LONGEST_STRIDE = 8.0

# Smaller turns than this are rounding.
_STILL_RAD = 1e-6


def write_as_animated(
    armature: bpy.types.Object, sample: Sample, clip: Clip, name: str
) -> tuple[bpy.types.Action, Clip]:
    """Write ``clip`` as ``write`` does, through a rig's controls where it has them; return the action and what is seen.

    On a control rig what is seen may differ from ``clip``: toes and roots are brought to its places, feet, toes and
    roots are turned as there, where the rig has something that turns them, and everything else is the rig's.
    """
    if not needs_controls(armature, sample):
        action = write(armature, sample, clip, name)
        bones = [armature.pose.bones[bone] for bone in sample.bones if bone is not None]
        if is_scaled_unevenly(bones, channels_of(armature), sample.frames):
            # Limbs were solved as if turning them did not change their lengths.
            return action, clip_shown(armature, sample)[0]
        return action, clip
    actions.refuse_uneditable(armature)
    actions.refuse_other_animation(armature)
    directly = _written_directly(armature, sample, clip, name)
    if directly is not None:
        return directly
    controls = find_controls(armature, sample, clip)
    source = active_action(armature)
    channels = channels_of(armature)
    own = {}
    for name_of_bone in controls.bones:
        bone = armature.pose.bones[name_of_bone]
        own[bone.name] = (
            bone_rotations(channels, bone, sample.frames),
            bone_values(channels, bone, "scale", sample.frames),
        )
    turners = turners_of(controls, sample.clip, sample.limbs)
    lengths = [lengths_of(sample.clip, limb) for limb in sample.limbs]
    task = Task(armature, source, sample, clip, controls, turners, own, lengths, name)
    try:
        shown = _in_rounds(task)
        _refuse_stretched(task, shown)
    except Exception:
        forget_controls()
        _drop_result(armature, source)
        raise
    return shown.action, shown.clip


def _written_directly(
    armature: bpy.types.Object, sample: Sample, clip: Clip, name: str
) -> tuple[bpy.types.Action, Clip] | None:
    """Write a clip in which only bones differ that nothing holds, such as one that carries the whole rig.

    None, with nothing changed, where that does not bring the limbs to their places.
    """
    differing_joints = np.flatnonzero(
        np.any(rotations.angle_between(sample.clip.local_rotations, clip.local_rotations) > _STILL_RAD, axis=0)
        | np.any(np.abs(sample.clip.local_locations - clip.local_locations) > STILL_M, axis=(0, 2))
    )
    names = {bone for joint in differing_joints if (bone := sample.bones[joint]) is not None}
    if any_is_held(armature, names):
        return None
    source = active_action(armature)
    try:
        result = write(armature, sample, clip, name)
    except RigError:
        return None  # other controls may do it
    shown, _ = clip_shown(armature, sample)
    if np.abs(shown.positions - clip.positions).max() <= there_for(sample):
        return result, shown
    _drop_result(armature, source)
    return None


@dataclass(frozen=True)
class _Best:
    """The best values so far of what each point follows, and ``(F, P)`` how far they missed."""

    values: Values
    missed: FloatArray


def _in_rounds(task: Task) -> Look:
    """Write, look and correct where points are not in place, as long as it helps; then keep the best of each point.

    Frames are independent of each other, so that only those are looked at again that are not right yet.
    """
    there = there_for(task.sample)
    enough = _ENOUGH * there
    given = more = np.zeros((task.clip.frame_count, len(task.points)))
    shown = at_start(task, given)
    best = _Best(shown.values, np.full(shown.missed.shape, np.inf))
    stride = np.ones(shown.missed.shape)
    idle_rounds = np.zeros(len(stride), dtype=np.intp)
    rows = np.arange(len(stride))
    for _ in range(_ROUNDS):
        before = shown
        wanted = before.lacking * stride[..., None]
        values = _chosen(task, _only(rows, stride.shape), _corrected(task, before, wanted), before.values)
        shown = _written(task, values, given, before, rows)
        idle_rounds = np.where(_helped(shown.missed, best.missed, enough), 0, idle_rounds + 1)
        # What is there stays as it was seen last: it need not be looked at again.
        better = (shown.missed < best.missed) | (shown.missed <= enough)
        best = _Best(_chosen(task, better, values, best.values), np.minimum(shown.missed, best.missed))
        wrong = (shown.missed > enough).any(axis=1) & (idle_rounds < _IDLE_ROUNDS)
        rows = np.flatnonzero(wrong)
        if not rows.size:
            break
        stride = _next_stride(before.lacking, shown.lacking, stride, there)
        more = _way_given(more, before.too_long, shown.too_long, np.where(wrong[:, None], shown.too_long, 0.0))
        given = given + more
        shown = with_way_given(task, shown, given)
    # A frame that has been seen in place as a whole is not put together from several rounds and looked at again.
    in_place = _only(np.flatnonzero((shown.missed <= there).all(axis=1)), shown.missed.shape)
    kept = _chosen(task, in_place, shown.values, best.values)
    mixed = np.flatnonzero(_differ(kept, shown.values))
    return _written(task, kept, given, shown, mixed) if mixed.size else shown


def _refuse_stretched(task: Task, shown: Look) -> None:
    """Raise RigError where what is seen has a limb that came apart, or is longer than it may be, for all the rounds."""
    most = _STRETCHED / THERE * there_for(task.sample)
    for limb, lengths in zip(task.sample.limbs, task.lengths, strict=True):
        _, worst = lengths.too_long(shown.clip)
        if worst.max() > most:
            raise RigError(
                'the controls would stretch "{limb}" by {stretch:.0f} mm at frame {frame:.0f}: key a control that '
                "moves its whole foot, or bake the action first",
                limb=limb.name,
                stretch=1000.0 * worst.max(),
                frame=task.sample.frames[worst.argmax()],
            )


def _next_stride(lacked: FloatArray, lacking: FloatArray, stride: FloatArray, there: float) -> FloatArray:
    """Return by how many times ``(F, P)`` of what is lacking points are to be moved next.

    A control that is further out than its leg can follow shows nothing until it has been brought back.
    """
    gone = np.sum((lacked - lacking) * lacked, axis=-1) / np.maximum(sizes(lacked) ** 2, STILL_M**2)
    idle = (np.abs(gone) < _IDLE) & (sizes(lacking) > there)
    return np.where(idle, np.minimum(2.0 * stride, _LONGEST_STRIDE), 1.0)


def _helped(missed: FloatArray, least: FloatArray, there: float) -> BoolArray:
    """Whether a round brought a point of a frame ``(F,)`` nearer, by a share that is worth another one."""
    return np.asarray(((least > there) & (missed < (1.0 - _WORTH_A_ROUND) * least)).any(axis=1))


def _way_given(given: FloatArray, before: FloatArray, shown: FloatArray, too_long: FloatArray) -> FloatArray:
    """Return by how much more ``(F, P)`` points are to be given way, from what it did to the lengths last time.

    given, before : the way given last time, and the metres too long before it.
    shown, too_long : the metres too long that were seen with it; zero where no more is to be given.
    """
    gain = np.where(np.abs(given) > STILL_M, (before - shown) / np.where(given == 0.0, 1.0, given), 1.0)
    return np.asarray(too_long / np.clip(gain, _LEAST_GAIN, 1.0))


def _only(rows: IntArray, shape: tuple[int, ...]) -> BoolArray:
    chosen = np.zeros(shape, dtype=np.bool_)
    chosen[rows] = True
    return chosen


def _differ(some: Values, others: Values) -> BoolArray:
    """Return the frames ``(F,)`` on which values differ."""
    return np.any([np.any(values != others[key], axis=1) for key, values in some.items()], axis=0)


def _written(task: Task, values: Values, given: FloatArray, before: Look, rows: IntArray) -> Look:
    """Replace the result by one with these values, and look at the frames that are others than ``before``."""
    _drop_result(task.armature, task.source)
    channels = channels_of(task.armature)
    frames = task.sample.frames
    changes: list[Change] = []
    for (name, kind), new in values.items():
        bone = task.armature.pose.bones[name]
        if kind == "location":
            changes += differing(bone, kind, bone_values(channels, bone, kind, frames), new, STILL_M)
        elif np.any(rotations.angle_between(bone_rotations(channels, bone, frames), new) > _STILL_RAD):
            changes += turned_to(bone, channels, frames, new)
    refuse_impossible(task.armature, changes, channels, frames)
    write_planned(task.armature, changes, task.sample.key_frames, task.name)
    return look(task, values, given, before, rows)


def _drop_result(armature: bpy.types.Object, source: bpy.types.Action) -> None:
    """Put the source action back and remove what was made of it."""
    result = active_action(armature)
    if result is not source:
        actions.assign(armature, source)
        baked.put_to_rest(armature, result)
        bpy.data.actions.remove(result)


def _corrected(task: Task, shown: Look, wanted: FloatArray) -> Values:
    """Return values with the points brought further by ``wanted`` ``(F, P, 3)``, and turned as they lack."""
    controls, roots = task.controls, len(task.controls.roots)
    turns = turns_of_controls(task.turners, shown.turns, shown.worlds, shown.clip)
    places = shown.clip.positions[:, task.points]
    steps = wanted - carried_along(task.turners, shown.turns, shown.worlds, places)
    new = dict(shown.values)
    for at, bone in enumerate(controls.roots.values()):
        new[bone, "location"] = _moved(task, shown, bone, steps[:, at])
    rooted = _rooted(task, shown.clip, wanted[:, :roots], turns)
    for at, limb in enumerate(controls.limbs):
        if limb.target:
            follows = (limb.share > 0.0)[:, None]
            new[limb.target, "location"] = _moved(task, shown, limb.target, steps[:, roots + at] * follows)
        if limb.turning:
            targets = places[:, roots + at] + wanted[:, roots + at]
            turns |= _forward_turns(task, at, rooted, targets)
    own = {bone: shown.values[bone, "rotation"] for bone in turns}
    for bone, rotation in turned_by(task.armature, turns, shown.worlds, own).items():
        new[bone, "rotation"] = rotation
    return new


def _rooted(task: Task, clip: Clip, steps: FloatArray, turns: dict[str, FloatArray]) -> Clip:
    """Return the clip with its roots moved by ``steps`` ``(F, R, 3)``, and turned by what turns them."""
    vectors = np.zeros_like(steps)
    for at, root in enumerate(task.controls.roots):
        bone = task.controls.turning_roots.get(root)
        if bone is not None:
            vectors[:, at] = rotation_vectors(turns[bone])
    return displace_roots(clip, tuple(task.controls.roots), steps, vectors)


def _forward_turns(task: Task, at: int, rooted: Clip, targets: FloatArray) -> dict[str, FloatArray]:
    """Return by how much the controls that turn a limb's joints have to go on so that its toe is at ``targets``."""
    limb, control = task.sample.limbs[at], task.controls.limbs[at]
    forward = (control.share < 1.0)[:, None]
    pose = solve_pose(rooted, limb, targets, LimbSettings(), task.clip)
    turns = {}
    for joint, world in pose.turned(limb).items():
        if joint in control.turning:
            turn = rotations.multiply(world, rotations.inverse(rooted.rotations[:, joint]))
            turns[control.turning[joint]] = np.where(forward, turn, rotations.IDENTITY)
    return turns


def _moved(task: Task, shown: Look, bone: str, step: FloatArray) -> FloatArray:
    """Return the location ``(F, 3)`` of a control moved further by ``step`` ``(F, 3)`` metres in the world."""
    object_axes = np.array(task.armature.matrix_world, dtype=np.float64)[:3, :3]
    world = shown.worlds[bone][:, :3, :3]
    rotation, scale = task.own[bone]
    # What it has been turned by in the rounds before is among what is seen of it.
    turned = rotations.to_matrices(shown.values.get((bone, "rotation"), rotation))
    axes = location_axes(task.armature.pose.bones[bone], object_axes, world, turned * scale[:, None, :])
    return np.asarray(shown.values[bone, "location"] + np.linalg.solve(axes, step[..., None])[..., 0])


def _chosen(task: Task, better: BoolArray, values: Values, best: Values) -> Values:
    """Return ``values`` where the point that a control moves is ``better`` ``(F, P)`` with them, else ``best``."""
    chosen: Values = {}
    for point, keys in enumerate(movers(task)):
        for key in keys:
            chosen[key] = np.where(better[:, point, None], values[key], best[key])
    return chosen
