# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact curves as steps while they are reviewed, one key an edge; afterwards they ease from state to state again.

What the curves say at whole frames is the same either way, so that nothing is edited by looking.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import bpy
import numpy as np

from ...solver.arrays import FloatArray
from ...solver.contacts import PLANTED
from ..common import versions
from ..common.scene import frames_per_second
from ..contacts.contact_curves import edge_keys
from ..contacts.properties import CONTACT, curve_of
from ..curves import keys, stack
from ..curves.channels import all_channels_of, evaluate, key_coordinates, keyed_frames
from ..curves.keys import Attributes
from ..legs.limb_bones import LimbBones


@dataclass(frozen=True)
class Stepped:
    """A curve that is shown in steps: its action by its number in this session, its keys before, and those it got."""

    action: int
    slot: str
    path: str
    before: Attributes
    steps: FloatArray


def as_steps(armature: bpy.types.Object, limbs: Sequence[LimbBones], points: Collection[str]) -> list[Stepped]:
    """Give the contact curves of ``limbs`` one key an edge, and return what they were; none that cannot be changed."""
    action, slot = stack.action_in_hand(armature)
    if action is None or slot is None or not action.is_editable:
        return []
    channels, frames, stepped = all_channels_of(armature), keyed_frames(armature), []
    for limb in limbs:
        for point in points:
            curve = curve_of(channels, limb, CONTACT[point])
            if curve is None or curve.lock:
                continue
            planted = evaluate(curve, frames) > PLANTED
            edges = np.flatnonzero(np.diff(planted.astype(np.int8), prepend=-1))
            before = keys.kept(curve)
            keys.set_keys(curve, frames[edges], planted[edges].astype(np.float64), interpolation="CONSTANT")
            steps = key_coordinates(curve).copy()
            stepped.append(Stepped(action.session_uid, slot.identifier, curve.data_path, before, steps))
    return stepped


def ease_again(stepped: Sequence[Stepped], ease_time: float) -> None:
    """Put curves back that are as ``as_steps`` left them, and let those ease that a person has edited since.

    ease_time : seconds from one state to the other.
    """
    by_number = {action.session_uid: action for action in bpy.data.actions}
    for was in stepped:
        action = by_number.get(was.action)
        bag = None if action is None else versions.channelbag_named(action, was.slot)
        curve = None if bag is None else bag.fcurves.find(was.path)
        if action is None or curve is None or curve.is_empty or not action.is_editable:
            continue
        now = key_coordinates(curve)
        if np.array_equal(now, was.steps):
            keys.put_back(curve, was.before)
        else:
            _ease(curve, now, ease_time)
        action.update_tag()


def _ease(curve: bpy.types.FCurve, now: FloatArray, ease_time: float) -> None:
    frames = np.arange(np.floor(now[0, 0]), np.ceil(now[-1, 0]) + 1.0)
    times, values = edge_keys(evaluate(curve, frames) > PLANTED, frames, ease_time * frames_per_second())
    curve.auto_smoothing = "NONE"
    keys.set_keys(
        curve,
        times,
        values,
        interpolation="BEZIER",
        handle_left_type="AUTO_CLAMPED",
        handle_right_type="AUTO_CLAMPED",
    )
