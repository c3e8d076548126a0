# SPDX-License-Identifier: GPL-3.0-or-later
"""Long work in steps, between which Blender can show how far it is, and the user can call it off.

Such work is a generator that yields how much of it is done, 0 to 1, and returns its result. Closed early,
it leaves everything as it was before.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TypeVar

Result = TypeVar("Result")

Steps = Generator[float, None, Result]


def finished(steps: Steps[Result]) -> Result:
    """Return the result of work that is done in one go."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: Result = end.value
            return result


def share(steps: Steps[Result], start: float, end: float) -> Steps[Result]:
    """Let work be the part from ``start`` to ``end`` of more of it."""
    try:
        while True:
            try:
                done = next(steps)
            except StopIteration as last:
                result: Result = last.value
                return result
            yield start + done * (end - start)
    finally:
        steps.close()
