# SPDX-License-Identifier: GPL-3.0-or-later
"""Keep the chatter of Blender's own operators away from the user."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout

# Set to anything to see what Blender says, and where an unexpected error comes from.
DEBUG = "TOEHOLD_DEBUG"


@contextmanager
def hushed() -> Iterator[None]:
    """Keep what is printed inside, by Python or by Blender itself, off the screen; with TOEHOLD_DEBUG, show it later.

    Errors still come out as exceptions.
    """
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as said:
        try:
            with _turned_to(said.fileno()), redirect_stdout(said), redirect_stderr(said):
                yield
        finally:
            if os.environ.get(DEBUG):
                said.seek(0)
                sys.stderr.write(said.read())


@contextmanager
def _turned_to(descriptor: int) -> Iterator[None]:
    """Send what is written to the process' own output and error output, past Python, to another file."""
    for stream in (sys.stdout, sys.stderr):
        # Python has none where it was closed before the program began.
        if stream is not None:
            stream.flush()
    kept = [os.dup(1), os.dup(2)]
    try:
        os.dup2(descriptor, 1)
        os.dup2(descriptor, 2)
        yield
    finally:
        for number, own in enumerate(kept, start=1):
            os.dup2(own, number)
            os.close(own)
