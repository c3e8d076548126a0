# SPDX-License-Identifier: GPL-3.0-or-later
"""What an animator animates to move a limb, found by nudging it and looking at what the limb does.

No rig's names are known here. A bone is a foot's control where the foot goes along with it and the hip does not; it
turns a joint where what is below the joint goes round with it; it moves the body where the root goes along.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import bpy
import numpy as np
from numpy.typing import NDArray

from ..solver import rotations
from ..solver.clip import Clip
from ..solver.limb import Limb
from ..solver.rotations import FloatArray
from . import regime
from .channels import TRANSFORMS, Channels, bone_path, channels_of, custom_property, evaluate
from .contact_properties import ALL as CONTACT_PROPERTIES
from .errors import RigError
from .probe import Places, moved, places, turned
from .rotation_modes import property_of
from .sample import Sample
from .wording import say

# How far bones are nudged: in leg lengths, and in radians. A target that is further out than its leg can follow shows
# nothing in a small step.
_STEPS = (0.01, 0.1)
_TURN = 0.03

# Shares of a nudge: what counts as staying in place, and how far a foot may be from going along one to one.
_STILL = 0.05
_ALONG = 0.6

# A control is no further from its limb than this, in leg lengths, and from a joint that it turns.
_NEAR = 1.5
_AT_JOINT = 0.05

# Settings of the rig that are animated give at most so many states in which it is probed.
_STATES = 12


@dataclass(frozen=True)
class LimbControls:
    """What moves one limb.

    target : the bone whose location moves the foot (inverse kinematics); empty where there is none.
    share : ``(F,)`` how far the foot goes along with it, 1 in inverse and 0 in forward kinematics.
    turning : joint to the bone whose rotation turns it (forward kinematics); empty where the target does it all.
    """

    target: str
    share: FloatArray
    turning: dict[int, str]


@dataclass(frozen=True)
class Controls:
    """What moves a sample's root joints, by joint, and its limbs, in order."""

    roots: dict[int, str]
    limbs: tuple[LimbControls, ...]

    @property
    def bones(self) -> tuple[str, ...]:
        """All controls, each once."""
        names = list(self.roots.values())
        for limb in self.limbs:
            names += [limb.target] * bool(limb.target) + list(limb.turning.values())
        return tuple(dict.fromkeys(names))


def needs_controls(armature: bpy.types.Object, sample: Sample) -> bool:
    """Whether constraints or drivers hold what would have to move: then keys of these bones would show nothing."""
    if not sample.evaluated:
        return False
    held = set(regime.constrained_bones(armature, channels_of(armature)))
    joints = {joint for limb in sample.limbs for joint in (limb.root, limb.hip, limb.knee, limb.heel, limb.toe)}
    bones = [armature.pose.bones[name] for joint in joints if (name := sample.bones[joint]) is not None]
    return not held.isdisjoint(bone.name for bone in bones) or regime.is_driven(armature, bones)


def find_controls(armature: bpy.types.Object, sample: Sample, clip: Clip) -> Controls:
    """Return what has to be keyed so that the sample's limbs move as in ``clip``. The scene is put back as it was.

    Raises
    ------
    RigError
        Where nothing that can be keyed moves a limb or the body.
    """
    search = _Search(armature, sample)
    scene = bpy.context.scene
    frame, subframe = scene.frame_current, scene.frame_subframe
    try:
        # A foot that stays needs its control too where the body that carries it moves.
        limbs = [
            at
            for at, limb in enumerate(sample.limbs)
            if any(_changes(sample.clip, clip, one) for one in (limb.root, limb.toe))
        ]
        targets = search.targets(limbs)
        shares = search.shares(targets)
        moving = {sample.limbs[limb].root for limb in limbs}
        roots = {root: search.root_control(root, targets) for root in moving if _changes(sample.clip, clip, root)}
        found = [
            LimbControls(
                targets.get(limb, ""), shares[limb], search.turning(limb, shares[limb]) if limb in limbs else {}
            )
            for limb in range(len(sample.limbs))
        ]
    finally:
        scene.frame_set(frame, subframe=subframe)
    return Controls(roots, tuple(found))


def _changes(before: Clip, after: Clip, joint: int) -> bool:
    return bool(np.abs(after.positions[:, joint] - before.positions[:, joint]).max() > 1e-6)


class _Search:
    """One armature's candidates, and the frames that show each state of its switches."""

    def __init__(self, armature: bpy.types.Object, sample: Sample) -> None:
        self.armature = armature
        self.sample = sample
        self.channels = channels_of(armature)
        self.states = _states(self.channels, sample.frames)
        self.by_location = _candidates(armature, self.channels, lambda bone: "location", _can_be_moved)
        self.by_rotation = _candidates(
            armature, self.channels, lambda bone: property_of(bone.rotation_mode), lambda bone: True
        )
        self.chains = [_chain(sample.clip, limb) for limb in sample.limbs]
        self.lengths = [limb.length(sample.clip) for limb in sample.limbs]

    def targets(self, limbs: Sequence[int]) -> dict[int, str]:
        """Return the control that each limb's foot goes along with, by limb, where there is one in some state."""
        found: dict[int, str] = {}
        for frame in self.states.frames:
            for size in _STEPS:
                missing = [limb for limb in limbs if limb not in found]
                if missing:
                    show(frame)
                    found |= self._targets_now(missing, size)
        return found

    def _targets_now(self, limbs: Sequence[int], size: float) -> dict[int, str]:
        now = places(self.armature, self.sample)
        found: dict[int, str] = {}
        for bone in self.by_location:
            at = now.heads[self.armature.pose.bones.find(bone.name)]
            for limb in limbs:
                joints = self.sample.limbs[limb]
                near = np.linalg.norm(now.joints[[joints.heel, joints.toe]] - at, axis=-1).min()
                if limb in found or near > _NEAR * self.lengths[limb]:
                    continue
                step = self._step(now, limb, size)
                with moved(self.armature, bone, step):
                    if _foot_goes_along(now, places(self.armature, self.sample), joints, self.chains[limb], step):
                        found[limb] = bone.name
        return found

    def _step(self, now: Places, limb: int, size: float) -> FloatArray:
        """Return a nudge ``(3,)`` in metres, towards the hip, so that a straight leg is not asked to be longer."""
        joints = self.sample.limbs[limb]
        leg = now.joints[joints.hip] - now.joints[joints.heel]
        return size * self.lengths[limb] * rotations.normalized(leg)

    def shares(self, targets: dict[int, str]) -> list[FloatArray]:
        """Return for each limb ``(F,)`` how far its foot goes along with its target."""
        shares = [np.full(len(self.sample.frames), float(limb in targets)) for limb in range(len(self.sample.limbs))]
        if len(self.states.frames) == 1:
            return shares
        for state, frame in enumerate(self.states.frames):
            show(frame)
            now = places(self.armature, self.sample)
            for limb, name in targets.items():
                share = max(self._share(now, limb, name, size) for size in _STEPS)
                shares[limb][self.states.of_frame == state] = 0.0 if share < _STILL else share
        return shares

    def _share(self, now: Places, limb: int, target: str, size: float) -> float:
        step = self._step(now, limb, size)
        toe = self.sample.limbs[limb].toe
        with moved(self.armature, self.armature.pose.bones[target], step):
            gone = places(self.armature, self.sample).joints[toe] - now.joints[toe]
        return float(np.clip(gone @ step / (step @ step), 0.0, 1.0))

    def root_control(self, root: int, targets: dict[int, str]) -> str:
        """Return the bone that moves the body: feet that have targets stay, and most of the mesh goes along."""
        show(self.states.frames[0])
        now = places(self.armature, self.sample)
        length = max(self.lengths)
        step = np.array([0.6, 0.48, 0.64]) * _STEPS[0] * length
        deform = np.array([bone.bone.use_deform for bone in self.armature.pose.bones])
        best, best_score = "", (False, False, False, False, 0.0, -1000)
        for bone in self.by_location:
            keyed = (bone.name, "location") in self.channels.of_bones
            if best and not keyed:
                # Those that are not animated come after all that are.
                break
            if np.linalg.norm(now.heads[self.armature.pose.bones.find(bone.name)] - now.joints[root]) > _NEAR * length:
                continue
            with moved(self.armature, bone, step):
                after = places(self.armature, self.sample)
            if not _goes_along(now.joints[root], after.joints[root], step, _STILL):
                continue
            toes = [self.sample.limbs[limb].toe for limb in targets]
            gone = np.linalg.norm(after.joints[toes] - now.joints[toes], axis=-1)
            carried = np.linalg.norm(after.heads - now.heads, axis=-1)[deform] > 0.5 * float(np.linalg.norm(step))
            share = round(float(np.mean(carried)), 1) if carried.size else 0.0
            stays = bool(np.all(gone < 0.5 * np.linalg.norm(step)))
            # Feet that are free keep out what is above the body; where there are none, the body is what is deepest.
            depth = len(bone.parent_recursive) * (-1 if toes else 1)
            free = not _is_locked(self.channels, bone.name, "location")
            score = free, stays, keyed, bone.custom_shape is not None, share, depth
            if score > best_score:
                best, best_score = bone.name, score
        if not best:
            raise RigError(
                "{bone_is_held}, and no control that can be keyed moves it: choose another root bone",
                bone_is_held=self._held(root),
            )
        return best

    def turning(self, limb: int, share: FloatArray) -> dict[int, str]:
        """Return what turns the limb's joints in the states in which its foot does not follow its target in full."""
        free = np.flatnonzero(share < 1.0 - _STILL)
        if not free.size:
            return {}
        joints = self.sample.limbs[limb]
        # The state furthest from inverse kinematics shows best what turns.
        state = int(self.states.of_frame[free[np.argmin(share[free])]])
        show(self.states.frames[state])
        now = places(self.armature, self.sample)
        found: dict[int, str] = {}
        for joint, end in ((joints.hip, joints.knee), (joints.knee, joints.heel), (joints.heel, joints.toe)):
            bone = self._turns(now, limb, joint, end)
            if bone:
                found[joint] = bone
            elif share.min() > 0.0:
                return {}
            elif joint != joints.heel:
                name = self.sample.limbs[limb].name
                raise RigError(
                    '{bone_is_held}, and no control that can be keyed moves the foot of "{name}" at frame '
                    "{frames:.0f}: choose the control bones as the limb, or bake the action first",
                    bone_is_held=self._held(joint),
                    name=name,
                    frames=self.states.frames[state],
                )
        return found

    def _turns(self, now: Places, limb: int, joint: int, end: int) -> str:
        """Return the bone that turns what is below a joint and leaves alone what is above; empty if there is none."""
        bones = self.armature.pose.bones
        below = now.joints[end] - now.joints[joint]
        across = rotations.normalized(np.cross(below, np.array([0.36, 0.48, 0.8])))
        turn = rotations.from_axis_angle(across, np.array(_TURN))
        wanted = rotations.rotate(turn, below) - below
        chain = self.chains[limb]
        above = chain[: chain.index(joint) + 1]
        for bone in self.by_rotation:
            at = now.heads[bones.find(bone.name)]
            if np.linalg.norm(at - now.joints[joint]) > _AT_JOINT * self.lengths[limb]:
                continue
            with turned(self.armature, bone, turn):
                after = places(self.armature, self.sample)
            still = np.linalg.norm(after.joints[above] - now.joints[above], axis=-1).max()
            moved_by = after.joints[end] - now.joints[end]
            size = float(np.linalg.norm(wanted))
            if still < _STILL * size and np.linalg.norm(moved_by - wanted) < 3.0 * _STILL * size:
                return bone.name
        return ""

    def _held(self, joint: int) -> str:
        """Say what holds a joint's bone."""
        name = self.sample.bones[joint]
        constraint = regime.constrained_bones(self.armature, self.channels).get(str(name))
        if constraint:
            return say('bone "{bone}" is held by the constraint "{constraint}"', bone=name, constraint=constraint)
        return say('bone "{bone}" is held by its rig', bone=name)


@dataclass(frozen=True)
class _States:
    """The states that animated switches put a rig in.

    frames : one frame of each state.
    of_frame : ``(F,)`` the state that each frame of the sample is in, or is nearest to.
    """

    frames: FloatArray
    of_frame: NDArray[np.intp]


def _states(channels: Channels, frames: FloatArray) -> _States:
    """Return the states by what is animated beside transforms: custom properties, the influence of constraints."""
    contacts = {custom_property(name) for name in CONTACT_PROPERTIES}
    switches = [
        curve
        for (_, name), curves in channels.of_bones.items()
        if name not in TRANSFORMS and name not in contacts
        for curve in curves.values()
    ]
    switches += [
        curve for name, curves in channels.of_object.items() if name not in TRANSFORMS for curve in curves.values()
    ]
    switches = [curve for curve in switches if not curve.mute and not curve.is_empty]
    if not switches:
        return _States(frames[[0]], np.zeros(len(frames), dtype=np.intp))
    values = np.stack([evaluate(curve, frames) for curve in switches], axis=1)
    _, first, of_frame = np.unique(np.round(values, 4), axis=0, return_index=True, return_inverse=True)
    of_frame = of_frame.ravel().astype(np.intp)
    if len(first) > _STATES:
        # Switches that are blended over many frames: probe every so many.
        first = np.unique(np.linspace(0, len(frames) - 1, _STATES).astype(np.intp))
        of_frame = np.abs(values[:, None] - values[first][None]).sum(axis=-1).argmin(axis=1)
    return _States(frames[first], of_frame)


def _candidates(
    armature: bpy.types.Object,
    channels: Channels,
    property_named: Callable[[bpy.types.PoseBone], str],
    allowed: Callable[[bpy.types.PoseBone], bool],
) -> list[bpy.types.PoseBone]:
    """Return the bones whose property can be keyed, those first that an animator is most likely to mean."""
    driven = {driver.data_path for driver in armature.animation_data.drivers if not driver.mute}
    keyed = {bone for bone, name in channels.of_bones if name in TRANSFORMS}
    ranked = []
    for bone in armature.pose.bones:
        name = property_named(bone)
        if not allowed(bone) or bone_path(bone.name, name) in driven:
            continue
        unlikely = (
            _is_locked(channels, bone.name, name),
            (bone.name, name) not in channels.of_bones,
            bone.name not in keyed,
            bone.custom_shape is None,
        )
        if unlikely[2] and unlikely[3] and bone.bone.use_deform:
            continue
        ranked.append((*unlikely, len(bone.parent_recursive), bone.name))
    return [armature.pose.bones[rank[-1]] for rank in sorted(ranked)]


def _is_locked(channels: Channels, bone: str, name: str) -> bool:
    """Whether a curve that a change would need is locked by the animator."""
    curves = channels.of_bones.get((bone, name), {}).values()
    return any(curve.lock or (curve.group is not None and curve.group.lock) for curve in curves)


def _can_be_moved(bone: bpy.types.PoseBone) -> bool:
    return not bool(np.any(np.array(bone.lock_location))) and not (bone.parent is not None and bone.bone.use_connect)


def _chain(clip: Clip, limb: Limb) -> list[int]:
    """Return the joints from hip to toe; only those of the limb where they do not hang from each other."""
    parents = clip.skeleton.parents
    chain = [limb.toe]
    while chain[-1] != limb.hip and parents[chain[-1]] >= 0:
        chain.append(parents[chain[-1]])
    whole = chain[::-1]
    return whole if whole[0] == limb.hip else [limb.hip, limb.knee, limb.heel, limb.toe]


def _goes_along(before: FloatArray, after: FloatArray, step: FloatArray, tolerance: float) -> bool:
    return bool(np.linalg.norm(after - before - step) < tolerance * np.linalg.norm(step))


def _foot_goes_along(before: Places, after: Places, limb: Limb, chain: list[int], step: FloatArray) -> bool:
    """Whether the toe went along and the limb did not come apart: the hip stayed, and no part got longer."""
    size = float(np.linalg.norm(step))
    gone = np.linalg.norm(after.joints[[limb.root, limb.hip]] - before.joints[[limb.root, limb.hip]], axis=-1)
    parts = [np.linalg.norm(np.diff(shown.joints[chain], axis=0), axis=-1) for shown in (before, after)]
    return bool(
        gone.max() < _STILL * size
        and np.abs(parts[1] - parts[0]).max() < 2.0 * _STILL * size
        and _goes_along(before.joints[limb.toe], after.joints[limb.toe], step, _ALONG)
    )


def show(frame: float) -> None:
    """Bring the scene to a frame."""
    whole = int(np.floor(frame))
    bpy.context.scene.frame_set(whole, subframe=frame - whole)
