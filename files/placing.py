# SPDX-License-Identifier: GPL-3.0-or-later
"""Put files in their place whole or not at all, and sweep up after a program that was stopped half-way."""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

# What is half-written stands in hidden folders beside its place: .toehold-<machine>-<process>-<random>.
_PREFIX = ".toehold-"
# A folder of another machine, whose processes cannot be asked after, is thought of as forgotten after so many seconds.
_FORGOTTEN = 86400.0

# The folders in which something may be half-written by this process: what a stopped program has to sweep.
_writing_in: set[Path] = set()


def placed(out: Path, write: Callable[[Path], object]) -> None:
    """Let ``write`` make ``out`` and what belongs to it in a folder beside it, then put it all in place, ``out`` last.

    Where ``write`` raises, nothing has changed. What a link points to is replaced, not the link, and a file that was
    there keeps its permissions.
    """
    out = Path(os.path.realpath(out)) if out.is_symlink() else out
    _writing_in.add(out.parent)
    folder = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{_machine()}-{os.getpid()}-", dir=out.parent))
    try:
        write(folder / out.name)
        for made in sorted(folder.iterdir(), key=lambda made: made.name == out.name):
            place = out.parent / made.name
            place = Path(os.path.realpath(place)) if place.is_symlink() else place
            if place.exists():
                shutil.copymode(place, made)
            os.replace(made, place)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def write_bytes(out: Path, content: bytes) -> None:
    """Write a file, whole or not at all."""
    placed(out, lambda beside: beside.write_bytes(content))


def sweep_own() -> None:
    """Remove what this process has half-written, where it is about to be stopped."""
    for folder in tuple(_writing_in):
        sweep_process(folder, os.getpid())


def sweep_process(folder: Path, process: int) -> None:
    """Remove what a process of this machine, which is stopped, has half-written in a folder."""
    for left in folder.glob(f"{_PREFIX}{_machine()}-{process}-*"):
        shutil.rmtree(left, ignore_errors=True)


def sweep_forgotten(folder: Path) -> int:
    """Remove what programs that are gone have left half-written in a folder; return how many there were."""
    gone = 0
    for left in folder.glob(f"{_PREFIX}*"):
        machine, _, rest = left.name.removeprefix(_PREFIX).partition("-")
        process = rest.partition("-")[0]
        own = machine == _machine() and process.isdecimal()
        if left.is_dir() and not left.is_symlink() and (not _runs(int(process)) if own else _is_old(left)):
            shutil.rmtree(left, ignore_errors=True)
            gone += 1
    return gone


def _machine() -> str:
    return hashlib.sha256(platform.node().encode(errors="replace")).hexdigest()[:8]


def _runs(process: int) -> bool:
    """Return whether a process of this machine is still there; True where that cannot be asked."""
    if sys.platform == "win32":
        return True  # asking there, with os.kill, would end it
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


def _is_old(folder: Path) -> bool:
    try:
        return time.time() - folder.stat().st_mtime > _FORGOTTEN
    except OSError:
        return False


def why_not_writable(out: Path) -> str | None:
    """Return why ``out`` cannot be written, and what to do; None if it can. Asks by writing a file beside it."""
    out = Path(os.path.realpath(out)) if out.is_symlink() else out
    if not out.parent.is_dir():
        return f"there is no folder {str(out.parent)!r}; make it first"
    if out.is_dir():
        return "it is a folder; name a file in it"
    if out.exists() and not os.access(out, os.W_OK):
        return "it is write-protected; choose another name"
    try:
        with tempfile.TemporaryFile(dir=out.parent):
            return None
    except OSError as error:
        return f"its folder cannot be written to ({error.strerror}); choose another"
