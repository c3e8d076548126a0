# SPDX-License-Identifier: GPL-3.0-or-later
"""Put files in their place whole or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path


def placed(out: Path, write: Callable[[Path], object]) -> None:
    """Let ``write`` make ``out`` and what belongs to it in a folder beside it, then put it all in place, ``out`` last.

    Where ``write`` raises, nothing has changed.
    """
    folder = Path(tempfile.mkdtemp(prefix=".toehold-", dir=out.parent))
    try:
        write(folder / out.name)
        for made in sorted(folder.iterdir(), key=lambda made: made.name == out.name):
            os.replace(made, out.parent / made.name)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def write_bytes(out: Path, content: bytes) -> None:
    """Write a file, whole or not at all."""
    placed(out, lambda beside: beside.write_bytes(content))


def why_not_writable(out: Path) -> str | None:
    """Return why ``out`` cannot be written, and what to do; None if it can. Asks by writing a file beside it."""
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
