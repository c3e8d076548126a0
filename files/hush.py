# SPDX-License-Identifier: GPL-3.0-or-later
"""Keep the chatter of Blender's own operators away from the user."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

# Set to anything to see what Blender says, and where an unexpected error comes from.
DEBUG = "TOEHOLD_DEBUG"


@contextmanager
def hushed() -> Iterator[None]:
    """Keep what is printed inside, by Python or by Blender itself, off the screen; with TOEHOLD_DEBUG, show it later.

    Errors still come out as exceptions.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    kept = [os.dup(1), os.dup(2)]
    with tempfile.TemporaryFile() as said:
        try:
            os.dup2(said.fileno(), 1)
            os.dup2(said.fileno(), 2)
            yield
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            for number, descriptor in enumerate(kept, start=1):
                os.dup2(descriptor, number)
                os.close(descriptor)
            if os.environ.get(DEBUG):
                said.seek(0)
                sys.stderr.write(said.read().decode(errors="replace"))
