# SPDX-License-Identifier: GPL-3.0-or-later
"""What an animator animates to move a limb: which bones, and how far each limb follows them on each frame."""

from __future__ import annotations

from dataclasses import astuple, dataclass

import bpy
import numpy as np

from ...solver import rotations
from ...solver.clip import Clip
from ...solver.limb import Limb
from ...solver.rotations import FloatArray
from ..curves import regime
from ..curves.channels import channels_of
from ..sampling.sample import Sample
from .memory import Memory, rig_key
from .search import Search

# Smaller changes than these (metres, radians) ask for no control.
_STILL_M = 1e-6
_STILL_RAD = 1e-4

# Toes that turn against their foot by less than this are left with the keys that they have: a quarter of a degree.
_BENT_RAD = 4e-3


@dataclass(frozen=True)
class LimbControls:
    """What moves one limb.

    target : the bone whose location moves the foot (inverse kinematics); empty where there is none.
    share : ``(F,)`` how far the foot goes along with it, 1 in inverse and 0 in forward kinematics.
    turning : joint to the bone whose rotation turns it (forward kinematics); empty where the target does it all.
    foot : the bone whose rotation turns the foot that follows the target; empty where none does.
    toe : the bone whose rotation turns the toes of that foot; empty where none does, or they need not turn.
    own_axes : whether the foot turns about its own axes as ``foot`` does about its own, not about the same in space.
    """

    target: str
    share: FloatArray
    turning: dict[int, str]
    foot: str = ""
    toe: str = ""
    own_axes: bool = False


@dataclass(frozen=True)
class Controls:
    """What moves a sample's root joints, by joint, and its limbs, in order.

    turning_roots : root joint to the bone that turns it, where it has to turn and there is one.
    """

    roots: dict[int, str]
    limbs: tuple[LimbControls, ...]
    turning_roots: dict[int, str]

    @property
    def bones(self) -> tuple[str, ...]:
        """All controls, each once."""
        names = [*self.roots.values(), *self.turning_roots.values()]
        for limb in self.limbs:
            names += [limb.target, *limb.turning.values(), limb.foot, limb.toe]
        return tuple(name for name in dict.fromkeys(names) if name)


_memory: Memory[Controls] = Memory()


def needs_controls(armature: bpy.types.Object, sample: Sample) -> bool:
    """Whether constraints or drivers hold what would have to move: then keys of these bones would show nothing."""
    if not sample.evaluated:
        return False
    joints = {joint for limb in sample.limbs for joint in (limb.root, *limb.joints, limb.toe)}
    return any_is_held(armature, {name for joint in joints if (name := sample.bones[joint]) is not None})


def any_is_held(armature: bpy.types.Object, names: set[str]) -> bool:
    """Whether one of these bones is moved by a constraint or a driver."""
    held = regime.constrained_bones(armature, channels_of(armature))
    return not names.isdisjoint(held) or regime.is_driven(armature, [armature.pose.bones[name] for name in names])


def find_controls(armature: bpy.types.Object, sample: Sample, clip: Clip) -> Controls:
    """Return what has to be keyed so that the sample's limbs move as in ``clip``. The scene is put back as it was.

    Raises
    ------
    RigError
        Where nothing that can be keyed moves a limb or the body.
    """
    needs = [_needs(sample.clip, clip, limb) for limb in sample.limbs]
    limbs = tuple((limb.name, limb.root, *limb.joints, limb.toe, limb.toe_end) for limb in sample.limbs)
    key = rig_key(armature, channels_of(armature), sample.frames), sample.bones, limbs, tuple(needs)
    known = _memory.recall(key)
    if known is None:
        known = _found(armature, sample, needs)
        _memory.keep(key, known)
    return known


def forget_controls() -> None:
    """Let controls be searched again, where those that are remembered did not do."""
    _memory.forget()


def _found(armature: bpy.types.Object, sample: Sample, needs: list[_Needs]) -> Controls:
    """Search for what moves the limbs and their roots as they need it."""
    search = Search(armature, sample)
    scene = bpy.context.scene
    frame, subframe = scene.frame_current, scene.frame_subframe
    try:
        # A foot that stays needs its control too where the body that carries it moves.
        limbs = [at for at, need in enumerate(needs) if need.anything]
        alike = list(needs)
        for one, other in search.rig.pairs(limbs):
            alike[one] = alike[other] = needs[one] | needs[other]
        targets = search.targets(limbs)
        shares = search.shares(targets)
        moving = {sample.limbs[limb].root for limb in limbs}
        turned = {sample.limbs[limb].root for limb in limbs if needs[limb].root_turns}
        moved = {sample.limbs[limb].root for limb in limbs if needs[limb].root_moves}
        turning = {root: search.root_turner(root, targets) for root in moving if root in turned}
        roots = {root: search.root_control(root, targets) for root in moving if turning.get(root) or root in moved}
        found = [
            _limb_controls(search, at, targets.get(at, ""), shares[at], alike[at])
            if at in limbs
            else LimbControls(targets.get(at, ""), shares[at], {})
            for at in range(len(sample.limbs))
        ]
    finally:
        scene.frame_set(frame, subframe=subframe)
    return Controls(roots, tuple(found), {root: bone for root, bone in turning.items() if bone})


@dataclass(frozen=True)
class _Needs:
    """What of a limb is to be other than it was: its root moved or turned, its toes moved, its foot or its toes turned
    in the world, its toes bent against the foot."""

    root_moves: bool
    root_turns: bool
    toe_moves: bool
    foot: bool
    toe: bool
    bends: bool

    @property
    def anything(self) -> bool:
        return self.root_moves or self.root_turns or self.toe_moves or self.foot or self.toe

    def __or__(self, other: _Needs) -> _Needs:
        """Return what either limb needs, so that limbs that mirror each other are keyed alike."""
        return _Needs(*(one or another for one, another in zip(astuple(self), astuple(other), strict=True)))


def _needs(before: Clip, after: Clip, limb: Limb) -> _Needs:
    return _Needs(
        _moves(before, after, limb.root),
        _turns(before, after, limb.root),
        _moves(before, after, limb.toe),
        _turns(before, after, limb.heel),
        _turns(before, after, limb.toe),
        _bends(before, after, limb),
    )


def _limb_controls(search: Search, at: int, target: str, share: FloatArray, needs: _Needs) -> LimbControls:
    """Return what moves one limb."""
    limb = search.sample.limbs[at]
    turning, toe = search.turning(at, share), ""
    foot, own_axes = search.foot_turner(at, target, share, needs.foot)
    turns_alone = bool(target) and not foot and needs.toe
    if turns_alone or needs.bends:
        toe = search.toe_turner(at, share.argmax()) if target else ""
        forward = search.toe_turner(at, share.argmin()) if turning else ""
        turning |= {limb.toe: forward} if forward else {}
    return LimbControls(target, share, turning, foot, toe, own_axes)


def _bends(before: Clip, after: Clip, limb: Limb) -> bool:
    """Whether the toes turn against their foot, so far that it is worth other keys than an animator gave them."""
    bent = [
        rotations.multiply(rotations.inverse(one.rotations[:, limb.heel]), one.rotations[:, limb.toe])
        for one in (before, after)
    ]
    return bool(rotations.angle_between(*bent).max() > _BENT_RAD)


def _moves(before: Clip, after: Clip, joint: int) -> bool:
    return bool(np.abs(after.positions[:, joint] - before.positions[:, joint]).max() > _STILL_M)


def _turns(before: Clip, after: Clip, joint: int) -> bool:
    turned = rotations.angle_between(before.rotations[:, joint], after.rotations[:, joint])
    return bool(turned.max() > _STILL_RAD)
