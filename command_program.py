# SPDX-License-Identifier: GPL-3.0-or-later
"""The command as a program: what a signal does to it, and output that may be closed, full or ASCII."""

from __future__ import annotations

import errno
import io
import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from types import FrameType
from typing import IO, Any

from .batch.workers import WORKER
from .files.placing import sweep_own

STOPPING = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


def main() -> int:
    """Run as a program of its own, with Blender as a Python module in it."""
    with stoppable(), steady_output():
        import bpy

        # Nothing of the user's own Blender: no start-up file, no add-ons, no preferences.
        bpy.ops.wm.read_factory_settings(use_empty=True)
        return _run(sys.argv[1:])


def run_inside(arguments: Sequence[str]) -> int:
    """Run as a command of Blender's own program."""
    with stoppable(), steady_output():
        return _run(arguments)


def _run(arguments: Sequence[str]) -> int:
    # Imported when signals are seen to: it takes Blender a second.
    from . import command, command_batch, command_worker

    if list(arguments) == [WORKER]:
        return command_worker.work(command.run)
    if command_batch.is_batch(arguments):
        return command_batch.run(arguments)
    return command.run(arguments)


def stoppable() -> AbstractContextManager[None]:
    """Let Ctrl-C, SIGTERM and SIGHUP end the program with nothing half-written left.

    An exception would not do: Blender's operators make an error of theirs of it, and go on.
    """
    return signals_go_to(_stop)


@contextmanager
def signals_go_to(handler: Callable[[int, FrameType | None], object]) -> Iterator[None]:
    """Let ``handler`` take Ctrl-C, SIGTERM and SIGHUP until the block ends."""
    kept = {number: signal.getsignal(number) for number in STOPPING}
    for number in STOPPING:
        # What is ignored, as by nohup, stays ignored.
        if kept[number] is not signal.SIG_IGN:
            signal.signal(number, handler)
    try:
        yield
    finally:
        for number, before in kept.items():
            # One that was not set by Python cannot be put back.
            signal.signal(number, signal.SIG_DFL if before is None else before)


def _stop(number: int, frame: FrameType | None) -> None:
    sweep_own()
    bpy: Any = sys.modules.get("bpy")
    if bpy is not None and bpy.app.tempdir:
        shutil.rmtree(bpy.app.tempdir, ignore_errors=True)
    os.write(2, b"stopped; no file is half-written\n")
    os._exit(128 + number)


class _Output(io.RawIOBase):
    """An output whose reader may be gone and whose disk may be full: what cannot be written is lost, and told once."""

    def __init__(self, descriptor: int, told: int) -> None:
        super().__init__()
        self._descriptor, self._told, self.lost = descriptor, told, False

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._descriptor

    def isatty(self) -> bool:
        return os.isatty(self._descriptor)

    def write(self, content: Any) -> int:
        try:
            return os.write(self._descriptor, content)
        except OSError as error:
            # A pipe that is closed, as by `head`, has read what it wanted.
            if not self.lost and error.errno != errno.EPIPE:
                _tell(self._told, f"not all output could be written ({error.strerror})\n")
            self.lost = True
            return len(content)


def _tell(descriptor: int, line: str) -> None:
    try:
        os.write(descriptor, line.encode())
    except OSError:
        return  # there is nowhere left to tell it


@contextmanager
def steady_output() -> Iterator[None]:
    """Keep results from failing because of what is printed: on a closed, full or ASCII output, or none at all."""
    _open_all()
    kept = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = _steady(sys.stdout, 1), _steady(sys.stderr, 2)
    try:
        yield
    finally:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        sys.stdout, sys.stderr = kept


def _open_all() -> None:
    """Give each standard descriptor that is closed the null device, so that no file of ours gets its number."""
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            null = os.open(os.devnull, os.O_RDWR)
            if null != descriptor:
                os.dup2(null, descriptor)
                os.close(null)


def _steady(stream: IO[str] | None, descriptor: int) -> IO[str]:
    if stream is not None:
        try:
            stream.flush()
            descriptor = stream.fileno()
        except (OSError, ValueError):
            stream = None
    encoding = getattr(stream, "encoding", None) or "utf-8"
    raw = _Output(descriptor, 2)
    buffered = io.BufferedWriter(raw, 8192)
    steady = io.TextIOWrapper(buffered, encoding=encoding, errors="backslashreplace", line_buffering=True)
    return steady
