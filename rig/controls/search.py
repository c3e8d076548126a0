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
from ...solver.rotations import FloatArray
from ..common.wording import RigError, say
from ..curves import regime
from ..curves.mirrors import turns_of
from ..sampling.sample import Sample
from .candidates import is_locked
from .probe import Places, about_own_axes, moved, places, turned
from .rig import ControlRig
from .targets import NEAR, STEPS, STILL, find_targets, step_towards_hip

# How far bones are turned, in radians.
_TURN = 0.03

# How far a control may be from a joint that it turns, in leg lengths.
_AT_JOINT = 0.05


class Search:
    """What moves a rig's limbs and bodies, found by nudging."""

    def __init__(self, armature: bpy.types.Object, sample: Sample) -> None:
        self.armature = armature
        self.sample = sample
        self.rig = ControlRig(armature, sample)

    def targets(self, limbs: Sequence[int]) -> dict[int, str]:
        """Return the control that each limb's foot goes along with, by limb, where there is one in some state."""
        return find_targets(self.rig, limbs)

    def shares(self, targets: dict[int, str]) -> list[FloatArray]:
        """Return for each limb ``(F,)`` how far its foot goes along with its target."""
        shares = [np.full(len(self.sample.frames), float(limb in targets)) for limb in range(len(self.sample.limbs))]
        states = self.rig.states
        if len(states) == 1:
            return shares
        for state in range(len(states)):
            for limb, name in targets.items():
                now = self.rig.show(self._frame(state, limb))
                share = max(self._share(now, limb, name, size) for size in STEPS)
                shares[limb][states.of_frame == state] = 0.0 if share < STILL else share
        return shares

    def _frame(self, state: int, limb: int | None = None) -> float:
        return self.rig.frames(state, limb)[0]

    def _share(self, now: Places, limb: int, target: str, size: float) -> float:
        step = step_towards_hip(self.rig, now, limb, size)
        toe = self.sample.limbs[limb].toe
        with moved(self.armature, self.armature.pose.bones[target], step):
            gone = places(self.armature, self.sample).joints[toe] - now.joints[toe]
        return float(np.clip(gone @ step / (step @ step), 0.0, 1.0))

    def root_control(self, root: int, targets: dict[int, str]) -> str:
        """Return the bone that moves the body: feet that have targets stay, and most of the mesh goes along."""
        now = self.rig.show(self._frame(0))
        length = max(self.rig.lengths)
        step = np.array([0.6, 0.48, 0.64]) * STEPS[0] * length
        deform = np.array([bone.bone.use_deform for bone in self.armature.pose.bones])
        best, best_score = "", (False, False, False, False, 0.0, -1000)
        for bone in self.rig.by_location:
            keyed = (bone.name, "location") in self.rig.channels.of_bones
            if best and not keyed:
                # Those that are not animated come after all that are.
                break
            if np.linalg.norm(now.heads[self.armature.pose.bones.find(bone.name)] - now.joints[root]) > NEAR * length:
                continue
            with moved(self.armature, bone, step):
                after = places(self.armature, self.sample)
            if not _goes_along(now.joints[root], after.joints[root], step):
                continue
            toes = [self.sample.limbs[limb].toe for limb in targets]
            gone = np.linalg.norm(after.joints[toes] - now.joints[toes], axis=-1)
            carried = np.linalg.norm(after.heads - now.heads, axis=-1)[deform] > 0.5 * float(np.linalg.norm(step))
            share = round(float(np.mean(carried)), 1) if carried.size else 0.0
            stays = bool(np.all(gone < 0.5 * np.linalg.norm(step)))
            # Feet that are free keep out what is above the body; where there are none, the body is what is deepest.
            depth = len(bone.parent_recursive) * (-1 if toes else 1)
            free = not is_locked(self.rig.channels, bone.name, "location")
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
        free = np.flatnonzero(share < 1.0 - STILL)
        if not free.size:
            return {}
        joints = self.sample.limbs[limb]
        # The state furthest from inverse kinematics shows best what turns.
        frame = self._frame(int(self.rig.states.of_frame[free[np.argmin(share[free])]]), limb)
        now = self.rig.show(frame)
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
                    frames=frame,
                )
        return found

    def foot_turner(self, limb: int, target: str, share: FloatArray, wanted: bool) -> tuple[str, bool]:
        """Return the bone whose rotation turns the foot where it follows its target; looked for where it is wanted.

        With it, whether the foot turns about its own axes as the bone does about its own: not about the same in space.
        """
        if not target:
            return "", False
        now = self.rig.show(self._frame(int(self.rig.states.of_frame[np.argmax(share)]), limb))
        joints = self.sample.limbs[limb]
        own = [bone for bone in self.rig.by_rotation if bone.name == target]
        near = self._near(now, joints.heel, NEAR * self.rig.lengths[limb]) if wanted else []
        for bone in own + [bone for bone in near if self.rig.can_move(bone, limb)]:
            for own_axes in (False, True):
                if self._goes_round(now, bone, joints.heel, (joints.root, joints.hip), own_axes):
                    return bone.name, own_axes
        return "", False

    def toe_turner(self, limb: int, frame: np.intp) -> str:
        """Return the bone whose rotation turns the toes and leaves alone what is above, as the rig is on a frame."""
        joints = self.sample.limbs[limb]
        if joints.toe_end is None:
            return ""
        now = self.rig.show(self._frame(int(self.rig.states.of_frame[frame]), limb))
        return self._turns(now, limb, joints.toe, joints.toe_end)

    def root_turner(self, root: int, targets: dict[int, str]) -> str:
        """Return the bone whose rotation turns the body; feet that have targets stay."""
        now = self.rig.show(self._frame(0))
        toes = tuple(self.sample.limbs[limb].toe for limb in targets)
        for bone in self._near(now, root, NEAR * max(self.rig.lengths)):
            if self._goes_round(now, bone, root, still=toes):
                return bone.name
        return ""

    def _near(self, now: Places, joint: int, distance: float) -> list[bpy.types.PoseBone]:
        """Return the bones that can be turned and are no further from a joint than this."""
        away = np.linalg.norm(now.heads - now.joints[joint], axis=-1)
        return [bone for bone in self.rig.by_rotation if away[self.armature.pose.bones.find(bone.name)] <= distance]

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
        return bool(missed < 3.0 * STILL * _TURN and np.all(gone < STILL * _TURN * max(self.rig.lengths)))

    def _turns(self, now: Places, limb: int, joint: int, end: int) -> str:
        """Return the bone that turns what is below a joint and leaves alone what is above; empty if there is none."""
        bones = self.armature.pose.bones
        below = now.joints[end] - now.joints[joint]
        across = rotations.normalized(np.cross(below, np.array([0.36, 0.48, 0.8])))
        turn = rotations.from_axis_angle(across, np.array(_TURN))
        wanted = rotations.rotate(turn, below) - below
        chain = self.rig.chains[limb]
        above = chain[: chain.index(joint) + 1]
        for bone in self.rig.by_rotation:
            if not self.rig.can_move(bone, limb):
                continue
            at = now.heads[bones.find(bone.name)]
            if np.linalg.norm(at - now.joints[joint]) > _AT_JOINT * self.rig.lengths[limb]:
                continue
            with turned(self.armature, bone, turn):
                after = places(self.armature, self.sample)
            still = np.linalg.norm(after.joints[above] - now.joints[above], axis=-1).max()
            moved_by = after.joints[end] - now.joints[end]
            size = float(np.linalg.norm(wanted))
            if still < STILL * size and np.linalg.norm(moved_by - wanted) < 3.0 * STILL * size:
                return bone.name
        return ""

    def _held(self, joint: int) -> str:
        """Say what holds a joint's bone."""
        name = self.sample.bones[joint]
        constraint = regime.constrained_bones(self.armature, self.rig.channels).get(str(name))
        if constraint:
            return say('bone "{bone}" is held by the constraint "{constraint}"', bone=name, constraint=constraint)
        return say('bone "{bone}" is held by its rig', bone=name)


def _goes_along(before: FloatArray, after: FloatArray, step: FloatArray) -> bool:
    return bool(np.linalg.norm(after - before - step) < STILL * np.linalg.norm(step))
