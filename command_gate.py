# SPDX-License-Identifier: GPL-3.0-or-later
"""``--fail-over``: a limit that the figures have to keep, for a pipeline that stops where they do not."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

_IN_MILLIMETRES = {"mm": 1.0, "cm": 10.0, "m": 1000.0}
_LIMIT = re.compile(r"(\d+(?:\.\d*)?|\.\d+)\s*(mm|cm|m)(/s)?")


@dataclass(frozen=True)
class Limit:
    """The most that a figure of a result, or of a file where nothing is made, may be.

    figure : its name in the JSON.
    most : millimetres, or millimetres a second.
    text : as the user wrote it.
    """

    figure: str
    most: float
    text: str

    def __str__(self) -> str:
        return self.text


def limit(text: str) -> Limit:
    """Return the limit that a length (of the drift) or a speed (of the slide) stands for."""
    match = _LIMIT.fullmatch(text.strip())
    if match is None:
        raise argparse.ArgumentTypeError(f"{text!r} is no limit; write 15mm for drift, or 20mm/s for slide")
    number, unit, speed = match.groups()
    return Limit("slide_mm_s" if speed else "drift_mm", float(number) * _IN_MILLIMETRES[unit], text.strip())


def over_limits(records: Iterable[dict[str, Any]], limits: Sequence[Limit]) -> list[tuple[str, str]]:
    """Return the file and a line for each figure of the records that is over its limit; empty where all are kept."""
    found = []
    for record in records:
        figures = record.get("after") or record["before"]
        for one in limits:
            value = figures[one.figure]
            if value > one.most:
                what, unit = ("slide", "mm/s") if one.figure == "slide_mm_s" else ("drift by up to", "mm")
                text = f"planted feet of action {record['action']!r} {what} {value:.1f} {unit}, over {one.text}"
                found.append((str(record["file"]), f"{text} (--fail-over)"))
    return found
