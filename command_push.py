# SPDX-License-Identifier: GPL-3.0-or-later
"""The verb ``toehold push``: its options, and what it tells of a push."""

from __future__ import annotations

import argparse
import math

from .command_values import above_zero
from .files.records import Record
from .rig.verbs.push import FALLS, PushOptions, PushResult


def add_push_options(parser: argparse.ArgumentParser) -> None:
    """Add what only this verb knows."""
    add = parser.add_argument
    add("--bone", required=True, metavar="BONE", help="bone that is hit, in its middle")
    add("--frame", required=True, type=int, metavar="F", help="first frame that changes, in the file's own frames")
    add(
        "--impulse",
        required=True,
        type=_vector,
        metavar="X,Y,Z",
        help="newton seconds in Blender's world, Z up; 30 is a shove (write --impulse=-30,0,0 where it begins with -)",
    )
    add("--mass", type=above_zero, metavar="KG", help="of the body (default: what a body of its size usually has)")
    add(
        "--fall",
        default="auto",
        choices=[fall.lower() for fall in FALLS],
        help="whether it falls: where it cannot catch itself (auto), never or always",
    )


def push_options(given: argparse.Namespace) -> PushOptions | None:
    """Return what was asked for, in the file's own frames; None of another verb."""
    if given.verb != "push":
        return None
    fall = next(fall for fall in FALLS if fall.lower() == given.fall)
    return PushOptions(given.bone, given.frame, given.impulse, given.mass, fall)


def _vector(text: str) -> tuple[float, float, float]:
    try:
        x, y, z = (float(part) for part in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not X,Y,Z in newton seconds") from None
    if not all(math.isfinite(value) for value in (x, y, z)):
        raise argparse.ArgumentTypeError(f"{text!r} is not three finite numbers")
    return x, y, z


def push_record(made: PushResult) -> Record:
    """Return what JSON says of a push."""
    return {
        "falls": made.falls,
        "gets_up": made.gets_up,
        "delta_v_m_s": made.delta_v,
        "mass_kg": made.mass,
        "threshold_m_s": made.threshold,
        "joint_gap_m": made.gape,
    }


def push_line(record: Record) -> str:
    """Return the line that tells a person what came of a push."""
    happens = "it catches itself"
    if record["falls"]:
        happens = "it falls and gets up again" if record["gets_up"] else "it falls"
    most = record["threshold_m_s"]
    limit = "" if most is None else f"; this way it can take {most:.2f} m/s"
    return f"  pushed by {record['delta_v_m_s']:.2f} m/s ({record['mass_kg']:.3g} kg): {happens}{limit}"
