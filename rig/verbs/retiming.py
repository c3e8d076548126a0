# SPDX-License-Identifier: GPL-3.0-or-later
"""Other timing for an action whose root and feet go at different speeds: all that is keyed plays faster or slower."""

from __future__ import annotations

from collections.abc import Sequence

import bpy
import numpy as np

from ...solver import retiming
from ...solver.clip import Clip
from ...solver.limb import Limb, feet_among
from ...solver.retiming import Retiming
from ...solver.rotations import FloatArray
from ..common import versions
from ..common.wording import RigError
from ..curves import actions, keys, stack
from ..curves.channels import active_action
from ..legs.limb_bones import LimbBones
from ..sampling.sample import Sample, sample
from ..writing.carrier import AUTO, choose_carrier, write_carried
from ..writing.write import shaping_modifiers


def write_retimed(
    armature: bpy.types.Object, limbs: Sequence[LimbBones], motion_of: Sample, varying: bool
) -> tuple[bpy.types.Action, Clip, str]:
    """Return a new action, assigned, whose feet go as fast as its root, its clip, and what carries its travel.

    Every key of it, contacts too, comes earlier or later. The root goes about as fast as it did, and as far as its
    steps reach.

    Raises
    ------
    RigError
        Where the clip does not travel, or its keys cannot be moved. Nothing has been changed then.
    """
    source = active_action(armature)
    legs = [motion_of.limbs[foot] for foot in feet_among(motion_of.limbs)]
    timing = retiming.retiming(motion_of.clip, legs, varying)
    if timing is None:
        raise RigError(
            'action "{action}" does not travel with its feet: give it its travel instead (Root Motion, Add)',
            action=source.name,
        )
    _refuse_unmovable(armature, source)
    played = source.copy()
    assert played is not None
    try:
        _move_keys(armature, played, motion_of, timing)
        actions.assign(armature, played)
        result, shown, target = _travelling(armature, limbs, legs, timing, f"{source.name} Timing")
    except BaseException:
        actions.assign(armature, source)
        bpy.data.actions.remove(played)
        raise
    result[actions.SOURCE_PROPERTY] = source
    bpy.data.actions.remove(played)
    return result, shown, target


def _refuse_unmovable(armature: bpy.types.Object, source: bpy.types.Action) -> None:
    if stack.plays_strips(armature):
        raise RigError(
            '"{armature}" plays NLA strips: bake them to one action to change its timing', armature=armature.name
        )
    actions.refuse_uneditable(armature)
    channelbag = versions.assigned_channelbag(armature)
    assert channelbag is not None
    for curve in channelbag.fcurves:
        if shaping_modifiers(curve):
            raise RigError(
                'action "{action}" has curves with modifiers, which keep their timing: bake it first',
                action=source.name,
            )


def _move_keys(armature: bpy.types.Object, action: bpy.types.Action, motion_of: Sample, timing: Retiming) -> None:
    """Give all keys of the armature's slot in ``action`` their new times."""
    slot = action.slots[armature.animation_data.action_slot.identifier]
    channelbag = versions.channelbag_of(action, slot)
    assert channelbag is not None
    old, new = motion_of.key_frames, motion_of.frames[0] + timing.times
    # Beyond the clip, as at its ends.
    rates = np.diff(new)[[0, -1]] / np.diff(old)[[0, -1]]

    def moved(frames: FloatArray) -> FloatArray:
        inside = np.interp(frames, old, new)
        return np.asarray(
            inside + rates[0] * np.minimum(frames - old[0], 0.0) + rates[1] * np.maximum(frames - old[-1], 0.0)
        )

    for curve in channelbag.fcurves:
        keys.retime(curve, moved)


def _travelling(
    armature: bpy.types.Object, limbs: Sequence[LimbBones], legs: Sequence[Limb], timing: Retiming, name: str
) -> tuple[bpy.types.Action, Clip, str]:
    """Return what the action assigned, in its new timing, becomes when it travels as its feet say."""
    played = sample(armature, limbs)
    motion = retiming.kept_speed(played.clip, legs, timing)
    carrier = choose_carrier(armature, played, AUTO)
    result, shown, carrier = write_carried(armature, played, motion, carrier, name)
    return result, shown, carrier.named(shown)
