# SPDX-License-Identifier: GPL-3.0-or-later
"""The verb ``toehold gait``: its options, and what it does on one file."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from .command_tables import Outcome
from .files import output
from .files.gait_record import gait_record, write_gait_bvh
from .files.scenes import Source, current_scene
from .rig.gait.generate import BY_SPEED, STYLES, GaitOptions, generate_gait
from .rig.legs.limb_bones import LimbBones


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


def _style(text: str) -> tuple[str, float]:
    name, _, value = text.partition("=")
    return name.strip().lower(), float(value)


def do_gait(source: Source, limbs: Sequence[LimbBones], options: GaitOptions, out: Path) -> Outcome:
    """Make the gait, save it as ``out`` and return its figures."""
    scene = current_scene()
    scene.frame_set(source.first_frame or scene.frame_start)
    generated = generate_gait(source.armature, limbs, options)
    frames = generated.stand.frames
    scene.frame_start, scene.frame_end = int(frames[0]), int(frames[-1])
    if source.bvh is not None and out.suffix.lower() == ".bvh":
        write_gait_bvh(generated, source, out)
    else:
        output.save(source, out)
    contacts, report = generated.posed.contacts, generated.report
    return Outcome(frames, contacts, report, None, None, None, gait=gait_record(generated, source))
