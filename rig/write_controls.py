# SPDX-License-Identifier: GPL-3.0-or-later
"""From a Clip to a new action in which the rig's controls, not the bones that they move, bring the limbs there.

A rig may do anything between its controls and its limbs, so it is asked: the controls are moved by what the limbs lack,
the frames are stepped through, and what is still lacking is made up for.
"""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import numpy as np

from ..solver import rotations
from ..solver.clip import Clip
from ..solver.limb import LimbPose, LimbSettings, solve_pose
from ..solver.rotations import FloatArray
from ..solver.signals import BoolArray
from ..solver.solution import displace_roots
from . import actions, baked
from .channels import active_action, bone_rotations, bone_values, channels_of
from .controls import Controls, find_controls, needs_controls
from .evaluated import without_scale
from .probe import location_axes, turned_channels
from .sample import Sample, clip_shown
from .write import Change, differing, refuse_impossible, turned_to, write, write_planned

# A toe or root this near to where it has to be is there (metres for a 0.9 m leg), and the rounds that are tried.
_THERE = 2e-4
_ROUNDS = 6

# Where a round covers less than this share of what was lacking, the next takes twice the stride, up to so many times.
_IDLE = 0.2
_LONGEST_STRIDE = 8.0

# Smaller changes than these are rounding.
_STILL_M = 1e-6
_STILL_RAD = 1e-6


def write_as_animated(
    armature: bpy.types.Object, sample: Sample, clip: Clip, name: str
) -> tuple[bpy.types.Action, Clip]:
    """Write ``clip`` as ``write`` does, through a rig's controls where it has them; return the action and what is seen.

    On a control rig what is seen may differ from ``clip``: toes and roots are brought to its places, everything else is
    the rig's.
    """
    if not needs_controls(armature, sample):
        return write(armature, sample, clip, name), clip
    actions.refuse_uneditable(armature)
    actions.refuse_other_animation(armature)
    controls = find_controls(armature, sample, clip)
    source = active_action(armature)
    axes = {bone: _own_axes(armature, bone, sample.frames) for bone in controls.bones}
    try:
        shown = _in_rounds(_Task(armature, source, sample, clip, controls, axes, name))
    except Exception:
        _drop_result(armature, source)
        raise
    return shown.action, shown.clip


# The location or own rotation of each control, ``(F, 3)`` or ``(F, 4)``, by bone and kind.
_Values = dict[tuple[str, str], FloatArray]


@dataclass(frozen=True)
class _Task:
    """What is to be reached, and with what.

    clip : where toes and roots are to be.
    axes : ``(F, 3, 3)`` of each control's own rotation and scale in the source action, which moving it does not change.
    """

    armature: bpy.types.Object
    source: bpy.types.Action
    sample: Sample
    clip: Clip
    controls: Controls
    axes: dict[str, FloatArray]
    name: str

    @property
    def points(self) -> list[int]:
        """The joints to bring to their places: roots that have controls, then the toe of each limb."""
        return [*self.controls.roots, *(limb.toe for limb in self.sample.limbs)]


@dataclass(frozen=True)
class _Shown:
    """What is seen with the action assigned now.

    worlds : ``(F, 4, 4)`` of each control.
    lacking : ``(F, P, 3)`` metres that the points still have to go.
    """

    action: bpy.types.Action
    clip: Clip
    worlds: dict[str, FloatArray]
    lacking: FloatArray


def _in_rounds(task: _Task) -> _Shown:
    """Write, look and correct until all points are in place, or for so many rounds; then keep the best of each."""
    there = _THERE * min(limb.scale(task.sample.clip) for limb in task.sample.limbs)
    values = best = _values(task)
    shown = _look(task)
    least = np.full(shown.lacking.shape[:2], np.inf)
    stride = np.ones(least.shape)
    for _ in range(_ROUNDS):
        lacked = shown.lacking
        values = _corrected(task, shown, lacked * stride[..., None], values)
        shown = _written(task, values)
        lacking = _lengths(shown.lacking)
        better = lacking < least
        least, best = np.minimum(lacking, least), _chosen(task, better, values, best)
        if lacking.max() <= there:
            return shown
        # A control that is further out than its leg can follow shows nothing until it has been brought back.
        gone = np.sum((lacked - shown.lacking) * lacked, axis=-1) / np.maximum(_lengths(lacked) ** 2, _STILL_M**2)
        idle = (np.abs(gone) < _IDLE) & (lacking > there)
        stride = np.where(idle, np.minimum(2.0 * stride, _LONGEST_STRIDE), 1.0)
    return _written(task, best)


def _lengths(vectors: FloatArray) -> FloatArray:
    return np.asarray(np.linalg.norm(vectors, axis=-1))


def _look(task: _Task) -> _Shown:
    seen, worlds = clip_shown(task.armature, task.sample, task.controls.bones)
    lacking = task.clip.positions[:, task.points] - seen.positions[:, task.points]
    by_bone = {bone: worlds[:, at] for at, bone in enumerate(task.controls.bones)}
    return _Shown(active_action(task.armature), seen, by_bone, lacking)


def _written(task: _Task, values: _Values) -> _Shown:
    """Replace the result by one with these values, and look at it."""
    _drop_result(task.armature, task.source)
    channels = channels_of(task.armature)
    frames = task.sample.frames
    changes: list[Change] = []
    for (name, kind), new in values.items():
        bone = task.armature.pose.bones[name]
        if kind == "location":
            changes += differing(bone, kind, bone_values(channels, bone, kind, frames), new, _STILL_M)
        elif np.any(rotations.angle_between(bone_rotations(channels, bone, frames), new) > _STILL_RAD):
            changes += turned_to(bone, channels, frames, new)
    refuse_impossible(task.armature, changes, channels, frames)
    write_planned(task.armature, changes, task.sample.key_frames, task.name)
    return _look(task)


def _drop_result(armature: bpy.types.Object, source: bpy.types.Action) -> None:
    """Put the source action back and remove what was made of it."""
    result = active_action(armature)
    if result is not source:
        actions.assign(armature, source)
        baked.put_to_rest(armature, result)
        bpy.data.actions.remove(result)


def _values(task: _Task) -> _Values:
    """Return what the controls have in the action assigned now."""
    channels = channels_of(task.armature)
    bones, frames = task.armature.pose.bones, task.sample.frames
    found: _Values = {}
    for bone in (*task.controls.roots.values(), *(limb.target for limb in task.controls.limbs)):
        if bone:
            found[bone, "location"] = bone_values(channels, bones[bone], "location", frames)
    for limb in task.controls.limbs:
        for bone in limb.turning.values():
            found[bone, "rotation"] = bone_rotations(channels, bones[bone], frames)
    return found


def _own_axes(armature: bpy.types.Object, bone: str, frames: FloatArray) -> FloatArray:
    channels = channels_of(armature)
    pose_bone = armature.pose.bones[bone]
    turned = rotations.to_matrices(bone_rotations(channels, pose_bone, frames))
    return np.asarray(turned * bone_values(channels, pose_bone, "scale", frames)[:, None, :])


def _corrected(task: _Task, shown: _Shown, wanted: FloatArray, values: _Values) -> _Values:
    """Return the values with the points brought further by ``wanted`` ``(F, P, 3)``."""
    controls, roots = task.controls, len(task.controls.roots)
    new = dict(values)
    for at, bone in enumerate(controls.roots.values()):
        new[bone, "location"] = _moved(task, shown, bone, wanted[:, at], new)
    rooted = displace_roots(shown.clip, tuple(controls.roots), wanted[:, :roots])
    for at, limb in enumerate(controls.limbs):
        step = wanted[:, roots + at]
        if limb.target:
            follows = (limb.share > 0.0)[:, None]
            new[limb.target, "location"] = _moved(task, shown, limb.target, step * follows, new)
        if limb.turning:
            targets = shown.clip.positions[:, task.sample.limbs[at].toe] + step
            pose = solve_pose(rooted, task.sample.limbs[at], targets, LimbSettings())
            new |= _turned(task, shown, at, pose, rooted, new)
    return new


def _moved(task: _Task, shown: _Shown, bone: str, step: FloatArray, values: _Values) -> FloatArray:
    """Return the location ``(F, 3)`` of a control moved further by ``step`` ``(F, 3)`` metres in the world."""
    object_axes = np.array(task.armature.matrix_world, dtype=np.float64)[:3, :3]
    world = shown.worlds[bone][:, :3, :3]
    axes = location_axes(task.armature.pose.bones[bone], object_axes, world, task.axes[bone])
    return np.asarray(values[bone, "location"] + np.linalg.solve(axes, step[..., None])[..., 0])


def _turned(task: _Task, shown: _Shown, at: int, pose: LimbPose, rooted: Clip, values: _Values) -> _Values:
    """Return the own rotations of what turns a limb's joints, so that they are turned as in ``pose``."""
    limb, control = task.sample.limbs[at], task.controls.limbs[at]
    forward = (control.share < 1.0)[:, None]
    turns: dict[str, FloatArray] = {}
    new: _Values = {}
    for joint, world in ((limb.hip, pose.hip), (limb.knee, pose.knee), (limb.heel, pose.heel)):
        bone = control.turning.get(joint)
        if bone is None:
            continue
        turn = rotations.multiply(world, rotations.inverse(rooted.rotations[:, joint]))
        turns[bone] = np.where(forward, turn, rotations.IDENTITY)
        above = [parent.name for parent in task.armature.pose.bones[bone].parent_recursive if parent.name in turns]
        parent_turn = turns[above[0]] if above else np.broadcast_to(rotations.IDENTITY, turn.shape)
        shows = rotations.from_matrices(without_scale(shown.worlds[bone][:, :3, :3]))
        new[bone, "rotation"] = turned_channels(values[bone, "rotation"], shows, turns[bone], parent_turn)
    return new


def _chosen(task: _Task, better: BoolArray, values: _Values, best: _Values) -> _Values:
    """Return ``values`` where the point that a control moves is ``better`` ``(F, P)`` with them, else ``best``."""
    movers: list[list[tuple[str, str]]] = [[(bone, "location")] for bone in task.controls.roots.values()]
    for limb in task.controls.limbs:
        targets = [(limb.target, "location")] * bool(limb.target)
        movers.append(targets + [(bone, "rotation") for bone in limb.turning.values()])
    chosen: _Values = {}
    for point, keys in enumerate(movers):
        for key in keys:
            chosen[key] = np.where(better[:, point, None], values[key], best[key])
    return chosen
