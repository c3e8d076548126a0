# SPDX-License-Identifier: GPL-3.0-or-later
"""The headless command: ``toehold ...``, or ``blender -b [file.blend] -c toehold ...``, does the verbs over files."""

from __future__ import annotations

import os
import traceback
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import bpy

from .command_gait import do_follow, do_gait
from .command_gate import over_limits
from .command_line import Job, parse, version
from .command_output import events_places, write_events, write_results
from .command_program import main as main  # where programs that are installed look for it
from .command_streams import complain, tell
from .command_tables import Outcome, left_summary, summary
from .command_verbs import VERBS, Made, Task, options_for
from .command_warnings import complain_of, warning_records
from .files import records, scenes
from .files.hush import DEBUG
from .files.placing import sweep_forgotten, write_bytes
from .files.plain_json import json_text
from .files.records import Record
from .files.scenes import Choice, Source
from .files.subjects import Subject, subjects_of
from .rig.common.warnings import Warning
from .rig.common.wording import RigError
from .rig.curves.actions import assign, start_of
from .rig.curves.channels import active_action
from .rig.gait.follow_path import PathOptions
from .rig.gait.generate import GaitOptions
from .rig.legs import doubts
from .rig.legs.bone_tree import bone_tree
from .rig.legs.limb_bones import LimbBones
from .rig.terrain.surface import set_walk_on
from .rig.verbs.journey import Options

DONE, SOME_FAILED, WRONG_USAGE = 0, 1, 2


@dataclass(frozen=True)
class FileDone:
    """What was done to one file.

    entries : of JSON, one for each action that was worked on.
    left : those actions that were not, and why.
    lines : that say all this to people.
    """

    entries: list[Record]
    left: list[Record]
    lines: list[str]


def run(arguments: Sequence[str]) -> int:
    """Do what the arguments say and return the exit code: 0 all done, 1 some file failed, 2 wrong usage."""
    try:
        job = parse(arguments, _open_file())
    except SystemExit as leaving:  # argparse has told why
        return leaving.code if isinstance(leaving.code, int) else WRONG_USAGE
    for folder in {out.parent for out in job.outs if out is not None}:
        sweep_forgotten(folder)
    done: list[FileDone] = []
    failed = False
    for file, out in zip(job.files, job.outs, strict=True):
        try:
            done.append(_process(job, file, out))
            if not job.quiet and not tell(done[-1].lines) and not job.makes_files:
                break  # what comes would be for a reader that has left
        except RigError as error:
            failed = True
            complain(file, str(error))
        except Exception as error:  # the other files are still to be done; this one's surprise is told, not hidden
            failed = True
            if os.environ.get(DEBUG):
                traceback.print_exc()
            reason = (str(error).splitlines() or [""])[0]
            complain(file, f"unexpected {type(error).__name__}: {reason}; report it, with what {DEBUG}=1 prints")
    records = [entry for file in done for entry in file.entries]
    for name, reason in over_limits(records, job.limits):
        failed = True
        complain(Path(name), reason)
    if job.json is not None:
        failed = not _write_json(job.json, done) or failed
    return SOME_FAILED if failed else DONE


def _open_file() -> Path | None:
    """Return the file that is open in Blender; None where nothing is."""
    if bpy.data.filepath:
        return Path(bpy.data.filepath)
    return None


def _write_json(out: Path, done: Sequence[FileDone]) -> bool:
    entries = [entry for file in done for entry in file.entries]
    left = [entry for file in done for entry in file.left]
    text = json_text(records.report_document(version(), entries, left)) + "\n"
    try:
        write_bytes(out, text.encode())
    except OSError as error:
        complain(out, f"could not be written ({error.strerror}); choose another place")
        return False
    return True


def _process(job: Job, file: Path, out: Path | None) -> FileDone:
    """Do the job's verb on all of one file; return what is known then, for JSON. RigError: nothing was written."""
    limbs = None if job.limbs is None else records.limbs_for(job.limbs, file.name)
    choice = Choice(job.armature, job.actions, job.metres_per_unit, limbs, may_stand=job.gait is not None)
    source = scenes.from_scene(file, choice) if job.works_on_open_file else scenes.open_file(file, choice)
    if job.gait is not None:
        assert out is not None, "the command line asks for OUT"
        return _make_gait(job, source, job.gait, out)
    _say_what_is_ground(job, file)
    done: list[tuple[Task, Made]] = []
    left: list[tuple[Subject, str]] = []
    # Before anything is made: a result of an action that moves several armatures moves them all too.
    subjects = [subjects_of(file.name, armature, job.actions) for armature in source.armatures]
    for of_one in subjects:
        _work_on(job, replace(source, armature=of_one[0].armature), of_one, out, done, left)
    if not done:
        raise RigError(left[0][1])
    places = events_places(job, [task for task, _ in done])
    if out is not None:
        write_results(source, done, out)
    for (_, made), place in zip(done, places, strict=True):
        write_events(job, made, place)
    several = len(done) + len(left) > 1
    lines = [summary(task.source, task.action if several else "", task.limbs, made.outcome) for task, made in done]
    return FileDone(
        entries=[_record(task, made.outcome) for task, made in done],
        left=[
            {"file": str(file), "armature": one.armature.name, "action": one.name, "reason": reason}
            for one, reason in left
        ],
        lines=[line for of_action in lines for line in of_action] + left_summary(left, out),
    )


def _say_what_is_ground(job: Job, file: Path) -> None:
    for name, choice in job.walk_on:
        if name not in bpy.data.objects:
            raise RigError(f"{file.name}: there is no object {name!r} for --walk-on; choose one of the ground")
        set_walk_on(bpy.data.objects[name], choice)


def _make_gait(job: Job, source: Source, options: GaitOptions | PathOptions, out: Path) -> FileDone:
    """Make a gait, or a way along a path, for the source's armature, which has done or has not done anything before."""
    found, doubts = _limbs_of(job, source)
    complain_of(source.path, "", doubts, source.first_frame)
    if isinstance(options, PathOptions):
        outcome = do_follow(source, found, options, out)
    else:
        outcome = do_gait(source, found, options, out)
    outcome = replace(outcome, warnings=tuple(doubts))
    task = Task(job, source, active_action(source.armature).name, found, Options())
    record = _record(task, outcome) | (outcome.gait or {})
    return FileDone([record], [], summary(source, "", found, outcome) + left_summary([], out))


def _work_on(
    job: Job,
    source: Source,
    subjects: Sequence[Subject],
    out: Path | None,
    done: list[tuple[Task, Made]],
    left: list[tuple[Subject, str]],
) -> None:
    """Do the verb on each of the subjects of the source's armature, which in the end plays what it played before."""
    several = len(subjects) > 1 or len(source.armatures) > 1
    try:
        found, doubts = _limbs_of(job, source)
    except RigError as error:
        if not several:
            raise
        left += [(subject, str(error)) for subject in subjects]
        return
    complain_of(source.path, "", doubts, source.first_frame)
    first: Made | None = None
    begun: dict[bpy.types.Action, str] = {}
    for subject in subjects:
        if (twin := _twin(job, subject, begun)) is not None:
            left.append((subject, f"it is a result of the same action as {twin!r}, of which a new one was made"))
            continue
        subject.take_up()
        try:
            still = subject.is_still(found) if several and not job.actions else ""
            if still:
                left.append((subject, still))
                continue
            task = Task(job, source, subject.name, found, options_for(job, source, out))
            made = VERBS[job.verb](task)
        except RigError as error:
            if not several:
                raise
            complain(source.path, f"action {subject.name!r} is left as it is: {error}")
            left.append((subject, str(error)))
            continue
        warnings = made.outcome.warnings
        complain_of(source.path, subject.name if several else "", warnings, source.first_frame)
        made = replace(made, outcome=replace(made.outcome, warnings=(*doubts, *warnings)))
        done.append((task, made))
        first = made if subject is subjects[0] else first
    if several:
        _play_again(subjects[0], first)


def _twin(job: Job, subject: Subject, begun: dict[bpy.types.Action, str]) -> str | None:
    """Return which subject has begun with the action that this one's result would be made from; None: this one does."""
    if not job.makes_results or subject.action is None:
        return None
    name = begun.setdefault(start_of(subject.action), subject.name)
    return None if name == subject.name else name


def _play_again(subject: Subject, made: Made | None) -> None:
    """Let an armature play again what it did before it played its other actions, or what was made of that."""
    if made is None or made.cleaned is None:
        subject.take_up()
    else:
        assign(subject.armature, made.cleaned.result)


def _limbs_of(job: Job, source: Source) -> tuple[Sequence[LimbBones], list[Warning]]:
    """Return the limbs that are worked on, and what there is to doubt of them; those that are given are meant."""
    if job.limbs is not None:
        given = records.limbs_for(job.limbs, source.path.name, source.armature.name)
        return records.with_bones(given, bone_tree(source.armature).names), []
    found = scenes.limbs_of(source.armature, job.hands)
    return found.limbs, doubts.of_limbs(found.limbs, job.hands, found.hands_touch)


def _record(task: Task, outcome: Outcome) -> Record:
    source = task.source
    numbers = [round(float(frame)) - source.first_frame for frame in outcome.frames[[0, -1]]]
    shown = outcome.after or outcome.before
    record = {
        "file": str(source.path),
        "armature": source.armature.name,
        "action": task.action,
        "fps": source.frame_rate,
        "frames": numbers,
        "unit": source.metres_per_unit,
        "treadmill": outcome.treadmill,
        "root_speed_ratio": outcome.root_speed_ratio,
        "limbs": records.limb_records(
            task.limbs, outcome.contacts, shown, outcome.frames, source.first_frame, outcome.suspects
        ),
        "before": outcome.before.as_dict(),
        "after": outcome.after.as_dict() if outcome.after else None,
        "warnings": warning_records(outcome.warnings, source.first_frame),
    }
    also = {"compare": outcome.compared and outcome.compared.as_dict(), "sketch": outcome.sketch, "push": outcome.push}
    return record | {name: value for name, value in also.items() if value is not None}
