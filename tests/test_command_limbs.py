# SPDX-License-Identifier: GPL-3.0-or-later
"""The command works on hands where they are asked for, and on limbs that a file or a preset names."""

from __future__ import annotations

import json
from pathlib import Path

import bpy
import pytest

from support.acrobat import crawl
from support.walker_armature import walking_armature
from toehold import command
from toehold.files.output import save
from toehold.files.scenes import Source

NAMES = ["Left Leg", "Right Leg", "Left Hand", "Right Hand"]


@pytest.fixture
def crawling(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with ``crawl.bvh``, in metres, whose planted hands and feet slide at 150 mm/s."""
    monkeypatch.chdir(tmp_path)
    armature = walking_armature(crawl(strides=3.0, slide_mm_s=150.0))
    save(Source(tmp_path / "crawl.bvh", armature), tmp_path / "crawl.bvh")
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    return tmp_path


def test_hands_are_cleaned_where_they_are_asked_for(crawling: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.run(["clean", "crawl.bvh", "-o", "out.bvh", "--hands", "--json", "out.json"]) == 0
    (entry,) = json.loads((crawling / "out.json").read_text())["files"]
    assert [limb["name"] for limb in entry["limbs"]] == NAMES
    assert [limb["hand"] for limb in entry["limbs"]] == [False, False, True, True]
    contacts = [contact for limb in entry["limbs"] for contact in limb["contacts"]]
    assert max(contact["slide_mm_s"] for contact in contacts) < 2.0
    assert max(contact["drift_mm"] for contact in contacts) < 1.0
    assert all(limb["contacts"] for limb in entry["limbs"])
    assert entry["unit"] == pytest.approx(1.0), "the arms tell nothing of the unit"
    assert "2 legs, 2 hands" in capsys.readouterr().out


def test_hands_that_carry_weight_are_front_legs_by_default(crawling: Path) -> None:
    assert command.run(["report", "crawl.bvh", "--json", "out.json", "--quiet"]) == 0
    (entry,) = json.loads((crawling / "out.json").read_text())["files"]
    assert [limb["name"] for limb in entry["limbs"]] == [
        f"{row} {side} Leg" for row in ("Front", "Back") for side in ("Left", "Right")
    ]


def test_what_json_writes_names_the_same_limbs_again(crawling: Path) -> None:
    assert command.run(["report", "crawl.bvh", "--hands", "--json", "first.json", "--quiet"]) == 0
    assert command.run(["report", "crawl.bvh", "--limbs", "first.json", "--json", "again.json", "--quiet"]) == 0
    first, again = (json.loads((crawling / name).read_text())["files"][0] for name in ("first.json", "again.json"))
    assert first["limbs"] == again["limbs"]


def test_hands_and_given_limbs_exclude_each_other(crawling: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.run(["report", "crawl.bvh", "--hands", "--limbs", "first.json"]) == 2
    assert "not allowed with" in capsys.readouterr().err
