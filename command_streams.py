# SPDX-License-Identifier: GPL-3.0-or-later
"""What the command says, to streams that may be closed, full or short of letters: no result is lost by it."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TextIO


def tell(lines: Iterable[str]) -> bool:
    """Print lines to the output; return whether it still takes any: a reader such as ``head`` may have left."""
    text = "".join(f"{line}\n" for line in lines)
    return _written(sys.stdout, text)


def complain(file: Path, reason: str) -> None:
    """Print one line to the error output: which file, and what is wrong with it or has to be known of it."""
    line = " ".join(reason.split())
    _written(sys.stderr, f"{line}\n" if line.startswith(file.name) else f"{file.name}: {line}\n")


def _written(stream: TextIO | None, text: str) -> bool:
    """Write text at once and return whether it got there; Python has no stream (None) where it was closed before."""
    if stream is None or stream.closed:
        return False
    encoding = stream.encoding or "utf-8"
    stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
    stream.flush()
    # The program's own output notes that it has lost something (see command_program.py).
    return not getattr(getattr(getattr(stream, "buffer", None), "raw", None), "lost", False)
