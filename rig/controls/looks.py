# SPDX-License-Identifier: GPL-3.0-or-later
"""What is seen of a rig when its controls have certain values, held against what is to be reached."""

from __future__ import annotations

from dataclasses import dataclass, replace

import bpy
import numpy as np

from ...solver.clip import Clip
from ...solver.rotations import FloatArray
from ...solver.signals import IntArray
from ..curves.channels import active_action, bone_rotations, bone_values, channels_of
from ..sampling.evaluated import continuous
from ..sampling.sample import Sample, clip_shown
from .lengths import Lengths, towards_hip
from .limb_controls import Controls
from .turns import Turner, lacking_turns, missed_by_turns

# A toe or root this near to where it has to be is there (metres for a 0.9 m leg).
THERE = 2e-4

# A part of a limb that is no more than this longer or shorter than it may be is as long (metres, likewise).
_SAME_LENGTH = 1e-4

# Smaller changes than this are rounding (metres).
STILL_M = 1e-6

# The location or own rotation of each control, ``(F, 3)`` or ``(F, 4)``, by bone and kind.
Values = dict[tuple[str, str], FloatArray]


@dataclass(frozen=True)
class Task:
    """What is to be reached, and with what.

    clip : where toes and roots are to be, and how feet, toes and roots are to be turned.
    own : each control's own rotation ``(F, 4)`` and scale ``(F, 3)`` in the source action.
    lengths : how long the parts of each limb may be.
    """

    armature: bpy.types.Object
    source: bpy.types.Action
    sample: Sample
    clip: Clip
    controls: Controls
    turners: list[Turner]
    own: dict[str, tuple[FloatArray, FloatArray]]
    lengths: list[Lengths]
    name: str

    @property
    def points(self) -> list[int]:
        """The joints to bring to their places: roots that have controls, then the toe of each limb."""
        return [*self.controls.roots, *(limb.toe for limb in self.sample.limbs)]

    @property
    def towards_hips(self) -> FloatArray:
        """``(F, P, 3)`` in which direction each point gives way where its limb is too long; zero for roots."""
        ways = np.zeros((self.clip.frame_count, len(self.points), 3))
        for at, limb in enumerate(self.sample.limbs):
            ways[:, len(self.controls.roots) + at] = towards_hip(self.clip, limb)
        return ways


@dataclass(frozen=True)
class Look:
    """What is seen with the action assigned now.

    worlds : ``(F, 4, 4)`` of each control.
    lacking : ``(F, P, 3)`` metres that the points still have to go.
    turns : ``(F, 4)`` of each control that turns a joint, by which it has to go on.
    too_long : ``(F, P)`` metres by which a point's limb is longer than it may be.
    missed : ``(F, P)`` metres, all of it together.
    values : what the controls have.
    """

    action: bpy.types.Action
    clip: Clip
    worlds: dict[str, FloatArray]
    lacking: FloatArray
    turns: list[FloatArray]
    too_long: FloatArray
    missed: FloatArray
    values: Values


def there_for(sample: Sample) -> float:
    """Return how near in metres counts as there, for limbs of the sample's size."""
    return THERE * min(limb.scale(sample.clip) for limb in sample.limbs)


def movers(task: Task) -> list[list[tuple[str, str]]]:
    """Return by which values of which controls each point is moved, or turned along."""
    found: list[list[tuple[str, str]]] = [[(bone, "location")] for bone in task.controls.roots.values()]
    for limb in task.controls.limbs:
        targets = [(limb.target, "location")] * bool(limb.target)
        found.append(targets + [(bone, "rotation") for bone in limb.turning.values()])
    for turner in task.turners:
        found[turner.point].append((turner.bone, "rotation"))
    return found


def values_now(task: Task) -> Values:
    """Return what the controls have in the action assigned now."""
    channels = channels_of(task.armature)
    bones, frames = task.armature.pose.bones, task.sample.frames
    found: Values = {}
    for bone, kind in dict.fromkeys(key for keys in movers(task) for key in keys):
        if kind == "location":
            found[bone, kind] = bone_values(channels, bones[bone], kind, frames)
        else:
            found[bone, kind] = bone_rotations(channels, bones[bone], frames)
    return found


def sizes(vectors: FloatArray) -> FloatArray:
    """Return the lengths ``(...)`` of vectors ``(..., 3)``."""
    return np.asarray(np.linalg.norm(vectors, axis=-1))


def at_start(task: Task, given: FloatArray) -> Look:
    """Look at the source action: nothing is to be stepped through where that has been done for the sample."""
    sample, bones = task.sample, task.controls.bones
    known = all(len(sample.animated.get(bone, ())) == len(sample.frames) for bone in bones)
    ends = np.unique([0, len(sample.frames) // 2, len(sample.frames) - 1])
    if known:
        seen, worlds = clip_shown(task.armature, sample, bones, ends)
        taken = np.stack([sample.animated[bone][ends] for bone in bones], axis=1) if bones else worlds
        known = bool(
            np.abs(seen.positions - sample.clip.positions[ends]).max() <= STILL_M
            and np.allclose(worlds, taken, atol=STILL_M)
        )
    if known:
        return _seen(task, sample.clip, {bone: sample.animated[bone] for bone in bones}, values_now(task), given)
    seen, worlds = clip_shown(task.armature, sample, bones)
    return _seen(task, seen, {bone: worlds[:, at] for at, bone in enumerate(bones)}, values_now(task), given)


def _seen(task: Task, seen: Clip, worlds: dict[str, FloatArray], values: Values, given: FloatArray) -> Look:
    """Return what is seen, held against what is to be reached, from which the points may be ``given`` ``(F, P)``
    metres back."""
    goals = task.clip.positions[:, task.points] + given[..., None] * task.towards_hips
    lacking = goals - seen.positions[:, task.points]
    turns = lacking_turns(task.turners, task.clip, seen)
    missed = np.hypot(sizes(lacking), missed_by_turns(task.turners, turns, len(task.points)))
    too_long = np.zeros(missed.shape)
    same_length = _SAME_LENGTH / THERE * there_for(task.sample)
    for at, lengths in enumerate(task.lengths, len(task.controls.roots)):
        beyond, worst = lengths.too_long(seen)
        too_long[:, at] = np.where(worst > same_length, beyond, 0.0)
        missed[:, at] += np.where(worst > same_length, worst * (THERE / _SAME_LENGTH), 0.0)
    return Look(active_action(task.armature), seen, worlds, lacking, turns, too_long, missed, values)


def with_way_given(task: Task, shown: Look, given: FloatArray) -> Look:
    """Return what is seen, held against points that have been given more way."""
    return _seen(task, shown.clip, shown.worlds, shown.values, given)


def look(task: Task, values: Values, given: FloatArray, before: Look, rows: IntArray) -> Look:
    """Look at some frames, by index; the others are as they were ``before``."""
    bones = task.controls.bones
    seen, worlds = clip_shown(task.armature, task.sample, bones, rows)
    turned, located = before.clip.local_rotations.copy(), before.clip.local_locations.copy()
    turned[rows], located[rows] = seen.local_rotations, seen.local_locations
    whole = replace(before.clip, local_rotations=continuous(turned), local_locations=located, _derived={})
    by_bone = {}
    for at, bone in enumerate(bones):
        by_bone[bone] = before.worlds[bone].copy()
        by_bone[bone][rows] = worlds[:, at]
    return _seen(task, whole, by_bone, values, given)
