# SPDX-License-Identifier: GPL-3.0-or-later
"""What is exported is what the panel shows."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from types import SimpleNamespace

import bpy
import pytest


def test_json_holds_the_figures_and_the_contacts_of_the_active_action(walker: bpy.types.Object, tmp_path: Path) -> None:
    bpy.ops.toehold.clean()
    out = tmp_path / "report.json"
    bpy.ops.toehold.export_report(filepath=str(out), file_format="JSON")
    told = json.loads(out.read_text(encoding="utf-8"))
    action = walker.animation_data.action
    assert (told["armature"], told["action"]) == (walker.name, action.name)
    assert told["figures"] == json.loads(action["toehold_figures"])
    assert [contact["first"] for contact in told["contacts"]] == [item.first for item in action.toehold.contacts]


def test_csv_has_a_table_of_figures_and_one_of_contacts(walker: bpy.types.Object, tmp_path: Path) -> None:
    bpy.ops.toehold.clean()
    out = tmp_path / "report.csv"
    bpy.ops.toehold.export_report(filepath=str(out), file_format="CSV")
    rows = list(csv.reader(out.read_text(encoding="utf-8").splitlines()))
    gap = rows.index([])
    assert rows[0] == ["figure", "before", "after"]
    assert rows[gap + 1][:2] == ["limb", "bone"]
    assert len(rows) - gap - 2 == len(walker.animation_data.action.toehold.contacts)


def test_a_file_that_can_not_be_written_says_so_in_one_line(walker: bpy.types.Object, tmp_path: Path) -> None:
    bpy.ops.toehold.report()
    with pytest.raises(RuntimeError, match=r"report\.json could not be written") as error:
        bpy.ops.toehold.export_report(filepath=str(tmp_path / "nowhere" / "report.json"))
    assert len(str(error.value).strip().splitlines()) == 1


def test_before_anything_is_measured_there_is_nothing_to_take(walker: bpy.types.Object) -> None:
    assert not bpy.ops.toehold.copy_report.poll()
    assert not bpy.ops.toehold.export_report.poll()
    bpy.ops.toehold.report()
    assert bpy.ops.toehold.copy_report.poll()
    assert bpy.ops.toehold.export_report.poll()


def test_the_clipboard_gets_the_figures_as_text(walker: bpy.types.Object) -> None:
    from toehold.operators.share_report import CopyReport

    bpy.ops.toehold.clean()
    manager = SimpleNamespace(clipboard="")
    context = SimpleNamespace(view_layer=bpy.context.view_layer, window_manager=manager)
    level, line = CopyReport.run(SimpleNamespace(), context, walker)
    assert level == "INFO"
    assert "contacts" in line
    assert "slide_mm_s" in manager.clipboard
    assert "Left Leg" in manager.clipboard


def test_taking_the_report_elsewhere_changes_nothing(walker: bpy.types.Object, tmp_path: Path) -> None:
    from support.snapshot import snapshot

    bpy.ops.toehold.clean()
    before = snapshot()
    bpy.ops.toehold.export_report(filepath=str(tmp_path / "report.json"))
    bpy.ops.toehold.copy_report()
    assert snapshot() == before
