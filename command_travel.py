# SPDX-License-Identifier: GPL-3.0-or-later
"""Root motion over files: the verb ``toehold root-motion``, and what ``clean`` does of it first."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import get_args

import bpy

from .rig.common.scene import report_of
from .rig.legs.limb_bones import LimbBones
from .rig.verbs.journey import Cleaned, Measured, Options, measure
from .rig.verbs.root_motion import Moved, RootMotionOptions, fit_stride, fit_timing, move_root
from .rig.writing.carrier import AUTO, OBJECT
from .solver.root_motion import Kind

_KINDS = [kind.lower() for kind in get_args(Kind)]
_WAYS = {"add": "IN", "take-out": "OUT", "fit-stride": "STRIDE", "fit-timing": "TIMING"}


def add_travel_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the verb, which are those of the button."""
    add = parser.add_argument
    add(
        "--way",
        choices=tuple(_WAYS),
        default="add",
        help="add the travel that planted feet ask for, take the mean travel out, or keep it and fit steps or timing",
    )
    add("--kind", choices=_KINDS, default="constant", help="how closely travel or timing follows the feet")
    _add_target(parser)


def add_travel_before(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``clean`` that let body and feet go along first."""
    parser.add_argument(
        "--root-motion",
        nargs="?",
        const="constant",
        choices=_KINDS,
        help="first let the body travel as planted feet say: at one speed, or varying, or turning too",
    )
    parser.add_argument(
        "--fit",
        choices=("stride", "timing"),
        help="where the body goes at another speed than its feet: first make steps longer or shorter, or play "
        "all keys faster or slower, until they go along with it",
    )
    _add_target(parser)


def _add_target(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--on",
        metavar="BONE|object",
        help="what carries the travel (default: the topmost bone that carries all feet, else the object)",
    )


def travel_options(given: argparse.Namespace, outs: Sequence[Path | None]) -> RootMotionOptions | None:
    """Return what is done about the travel, once it is known that it can be; None for nothing."""
    chosen, fit = getattr(given, "root_motion", None), getattr(given, "fit", None)
    target = {None: AUTO, "object": OBJECT}.get(getattr(given, "on", None), getattr(given, "on", None) or AUTO)
    if fit is not None and chosen is not None:
        given.parser.error("--fit keeps the travel and --root-motion changes it; choose one")
    if given.verb == "root-motion":
        asked, way, kind = "root-motion", _WAYS[given.way], given.kind
    elif chosen is not None:
        asked, way, kind = "--root-motion", "IN", chosen
    elif fit is not None:
        asked, way, kind = "--fit", fit.upper(), "constant"
    else:
        return None
    if given.frames is not None:
        given.parser.error(f"{asked} changes the whole clip; leave out --frames")
    if way == "TIMING" and any(out is not None and out.suffix.lower() == ".bvh" for out in outs):
        given.parser.error("a .bvh keeps its frames; write a .blend, .glb or .fbx to fit the timing")
    return RootMotionOptions(way, kind.upper(), target)  # type: ignore[arg-type]


def change_travel(armature: bpy.types.Object, limbs: Sequence[LimbBones], asked: RootMotionOptions) -> Moved:
    """Make a new action in which body and feet go along, and assign it. RigError: nothing has been changed."""
    if asked.way == "STRIDE":
        return fit_stride(armature, limbs)
    if asked.way == "TIMING":
        return fit_timing(armature, limbs, asked.kind)
    return move_root(armature, limbs, asked)


def with_travel(
    armature: bpy.types.Object, limbs: Sequence[LimbBones], options: Options, asked: RootMotionOptions, before: Measured
) -> Cleaned:
    """Return what ``change_travel`` made, with its figures; ``before`` is the action as it was measured."""
    moved = change_travel(armature, limbs, asked)
    after = measure(armature, limbs, options)
    report = after.report
    if len(after.sample.frames) == len(before.sample.frames):
        clip = after.sample.clip
        report = report_of(clip, after.sample.limbs, after.contacts, after.ground, before.sample.clip)
    made = Cleaned(
        source=moved.source,
        result=moved.result,
        sample=after.sample,
        clip=after.sample.clip,
        contacts=after.contacts,
        before=before.report,
        after=report,
        ground=after.ground,
    )
    return replace(made, own_floor=after.own_floor, warnings=after.warnings)
