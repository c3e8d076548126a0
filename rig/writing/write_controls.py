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
from ...solver.clip import Clip
from ...solver.limb import LimbSettings, solve_pose
from ...solver.rotations import FloatArray
from ...solver.signals import BoolArray
from ...solver.solution import displace_roots
from ..curves import actions, baked
from ..curves.channels import active_action, bone_rotations, bone_values, channels_of
from ..curves.regime import is_scaled_unevenly
from ..errors import RigError
from ..sampling.sample import Sample, clip_shown
from .control_turns import (
    Turner,
    carried_along,
    lacking_turns,
    missed_by_turns,
    rotation_vectors,
    turned_by,
    turners_of,
    turns_of_controls,
)
from .controls import Controls, any_is_held, find_controls, needs_controls
from .probe import location_axes
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
    try:
        shown = _in_rounds(_Task(armature, source, sample, clip, controls, turners, own, name))
    except Exception:
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
        | np.any(np.abs(sample.clip.local_locations - clip.local_locations) > _STILL_M, axis=(0, 2))
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
    if np.abs(shown.positions - clip.positions).max() <= _there(sample):
        return result, shown
    _drop_result(armature, source)
    return None


def _there(sample: Sample) -> float:
    return _THERE * min(limb.scale(sample.clip) for limb in sample.limbs)


# The location or own rotation of each control, ``(F, 3)`` or ``(F, 4)``, by bone and kind.
_Values = dict[tuple[str, str], FloatArray]


@dataclass(frozen=True)
class _Task:
    """What is to be reached, and with what.

    clip : where toes and roots are to be, and how feet, toes and roots are to be turned.
    own : each control's own rotation ``(F, 4)`` and scale ``(F, 3)`` in the source action.
    """

    armature: bpy.types.Object
    source: bpy.types.Action
    sample: Sample
    clip: Clip
    controls: Controls
    turners: list[Turner]
    own: dict[str, tuple[FloatArray, FloatArray]]
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
    turns : ``(F, 4)`` of each control that turns a joint, by which it has to go on.
    missed : ``(F, P)`` metres, both of it together.
    values : what the controls have.
    """

    action: bpy.types.Action
    clip: Clip
    worlds: dict[str, FloatArray]
    lacking: FloatArray
    turns: list[FloatArray]
    missed: FloatArray
    values: _Values


def _in_rounds(task: _Task) -> _Shown:
    """Write, look and correct until all points are in place, or for so many rounds; then keep the best of each."""
    there = _there(task.sample)
    values = best = _values(task)
    shown = _look(task, values)
    least = np.full(shown.missed.shape, np.inf)
    stride = np.ones(least.shape)
    for _ in range(_ROUNDS):
        lacked = shown.lacking
        values = _corrected(task, shown, lacked * stride[..., None])
        shown = _written(task, values)
        better = shown.missed < least
        least, best = np.minimum(shown.missed, least), _chosen(task, better, values, best)
        if shown.missed.max() <= there:
            return shown
        # A control that is further out than its leg can follow shows nothing until it has been brought back.
        gone = np.sum((lacked - shown.lacking) * lacked, axis=-1) / np.maximum(_lengths(lacked) ** 2, _STILL_M**2)
        idle = (np.abs(gone) < _IDLE) & (_lengths(shown.lacking) > there)
        stride = np.where(idle, np.minimum(2.0 * stride, _LONGEST_STRIDE), 1.0)
    return _written(task, best)


def _lengths(vectors: FloatArray) -> FloatArray:
    return np.asarray(np.linalg.norm(vectors, axis=-1))


def _look(task: _Task, values: _Values) -> _Shown:
    seen, worlds = clip_shown(task.armature, task.sample, task.controls.bones)
    lacking = task.clip.positions[:, task.points] - seen.positions[:, task.points]
    turns = lacking_turns(task.turners, task.clip, seen)
    missed = np.hypot(_lengths(lacking), missed_by_turns(task.turners, turns, len(task.points)))
    by_bone = {bone: worlds[:, at] for at, bone in enumerate(task.controls.bones)}
    return _Shown(active_action(task.armature), seen, by_bone, lacking, turns, missed, values)


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
    return _look(task, values)


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
    for bone, kind in dict.fromkeys(key for keys in _movers(task) for key in keys):
        if kind == "location":
            found[bone, kind] = bone_values(channels, bones[bone], kind, frames)
        else:
            found[bone, kind] = bone_rotations(channels, bones[bone], frames)
    return found


def _movers(task: _Task) -> list[list[tuple[str, str]]]:
    """Return by which values of which controls each point is moved, or turned along."""
    movers: list[list[tuple[str, str]]] = [[(bone, "location")] for bone in task.controls.roots.values()]
    for limb in task.controls.limbs:
        targets = [(limb.target, "location")] * bool(limb.target)
        movers.append(targets + [(bone, "rotation") for bone in limb.turning.values()])
    for turner in task.turners:
        movers[turner.point].append((turner.bone, "rotation"))
    return movers


def _corrected(task: _Task, shown: _Shown, wanted: FloatArray) -> _Values:
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


def _rooted(task: _Task, clip: Clip, steps: FloatArray, turns: dict[str, FloatArray]) -> Clip:
    """Return the clip with its roots moved by ``steps`` ``(F, R, 3)``, and turned by what turns them."""
    vectors = np.zeros_like(steps)
    for at, root in enumerate(task.controls.roots):
        bone = task.controls.turning_roots.get(root)
        if bone is not None:
            vectors[:, at] = rotation_vectors(turns[bone])
    return displace_roots(clip, tuple(task.controls.roots), steps, vectors)


def _forward_turns(task: _Task, at: int, rooted: Clip, targets: FloatArray) -> dict[str, FloatArray]:
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


def _moved(task: _Task, shown: _Shown, bone: str, step: FloatArray) -> FloatArray:
    """Return the location ``(F, 3)`` of a control moved further by ``step`` ``(F, 3)`` metres in the world."""
    object_axes = np.array(task.armature.matrix_world, dtype=np.float64)[:3, :3]
    world = shown.worlds[bone][:, :3, :3]
    rotation, scale = task.own[bone]
    # What it has been turned by in the rounds before is among what is seen of it.
    turned = rotations.to_matrices(shown.values.get((bone, "rotation"), rotation))
    axes = location_axes(task.armature.pose.bones[bone], object_axes, world, turned * scale[:, None, :])
    return np.asarray(shown.values[bone, "location"] + np.linalg.solve(axes, step[..., None])[..., 0])


def _chosen(task: _Task, better: BoolArray, values: _Values, best: _Values) -> _Values:
    """Return ``values`` where the point that a control moves is ``better`` ``(F, P)`` with them, else ``best``."""
    chosen: _Values = {}
    for point, keys in enumerate(_movers(task)):
        for key in keys:
            chosen[key] = np.where(better[:, point, None], values[key], best[key])
    return chosen
