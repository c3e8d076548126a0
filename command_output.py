# SPDX-License-Identifier: GPL-3.0-or-later
"""What the command writes of a file once all of it has been worked on: OUT, and events for an engine."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from .command_line import Job
from .command_verbs import Made, Task
from .files import bvh as bvh_text
from .files import output
from .files.bvh_patch import patched_values
from .files.engine_text import WRITERS
from .files.placing import write_bytes
from .files.scenes import Source
from .rig.errors import RigError

Done = Sequence[tuple[Task, Made]]


def write_results(source: Source, done: Done, out: Path) -> None:
    """Write ``out``; RigError where that cannot be, and then nothing was written."""
    made = done[0][1]
    if source.bvh is not None and out.suffix.lower() == ".bvh":
        _write_bvh(source, made, out)
    else:
        output.save(source, out)


def _write_bvh(source: Source, made: Made, out: Path) -> None:
    """Write the input's own text with only those numbers replaced that had to change."""
    assert source.bvh is not None
    assert made.cleaned is not None, "a .bvh holds no contacts"
    assert made.original is not None
    clip = made.cleaned.sample
    rows = np.round(clip.frames).astype(np.int64) - source.first_frame
    values = patched_values(source.bvh, made.original, made.cleaned.clip, clip.bones, rows, source.metres_per_unit)
    try:
        bvh_text.write(out, source.bvh, values)
    except OSError as error:
        raise RigError(f"{out.name} could not be written ({error.strerror}); choose another place") from None


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
