# SPDX-License-Identifier: GPL-3.0-or-later
"""Make a gait for an armature: body, plan, solve, pose, and last a new action with its contacts."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from typing import NoReturn

import bpy
import numpy as np

from ...solver.clip import Clip
from ...solver.contacts import Contacts
from ...solver.gait.gaits import Gait, by_speed, gait_for, names_for
from ...solver.gait.plan import PlanError, Wish, make_plan
from ...solver.gait.pose import PosedGait, pose_gait
from ...solver.gait.secondary import SHARES
from ...solver.gait.solve import GaitSolution, solve_gait
from ...solver.gait.template import GRAVITY, Template, template_of
from ...solver.ground import FlatGround
from ...solver.metrics import Report
from ..common.scene import report_of
from ..common.wording import RigError
from ..contacts.contact_curves import write_contacts
from ..curves import actions, baked
from ..curves.channels import channels_in
from ..legs.limb_bones import LimbBones
from ..sampling.sample import Sample, sample_stand
from ..writing import results
from ..writing.flat_action import new_action
from ..writing.write import planned_changes, still_value, write_changes

BY_SPEED = "BY_SPEED"

# The property of an action that holds the options of the gait that it is: JSON.
GAIT_PROPERTY = "toehold_gait"
STYLES = ("bounce", "lean", "lift", "stride", "spread", "crouch", *SHARES)


@dataclass(frozen=True)
class GaitOptions:
    """What is asked for: metres a second, degrees a second (left is positive), degrees from forward to the left.

    speed : None for the gait's usual one. style : shares, 1 is natural, of ``STYLES``.
    first_frame : scene frame that the gait begins on.
    """

    gait: str = BY_SPEED
    speed: float | None = None
    turn: float = 0.0
    direction: float = 0.0
    cycles: int = 1
    in_place: bool = False
    style: Mapping[str, float] = field(default_factory=dict)
    first_frame: int = 1


@dataclass(frozen=True)
class Generated:
    """A gait on an armature. ``stand`` is the pose it was made from, held over the result's frames."""

    action: bpy.types.Action
    stand: Sample
    solution: GaitSolution
    posed: PosedGait
    report: Report


def generate_gait(armature: bpy.types.Object, limbs: Sequence[LimbBones], options: GaitOptions) -> Generated:
    """Make a gait in a new action, from the pose that is seen now, and assign it. RigError: nothing was changed.

    Where the armature plays a gait that was made before, the pose that that was made from counts, and its source.
    """
    feet = [limb for limb in limbs if not limb.hand]
    with standing_source(armature) as source:
        stand, solution, posed = _solved(armature, feet, options)
        ground = FlatGround(float(solution.plan.template.origin[2]))
        report = report_of(posed.clip, stand.limbs, posed.contacts, ground)
        name = f"{armature.name} {solution.plan.wish.gait.name.title()}"
        action = write_gait(armature, feet, stand, (posed.clip, posed.contacts), name)
    remember_gait(action, source, report, asdict(options))
    return Generated(action, stand, solution, posed, report)


@contextmanager
def standing_source(armature: bpy.types.Object) -> Iterator[bpy.types.Action | None]:
    """Let an armature stand as before the gait that it plays was made, and yield that gait's source, else its action.

    Where something goes wrong inside, the armature plays what it played.
    """
    actions.refuse_uneditable(armature)
    animation = armature.animation_data or armature.animation_data_create()
    actions.refuse_tweak_mode(armature)
    left, slot = animation.action, animation.action_slot
    source = left
    try:
        if left is not None and left.get(GAIT_PROPERTY) is not None:
            source = actions.source_of(left)
            animation.action = None
            baked.put_to_rest(armature, left)
        yield source
    except BaseException:
        animation.action = left
        if left is not None:
            animation.action_slot = slot
        raise


def remember_gait(
    action: bpy.types.Action, source: bpy.types.Action | None, report: Report, options: Mapping[str, object]
) -> None:
    """Note what a gait was made from. Its motion is new: it is cleaned as it is, not its source."""
    results.remember_new_figures(action, report)
    action[GAIT_PROPERTY] = json.dumps(options)
    action.use_fake_user = True
    if source is not None:
        source.use_fake_user = True
        action[actions.SOURCE_PROPERTY] = source
        action[actions.NEW_MOTION_PROPERTY] = source


def _solved(
    armature: bpy.types.Object, feet: Sequence[LimbBones], options: GaitOptions
) -> tuple[Sample, GaitSolution, PosedGait]:
    refuse_unknown_style(options.style)
    if options.cycles < 1 or (options.speed or 0.0) < 0.0:
        raise RigError("a gait needs at least one cycle and a speed of 0 or more")
    still, body = standing_body(armature, feet, options.first_frame)
    gait = _gait(options, body.height, len(feet))
    turn, direction = np.radians(options.turn), np.radians(options.direction)
    speed = options.speed
    if speed is None:
        speed = float(np.sqrt(gait.usual_froude * GRAVITY * body.height))
    wish = Wish(gait, speed, turn, direction, still.clip.fps, dict(options.style))
    try:
        solution = solve_gait(make_plan(body, wish))
    except PlanError as error:
        raise RigError("{reason}", reason=str(error)) from None
    if solution.broken:
        raise RigError(
            "{gait} at {speed:.2f} m/s cannot be done by this body: {reason}",
            gait=gait.name,
            speed=speed,
            reason=solution.broken,
        )
    posed = pose_gait(solution, still.clip, still.limbs, options.cycles, options.in_place)
    return held(still, posed.clip.frame_count), solution, posed


def standing_body(armature: bpy.types.Object, feet: Sequence[LimbBones], first_frame: int) -> tuple[Sample, Template]:
    """Return the pose that an armature stands in now, one frame of it, and its body."""
    still = sample_stand(armature, feet, np.array([float(first_frame)]))
    body = template_of(still.clip, still.limbs)
    if not body.height > 1e-6:
        raise RigError(
            '"{armature}" stands with its hips on the floor: choose the legs again, or a pose that stands',
            armature=armature.name,
        )
    return still, body


def held(still: Sample, count: int) -> Sample:
    """Return a pose of one frame held over so many."""
    clip = still.clip.moved(
        np.repeat(still.clip.local_rotations, count, axis=0), np.repeat(still.clip.local_locations, count, axis=0)
    )
    return replace(still, clip=clip, frames=still.frames[0] + np.arange(count, dtype=np.float64))


def refuse_unknown_style(style: Mapping[str, float]) -> None:
    """Refuse a style that there is none of, or a share that is out of range."""
    for name, value in style.items():
        if name not in STYLES:
            raise RigError("there is no style {name}: choose from {names}", name=name, names=", ".join(STYLES))
        if not 0.0 <= value <= 2.0:
            raise RigError("style {name} is {value}: make it a number from 0 to 2", name=name, value=value)


def _gait(options: GaitOptions, height: float, legs: int) -> Gait:
    found = gait_for(options.gait, legs)
    if options.gait == BY_SPEED:
        found = by_speed((options.speed or 0.0) ** 2 / (GRAVITY * height), legs)
    return found or refuse_gait(options.gait, legs)


def refuse_gait(gait: str, legs: int) -> NoReturn:
    """Refuse a gait that so many legs cannot do."""
    raise RigError(
        "{gait} is no gait for {legs} legs: choose from {names}",
        gait=gait,
        legs=legs,
        names=", ".join(names_for(legs)) or "no gait yet",
    )


def write_gait(
    armature: bpy.types.Object, feet: Sequence[LimbBones], stand: Sample, made: tuple[Clip, Contacts], name: str
) -> bpy.types.Action:
    """Write the gait into a new action and assign it; where that fails, none is assigned."""
    clip, contacts = made
    animation = armature.animation_data
    action, slot, channelbag = new_action(armature, name)
    try:
        animation.action, animation.action_slot = action, slot
        channels = channels_in(channelbag)
        changes = planned_changes(armature, stand, clip, channels)
        stills = {change.channel(): still_value(armature, channels, change.channel()) for change in changes}
        write_changes(armature, channelbag, changes, stand.frames, None)
        baked.remember(action, stills)
        write_contacts(armature, action, feet, contacts, stand.frames)
    except BaseException:
        animation.action = None
        bpy.data.actions.remove(action)
        raise
    return action
