# SPDX-License-Identifier: GPL-3.0-or-later
"""Let an armature follow a path: plan, solve, pose, and last a new action with its contacts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import bpy
import numpy as np

from ...solver.arrays import FloatArray
from ...solver.clip import Clip
from ...solver.contacts import Contacts
from ...solver.gait.gaits import Gait, all_speeds, gait_for
from ...solver.gait.plan import PlanError
from ...solver.gait.template import GRAVITY, Template
from ...solver.ground import FlatGround, Ground
from ...solver.metrics import Report
from ...solver.path.line import Line, drawn_line
from ...solver.path.own_cycle import along_line, gone_along, own_cycle
from ...solver.path.plan import Way, make_path_plan
from ...solver.path.pose import PathFigures, away_from_line, pose_path
from ...solver.path.solve import PathSolution, solve_in_steps
from ...solver.path.terrain import GroundTerrain, LineTerrain, Terrain
from ..common.scene import report_of
from ..common.steps import Steps, finished, share
from ..common.wording import RigError
from ..contacts.contact_curves import read_contacts
from ..curves import actions
from ..curves.channels import active_action, keyed_frames
from ..legs.limb_bones import LimbBones
from ..sampling.sample import Sample, sample_whole
from ..terrain.ground import ground_of
from .generate import (
    BY_SPEED,
    held,
    refuse_gait,
    refuse_unknown_style,
    remember_gait,
    standing_body,
    standing_source,
    write_gait,
)
from .path_points import keyed_speed, path_points

# What is left of dynamics, body weights, beyond which a way is not what its body can do.
_MET = 0.02
# A body is longer than the joint that is led by this at most, hip heights.
_LONGEST_AHEAD = 1.5


@dataclass(frozen=True)
class PathOptions:
    """What is asked for.

    path : the object that draws it. points (P, 3) : in its place, metres of the world.
    speed : metres a second; None for the curve's keyed one, else the usual one of the slowest gait.
    style : shares, 1 is natural. ground : names of objects and collections; none for the path itself.
    first_frame : scene frame that it begins on. own_cycle : whether it goes as its action does, a cycle.
    """

    path: str = ""
    points: tuple[tuple[float, float, float], ...] | None = None
    gait: str = BY_SPEED
    speed: float | None = None
    style: Mapping[str, float] = field(default_factory=dict)
    ground: tuple[str, ...] = ()
    ground_height: float = 0.0
    first_frame: int = 1
    own_cycle: bool = False


@dataclass(frozen=True)
class Followed:
    """A path that an armature follows. ``stand`` is the pose it was made from, held over the result's frames.

    solution : None where it is the animator's own cycle.
    """

    action: bpy.types.Action
    stand: Sample
    solution: PathSolution | None
    clip: Clip
    contacts: Contacts
    forces: FloatArray | None
    figures: PathFigures
    report: Report
    line: Line
    height: float
    speed: float


def follow_path(armature: bpy.types.Object, limbs: Sequence[LimbBones], options: PathOptions) -> Followed:
    """Make an armature follow a path in a new action, and assign it. RigError: nothing was changed."""
    return finished(follow_in_steps(armature, limbs, options))


def follow_in_steps(armature: bpy.types.Object, limbs: Sequence[LimbBones], options: PathOptions) -> Steps[Followed]:
    """Do what ``follow_path`` does, in steps; nothing is changed before the last."""
    refuse_unknown_style(options.style)
    if options.own_cycle:
        return (yield from follow_by_own_cycle(armature, limbs, options))
    feet = [limb for limb in limbs if not limb.hand]
    points = _points(options)
    with standing_source(armature) as source:
        still, body = standing_body(armature, feet, options.first_frame)
        try:
            plan = make_path_plan(body, _way(body, still, points, options))
        except PlanError as error:
            raise RigError("{reason}", reason=str(error)) from None
        ground = getattr(plan.way.terrain, "ground", None)
        yield 0.05
        solution = yield from share(solve_in_steps(plan), 0.05, 0.8)
        _refuse_unmet(solution)
        posed = pose_path(solution, still.clip, still.limbs, ground)
        yield 0.9
        stand = held(still, posed.clip.frame_count)
        floor = ground or FlatGround(float(body.origin[2]))
        report = report_of(posed.clip, stand.limbs, posed.contacts, floor)
        action = write_gait(armature, feet, stand, (posed.clip, posed.contacts), _name(armature, options))
    remember_gait(action, source, report, _remembered(options))
    return Followed(
        action, stand, solution, posed.clip, posed.contacts, posed.forces, posed.figures, report, plan.way.line,
        body.height, float(np.median(plan.way.speed)),
    )  # fmt: skip


def follow_by_own_cycle(
    armature: bpy.types.Object, limbs: Sequence[LimbBones], options: PathOptions
) -> Steps[Followed]:
    """Let an armature go along a path as its own action does, a cycle in place or travelling, in a new action."""
    feet = [limb for limb in limbs if not limb.hand]
    points = _points(options)
    actions.refuse_uneditable(armature)
    actions.refuse_tweak_mode(armature)
    source = active_action(armature)
    slot = armature.animation_data.action_slot
    frames = keyed_frames(armature)
    if len(frames) < 4:
        raise RigError(
            '"{action}" is no cycle to go along a path with: give it at least four frames', action=source.name
        )
    whole = sample_whole(armature, feet, frames)
    yield 0.3
    try:
        cycle = own_cycle(whole.clip, whole.limbs, read_contacts(armature, feet, frames))
        height = float(np.mean([whole.clip.positions[:, limb.hip, 2] for limb in whole.limbs])) - cycle.floor
        line = drawn_line(points, height)
        speed = cycle.speed if options.speed is None else options.speed
        chosen = ground_of(options.ground, options.ground_height, whole, may_step=False) if options.ground else None
        clip, contacts, ground = along_line(cycle, whole.limbs, line, height, speed, chosen)
    except PlanError as error:
        raise RigError("{reason}", reason=str(error)) from None
    yield 0.8
    report = report_of(clip, whole.limbs, contacts, ground)
    off = away_from_line(
        line, clip.positions[:, whole.limbs[0].root, :2] / height, gone_along(line, height, speed, clip)
    )
    figures = PathFigures(1000.0 * height * float(off.max()), report.drift_mm, report.penetration_mm)
    stand = held(replace(whole, clip=whole.clip.during(slice(0, 1)), frames=whole.frames[:1]), clip.frame_count)
    stand = replace(stand, frames=options.first_frame + np.arange(clip.frame_count, dtype=np.float64))
    try:
        action = write_gait(armature, feet, stand, (clip, contacts), _name(armature, options))
    except BaseException:
        armature.animation_data.action, armature.animation_data.action_slot = source, slot
        raise
    remember_gait(action, source, report, _remembered(options))
    return Followed(action, stand, None, clip, contacts, None, figures, report, line, height, speed)


def _name(armature: bpy.types.Object, options: PathOptions) -> str:
    return f"{armature.name} {options.path or 'Path'}"


def _remembered(options: PathOptions) -> dict[str, object]:
    return {"path": options.path, "gait": options.gait, "speed": options.speed, "own_cycle": options.own_cycle}


def _points(options: PathOptions) -> FloatArray:
    if options.points is not None:
        return np.array(options.points, dtype=np.float64).reshape(-1, 3)
    return path_points(options.path)


def _way(body: Template, still: Sample, points: FloatArray, options: PathOptions) -> Way:
    legs = len(still.limbs)
    gaits: tuple[Gait, ...]
    borders: tuple[float, ...]
    if options.gait == BY_SPEED:
        gaits, borders = all_speeds(legs)
    else:
        found = gait_for(options.gait, legs)
        gaits, borders = (() if found is None else (found,)), ()
    if not gaits:
        refuse_gait(options.gait, legs)
    line = drawn_line(points, body.height)
    return Way(
        line, _terrain(body, still, line, points, options), gaits, borders, _speed(body, line, gaits[0], options),
        still.clip.fps, _ahead(body, still), dict(options.style),
    )  # fmt: skip


def _speed(body: Template, line: Line, slowest: Gait, options: PathOptions) -> FloatArray:
    if options.speed is not None:
        return np.full(2, options.speed)
    keyed = keyed_speed(options.path, line.length * body.height) if options.path else None
    return np.full(2, np.sqrt(slowest.usual_froude * GRAVITY * body.height)) if keyed is None else keyed


def _ahead(body: Template, still: Sample) -> float:
    """Return how far the centre of mass is before the root that is led along the line, hip heights."""
    root = still.clip.positions[0, still.limbs[0].root]
    return float(np.clip((body.origin - root) @ body.forward / body.height, -_LONGEST_AHEAD, _LONGEST_AHEAD))


def _terrain(body: Template, still: Sample, line: Line, points: FloatArray, options: PathOptions) -> Terrain:
    if not options.ground:
        return LineTerrain(line)
    ground: Ground = ground_of(options.ground, options.ground_height, still, may_step=False)
    return GroundTerrain.under(line, ground, body.height, float(points[0, 2]) / body.height)


def _refuse_unmet(solution: PathSolution) -> None:
    left = max(solution.dynamics, solution.torque)
    if left > _MET:
        raise RigError(
            "this body cannot go along this path so: forces miss its motion by {left:.2f} body weights; go slower, or "
            "round its corners",
            left=left,
        )
