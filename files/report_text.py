# SPDX-License-Identifier: GPL-3.0-or-later
"""A report as text: for people, for spreadsheets (CSV) and for programs (JSON). Pure text, nothing of Blender."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

# A figure's moment ("before", "after") to the figures by name; a contact's columns by name.
Figures = Mapping[str, Mapping[str, float | None]]
Row = Mapping[str, str | int | float]

# A warning as the command's JSON has it: code, text, limb and frames.
WarningRow = Mapping[str, object]


@dataclass(frozen=True)
class ReportText:
    """What is told of an action: whose it is, its figures, its contacts, the worst first, and its warnings."""

    armature: str
    action: str
    figures: Figures
    contacts: Sequence[Row]
    warnings: Sequence[WarningRow] = ()


def as_json(report: ReportText) -> str:
    """Return the report as one JSON object."""
    told = {
        "armature": report.armature,
        "action": report.action,
        "figures": {moment: dict(values) for moment, values in report.figures.items()},
        "contacts": [dict(contact) for contact in report.contacts],
        "warnings": [dict(warning) for warning in report.warnings],
    }
    return json.dumps(told, indent=2) + "\n"


def as_csv(report: ReportText) -> str:
    """Return the report as tables with an empty line between: the figures, the contacts, and warnings if any."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    moments = list(report.figures)
    table.writerow(["figure", *moments])
    for name in _names(report.figures):
        table.writerow([name, *(report.figures[moment].get(name, "") for moment in moments)])
    table.writerow([])
    columns = list(report.contacts[0]) if report.contacts else []
    if columns:
        table.writerow(columns)
        table.writerows([contact[column] for column in columns] for contact in report.contacts)
    if report.warnings:
        table.writerow([])
        table.writerow(["warning", "text", "limb"])
        table.writerows([warning["code"], warning["text"], warning["limb"]] for warning in report.warnings)
    return text.getvalue()


def as_text(report: ReportText) -> str:
    """Return the report as tables of plain text, figures rounded, that line up in a monospaced font."""
    moments = list(report.figures)
    figures = [["", *moments]]
    for name in _names(report.figures):
        figures.append([name, *(_cell(report.figures[moment].get(name, "")) for moment in moments)])
    columns = list(report.contacts[0]) if report.contacts else []
    contacts = [columns, *([_cell(contact[column]) for column in columns] for contact in report.contacts)]
    tables = [f"{report.armature}, {report.action}", _aligned(figures)]
    if columns:
        tables.append(_aligned(contacts))
    if report.warnings:
        tables.append("\n".join(str(warning["text"]) for warning in report.warnings))
    return "\n\n".join(tables) + "\n"


def _names(figures: Figures) -> list[str]:
    """Return the names of all figures in their order, each once."""
    return list(dict.fromkeys(name for values in figures.values() for name in values))


def _cell(value: str | float | None) -> str:
    if value is None:
        return "-"
    return f"{value:.2f}" if isinstance(value, float) else str(value)


def _aligned(rows: Sequence[Sequence[str]]) -> str:
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if at else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    )
