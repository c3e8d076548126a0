# SPDX-License-Identifier: GPL-3.0-or-later
"""What the command says, to streams that may be closed, full or short of letters: no result is lost by it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TextIO


def prepare() -> None:
    """Open what was closed before the program began, so that no file of ours takes its place and is printed into."""
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            # The lowest that is free is the one that is opened.
            os.open(os.devnull, os.O_RDWR)


def tell(lines: Iterable[str]) -> bool:
    """Print lines to the output; return whether it still takes any: a reader such as ``head`` may have left."""
    text = "".join(f"{line}\n" for line in lines)
    return _written(sys.stdout, text)


def complain(file: Path, reason: str) -> None:
    """Print one line to the error output: which file, and what is wrong with it or has to be known of it."""
    line = " ".join(reason.split())
    _written(sys.stderr, f"{line}\n" if line.startswith(file.name) else f"{file.name}: {line}\n")


def finish() -> None:
    """Write out what is still held back: Python would do so at its end, and print an error where nothing takes it."""
    for stream in (sys.stdout, sys.stderr):
        _written(stream, "")


def _written(stream: TextIO | None, text: str) -> bool:
    """Write text at once and return whether it got there; Python has no stream (None) where it was closed before."""
    if stream is None or stream.closed:
        return False
    encoding = stream.encoding or "utf-8"
    try:
        stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
        stream.flush()
    except OSError:
        _let_go(stream)
        return False
    return True


def _let_go(stream: TextIO) -> None:
    """Send what is still held back, and all that comes, nowhere: the one who read it has left, or its disk is full."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, stream.fileno())
    finally:
        os.close(nowhere)
