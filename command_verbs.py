# SPDX-License-Identifier: GPL-3.0-or-later
"""The command's verbs, each on one action of one armature: what it finds out, and what it makes. Nothing is written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import bpy

from .command_line import Job
from .command_push import push_record
from .command_streams import complain
from .command_tables import Outcome
from .command_travel import change_travel, with_travel
from .files import records
from .files.scenes import Source, current_scene
from .files.sketches import sketch
from .rig.common.wording import RigError
from .rig.contacts.contact_curves import write_contacts
from .rig.contacts.summary import summary_of
from .rig.legs.limb_bones import LimbBones
from .rig.sampling.sample import sample
from .rig.verbs import journey
from .rig.verbs.adapt import adapt
from .rig.verbs.compare import compare
from .rig.verbs.journey import Cleaned, Measured, Options
from .rig.verbs.listing import suspect_spans
from .rig.verbs.markers import footsteps_of
from .rig.verbs.push import push
from .rig.writing import nla
from .solver.arrays import FloatArray
from .solver.clip import Clip
from .solver.contacts import Contacts
from .solver.engine_events import FootData


@dataclass(frozen=True)
class Task:
    """One action of the source's armature, which plays it, and how it is worked on.

    action : what it is called in the file.
    limbs : of the armature.
    """

    job: Job
    source: Source
    action: str
    limbs: Sequence[LimbBones]
    options: Options

    @property
    def armature(self) -> bpy.types.Object:
        return self.source.armature


@dataclass(frozen=True)
class Made:
    """What a verb found out about an action and made of it.

    original : the clip that the file has; None where nothing was made.
    cleaned : the result; None where there is none.
    contacts : how the action remembers its contacts; None where it has none.
    footsteps : for an engine, in the file's own frames; None where they were not asked for.
    """

    outcome: Outcome
    original: Clip | None = None
    cleaned: Cleaned | None = None
    contacts: str | None = None
    footsteps: FootData | None = None


def options_for(job: Job, source: Source, out: Path | None) -> Options:
    """Return the settings of a run on a file, in scene frames; RigError where the file cannot be worked on so."""
    frames = job.frames
    if frames is not None:
        if source.bvh is not None and not 0 <= frames[0] <= frames[1] < len(source.bvh.values):
            last = len(source.bvh.values) - 1
            raise RigError(f"--frames {frames[0]}:{frames[1]} is not in the file; it has frames 0 to {last}")
        frames = (frames[0] + source.first_frame, frames[1] + source.first_frame)
    if source.bvh is not None and job.ground_objects:
        raise RigError(
            f"--ground {job.ground_objects[0]}: a .bvh has no objects to stand on; give a height in metres, or a file "
            "that has the ground in it"
        )
    return Options(
        contacts=job.settings.contacts,
        cleanup=job.settings.cleanup,
        lock=job.settings.lock,
        ground_height=job.ground_height,
        ground_objects=job.ground_objects,
        frames=frames,
        # Only Blender's own files hold strips.
        over_strips=job.result or ("STRIP" if out is None or out.suffix.lower() == ".blend" else "ACTION"),
    )


def _report(task: Task) -> Made:
    given = _given_contacts(task)
    measured = journey.measure(task.armature, task.limbs, task.options, given)
    _refuse_too_short(measured.sample.frames)
    outcome = _measured(task, measured)
    if not task.job.compare:
        return Made(outcome)
    return Made(replace(outcome, compared=compare(task.armature, task.limbs, task.options, given)))


def _annotate(task: Task) -> Made:
    given = _given_contacts(task)
    armature, limbs = task.armature, task.limbs
    if given is None:
        measured = journey.annotate(armature, limbs, task.options)
    else:
        measured = journey.measure(armature, limbs, task.options, given)
        write_contacts(armature, nla.home_of_contacts(armature), limbs, given, measured.sample.frames)
    _refuse_too_short(measured.sample.frames)
    outcome = _measured(task, measured)
    noted = summary_of(nla.home_of_contacts(armature))
    if not any(task.job.events):
        return Made(outcome, contacts=noted)
    data = footsteps_of(armature, limbs, task.options, given)
    frames = tuple(frame - task.source.first_frame for frame in data.frames)
    return Made(outcome, contacts=noted, footsteps=replace(data, frames=frames))


def _clean(task: Task) -> Made:
    return _result(task, journey.clean)


def _adapt(task: Task) -> Made:
    return _result(task, adapt)


def _lock(task: Task) -> Made:
    return _result(task, journey.lock)


def _result(task: Task, make: Callable[..., Cleaned]) -> Made:
    original = _going_along(task)
    return _made(task, make(task.armature, task.limbs, task.options, _given_contacts(task)), original)


def _root_motion(task: Task) -> Made:
    asked, armature = task.job.travel, task.armature
    assert asked is not None, "the command line asks what to do about it"
    original = journey.measure(armature, task.limbs, task.options, _given_contacts(task))
    _refuse_too_short(original.sample.frames)
    return _made(task, with_travel(armature, task.limbs, task.options, asked, original), original)


def _made(task: Task, cleaned: Cleaned, original: Measured | None) -> Made:
    """Return what is told of a result; ``original`` is the file's motion, None where that is its source."""
    _refuse_too_short(cleaned.sample.frames)
    before = original or Measured(cleaned.sample, cleaned.contacts, cleaned.before, cleaned.ground)
    outcome = _measured(task, before, cleaned.clip)
    # With another timing it has other frames than the original.
    frames = cleaned.sample.frames
    outcome = replace(outcome, frames=frames, contacts=cleaned.contacts, warnings=cleaned.warnings)
    suspects = suspect_spans(task.armature, task.limbs, cleaned.sample, cleaned.contacts, cleaned.ground)
    outcome = replace(outcome, before=cleaned.before, after=cleaned.after, suspects=suspects)
    return Made(outcome, before.sample.clip, cleaned, summary_of(cleaned.result))


def _going_along(task: Task) -> Measured | None:
    """Let body and feet go along as the job asks for, and return what was there before; None if it asks for nothing."""
    job, armature, limbs = task.job, task.armature, task.limbs
    if job.travel is None:
        return None
    original = journey.measure(armature, limbs, task.options)
    _refuse_too_short(original.sample.frames)
    change_travel(armature, limbs, job.travel)
    return original


def _push(task: Task) -> Made:
    """Push the body, and see to it that the scene shows how that ends."""
    hit, source = task.job.push, task.source
    assert hit is not None, "the command line asks for it"
    hit = replace(hit, frame=hit.frame + source.first_frame)
    made = push(task.armature, task.limbs, task.options, hit, _given_contacts(task))
    cleaned = made.cleaned
    scene = current_scene()
    scene.frame_end = max(scene.frame_end, int(cleaned.sample.frames[-1]))
    before = Measured(cleaned.sample, cleaned.contacts, cleaned.before, cleaned.ground)
    outcome = replace(_measured(task, before, cleaned.clip), after=cleaned.after, warnings=cleaned.warnings)
    outcome = replace(outcome, suspects=(), push=push_record(made))
    return Made(outcome, cleaned.sample.clip, cleaned, summary_of(cleaned.result))


VERBS: dict[str, Callable[[Task], Made]] = {
    "report": _report,
    "annotate": _annotate,
    "clean": _clean,
    "adapt": _adapt,
    "root-motion": _root_motion,
    "lock": _lock,
    "push": _push,
}


def _refuse_too_short(frames: FloatArray) -> None:
    if len(frames) < 2:
        raise RigError(f"there is {len(frames)} frame to work on; whether a foot stands still takes at least 2")


def _measured(task: Task, measured: Measured, result: Clip | None = None) -> Outcome:
    sample, contacts = measured.sample, measured.contacts
    return Outcome(
        frames=sample.frames,
        contacts=contacts,
        before=measured.report,
        after=None,
        treadmill=records.treadmill_record(sample, measured.ground),
        root_speed_ratio=records.root_speed_ratio(sample, contacts),
        warnings=measured.warnings,
        sketch=sketch(sample.clip, result, sample.limbs, contacts) if task.job.sketch else None,
        suspects=suspect_spans(task.armature, task.limbs, sample, contacts, measured.ground),
    )


def _given_contacts(task: Task) -> Contacts | None:
    """Return the contacts that the user gives for this action; None where they are to be found."""
    document, source = task.job.contacts, task.source
    entry = records.Entry(source.path.name, task.armature.name, task.action)
    if document is None:
        return None
    if not records.has_entry(document, entry):
        complain(source.path, f"--contacts has none for action {task.action!r}; they are found anew there")
        return None
    frames = sample(task.armature, task.limbs).frames
    if task.options.frames is not None:
        frames = frames[(frames >= task.options.frames[0]) & (frames <= task.options.frames[1])]
    return records.contacts_for(document, entry, task.limbs, frames, source.first_frame)
