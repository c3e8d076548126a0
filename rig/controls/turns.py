# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet, toes and bodies turned as a clip has them, by the rotation of the controls that turn them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import bpy
import numpy as np

from ...solver import rotations
from ...solver.clip import Clip
from ...solver.limb import Limb
from ...solver.rotations import FloatArray
from ...solver.signals import BoolArray
from ..curves.mirrors import turns_of
from .limb_controls import Controls
from .probe import about_own_axes, turned_channels

# What is turned this near (radians) to what it has to be is there; the rest is how Blender rounds.
_THERE = 5e-4

# No foot counts as shorter than this, in leg lengths.
_ARM = 0.1


@dataclass(frozen=True)
class Turner:
    """A control whose rotation turns one joint.

    point : which of the points that are brought to their places goes along with it: of the roots, then the toes.
    arm : metres by which a turn counts beside the way that the point has to go.
    active : ``(F,)`` where the joint follows it.
    own_axes : whether the joint turns about its own axes as the control does about its own.
    """

    bone: str
    joint: int
    point: int
    arm: float
    active: BoolArray
    own_axes: bool = False


def turners_of(controls: Controls, clip: Clip, limbs: Sequence[Limb]) -> list[Turner]:
    """Return what turns roots, feet and toes besides the controls in forward kinematics."""
    feet = [np.linalg.norm(clip.positions[:, limb.toe] - clip.positions[:, limb.heel], axis=-1) for limb in limbs]
    arms = [max(float(np.median(foot)), _ARM * limb.length(clip)) for foot, limb in zip(feet, limbs, strict=True)]
    always = np.ones(clip.frame_count, dtype=np.bool_)
    roots = list(controls.roots)
    found = [
        Turner(bone, root, roots.index(root), float(np.mean(arms)), always)
        for root, bone in controls.turning_roots.items()
    ]
    for at, (limb, control) in enumerate(zip(limbs, controls.limbs, strict=True)):
        point = len(roots) + at
        if control.foot:
            found.append(Turner(control.foot, limb.heel, point, arms[at], control.share > 0.0, control.own_axes))
        if control.toe:
            found.append(Turner(control.toe, limb.toe, point, 0.5 * arms[at], control.share > 0.0))
        if limb.toe in control.turning and control.turning[limb.toe] != control.toe:
            found.append(Turner(control.turning[limb.toe], limb.toe, point, 0.5 * arms[at], control.share < 1.0))
    return found


def lacking_turns(turners: Sequence[Turner], wanted: Clip, shown: Clip) -> list[FloatArray]:
    """Return for each control the turn ``(F, 4)`` in the world that its joint still lacks."""
    turns = []
    for turner in turners:
        turn = rotations.multiply(
            wanted.rotations[:, turner.joint], rotations.inverse(shown.rotations[:, turner.joint])
        )
        needed = turner.active & (_angles(turn) > _THERE)
        turns.append(np.where(needed[:, None], turn, rotations.IDENTITY))
    return turns


def turns_of_controls(
    turners: Sequence[Turner], turns: Sequence[FloatArray], worlds: Mapping[str, FloatArray], shown: Clip
) -> dict[str, FloatArray]:
    """Return by how much ``(F, 4)`` each control has to be turned in the world so that its joint is, by ``turns``."""
    return {
        turner.bone: about_own_axes(turn, shown.rotations[:, turner.joint], turns_of(worlds[turner.bone][:, :3, :3]))
        if turner.own_axes
        else turn
        for turner, turn in zip(turners, turns, strict=True)
    }


def missed_by_turns(turners: Sequence[Turner], turns: Sequence[FloatArray], points: int) -> FloatArray:
    """Return metres ``(F, P)`` that stand for the turns that lack, to be held against what each point lacks."""
    missed = np.zeros((len(turns[0]) if turns else 1, points))
    for turner, turn in zip(turners, turns, strict=True):
        missed[:, turner.point] = np.hypot(missed[:, turner.point], turner.arm * _angles(turn))
    return missed


def carried_along(
    turners: Sequence[Turner], turns: Sequence[FloatArray], worlds: Mapping[str, FloatArray], places: FloatArray
) -> FloatArray:
    """Return by how much ``(F, P, 3)`` the turns themselves move the points at ``places`` ``(F, P, 3)``."""
    moved = np.zeros_like(places)
    for turner, turn in zip(turners, turns, strict=True):
        arm = places[:, turner.point] - worlds[turner.bone][:, :3, 3]
        moved[:, turner.point] += rotations.rotate(turn, arm) - arm
    return moved


def turned_by(
    armature: bpy.types.Object,
    turns: Mapping[str, FloatArray],
    worlds: Mapping[str, FloatArray],
    own: Mapping[str, FloatArray],
) -> dict[str, FloatArray]:
    """Return the own rotations ``(F, 4)`` with which controls are turned further in the world by ``turns``.

    worlds, own : their world matrices ``(F, 4, 4)`` and own rotations ``(F, 4)`` before.
    """
    new = {}
    for bone, turn in turns.items():
        above = [parent.name for parent in armature.pose.bones[bone].parent_recursive if parent.name in turns]
        parent_turn = turns[above[0]] if above else np.broadcast_to(rotations.IDENTITY, turn.shape)
        new[bone] = turned_channels(own[bone], worlds[bone][:, :3, :3], turn, parent_turn)
    return new


def rotation_vectors(turns: FloatArray) -> FloatArray:
    """Return quaternions ``(..., 4)`` as rotation vectors ``(..., 3)`` in radians."""
    near = np.where(turns[..., :1] < 0.0, -turns, turns)
    return rotations.normalized(near[..., 1:], np.zeros(3)) * _angles(near)[..., None]


def _angles(turns: FloatArray) -> FloatArray:
    return rotations.angle_between(turns, np.broadcast_to(rotations.IDENTITY, turns.shape))
