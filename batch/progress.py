# SPDX-License-Identifier: GPL-3.0-or-later
"""How far a batch is: on a terminal one line that is written over, else only what goes wrong, or a line a file."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import IO

from .pool import DONE, Finished


@dataclass
class Progress:
    """Tells of a batch as it goes on.

    total : how many files there are to do.
    out : where it is told; what goes wrong goes to ``errors``.
    """

    total: int
    out: IO[str]
    errors: IO[str]
    verbose: bool = False
    quiet: bool = False
    count: int = 0
    _begun: float = field(default_factory=time.monotonic)
    _width: int = 0

    def begin(self) -> None:
        """Show that it is begun."""
        self._show("")

    def tell(self, finished: Finished) -> None:
        """Tell how a file went."""
        self.count += 1
        name = finished.order.name
        self.clear()
        for line in finished.lines:
            self.errors.write(f"{_named(name, line)}\n")
        if self.verbose and not self.quiet:
            self.out.write(f"{self.count}/{self.total}  {name}  {finished.state}{_figures(finished)}\n")
            self.out.flush()
        self.errors.flush()
        self._show(name)

    def clear(self) -> None:
        """Take the line that is written over away."""
        if self._width:
            self.out.write("\r" + " " * self._width + "\r")
            self.out.flush()
            self._width = 0

    def _show(self, name: str) -> None:
        if self.quiet or self.verbose or self.count == self.total or not self.out.isatty():
            return
        parts = [f"{self.count}/{self.total}"]
        if self.count:
            seconds = (time.monotonic() - self._begun) / self.count * (self.total - self.count)
            parts.append(f"{in_words(seconds)} left")
        line = "  ".join([*parts, name])[:78]
        self.out.write(line)
        self.out.flush()
        self._width = len(line)


def _named(name: str, line: str) -> str:
    """Return a line with the whole name of the file in front, where it begins with less of it or nothing."""
    short = name.rpartition("/")[2]
    return f"{name}: {line.removeprefix(f'{short}: ')}" if not line.startswith(f"{name}: ") else line


def _figures(finished: Finished) -> str:
    if finished.state != DONE:
        return ""
    slides = []
    for moment in ("before", "after"):
        found = [(record.get(moment) or {}).get("slide_mm_s") for record in finished.records]
        known = [value for value in found if isinstance(value, int | float)]
        slides += [f"{max(known):.1f}"] if known else []
    return f"  slide {' -> '.join(slides)} mm/s" if slides else ""


def in_words(seconds: float) -> str:
    """Return a duration as a person says it, rounded up."""
    if seconds < 90.0:
        return f"{seconds:.0f} s"
    if seconds < 5400.0:
        return f"{seconds / 60.0:.0f} min"
    return f"{seconds / 3600.0:.1f} h"
