# SPDX-License-Identifier: GPL-3.0-or-later
"""A report as text holds every figure, and reads back."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from dataclasses import replace

import pytest

from toehold.files.report_text import ReportText, as_csv, as_json, as_text

BEFORE = {"slide_mm_s": 188.88744, "drift_mm": 62.05}
AFTER = {**BEFORE, "slide_mm_s": 0.1, "unreached_mm": 0.0}
CONTACTS = [
    {"limb": 'Left, "the good one"', "first": 4, "last": 41, "drift_mm": 62.05},
    {"limb": "Right", "first": 37, "last": 74, "drift_mm": 1.5},
]


@pytest.fixture
def report() -> ReportText:
    return ReportText("Walker", "Walk", {"before": BEFORE, "after": AFTER}, CONTACTS)


def test_json_reads_back_as_it_was(report: ReportText) -> None:
    told = json.loads(as_json(report))
    assert told == {
        "armature": "Walker",
        "action": "Walk",
        "figures": {"before": BEFORE, "after": AFTER},
        "contacts": CONTACTS,
        "warnings": [],
    }


def test_csv_reads_back_with_every_figure_once_and_any_name(report: ReportText) -> None:
    rows = list(csv.reader(as_csv(report).splitlines()))
    assert rows[:4] == [
        ["figure", "before", "after"],
        ["slide_mm_s", "188.88744", "0.1"],
        ["drift_mm", "62.05", "62.05"],
        ["unreached_mm", "", "0.0"],
    ]
    assert rows[4:] == [[], list(CONTACTS[0]), *([str(value) for value in row.values()] for row in CONTACTS)]


def test_text_lines_up(report: ReportText) -> None:
    tables = as_text(report).split("\n\n")
    assert tables[0] == "Walker, Walk"
    for table in tables[1:]:
        assert len({len(line) for line in table.rstrip("\n").splitlines()}) == 1
    assert "188.89" in tables[1]


@pytest.mark.parametrize("write", [as_json, as_csv, as_text])
def test_without_contacts_the_figures_are_told_all_the_same(write: Callable[[ReportText], str]) -> None:
    assert "slide_mm_s" in write(ReportText("Walker", "Walk", {"before": BEFORE}, []))


def test_warnings_are_told_in_every_format(report: ReportText) -> None:
    warning = {"code": "more-slide", "text": "Left Leg slides more than before", "limb": "Left Leg", "frames": [[1, 4]]}
    warned = replace(report, warnings=[warning])
    assert json.loads(as_json(warned))["warnings"] == [warning]
    assert as_csv(warned).endswith("\n\nwarning,text,limb\nmore-slide,Left Leg slides more than before,Left Leg\n")
    assert as_text(warned).endswith("\n\nLeft Leg slides more than before\n")
    assert as_text(warned).startswith(as_text(report).rstrip("\n"))
