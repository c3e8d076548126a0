# SPDX-License-Identifier: GPL-3.0-or-later
"""Root motion on an armature: put on a bone that carries the whole body, or on the object, in a new action."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import bpy
import numpy as np

from ...solver import root_motion, stance
from ...solver.clip import Clip
from ...solver.limb import Limb, feet_among
from ...solver.root_motion import Kind
from ...solver.rotations import FloatArray
from ..common.wording import RigError
from ..curves import actions
from ..curves.channels import active_action
from ..legs.limb_bones import LimbBones
from ..sampling.sample import sample
from ..writing import results
from ..writing.carrier import AUTO, carried, choose_carrier, write_carried
from ..writing.nla import over_strips
from ..writing.write_controls import write_as_animated
from .retiming import write_retimed

# Root motion that makes low feet faster by this factor is refused.
WORSE = 1.05


@dataclass(frozen=True)
class RootMotionOptions:
    """What is to be done with a clip's travel.

    way : IN, what the feet ask for is put in; OUT, what is there is taken out; STRIDE, the travel stays and steps are
        made longer or shorter to fit it; TIMING, the root's speed stays and the clip is played faster or slower to
        fit it.
    kind : how the feet are followed, see ``solver.root_motion.feet_motion``; for IN, and for TIMING, whose rate may
        change over the clip too.
    target : a bone's name, OBJECT, or AUTO for the topmost bone that leaves nothing
        behind, the object where there is none.
    """

    way: Literal["IN", "OUT", "STRIDE", "TIMING"] = "IN"
    kind: Kind = "CONSTANT"
    target: str = AUTO


@dataclass(frozen=True)
class Moved:
    """What came of it: travel in metres, and how fast standing feet move in m/s, median, before and after.

    frames : how many the clip lasts, before and after.
    speed_ratios : how fast the root goes for its feet, before and after; None where it does not travel.
    disagreement : how far feet are from what they agree on, over its speed, so that no root motion of the kind leaves
        less; None where they were not asked.
    """

    source: bpy.types.Action
    result: bpy.types.Action
    target: str
    travel: FloatArray
    stance_speed_before: float
    stance_speed_after: float
    frames: tuple[float, float]
    speed_ratios: tuple[float | None, float | None]
    turn_degrees: float = 0.0
    disagreement: float | None = None


@over_strips
def move_root(armature: bpy.types.Object, limbs: Sequence[LimbBones], options: RootMotionOptions) -> Moved:
    """Give the body the travel that its feet ask for, or take its travel out, in a new action that is assigned.

    Raises
    ------
    RigError
        Where the feet agree on no travel, or the bone or object cannot be moved. Nothing has been changed then.
    """
    source = active_action(armature)
    motion_of = sample(armature, limbs)
    clip, legs = motion_of.clip, [motion_of.limbs[foot] for foot in feet_among(motion_of.limbs)]
    motion = (
        root_motion.feet_motion(clip, legs, options.kind)
        if options.way == "IN"
        else root_motion.travel_out(clip, legs[0].root)
    )
    if motion is None:
        raise RigError(
            'no foot of action "{action}" comes down, so nothing tells how far to go: check the legs',
            action=source.name,
        )
    carrier = choose_carrier(armature, motion_of, options.target)
    if options.way == "IN":
        asked_for = stance.stance_speed(carried(clip, motion), legs, clip)
        if asked_for > WORSE * stance.stance_speed(clip, legs):
            raise RigError("the feet agree on no one speed: let the root motion vary in time (Varying)")
    name = f"{source.name} {'Root Motion' if options.way == 'IN' else 'In Place'}"
    result, moved, carrier = write_carried(armature, motion_of, motion, carrier, name)
    found = _moved(source, result, carrier.named(clip), (clip, moved, legs))
    return replace(
        found,
        turn_degrees=float(np.degrees(motion.turn[-1])),
        disagreement=root_motion.disagreement(clip, legs, options.kind) if options.way == "IN" else None,
    )


def _moved(
    source: bpy.types.Action,
    result: bpy.types.Action,
    target: str,
    change: tuple[Clip, Clip, Sequence[Limb]],
) -> Moved:
    """Mark a result as one whose motion is kept, and return its figures; ``change`` is the clip before and after."""
    result[actions.NEW_MOTION_PROPERTY] = source
    results.forget_figures(result)
    before, after, legs = change
    root = after.positions[:, legs[0].root]
    lasts = float(np.ptp(before.frame_times)), float(np.ptp(after.frame_times))
    return Moved(
        source=source,
        result=result,
        target=target,
        travel=(root[-1] - root[0]) * np.array([1.0, 1.0, 0.0]),
        stance_speed_before=stance.stance_speed(before, legs),
        stance_speed_after=stance.stance_speed(after, legs, before if lasts[0] == lasts[1] else after),
        frames=lasts,
        speed_ratios=(root_motion.speed_ratio(before, legs), root_motion.speed_ratio(after, legs)),
    )


@over_strips
def fit_stride(armature: bpy.types.Object, limbs: Sequence[LimbBones]) -> Moved:
    """Make the steps as long as the travel wants them, in a new action that is assigned; the travel stays.

    Raises
    ------
    RigError
        Where the clip does not travel, or the legs cannot be changed. Nothing has been changed then.
    """
    source = active_action(armature)
    motion_of = sample(armature, limbs)
    clip, legs = motion_of.clip, [motion_of.limbs[foot] for foot in feet_among(motion_of.limbs)]
    ratio = root_motion.speed_ratio(clip, legs)
    if ratio is None:
        raise RigError(
            'action "{action}" does not travel with its feet: give it its travel instead (Root Motion, Add)',
            action=source.name,
        )
    fitted, _ = root_motion.stride_scaled(clip, legs, ratio)
    result, fitted = write_as_animated(armature, motion_of, fitted, f"{source.name} Stride")
    return _moved(source, result, "", (clip, fitted, legs))


def fit_timing(armature: bpy.types.Object, limbs: Sequence[LimbBones], kind: Kind = "CONSTANT") -> Moved:
    """Let the clip play so fast that its feet go along with its root, in a new action that is assigned.

    kind : CONSTANT for one rate, VARYING for one that changes as the feet do.

    Raises
    ------
    RigError
        Where the clip does not travel, or its keys cannot be moved. Nothing has been changed then.
    """
    actions.refuse_other_animation(armature)
    source = active_action(armature)
    motion_of = sample(armature, limbs)
    legs = [motion_of.limbs[foot] for foot in feet_among(motion_of.limbs)]
    result, shown, target = write_retimed(armature, limbs, motion_of, kind != "CONSTANT")
    return _moved(source, result, target, (motion_of.clip, shown, legs))
