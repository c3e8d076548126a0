# SPDX-License-Identifier: GPL-3.0-or-later
"""What single values of the command line have to be."""

from __future__ import annotations

import argparse
import math


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
