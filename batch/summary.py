# SPDX-License-Identifier: GPL-3.0-or-later
"""How a batch went: a table for spreadsheets (CSV), and what the page (batch/page.py) is sorted by."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from typing import Any

from .page import Column, Page, page_text

TABLE, PAGE = "toehold-summary.csv", "toehold-summary.html"

Row = dict[str, Any]

# Figures of a clip before and after: name, what it is called, unit, decimals.
_FIGURES = (
    ("slide_mm_s", "slide, mean", "mm/s", 1),
    ("slide_max_mm_s", "slide, worst", "mm/s", 0),
    ("drift_mm", "drift", "mm", 1),
    ("penetration_mm", "below ground", "mm", 1),
    ("float_mm", "above ground", "mm", 1),
    ("knee_pop_deg_s", "knee pop", "deg/s", 0),
)
# What it cost, of the result alone.
_COSTS = (
    ("pose_change_mean_deg", "pose change", "deg", 2),
    ("unreached_mm", "not reached", "mm", 1),
)
# The most clips of a page that have pictures, those that slide most: of a night's work it would be too large to open.
_MOST_PICTURES = 400


def figure(row: Row, moment: str, name: str) -> float | None:
    """Return a figure "before" or "after"; None where there is none."""
    value: Any = ((row.get("record") or {}).get(moment) or {}).get(name)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and math.isfinite(value) else None


def still_slides(row: Row) -> float:
    """Return how fast planted feet slide, mm/s: in the result, else in the file itself; below 0 where unknown."""
    after = figure(row, "after", "slide_mm_s")
    found = after if after is not None else figure(row, "before", "slide_mm_s")
    return -1.0 if found is None else found


def by_action(rows: Sequence[Row]) -> list[Row]:
    """Return a row for each action that was worked on, with its ``record``, and one for each file that has none."""
    told: list[Row] = []
    for row in rows:
        records = row["records"]
        for record in records:
            several = f", {record.get('armature')}, {record.get('action')}" if len(records) > 1 else ""
            lines = row["lines"] if record is records[0] else []
            told.append(row | {"name": row["name"] + several, "lines": lines, "record": record})
        if not records:
            told.append(row | {"record": None})
    return told


def in_order(rows: Sequence[Row]) -> list[Row]:
    """Return what failed first, then what slides most."""
    return sorted(rows, key=lambda row: (row["state"] == "done", -still_slides(row), row["name"].casefold()))


def worst(rows: Sequence[Row], count: int) -> list[Row]:
    """Return the few that slide most, without those that do not slide."""
    done = [row for row in by_action(rows) if row["state"] == "done" and still_slides(row) >= 0.05]
    return sorted(done, key=lambda row: -still_slides(row))[:count]


def plain_record(record: Row) -> Row:
    """Return a record as ``--json`` has it, without what only the page draws."""
    return {name: value for name, value in record.items() if name != "sketch"}


def table(rows: Sequence[Row]) -> str:
    """Return the CSV: a row for each file, in the order of the page; figures are empty where there are none."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    columns = [(moment, name) for name, *_ in _FIGURES for moment in ("before", "after")]
    columns += [("after", name) for name, *_ in _COSTS]
    writer.writerow(["file", "state", "frames", "fps", *(f"{name} {moment}" for moment, name in columns), "said"])
    for row in in_order(by_action(rows)):
        record = row.get("record") or {}
        cells = [figure(row, moment, name) for moment, name in columns]
        said = "; ".join(row["lines"])
        facts = [_frames(record), record.get("fps", "")]
        writer.writerow([row["name"], row["state"], *facts, *("" if cell is None else cell for cell in cells), said])
    return text.getvalue()


def page(rows: Sequence[Row], version: str, verb: str) -> str:
    """Return the page, whole in one file."""
    ordered = in_order(by_action(rows))
    has_after = any(figure(row, "after", "slide_mm_s") is not None for row in ordered)
    columns = [Column("file", ""), Column("frames", "")]
    for _, label, unit, _ in _FIGURES:
        columns.append(Column(label, unit, pair=has_after))
    columns += [Column(label, unit) for _, label, unit, _ in _COSTS] if has_after else []
    cells = [_cells(row, has_after) for row in ordered]
    pictured = {id(row) for row in ordered[:_MOST_PICTURES]}
    sketches = [(row.get("record") or {}).get("sketch") if id(row) in pictured else None for row in ordered]
    files = len(rows), sum(row["state"] != "done" for row in rows)
    return page_text(Page(f"toehold {version} {verb}", columns, ordered, cells, sketches, files))


def _cells(row: Row, has_after: bool) -> list[tuple[str, float | str]]:
    """Return of each column what is shown and what it is sorted by."""
    frames = _frames(row.get("record") or {})
    cells: list[tuple[str, float | str]] = [(row["name"], row["name"]), (str(frames), frames or 0)]
    for name, _, _, decimals in _FIGURES:
        for moment in ("before", "after") if has_after else ("before",):
            cells.append(_cell(figure(row, moment, name), decimals))
    for name, _, _, decimals in _COSTS if has_after else ():
        cells.append(_cell(figure(row, "after", name), decimals))
    return cells


def _cell(value: float | None, decimals: int) -> tuple[str, float]:
    return ("", -1.0) if value is None else (f"{value:.{decimals}f}", value)


def _frames(record: Row) -> int | str:
    frames = record.get("frames")
    return frames[1] - frames[0] + 1 if isinstance(frames, list) and len(frames) == 2 else ""
