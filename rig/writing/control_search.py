# SPDX-License-Identifier: GPL-3.0-or-later
"""What moves a limb and the body, found by nudging one bone after the other and looking at what follows it.

No rig's names are known here. A bone is a foot's control where the foot goes along with it and the hip does not; it
turns a joint where what is below the joint goes round with it; it moves the body where the root goes along.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import bpy
import numpy as np

from ...solver import rotations
from ...solver.clip import Clip
from ...solver.limb import Limb
from ...solver.rotations import FloatArray
from ..curves import regime
from ..curves.channels import channels_of
from ..curves.mirrors import turns_of
from ..curves.rotation_modes import property_of
from ..errors import RigError
from ..sampling.sample import Sample
from ..wording import say
from .control_candidates import can_be_moved, can_be_turned, candidates, is_locked
from .control_states import show, states_of
from .probe import Places, about_own_axes, moved, places, turned

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


class Search:
    """One armature's candidates, and the frames that show each state of its switches."""

    def __init__(self, armature: bpy.types.Object, sample: Sample) -> None:
        self.armature = armature
        self.sample = sample
        self.channels = channels_of(armature)
        self.states = states_of(self.channels, sample.frames)
        self.by_location = candidates(armature, self.channels, lambda bone: "location", can_be_moved)
        self.by_rotation = candidates(
            armature, self.channels, lambda bone: property_of(bone.rotation_mode), can_be_turned
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
            free = not is_locked(self.channels, bone.name, "location")
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
        for joint, end in pairwise((*joints.joints, joints.toe)):
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

    def foot_turner(self, limb: int, target: str, share: FloatArray, wanted: bool) -> tuple[str, bool]:
        """Return the bone whose rotation turns the foot where it follows its target; looked for where it is wanted.

        With it, whether the foot turns about its own axes as the bone does about its own: not about the same in space.
        """
        if not target:
            return "", False
        state = int(self.states.of_frame[np.argmax(share)])
        show(self.states.frames[state])
        now = places(self.armature, self.sample)
        joints = self.sample.limbs[limb]
        own = [bone for bone in self.by_rotation if bone.name == target]
        for bone in own + self._near(now, joints.heel, _NEAR * self.lengths[limb]) * wanted:
            for own_axes in (False, True):
                if self._goes_round(now, bone, joints.heel, (joints.root, joints.hip), own_axes):
                    return bone.name, own_axes
        return "", False

    def toe_turner(self, limb: int, frame: np.intp) -> str:
        """Return the bone whose rotation turns the toes and leaves alone what is above, as the rig is on a frame."""
        joints = self.sample.limbs[limb]
        if joints.toe_end is None:
            return ""
        show(self.states.frames[self.states.of_frame[frame]])
        return self._turns(places(self.armature, self.sample), limb, joints.toe, joints.toe_end)

    def root_turner(self, root: int, targets: dict[int, str]) -> str:
        """Return the bone whose rotation turns the body; feet that have targets stay."""
        show(self.states.frames[0])
        now = places(self.armature, self.sample)
        toes = tuple(self.sample.limbs[limb].toe for limb in targets)
        for bone in self._near(now, root, _NEAR * max(self.lengths)):
            if self._goes_round(now, bone, root, still=toes):
                return bone.name
        return ""

    def _near(self, now: Places, joint: int, distance: float) -> list[bpy.types.PoseBone]:
        """Return the bones that can be turned and are no further from a joint than this."""
        away = np.linalg.norm(now.heads - now.joints[joint], axis=-1)
        return [bone for bone in self.by_rotation if away[self.armature.pose.bones.find(bone.name)] <= distance]

    def _goes_round(
        self, now: Places, bone: bpy.types.PoseBone, joint: int, still: Sequence[int], own_axes: bool = False
    ) -> bool:
        """Whether a joint's bone turns as ``bone`` does, and other joints stay where they are."""
        turn = rotations.from_axis_angle(np.array([0.36, 0.48, 0.8]), np.array(_TURN))
        expected = turn
        if own_axes:
            world = np.array(self.armature.matrix_world, dtype=np.float64) @ np.array(bone.matrix, dtype=np.float64)
            expected = about_own_axes(turn, turns_of(world[:3, :3]), now.turns[joint])
        with turned(self.armature, bone, turn):
            after = places(self.armature, self.sample)
        missed = rotations.angle_between(after.turns[joint], rotations.multiply(expected, now.turns[joint]))
        gone = np.linalg.norm(after.joints[list(still)] - now.joints[list(still)], axis=-1)
        return bool(missed < 3.0 * _STILL * _TURN and np.all(gone < _STILL * _TURN * max(self.lengths)))

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


def _chain(clip: Clip, limb: Limb) -> list[int]:
    """Return the joints from hip to toe; only those of the limb where they do not hang from each other."""
    parents = clip.skeleton.parents
    chain = [limb.toe]
    while chain[-1] != limb.hip and parents[chain[-1]] >= 0:
        chain.append(parents[chain[-1]])
    whole = chain[::-1]
    return whole if whole[0] == limb.hip else [*limb.joints, limb.toe]


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
