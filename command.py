# SPDX-License-Identifier: GPL-3.0-or-later
"""The headless command: ``toehold ...``, or ``blender -b [file.blend] -c toehold ...``, does the verbs over files."""

from __future__ import annotations

import json
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import bpy
import numpy as np

from .command_gait import do_gait
from .command_line import Job, parse, version
from .command_tables import Outcome, print_summary
from .files import bvh as bvh_text
from .files import output, records, scenes
from .files.bvh_patch import patched_values
from .files.engine_text import WRITERS
from .files.hush import DEBUG
from .files.placing import write_bytes
from .files.records import Record
from .files.scenes import Choice, Source
from .rig import journey
from .rig.contacts.contact_curves import write_contacts
from .rig.curves.channels import active_action
from .rig.curves.stack import plays_strips
from .rig.errors import RigError
from .rig.journey import Cleaned, Measured, Options
from .rig.legs.bone_tree import bone_tree
from .rig.limb_bones import LimbBones
from .rig.lock.comparing import compare
from .rig.lock.footsteps import footsteps_of
from .rig.sampling.sample import sample
from .rig.terrain.ground import off_the_ground
from .rig.travel.root_motion import RootMotionOptions, fit_stride, fit_timing, move_root
from .rig.writing.nla import home_of_contacts
from .solver.cleanup import CleanupSettings
from .solver.clip import Clip
from .solver.contacts import Contacts
from .solver.rotations import FloatArray

DONE, SOME_FAILED, WRONG_USAGE = 0, 1, 2


def main() -> int:
    """Run as a program of its own, with Blender as a Python module in it."""
    # Nothing of the user's own Blender: no start-up file, no add-ons, no preferences.
    bpy.ops.wm.read_factory_settings(use_empty=True)
    return run(sys.argv[1:])


def run(arguments: Sequence[str]) -> int:
    """Do what the arguments say and return the exit code: 0 all done, 1 some file failed, 2 wrong usage."""
    try:
        job = parse(arguments, _open_file())
    except SystemExit as leaving:  # argparse has told why
        return leaving.code if isinstance(leaving.code, int) else WRONG_USAGE
    done: list[Record] = []
    for file, out in zip(job.files, job.outs, strict=True):
        try:
            done.append(_process(job, file, out))
        except RigError as error:
            _complain(file, str(error))
        except Exception as error:  # the other files are still to be done; this one's surprise is told, not hidden
            if os.environ.get(DEBUG):
                traceback.print_exc()
            reason = (str(error).splitlines() or [""])[0]
            _complain(file, f"unexpected {type(error).__name__}: {reason}; report it, with what {DEBUG}=1 prints")
    failed = len(done) < len(job.files)
    if job.json is not None:
        failed = not _write_json(job.json, done) or failed
    return SOME_FAILED if failed else DONE


def _open_file() -> Path | None:
    """Return the file that is open in Blender; None where nothing is."""
    if bpy.data.filepath:
        return Path(bpy.data.filepath)
    return None


def _complain(file: Path, reason: str) -> None:
    line = " ".join(reason.split())
    print(line if line.startswith(file.name) else f"{file.name}: {line}", file=sys.stderr)


def _write_json(out: Path, done: list[Record]) -> bool:
    text = json.dumps({"toehold": version(), "files": done}, indent=2, allow_nan=False) + "\n"
    try:
        write_bytes(out, text.encode())
    except OSError as error:
        _complain(out, f"could not be written ({error.strerror}); choose another place")
        return False
    return True


def _process(job: Job, file: Path, out: Path | None) -> Record:
    """Do the job's verb on one file; return what is known then, for JSON. RigError: nothing was written."""
    limbs = None if job.limbs is None else records.limbs_for(job.limbs, file.name)
    choice = Choice(job.armature, job.action, job.metres_per_unit, limbs, may_stand=job.gait is not None)
    source = scenes.from_scene(file, choice) if job.works_on_open_file else scenes.open_file(file, choice)
    armature = source.armature
    found = _find_legs(source, job.hands) if limbs is None else records.with_bones(limbs, bone_tree(armature).names)
    # Where strips are played there need not be an action.
    stands = plays_strips(armature) or (job.gait is not None and armature.animation_data.action is None)
    action = armature.name if stands else active_action(armature).name
    outcome = _VERBS[job.verb](job, source, found, _options(job, source), out)
    if not job.quiet:
        print_summary(source, found, outcome, out)
    return _record(job, source, action, found, outcome)


def _find_legs(source: Source, hands: bool) -> Sequence[LimbBones]:
    limbs = scenes.legs_of(source.armature, hands)
    if hands and not any(limb.hand for limb in limbs):
        _complain(source.path, "no hands were found; name them with --limbs")
    if len(limbs) == 1:
        _complain(source.path, f"only one leg was found, from {limbs[0].hip!r} down; name the others with --limbs")
    return limbs


def _refuse_too_short(frames: FloatArray) -> None:
    if len(frames) < 2:
        raise RigError(f"there is {len(frames)} frame to work on; whether a foot stands still takes at least 2")


def _options(job: Job, source: Source) -> Options:
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
        cleanup=CleanupSettings(strength=job.strength, keep_travel=job.keep_travel, foot_pitch=job.foot_pitch),
        lock=job.lock,
        ground_height=job.ground_height,
        ground_objects=job.ground_objects,
        frames=frames,
    )


def _report(job: Job, source: Source, limbs: Sequence[LimbBones], options: Options, out: Path | None) -> Outcome:
    given = _given_contacts(job, source, limbs, options)
    measured = journey.measure(source.armature, limbs, options, given)
    _refuse_too_short(measured.sample.frames)
    outcome = _measured(source, measured)
    if not job.compare:
        return outcome
    return replace(outcome, compared=compare(source.armature, limbs, options, given))


def _annotate(job: Job, source: Source, limbs: Sequence[LimbBones], options: Options, out: Path | None) -> Outcome:
    given = _given_contacts(job, source, limbs, options)
    if given is None:
        measured = journey.annotate(source.armature, limbs, options)
    else:
        measured = journey.measure(source.armature, limbs, options, given)
        write_contacts(source.armature, home_of_contacts(source.armature), limbs, given, measured.sample.frames)
    _refuse_too_short(measured.sample.frames)
    if out is not None:
        output.save(source, out)
    events = job.events[job.files.index(source.path)]
    if events is not None:
        _write_events(job, source, limbs, (options, given), events)
    return _measured(source, measured)


def _write_events(
    job: Job, source: Source, limbs: Sequence[LimbBones], found: tuple[Options, Contacts | None], out: Path
) -> None:
    """Write what the feet do, in the file's own frames; ``found`` is the settings, and contacts that were given."""
    data = footsteps_of(source.armature, limbs, *found)
    data = replace(data, frames=tuple(frame - source.first_frame for frame in data.frames))
    write, _ = WRITERS[job.events_format]
    try:
        write_bytes(out, write(data).encode())
    except OSError as error:
        raise RigError(f"{out.name} could not be written ({error.strerror}); choose another place") from None


def _clean(job: Job, source: Source, limbs: Sequence[LimbBones], options: Options, out: Path | None) -> Outcome:
    return _result(job, source, limbs, (options, journey.clean), out)


def _lock(job: Job, source: Source, limbs: Sequence[LimbBones], options: Options, out: Path | None) -> Outcome:
    return _result(job, source, limbs, (options, journey.lock), out)


def _result(
    job: Job,
    source: Source,
    limbs: Sequence[LimbBones],
    how: tuple[Options, Callable[..., Cleaned]],
    out: Path | None,
) -> Outcome:
    """Make a result and save it; ``how`` is with which settings and by which verb."""
    assert out is not None, "the command line asks for OUT"
    options, make = how
    # Only Blender's own files hold strips.
    options = replace(options, over_strips="STRIP" if out.suffix.lower() == ".blend" else "ACTION")
    original = _going_along(job, source, limbs, options)
    cleaned = make(source.armature, limbs, options, _given_contacts(job, source, limbs, options))
    _refuse_too_short(cleaned.sample.frames)
    if source.bvh is not None and out.suffix.lower() == ".bvh":
        _write_bvh(source, cleaned, out, cleaned.sample.clip if original is None else original.sample.clip)
    else:
        output.save(source, out)
    outcome = _measured(source, original or Measured(cleaned.sample, cleaned.contacts, cleaned.before, cleaned.ground))
    off = off_the_ground(cleaned.ground, cleaned.clip, cleaned.sample.limbs, cleaned.contacts)
    if off.deep_mm > 0.0:
        reason = (
            f"feet are still up to {off.deep_mm:.0f} mm deep in what --ground names; use Adapt to Ground in Blender"
        )
        _complain(source.path, f"{reason} first")
    # With another timing it has other frames than the original.
    frames = cleaned.sample.frames
    return replace(outcome, frames=frames, contacts=cleaned.contacts, before=cleaned.before, after=cleaned.after)


def _going_along(job: Job, source: Source, limbs: Sequence[LimbBones], options: Options) -> Measured | None:
    """Let body and feet go along as the job asks for, and return what was there before; None if it asks for nothing."""
    if job.root_motion is None and job.fit is None:
        return None
    original = journey.measure(source.armature, limbs, options)
    _refuse_too_short(original.sample.frames)
    if job.root_motion is not None:
        move_root(source.armature, limbs, RootMotionOptions(kind=job.root_motion))
    elif job.fit == "stride":
        fit_stride(source.armature, limbs)
    else:
        fit_timing(source.armature, limbs)
    return original


def _gait(job: Job, source: Source, limbs: Sequence[LimbBones], options: Options, out: Path | None) -> Outcome:
    assert out is not None, "the command line asks for OUT"
    assert job.gait is not None, "this verb has options of its own"
    return do_gait(source, limbs, job.gait, out)


_VERBS = {"report": _report, "annotate": _annotate, "clean": _clean, "gait": _gait, "lock": _lock}


def _measured(source: Source, measured: Measured) -> Outcome:
    clip, limbs = measured.sample.clip, measured.sample.limbs
    off = off_the_ground(measured.ground, clip, limbs, measured.contacts)
    if off.beside > 0.0:
        share = 100.0 * off.beside
        _complain(source.path, f"{share:.0f} % of planted feet are on the floor, beside what --ground names")
    if off.steep > 0.0:
        _complain(source.path, f"{100.0 * off.steep:.0f} % of planted feet are on faces too steep to stand on")
    treadmill = records.treadmill_record(measured.sample, measured.ground)
    ratio = records.root_speed_ratio(measured.sample, measured.contacts)
    return Outcome(measured.sample.frames, measured.contacts, measured.report, None, treadmill, ratio)


def _given_contacts(job: Job, source: Source, limbs: Sequence[LimbBones], options: Options) -> Contacts | None:
    if job.contacts is None:
        return None
    frames = sample(source.armature, limbs).frames
    if options.frames is not None:
        frames = frames[(frames >= options.frames[0]) & (frames <= options.frames[1])]
    return records.contacts_for(job.contacts, source.path.name, limbs, frames, source.first_frame)


def _write_bvh(source: Source, cleaned: Cleaned, out: Path, original: Clip) -> None:
    """Write the input's own text, whose motion is ``original``, with only those numbers replaced that had to change."""
    assert source.bvh is not None
    rows = np.round(cleaned.sample.frames).astype(np.int64) - source.first_frame
    values = patched_values(source.bvh, original, cleaned.clip, cleaned.sample.bones, rows, source.metres_per_unit)
    try:
        bvh_text.write(out, source.bvh, values)
    except OSError as error:
        raise RigError(f"{out.name} could not be written ({error.strerror}); choose another place") from None


def _record(job: Job, source: Source, action: str, limbs: Sequence[LimbBones], outcome: Outcome) -> Record:
    numbers = [round(float(frame)) - source.first_frame for frame in outcome.frames[[0, -1]]]
    shown = outcome.after or outcome.before
    record = {
        "file": str(source.path),
        "armature": source.armature.name,
        "action": action,
        "fps": source.frame_rate,
        "frames": numbers,
        "unit": source.metres_per_unit,
        "treadmill": outcome.treadmill,
        "root_speed_ratio": outcome.root_speed_ratio,
        "limbs": records.limb_records(limbs, outcome.contacts, shown, outcome.frames, source.first_frame),
        "before": outcome.before.as_dict(),
        "after": outcome.after.as_dict() if outcome.after else None,
    }
    if outcome.gait is not None:
        record |= {"action": active_action(source.armature).name, "gait": outcome.gait}
    return record if outcome.compared is None else record | {"compare": outcome.compared.as_dict()}
