# SPDX-License-Identifier: GPL-3.0-or-later
"""What the drills share: a folder of walks by formula, the command as a program, and how a result is looked at."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import bpy

from support.walker import walk
from support.walker_armature import walking_armature
from toehold.batch import workers
from toehold.files import bvh
from toehold.files.output import save
from toehold.files.scenes import Source

PLACE = Path(workers.__file__).resolve().parents[1]
COMMAND = [sys.executable, "-c", workers.BOOT, str(PLACE)]


def save_walk(out: Path, slide_mm_s: float = 150.0) -> None:
    """Save a walk that slides."""
    out.parent.mkdir(parents=True, exist_ok=True)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    save(Source(out, walking_armature(walk(strides=2.0, fps=30.0, slide_mm_s=slide_mm_s))), out)


@contextmanager
def takes(count: int, below: str | None = None) -> Iterator[Path]:
    """A folder that is thrown away, with ``takes`` of so many walks in two sub-folders in it."""
    with tempfile.TemporaryDirectory(prefix="toehold-drill-", dir=below) as folder:
        first = Path(folder) / "takes" / "a" / "walk.bvh"
        save_walk(first)
        for number in range(1, count):
            other = Path(folder) / "takes" / "ab"[number % 2] / f"walk{number}.bvh"
            other.parent.mkdir(exist_ok=True)
            other.write_bytes(first.read_bytes())
        yield Path(folder)


def begin(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    """Start the command in a session of its own."""
    scratch = folder / "tmp"
    scratch.mkdir(exist_ok=True)
    return subprocess.Popen(
        [*COMMAND, *arguments],
        cwd=folder,
        env={**os.environ, "TMPDIR": str(scratch)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
    )


def run(folder: Path, *arguments: str, timeout: float = 120.0) -> tuple[int, str, str]:
    """Run the command; return its exit code, its output and its errors."""
    at_work = begin(folder, *arguments)
    out, errors = at_work.communicate(timeout=timeout)
    return at_work.returncode, out, errors


def send_to_group(process: subprocess.Popen[str], number: int) -> None:
    """Signal a program and what belongs to its session, as a terminal does."""
    try:
        os.killpg(process.pid, number)
    except ProcessLookupError:
        return


def kill_after(process: subprocess.Popen[str], seconds: float, number: int = signal.SIGKILL) -> str:
    """Let it work for a while, then signal it; return what it said."""
    time.sleep(seconds)
    send_to_group(process, number)
    _, errors = process.communicate(timeout=60)
    return errors


def hidden(folder: Path) -> list[Path]:
    """Return what is hidden below a folder: what is half-written."""
    return [path for path in folder.rglob(".*")]


def orphans(folder: Path) -> list[Path]:
    """Return the scratch folders of workers that outlive their parent for more than a few seconds."""
    end = time.monotonic() + 8.0
    while (left := list((folder / "tmp").glob("toehold-worker-*"))) and time.monotonic() < end:
        time.sleep(0.1)
    return left


def broken(folder: Path, rows: int) -> list[Path]:
    """Return the results below a folder that are not whole."""
    return [path for path in folder.rglob("*.bvh") if not is_whole(path, rows)]


def is_whole(path: Path, rows: int) -> bool:
    """Return whether a .bvh can be read and has all its frames."""
    try:
        return len(bvh.read(path).values) == rows
    except Exception:
        return False


def rows_of(path: Path) -> int:
    """Return how many frames a .bvh has."""
    return len(bvh.read(path).values)


def verdict(what: str, held: int, of: int, faults: Sequence[str] = ()) -> int:
    """Print how many times a drill held, and what fell; return how many times it did not."""
    print(f"{what:58} {held:4} of {of}" + "".join(f"\n    {fault}" for fault in faults[:6]), flush=True)
    return of - held
