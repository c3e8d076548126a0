# SPDX-License-Identifier: GPL-3.0-or-later
"""The verbs ``toehold gait`` and ``toehold follow``: their options, and what they do on one file."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from .command_tables import Outcome
from .files import output
from .files.gait_record import followed_record, gait_record, write_gait_bvh
from .files.records import Record, read_json
from .files.scenes import Source, current_scene
from .rig.common.wording import RigError
from .rig.gait.follow_path import PathOptions, follow_path
from .rig.gait.generate import BY_SPEED, STYLES, GaitOptions, generate_gait
from .rig.legs.limb_bones import LimbBones
from .rig.sampling.sample import Sample
from .solver.clip import Clip


def add_gait_options(parser: argparse.ArgumentParser) -> None:
    """Add what only this verb knows."""
    add = parser.add_argument
    add("--gait", default=BY_SPEED, metavar="NAME", help="WALK, TROT, RUN, TRIPOD ... (default: as the speed says)")
    add("--speed", type=float, metavar="M_S", help="metres a second (default: the gait's usual speed)")
    add("--turn", type=float, default=0.0, metavar="DEG_S", help="degrees a second, to the left (0)")
    add("--direction", type=float, default=0.0, metavar="DEG", help="of travel, from forward to the left (0)")
    add("--cycles", type=int, default=1, metavar="N", help="how many strides (1)")
    add("--in-place", action="store_true", help="stay where it starts")
    add("--style", action="append", type=_style, metavar="NAME=V", help=f"0 to 2, 1 natural: {', '.join(STYLES)}")


def gait_options(given: argparse.Namespace) -> GaitOptions | None:
    """Return what was asked for; None of another verb."""
    if given.verb != "gait":
        return None
    return GaitOptions(
        gait=given.gait.upper().replace("-", "_"),
        speed=given.speed,
        turn=given.turn,
        direction=given.direction,
        cycles=given.cycles,
        in_place=given.in_place,
        style=dict(given.style or ()),
    )


def add_follow_options(parser: argparse.ArgumentParser) -> None:
    """Add what only ``follow`` knows."""
    add = parser.add_argument
    add(
        "--path",
        required=True,
        metavar="CURVE|POINTS.json",
        help='an object of the file that draws the path, or {"points": [[x, y, z], ...]} in metres, Z up',
    )
    add("--gait", default=BY_SPEED, metavar="NAME", help="WALK, TROT, RUN, TRIPOD ... (default: as the speed says)")
    add("--speed", type=float, metavar="M_S", help="metres a second (default: the curve's keyed speed, else a walk)")
    add("--style", action="append", type=_style, metavar="NAME=V", help=f"0 to 2, 1 natural: {', '.join(STYLES)}")
    add("--own", action="store_true", help="go as the file's own action does, a cycle in place or travelling")


def follow_options(given: argparse.Namespace) -> PathOptions | None:
    """Return what was asked for; None of another verb. RigError where the points cannot be read."""
    if given.verb != "follow":
        return None
    is_file = given.path.lower().endswith(".json")
    heights = [ground for ground in given.ground or () if isinstance(ground, float)]
    return PathOptions(
        path="" if is_file else given.path,
        points=_points(Path(given.path)) if is_file else None,
        gait=given.gait.upper().replace("-", "_"),
        speed=given.speed,
        style=dict(given.style or ()),
        ground=tuple(ground for ground in given.ground or () if isinstance(ground, str)),
        ground_height=heights[0] if heights else 0.0,
        own_cycle=given.own,
    )


def _points(file: Path) -> tuple[tuple[float, float, float], ...]:
    """Return the points of a JSON file; RigError where there are none."""
    document = read_json(file)
    points = document.get("points") if isinstance(document, dict) else None
    if not isinstance(points, list):
        raise RigError('{file} has no "points": write {{"points": [[x, y, z], ...]}} in metres, Z up', file=file.name)
    found = []
    for at, point in enumerate(points, 1):
        numbers = isinstance(point, list) and len(point) == 3
        if not numbers or not all(isinstance(value, int | float) and not isinstance(value, bool) for value in point):
            raise RigError("point {number} in {file} is not three numbers x, y, z", number=at, file=file.name)
        found.append((float(point[0]), float(point[1]), float(point[2])))
    return tuple(found)


def _style(text: str) -> tuple[str, float]:
    name, _, value = text.partition("=")
    return name.strip().lower(), float(value)


def do_gait(source: Source, limbs: Sequence[LimbBones], options: GaitOptions, out: Path) -> Outcome:
    """Make the gait, save it as ``out`` and return its figures."""
    _to_start(source)
    generated = generate_gait(source.armature, limbs, options)
    _save(generated.stand, generated.posed.clip, source, out)
    contacts, report = generated.posed.contacts, generated.report
    record: Record = {"gait": gait_record(generated, source)}
    return Outcome(generated.stand.frames, contacts, report, None, None, None, gait=record)


def do_follow(source: Source, limbs: Sequence[LimbBones], options: PathOptions, out: Path) -> Outcome:
    """Let the armature follow the path, save it as ``out`` and return its figures."""
    _to_start(source)
    followed = follow_path(source.armature, limbs, options)
    _save(followed.stand, followed.clip, source, out)
    contacts, report = followed.contacts, followed.report
    record = followed_record(followed, source)
    return Outcome(followed.stand.frames, contacts, report, None, None, None, gait=record)


def _to_start(source: Source) -> None:
    scene = current_scene()
    scene.frame_set(source.first_frame or scene.frame_start)


def _save(stand: Sample, clip: Clip, source: Source, out: Path) -> None:
    scene = current_scene()
    scene.frame_start, scene.frame_end = int(stand.frames[0]), int(stand.frames[-1])
    if source.bvh is not None and out.suffix.lower() == ".bvh":
        write_gait_bvh(stand, clip, source, out)
    else:
        output.save(source, out)
