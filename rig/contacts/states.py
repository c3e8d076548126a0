# SPDX-License-Identifier: GPL-3.0-or-later
"""What a person has set for contacts, kept as curves beside them: steps from one state to the next.

Only limbs for which something is set have these curves.
"""

from __future__ import annotations

from collections.abc import Sequence

import bpy
import numpy as np

from ...solver.forced import ForcedStates, State, StateArray, nothing_forced
from ...solver.rotations import FloatArray
from ..common import versions
from ..curves import keys, stack
from ..curves.channels import active_action, all_channels_of, bone_path, channels_of, custom_property, evaluate
from ..curves.keys import remove_properties
from ..legs.limb_bones import LimbBones
from .properties import STATE, curve_of, ensure_property, refuse_unwritable


def read_states(armature: bpy.types.Object, limbs: Sequence[LimbBones], frames: FloatArray) -> ForcedStates:
    """Return what is set for ``limbs`` in the active action at ``frames`` (F,)."""
    states = nothing_forced(len(frames), len(limbs))
    channels = all_channels_of(armature)
    found: dict[str, StateArray] = {}
    for point, name in STATE.items():
        found[point] = np.zeros_like(states.toe)
        for at, limb in enumerate(limbs):
            curve = curve_of(channels, limb, name)
            if curve is not None:
                found[point][:, at] = _as_states(evaluate(curve, frames))
    return ForcedStates(**found)


def write_states(
    armature: bpy.types.Object, limbs: Sequence[LimbBones], states: ForcedStates, frames: FloatArray
) -> None:
    """Write what is set for ``limbs`` (F, L) into the active action, in place of all that was set for them.

    frames : (F,) scene frames, whole and without gaps.

    Raises
    ------
    RigError
        Where a contact bone is missing, or a contact curve is locked.
    """
    channels = channels_of(armature)
    for limb in limbs:
        refuse_unwritable(armature, channels, limb)
    channelbag = stack.channelbag_in_hand(armature)
    assert channelbag is not None
    for at, limb in enumerate(limbs):
        bone = limb.contact_bone
        for point, name in STATE.items():
            of_point = getattr(states, point)[:, at]
            if not of_point.any():
                remove_properties(armature, [(bone, name)])
                continue
            ensure_property(armature.pose.bones[bone], name)
            curve = versions.ensure_curve(channelbag, bone_path(bone, custom_property(name)), 0, bone)
            steps = np.flatnonzero(np.diff(of_point, prepend=-1))
            keys.set_keys(curve, frames[steps], of_point[steps].astype(np.float64), interpolation="CONSTANT")
            curve.mute = False
    active_action(armature).update_tag()
    armature.update_tag(refresh={"TIME"})


def _as_states(values: FloatArray) -> StateArray:
    """Return the states that values of a curve stand for, whatever a person has made of it."""
    return np.clip(np.rint(values), State.AUTO, max(State)).astype(np.int8)
