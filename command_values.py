# SPDX-License-Identifier: GPL-3.0-or-later
"""What single values of the command line have to be."""

from __future__ import annotations

import argparse
import math
import os

from .rig.terrain.surface import CHOICES, WalkOn


def ground(text: str) -> float | str:
    """Return a height where it is a number, else a name."""
    try:
        return finite(text)
    except ValueError:
        return text


def finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise argparse.ArgumentTypeError(f"{text} is not a finite number")
    return value


def above_zero(text: str) -> float:
    value = finite(text)
    if value <= 0.0:
        raise argparse.ArgumentTypeError(f"{text} is not above 0")
    return value


def not_negative(text: str) -> float:
    value = finite(text)
    if value < 0.0:
        raise argparse.ArgumentTypeError(f"{text} is below 0")
    return value


def share(text: str) -> float:
    value = finite(text)
    if not 0.0 <= value <= 1.0:
        raise argparse.ArgumentTypeError(f"{text} is not between 0 and 1")
    return value


def frames(text: str) -> tuple[int, int]:
    try:
        first, last = (int(part) for part in text.split(":"))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not FIRST:LAST in whole frames") from None
    if last < first:
        raise argparse.ArgumentTypeError(f"{text!r}: the last frame comes before the first")
    return first, last


def path(text: str) -> str:
    """Return a path without the quotes that a shell has left around it.

    Windows' own shell knows no single quotes; and a backslash before the closing double quote, as in ``"D:\\takes\\"``,
    keeps that quote, with all that follows.
    """
    if os.path.lexists(text):
        return text
    if len(text) > 2 and text[0] == text[-1] and text[0] in "'\"":
        return text[1:-1]
    plain = text.removesuffix('"')
    if '" -' in plain:
        raise argparse.ArgumentTypeError(f"{text!r} has a quote within it; leave out the backslash before a quote")
    return plain


def walk_on(text: str) -> tuple[str, WalkOn]:
    """Return an object's name and what it is to feet."""
    name, _, kind = text.rpartition("=")
    choice = next((choice for choice in CHOICES if choice == kind.strip().upper()), None)
    if not name or choice is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not OBJECT=ground, OBJECT=obstacle or OBJECT=automatic")
    return name, choice
