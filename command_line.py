# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line: what the user may write, and what it comes to."""

from __future__ import annotations

import argparse
import os
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path
from typing import Any, NoReturn, get_args

from .command_batch_options import add_batch_options, refuse_batch_only
from .command_gait import add_follow_options, add_gait_options, follow_options, gait_options
from .command_push import add_push_options, push_options
from .command_values import above_zero, frames, ground, not_negative, share
from .files.engine_text import WRITERS
from .files.placing import why_not_writable
from .files.records import read_json
from .files.scenes import SUFFIXES
from .rig.common.wording import RigError
from .rig.gait.follow_path import PathOptions
from .rig.gait.generate import GaitOptions
from .rig.verbs.push import PushOptions
from .solver.locking import LockSettings
from .solver.root_motion import Kind

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
    root_motion : how travel is put into clips in place before they are cleaned; None if it is not.
    events_in_folder : whether events go into a folder, where each action's get a name of their own.
    fit : what is fitted to the travel of clips before they are cleaned, "stride" or "timing"; None for nothing.
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
    strength: float
    keep_travel: float
    foot_pitch: float
    lock: LockSettings
    root_motion: Kind | None
    fit: str | None
    compare: bool
    events: tuple[Path | None, ...]
    events_in_folder: bool
    events_format: str
    json: Path | None
    quiet: bool
    sketch: bool = False
    gait: GaitOptions | PathOptions | None = None
    push: PushOptions | None = None

    @property
    def makes_results(self) -> bool:
        """Whether an action becomes another one, which remembers what it was made from."""
        return self.verb in {"clean", "adapt", "lock", "push"}

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
        strength=getattr(given, "strength", 1.0),
        keep_travel=getattr(given, "keep_travel", 1.0),
        foot_pitch=getattr(given, "foot_pitch", 1.0),
        lock=_lock_settings(given),
        root_motion=_root_motion(given),
        fit=_fit(given, outs),
        compare=getattr(given, "compare", False),
        events=events,
        events_in_folder=given.verb == "annotate" and bool(given.events) and Path(given.events).is_dir(),
        events_format=events_format,
        json=json_file,
        quiet=given.quiet,
        gait=gait_options(given) or _path(given, refuse),
        push=push_options(given),
        sketch=given.sketch,
    )


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
        one.add_argument("files", nargs="*", metavar="FILE", help="animation to work on")
        where = "folder for the summary of a folder" if verb == "report" else "where the result goes"
        makes = {"clean", "adapt", "gait", "follow", "lock", "push"}
        one.add_argument("-o", "--out", metavar="OUT", required=verb in makes, help=where)
        _add_shared_options(one)
        if verb in {"lock", "report", "annotate"}:
            _add_lock_options(one)
        if verb == "annotate":
            one.add_argument("--events", metavar="OUT", help="write footsteps, contacts and locks there for an engine")
            one.add_argument(
                "--events-format",
                choices=tuple(WRITERS),
                help="what the events are for (default: as OUT ends, .json, .csv or .tres for Godot)",
            )
        if verb == "report":
            one.add_argument(
                "--compare",
                action="store_true",
                help="measure too what lock and clean would make of it; the three lock options say how it is locked",
            )
        if verb in {"clean", "adapt"}:
            one.add_argument(
                "--foot-pitch",
                type=share,
                default=1.0,
                metavar="S",
                help="share of the slope of --ground OBJECT that standing feet turn with, 0 to 1 (1)",
            )
        if verb == "gait":
            add_gait_options(one)
        if verb == "follow":
            add_follow_options(one)
        if verb == "push":
            add_push_options(one)
        if verb == "clean":
            _add_clean_options(one)
    return parser


def _add_clean_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--strength", type=share, default=1.0, metavar="S", help="share of the correction, 0 to 1 (1)")
    parser.add_argument(
        "--keep-travel",
        type=not_negative,
        default=1.0,
        metavar="W",
        help="how hard the clip's way through space is kept; 0 lets it drift (1)",
    )
    parser.add_argument(
        "--root-motion",
        nargs="?",
        const="constant",
        choices=[kind.lower() for kind in get_args(Kind)],
        help="first let the body travel as planted feet say: at one speed, or varying, or turning too",
    )
    parser.add_argument(
        "--fit",
        choices=("stride", "timing"),
        help="where the body goes at another speed than its feet: first make steps longer or shorter, or play "
        "all keys faster or slower, until they go along with it",
    )


def _root_motion(given: argparse.Namespace) -> Kind | None:
    chosen = getattr(given, "root_motion", None)
    if chosen is not None and given.frames is not None:
        given.parser.error("--root-motion moves the whole clip; leave out --frames")
    return next((kind for kind in get_args(Kind) if kind.lower() == chosen), None)


def _fit(given: argparse.Namespace, outs: tuple[Path | None, ...]) -> str | None:
    """Return what is to be fitted to the travel, once it is known that this can be."""
    chosen: str | None = getattr(given, "fit", None)
    if chosen is None:
        return None
    if given.frames is not None:
        given.parser.error("--fit changes the whole clip; leave out --frames")
    if given.root_motion is not None:
        given.parser.error("--fit keeps the travel and --root-motion changes it; choose one")
    if chosen == "timing" and any(out is not None and out.suffix.lower() == ".bvh" for out in outs):
        given.parser.error("a .bvh keeps its frames; write a .blend, .glb or .fbx to fit the timing")
    return chosen


def _add_lock_options(parser: argparse.ArgumentParser) -> None:
    usual = LockSettings()
    for name, default, what in (
        ("lock-distance", usual.lock_distance, "metres from the animation within which a planted foot is held"),
        ("unlock-distance", usual.unlock_distance, "metres from the animation at which a held foot is let go"),
        ("blend-time", usual.blend_time, "seconds from free to held and back"),
    ):
        metavar = "SECONDS" if name == "blend-time" else "METRES"
        parser.add_argument(
            f"--{name}", type=not_negative, default=default, metavar=metavar, help=f"{what} ({default:g})"
        )


def _lock_settings(given: argparse.Namespace) -> LockSettings:
    usual = LockSettings()
    return replace(usual, **{name: getattr(given, name, value) for name, value in vars(usual).items()})


def _add_shared_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--armature", metavar="NAME", help="armature to work on, where the file has several; all: each that moves")
    add(
        "--action",
        action="append",
        metavar="NAME",
        help="action to work on, once for each (default: all that move the armature's legs)",
    )
    limbs = parser.add_mutually_exclusive_group()
    limbs.add_argument(
        "--limbs",
        metavar="LIMBS.json",
        help="limbs to use: [{name, root, hip, knee, hock, heel, toe, toe_end, hand}, ...] by bone, as --json or a "
        "limb preset has them",
    )
    limbs.add_argument("--hands", action="store_true", help="find the hands too, for crawls, climbs and cartwheels")
    add("--contacts", metavar="CONTACTS.json", help="contacts to use, as annotate --json writes them")
    add(
        "--ground",
        action="append",
        type=ground,
        metavar="Z|OBJECT",
        help="height of the ground in metres (0), or an object or collection of the file to stand on; or both",
    )
    add("--unit", type=above_zero, metavar="METRES", help="metres per unit of a BVH (default: guessed from the legs)")
    add("--json", metavar="OUT.json", help="write legs, contacts and figures there, in the file's own frames")
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
