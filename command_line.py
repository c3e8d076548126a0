# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line: what the user may write, and what it comes to."""

from __future__ import annotations

import argparse
import os
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, Literal, NoReturn

from .command_batch_options import add_batch_options, refuse_batch_only
from .command_gait import add_follow_options, add_gait_options, follow_options, gait_options
from .command_gate import Limit, limit
from .command_push import add_push_options, push_options
from .command_settings import Chosen, add_setting_options, chosen_settings
from .command_travel import add_travel_before, add_travel_options, travel_options
from .command_values import above_zero, frames, ground, path, walk_on
from .files.engine_text import WRITERS
from .files.placing import why_not_writable
from .files.records import read_json
from .files.scenes import SUFFIXES
from .rig.common.wording import RigError
from .rig.gait.follow_path import PathOptions
from .rig.gait.generate import GaitOptions
from .rig.terrain.surface import WalkOn
from .rig.verbs.push import PushOptions
from .rig.verbs.root_motion import RootMotionOptions

_FILES = f"""
FILE is one of {" ".join(SUFFIXES)}, a folder of them, or a pattern in quotes. OUT is a file (its ending is the
format) or an existing folder (each result keeps its file's name); of a folder, a folder that is made. Other files are
never changed. With `blender -b FILE.blend -c toehold ...` and no FILE, the open file is worked on.
"""
_EXIT_CODES = "exit codes: 0 all done; 1 some file failed, the others are done; 2 wrong usage, nothing was done"
_VERBS = {
    "report": "measure how much planted feet slide; nothing is changed",
    "annotate": "find when each foot is planted, and write it as curves (with -o) or JSON (with --json)",
    "clean": "make planted feet stand still; contacts are found first where there are none yet",
    "adapt": "bring a clip that was made for a flat floor onto the objects that --ground names",
    "gait": "make a gait for a skeleton, which may never have moved: its own speed, turn and style",
    "root-motion": "give clips in place their travel, take it out, or fit steps or timing to it",
    "follow": "let a skeleton follow a path, on its own feet: a curve of the file, or points",
    "push": "push a body: it catches itself by stepping, or falls; nothing before the push changes",
    "lock": "lock planted feet as a game does while it plays, looking at one frame at a time",
}


@dataclass(frozen=True)
class Job:
    """What one run of the command has to do.

    files : to do it on; the file that is open in Blender stands for itself.
    outs : where each one's result goes; None where none is asked for.
    limbs, contacts : the JSON documents given, None if not.
    hands : whether hands are looked for beside legs, where no limbs are given.
    frames : first and last, in each file's own frames.
    settings : of contacts, clean-up and lock.
    travel : what is done about the travel: by root-motion, or before a clip is cleaned; None for nothing.
    events_in_folder : whether events go into a folder, where each action's get a name of their own.
    walk_on : what is ground and what an obstacle, by the names of objects.
    result : where it goes that is made of NLA strips; None where OUT says it.
    limits : that the figures have to keep, or the exit code is 1.
    """

    verb: str
    files: tuple[Path, ...]
    outs: tuple[Path | None, ...]
    works_on_open_file: bool
    armature: str | None
    actions: tuple[str, ...]
    limbs: Any
    hands: bool
    contacts: Any
    metres_per_unit: float | None
    ground_height: float
    ground_objects: tuple[str, ...]
    frames: tuple[int, int] | None
    settings: Chosen
    travel: RootMotionOptions | None
    compare: bool
    events: tuple[Path | None, ...]
    events_in_folder: bool
    events_format: str
    json: Path | None
    quiet: bool
    sketch: bool = False
    gait: GaitOptions | PathOptions | None = None
    push: PushOptions | None = None
    walk_on: tuple[tuple[str, WalkOn], ...] = ()
    result: Literal["STRIP", "ACTION"] | None = None
    limits: tuple[Limit, ...] = ()

    @property
    def makes_results(self) -> bool:
        """Whether an action becomes another one, which remembers what it was made from."""
        return self.verb in {"clean", "adapt", "root-motion", "lock", "push"}

    @property
    def makes_files(self) -> bool:
        """Whether something is left of it when what it prints is not read."""
        return self.json is not None or any(self.outs) or any(self.events)


class _Parser(argparse.ArgumentParser):
    """Refuses in one line rather than after a screen of usage."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}; {self.prog} -h explains\n")


def version() -> str:
    """Return this version of Toehold, as its manifest says."""
    manifest = resources.files(__package__).joinpath("blender_manifest.toml").read_text(encoding="utf-8")
    return str(tomllib.loads(manifest)["version"])


def parse(arguments: Sequence[str], open_file: Path | None) -> Job:
    """Return the job that the arguments ask for; SystemExit, with the reason printed, where they cannot be followed.

    open_file : the file that is open in Blender, which is worked on if no other is named; None if there is none.
    """
    given = given_arguments(arguments)
    refuse = given.parser.error
    refuse_batch_only(given)
    files = tuple(Path(name) for name in given.files)
    if not files and open_file is None:
        refuse("there is no FILE; name at least one")
    works_on_open_file = not files
    files = files or (open_file or Path(),)
    if given.verb == "adapt":
        _check_adapt(given)
    if given.verb == "push" and given.frames is not None:
        refuse("a push changes all frames after it; leave out --frames")
    outs = _outs(given, files, refuse)
    events, events_format = _events(given, files, refuse)
    json_file = Path(given.json) if given.json else None
    if json_file is not None:
        _check_out(json_file, files, refuse)
    inputs = [Path(name) for name in (given.limbs, given.contacts) if name]
    _refuse_twice([*outs, *events, json_file], inputs, refuse)
    return Job(
        verb=given.verb,
        files=files,
        outs=outs,
        works_on_open_file=works_on_open_file,
        armature=given.armature,
        actions=tuple(given.action or ()),
        limbs=_document(given.limbs, refuse),
        hands=given.hands,
        contacts=_document(given.contacts, refuse),
        metres_per_unit=given.unit,
        ground_height=next((ground for ground in given.ground or () if isinstance(ground, float)), 0.0),
        ground_objects=tuple(ground for ground in given.ground or () if isinstance(ground, str)),
        frames=given.frames,
        settings=_settings(given),
        travel=travel_options(given, outs),
        compare=getattr(given, "compare", False),
        events=events,
        events_in_folder=given.verb == "annotate" and bool(given.events) and Path(given.events).is_dir(),
        events_format=events_format,
        json=json_file,
        quiet=given.quiet,
        gait=gait_options(given) or _path(given, refuse),
        push=push_options(given),
        sketch=given.sketch,
        walk_on=tuple(given.walk_on or ()),
        result=getattr(given, "result", None),
        limits=tuple(getattr(given, "fail_over", None) or ()),
    )


def _settings(given: argparse.Namespace) -> Chosen:
    parser: _Parser = given.parser
    try:
        return chosen_settings(given)
    except RigError as error:
        parser.error(str(error))


def given_arguments(arguments: Sequence[str]) -> argparse.Namespace:
    """Return the arguments by name, with the ``parser`` of their verb; SystemExit where they cannot be understood."""
    return _parser().parse_args(list(arguments))


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="toehold",
        description="Find when each foot of an animation is planted, and make it stand still there.",
        epilog=_EXIT_CODES,
    )
    parser.add_argument("--version", action="version", version=f"toehold {version()}")
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True, title="verbs")
    for verb, what in _VERBS.items():
        one = verbs.add_parser(
            verb, help=what, description=f"{what[0].upper()}{what[1:]}. {_FILES}", epilog=_EXIT_CODES
        )
        one.set_defaults(parser=one)
        one.add_argument("files", nargs="*", type=path, metavar="FILE", help="animation to work on")
        where = "folder for the summary of a folder" if verb == "report" else "where the result goes"
        needed = verb not in {"report", "annotate"}
        one.add_argument("-o", "--out", type=path, metavar="OUT", required=needed, help=where)
        _add_shared_options(one)
        add_setting_options(one, verb)
        if verb == "annotate":
            one.add_argument(
                "--events", type=path, metavar="OUT", help="write footsteps, contacts and locks there for an engine"
            )
            one.add_argument(
                "--events-format",
                choices=tuple(WRITERS),
                help="what the events are for (default: as OUT ends, .json, .csv or .tres for Godot)",
            )
        if verb == "report":
            one.add_argument(
                "--compare",
                action="store_true",
                help="measure too what lock and clean would make of it, with the settings of both",
            )
        if verb in {"clean", "lock"}:
            one.add_argument(
                "--result",
                type=str.upper,
                choices=("STRIP", "ACTION"),
                help="where it goes that is made of NLA strips: a strip on top, or one action (as OUT can hold)",
            )
        if verb == "gait":
            add_gait_options(one)
        elif verb == "follow":
            add_follow_options(one)
        elif verb == "push":
            add_push_options(one)
        else:
            one.add_argument(
                "--fail-over",
                action="append",
                type=limit,
                metavar="15mm|20mm/s",
                help="exit code 1 where a planted foot drifts further, or planted feet slide faster, than this",
            )
        if verb == "clean":
            add_travel_before(one)
        if verb == "root-motion":
            add_travel_options(one)
    return parser


def _add_shared_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--armature", metavar="NAME", help="armature to work on, where the file has several; all: each that moves")
    add(
        "--action",
        action="append",
        metavar="NAME",
        help="action to work on, or a pattern in quotes, once for each (default: all that move the armature's legs)",
    )
    limbs = parser.add_mutually_exclusive_group()
    limbs.add_argument(
        "--limbs",
        type=path,
        metavar="LIMBS.json",
        help="limbs to use: [{name, root, hip, knee, hock, heel, toe, toe_end, hand}, ...] by bone, as --json or a "
        "limb preset has them",
    )
    limbs.add_argument("--hands", action="store_true", help="find the hands too, for crawls, climbs and cartwheels")
    add("--contacts", type=path, metavar="CONTACTS.json", help="contacts to use, as annotate --json writes them")
    add(
        "--ground",
        action="append",
        type=ground,
        metavar="Z|OBJECT",
        help="height of the ground in metres (0), or an object or collection of the file to stand on; or both",
    )
    add(
        "--walk-on",
        action="append",
        type=walk_on,
        metavar="OBJECT=KIND",
        help="what an object of --ground is: ground, obstacle or automatic (what a leg can climb is ground)",
    )
    add("--unit", type=above_zero, metavar="METRES", help="metres per unit of a BVH (default: guessed from the legs)")
    add(
        "--json", type=path, metavar="OUT.json", help="write legs, contacts and figures there, in the file's own frames"
    )
    add("--frames", type=frames, metavar="A:B", help="first and last frame to work on; a BVH begins at frame 0")
    add("--quiet", action="store_true", help="print errors only")
    add_batch_options(parser)


def _check_adapt(given: argparse.Namespace) -> None:
    if not any(isinstance(ground, str) for ground in given.ground or ()):
        given.parser.error("adapt needs what the feet are to stand on; name an object or a collection with --ground")
    if given.frames is not None:
        given.parser.error("adapt brings the whole clip onto the ground; leave out --frames")


def _outs(given: argparse.Namespace, files: tuple[Path, ...], refuse: Any) -> tuple[Path | None, ...]:
    """Return where each file's result goes, once it is known that all can be written there."""
    if getattr(given, "out", None) is None:
        return (None,) * len(files)
    out = Path(given.out)
    if out.is_dir():
        outs = tuple(out / file.name for file in files)
    elif len(files) > 1:
        refuse(f"OUT has to be an existing folder for several files; make {given.out!r} first")
    elif given.out.endswith(("/", os.sep)):
        refuse(f"there is no folder {given.out!r}; make it first")
    else:
        outs = (out,)
    for place in outs:
        # In a folder, an unknown ending is the file's own, and the file will be refused by itself.
        if place == out and place.suffix.lower() not in SUFFIXES:
            refuse(f"{place.name}: OUT has to end in one of {' '.join(SUFFIXES)}")
        if given.verb == "annotate" and place.suffix.lower() == ".bvh":
            refuse(
                f"{place.name}: a .bvh cannot carry contact curves; write a .blend, .glb or .fbx, or use --json alone"
            )
        _check_out(place, files, refuse)
    if len({os.path.realpath(place) for place in outs}) < len(outs):
        refuse("two files of the same name would be written to one; run them one by one")
    return outs


def _events(given: argparse.Namespace, files: tuple[Path, ...], refuse: Any) -> tuple[tuple[Path | None, ...], str]:
    """Return where each file's events go, and in which format."""
    out: str | None = getattr(given, "events", None)
    if out is None:
        return (None,) * len(files), ""
    kinds = {".json": "json", ".csv": "csv", ".tres": "godot"}
    chosen = given.events_format or kinds.get(Path(out).suffix.lower())
    if Path(out).is_dir():
        _, ending = WRITERS[chosen or "json"]
        places = tuple(Path(out) / f"{file.stem}{ending}" for file in files)
        if len(set(places)) < len(places):
            refuse("the events of two files of the same name would be written to one; run them one by one")
    elif len(files) > 1:
        refuse(f"the events of several files need an existing folder; make {out!r} first")
    elif chosen is None:
        refuse(f"{out}: name the events .json, .csv or .tres, or say what they are for with --events-format")
    else:
        places = (Path(out),)
    for place in places:
        _check_out(place, files, refuse)
    return places, chosen or "json"


def _refuse_twice(places: Sequence[Path | None], inputs: Sequence[Path], refuse: Any) -> None:
    """Refuse to write two results into one file, or one into a document that is read."""
    taken: list[Path] = []
    for place in places:
        if place is None:
            continue
        if any(_is_same_file(place, other) for other in taken):
            refuse(f"{place}: two results would be written to that one file; give each a name of its own")
        if any(_is_same_file(place, other) for other in inputs):
            refuse(f"{place}: that would overwrite what is read; choose another name")
        taken.append(place)


def _check_out(out: Path, files: tuple[Path, ...], refuse: Any) -> None:
    for file in files:
        if _is_same_file(out, file):
            refuse(f"{out}: that would overwrite the input; choose another name or folder")
    reason = why_not_writable(out)
    if reason is not None:
        refuse(f"{out} cannot be written: {reason}")


def _is_same_file(a: Path, b: Path) -> bool:
    return os.path.realpath(a) == os.path.realpath(b) or (a.exists() and b.exists() and os.path.samefile(a, b))


def _path(given: argparse.Namespace, refuse: Any) -> PathOptions | None:
    try:
        return follow_options(given)
    except RigError as error:
        refuse(str(error))
        return None


def _document(name: str | None, refuse: Any) -> Any:
    try:
        return None if name is None else read_json(Path(name))
    except RigError as error:
        refuse(str(error))
