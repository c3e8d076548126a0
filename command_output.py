# SPDX-License-Identifier: GPL-3.0-or-later
"""What the command writes of a file once all of it has been worked on: OUT, and events for an engine."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from .command_line import Job
from .command_streams import complain
from .command_verbs import Made, Task
from .files import bvh as bvh_text
from .files import gltf_patch, output
from .files.bvh_patch import patched_values
from .files.engine_text import WRITERS
from .files.gltf_copy import GltfSource
from .files.gltf_patch import ClipChange
from .files.gltf_place import place_gltf
from .files.kept import inventory, not_kept
from .files.placing import write_bytes
from .files.scenes import GLTF, Source
from .rig.common.wording import RigError
from .rig.contacts.summary import SUMMARY

Done = Sequence[tuple[Task, Made]]


def write_results(source: Source, done: Done, out: Path) -> None:
    """Write ``out``; RigError where that cannot be, and then nothing was written."""
    made = done[0][1]
    if source.bvh is not None and out.suffix.lower() == ".bvh":
        _write_bvh(source, made, out)
    elif source.gltf is not None and _is_gltf_alike(source.path, out) and _keeps_its_time(done):
        _write_gltf(source.gltf, done, out)
    elif out.suffix.lower() in {".vrm", ".vrma"}:
        raise RigError(f"{out.name}: only a .vrm, .vrma or .glb can become that; write a .glb or .blend")
    else:
        had = inventory(source.path)
        output.save(source, out)
        lost = not_kept(had, inventory(out))
        if lost:
            ending = out.suffix.lower()
            complain(
                source.path, f"{', '.join(lost)} could not be kept: Blender writes this {ending} anew, without them"
            )


def _write_bvh(source: Source, made: Made, out: Path) -> None:
    """Write the input's own text with only those numbers replaced that had to change."""
    assert source.bvh is not None
    assert made.cleaned is not None, "a .bvh holds no contacts"
    assert made.original is not None
    clip = made.cleaned.sample
    rows = np.round(clip.frames).astype(np.int64) - source.first_frame
    # A fall may take longer than the file.
    bvh = bvh_text.with_frames(source.bvh, int(rows[-1]) + 1) if rows[-1] >= len(source.bvh.values) else source.bvh
    values = patched_values(bvh, made.original, made.cleaned.clip, clip.bones, rows, source.metres_per_unit)
    try:
        bvh_text.write(out, bvh, values)
    except OSError as error:
        raise RigError(f"{out.name} could not be written ({error.strerror}); choose another place") from None


def _is_gltf_alike(one: Path, other: Path) -> bool:
    """Whether two files hold glTF in the same form, as text or binary."""
    return all(path.suffix.lower() in GLTF for path in (one, other)) and (
        (one.suffix.lower() == ".gltf") == (other.suffix.lower() == ".gltf")
    )


def _keeps_its_time(done: Done) -> bool:
    return all(task.job.travel is None or task.job.travel.way != "TIMING" for task, _ in done)


def _write_gltf(source: GltfSource, done: Done, out: Path) -> None:
    """Write the input itself, with new keys in its animations for what had to change, and with contacts noted there."""
    changes: list[ClipChange] = []
    notes: dict[int, dict[str, str]] = {}
    for task, made in done:
        animation = source.animations[task.action]
        if made.contacts is not None:
            notes.setdefault(animation, {})[f"{SUMMARY}:{task.armature.name}"] = made.contacts
        if made.cleaned is not None:
            assert made.original is not None
            motion, nodes = made.cleaned.sample, source.nodes[task.armature.name]
            joints = tuple(None if bone is None else nodes.get(bone) for bone in motion.bones)
            changes.append(ClipChange(animation, made.original, made.cleaned.clip, joints, motion.frames))
    try:
        place_gltf(gltf_patch.patched(source.gltf, changes, notes), out)
    except OSError as error:
        raise RigError(f"{out.name}: could not be written ({error.strerror or error}); nothing was") from error


def events_places(job: Job, tasks: Sequence[Task]) -> tuple[Path | None, ...]:
    """Return where the events of each of a file's actions go; RigError where several would go to one file."""
    place = job.events[job.files.index(tasks[0].source.path)]
    if place is None or len(tasks) == 1:
        return (place,) * len(tasks)
    if not job.events_in_folder:
        named = ", ".join(repr(task.action) for task in tasks[:6])
        raise RigError(
            f"the events of {len(tasks)} actions need an existing folder, or choose one with --action: {named}"
        )
    names = [re.sub(r"[^\w .-]+", "_", task.action) for task in tasks]
    for at, name in enumerate(names):
        if name in names[:at] or (name == names[at] and names.count(name) > 1):
            names[at] = f"{tasks[at].armature.name} {name} {at}"
    return tuple(place.with_name(f"{place.stem}.{name}{place.suffix}") for name in names)


def write_events(job: Job, made: Made, out: Path | None) -> None:
    """Write what the feet do, in the file's own frames."""
    if out is None or made.footsteps is None:
        return
    write, _ = WRITERS[job.events_format]
    try:
        write_bytes(out, write(made.footsteps).encode())
    except OSError as error:
        raise RigError(f"{out.name} could not be written ({error.strerror}); choose another place") from None
