# SPDX-License-Identifier: GPL-3.0-or-later
"""Which control a foot goes along with: that of the whole foot before that of its toes, and the same on both sides."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum

import bpy
import numpy as np

from ...solver import rotations
from ...solver.arrays import FloatArray
from .candidates import mirror_name
from .probe import Places, moved, places
from .rig import ControlRig

# How far bones are nudged, in leg lengths. A target that is further out than its leg can follow shows nothing in a
# small step.
STEPS = (0.01, 0.1)

# Shares of a nudge: what counts as staying in place, how far toes may be from going along one to one where the foot
# turns as it goes, and how far a heel.
STILL = 0.05
_ALONG = 0.6
_WHOLLY = 0.1
_NOTHING = 1e-3

# A control is no further from its limb than this, in leg lengths.
NEAR = 1.5


class Grade(IntEnum):
    """What a nudge of a control shows of a limb."""

    NOTHING = 0
    APART = 1  # the toes do not go along, or the limb comes apart
    TOES = 2
    WHOLE_FOOT = 3


@dataclass(frozen=True)
class Target:
    """A control that a limb's foot goes along with."""

    bone: str
    grade: Grade


def find_targets(rig: ControlRig, limbs: Sequence[int]) -> dict[int, str]:
    """Return the control that each limb's foot goes along with, by limb, where there is one in some state."""
    found = {}
    for limb in limbs:
        target = _target(rig, limb, rig.by_location) or _target(rig, limb, rig.unkeyed_targets)
        if target is not None:
            found[limb] = target
    for limb, other in rig.pairs(limbs):
        _make_alike(rig, found, limb, other)
    return {limb: found[limb].bone for limb in limbs if limb in found}


def step_towards_hip(rig: ControlRig, now: Places, limb: int, size: float) -> FloatArray:
    """Return a nudge ``(3,)`` in metres, towards the hip, so that a straight leg is not asked to be longer."""
    joints = rig.sample.limbs[limb]
    leg = now.joints[joints.hip] - now.joints[joints.heel]
    return size * rig.lengths[limb] * rotations.normalized(leg)


def _make_alike(rig: ControlRig, found: dict[int, Target], limb: int, other: int) -> None:
    """Let two limbs that mirror each other take the same kind of control, the better one, where both can."""
    have = sorted((one for one in (limb, other) if one in found), key=lambda one: -found[one].grade)
    if not have or (len(have) == 2 and found[have[1]].bone == mirror_name(found[have[0]].bone)):
        return
    better = have[0]
    worse = other if better == limb else limb
    # Whichever is no worse on either side; where only the other's kind serves both, that.
    for source, taker in ((better, worse), (worse, better)):
        twin = rig.armature.pose.bones.get(mirror_name(found[source].bone)) if source in found else None
        target = _target(rig, taker, [twin]) if twin in (*rig.by_location, *rig.unkeyed_targets) else None
        if target is not None and (taker not in found or target.grade >= found[taker].grade):
            found[taker] = target
            return


def _target(rig: ControlRig, limb: int, bones: Sequence[bpy.types.PoseBone]) -> Target | None:
    """Return the first of ``bones`` that moves a limb's whole foot, else the first that moves its toes."""
    for state in range(len(rig.states)):
        movers = [bone for bone in bones if rig.can_move(bone, limb)]
        for frame in rig.frames(state, limb):
            far = _grades(rig, limb, movers, frame, STEPS[1])
            # What moves nothing in a long step does so in a short one, and on the other frames of this state.
            movers = [bone for bone in movers if far.get(bone.name) is not Grade.NOTHING]
            near = _grades(rig, limb, movers, frame, STEPS[0])
            for grades in (near, far):
                for grade in (Grade.WHOLE_FOOT, Grade.TOES):
                    if grade in grades.values():
                        return Target(next(bone for bone, one in grades.items() if one is grade), grade)
            if rig.is_bent(limb, frame):
                break
    return None


def _grades(
    rig: ControlRig, limb: int, bones: Sequence[bpy.types.PoseBone], frame: float, size: float
) -> dict[str, Grade]:
    """Return what nudges of some bones show at a frame, up to the first that moves the whole foot."""
    grades: dict[str, Grade] = {}
    if not bones:
        return grades
    now = rig.show(frame)
    for bone in bones:
        grades[bone.name] = _grade(rig, now, limb, bone, size)
        if grades[bone.name] is Grade.WHOLE_FOOT:
            break
    return grades


def _grade(rig: ControlRig, now: Places, limb: int, bone: bpy.types.PoseBone, size: float) -> Grade:
    joints = rig.sample.limbs[limb]
    at = now.heads[rig.armature.pose.bones.find(bone.name)]
    if np.linalg.norm(now.joints[[joints.heel, joints.toe]] - at, axis=-1).min() > NEAR * rig.lengths[limb]:
        return Grade.NOTHING
    step = step_towards_hip(rig, now, limb, size)
    grade = _grade_of_step(rig, now, limb, bone, step)
    if grade is Grade.TOES:
        # Across the foot it takes a long way to show that it gets longer; along it, none.
        foot = rotations.normalized(now.joints[joints.toe] - now.joints[joints.heel])
        along = np.linalg.norm(step) * (-foot if foot @ step < 0.0 else foot)
        grade = _grade_of_step(rig, now, limb, bone, along)
    return grade


def _grade_of_step(rig: ControlRig, now: Places, limb: int, bone: bpy.types.PoseBone, step: FloatArray) -> Grade:
    with moved(rig.armature, bone, step):
        after = places(rig.armature, rig.sample)
    joints, chain = rig.sample.limbs[limb], rig.chains[limb]
    size = float(np.linalg.norm(step))
    gone = after.joints - now.joints
    longer = np.abs(_parts(after, chain) - _parts(now, chain)).max()
    missed: Callable[[int], float] = lambda joint: float(np.linalg.norm(gone[joint] - step)) / size  # noqa: E731
    if np.abs(gone[chain]).max() < _NOTHING * size:
        return Grade.NOTHING
    above = np.linalg.norm(gone[[joints.root, joints.hip]], axis=-1).max()
    if above >= STILL * size or longer >= 2.0 * STILL * size or missed(joints.toe) >= _ALONG:
        return Grade.APART
    return Grade.WHOLE_FOOT if missed(joints.heel) < _WHOLLY else Grade.TOES


def _parts(shown: Places, chain: Sequence[int]) -> FloatArray:
    """Return the distances of a limb's joints from one to the next, in metres."""
    return np.asarray(np.linalg.norm(np.diff(shown.joints[list(chain)], axis=0), axis=-1))
