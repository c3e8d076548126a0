# SPDX-License-Identifier: GPL-3.0-or-later
"""An action as it is, as a game's lock shows it and as the clean-up makes it, by the same figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import bpy

from ...solver.contacts import Contacts
from ...solver.ground import Ground
from ...solver.metrics import Report
from ...solver.rotations import FloatArray
from ..common.scene import report_of
from ..curves import actions, stack
from ..curves.channels import active_action
from ..legs.limb_bones import LimbBones
from ..sampling.sample import Sample
from ..writing import nla
from ..writing.results import Figures
from .journey import Options, Solve, cleaned_clip, contacts_of, contacts_of_result, locked_clip, sampled_action

WAYS = ("source", "lock", "clean")


@dataclass(frozen=True)
class Compared:
    """The figures of a source action and of what each way makes of it; ``sample`` is the source's motion.

    toes : (F, L, 3) the path of each toe in the world, by the name of the way: ``source``, ``lock``, ``clean``.
    """

    action: bpy.types.Action
    source: Report
    lock: Report
    clean: Report
    sample: Sample
    toes: dict[str, FloatArray]
    contacts: Contacts
    ground: Ground

    def as_dict(self) -> Figures:
        """Return the figures of each by name."""
        return {name: getattr(self, name).as_dict() for name in WAYS}


def compare(
    armature: bpy.types.Object, limbs: Sequence[LimbBones], options: Options, contacts: Contacts | None = None
) -> Compared:
    """Return the figures of the action that the active one was made from, or of the active one. Nothing is changed.

    contacts : over the frames asked for; None for those of the active action's curves, or else newly found ones.
    """
    active = active_action(armature)
    source = actions.start_of(active)
    if contacts is None and source is not active:
        contacts = contacts_of_result(armature, limbs, options)
    if stack.plays_strips(armature):
        with nla.without_result(armature):
            return _compared(armature, limbs, options, contacts, source)
    try:
        if source is not active:
            actions.assign(armature, source)
        return _compared(armature, limbs, options, contacts, source)
    finally:
        if source is not active:
            actions.assign(armature, active)


def _compared(
    armature: bpy.types.Object,
    limbs: Sequence[LimbBones],
    options: Options,
    contacts: Contacts | None,
    action: bpy.types.Action,
) -> Compared:
    sampled = sampled_action(armature, limbs, options)
    planted = contacts_of(armature, limbs, sampled, options, contacts)
    asked, kept, ground = sampled.asked_for, planted.during(sampled.window), sampled.ground.during(sampled.window)

    toe_joints = [limb.toe for limb in asked.limbs]
    toes = {"source": asked.clip.positions[:, toe_joints]}

    def figures_of(way: str, solve: Solve) -> Report:
        clip, targets = solve(sampled, planted, options)
        made = clip.during(sampled.window)
        toes[way] = made.positions[:, toe_joints]
        return report_of(made, asked.limbs, kept, ground, asked.clip, targets[sampled.window])

    return Compared(
        action=action,
        source=report_of(asked.clip, asked.limbs, kept, ground),
        lock=figures_of("lock", locked_clip),
        clean=figures_of("clean", cleaned_clip),
        sample=asked,
        toes=toes,
        contacts=kept,
        ground=ground,
    )
