# SPDX-License-Identifier: GPL-3.0-or-later
"""``toehold push`` writes a file that is the input's own up to the push, and says what came of it."""

from __future__ import annotations

import json
from pathlib import Path

import bpy
import pytest

from support.walker import walk
from support.walker_armature import walking_armature
from toehold import command
from toehold.files.output import save
from toehold.files.scenes import Source

FRAME = 40


@pytest.fixture
def walking(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    out = tmp_path / "walk.bvh"
    save(Source(out, walking_armature(walk(strides=2.6))), out)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    return out


def rows(path: Path) -> list[str]:
    lines = path.read_text().splitlines()
    at = next(row for row, line in enumerate(lines) if line.startswith("Frame Time"))
    return lines[at + 1 :]


def push(*options: str) -> int:
    given = ["push", "walk.bvh", "-o", "out.bvh", "--bone", "Spine", "--frame", str(FRAME), "--unit", "1", "--quiet"]
    return command.run([*given, *options])


def test_rows_before_the_push_are_the_files_own_and_those_after_it_differ(walking: Path) -> None:
    assert push("--impulse", "20,0,0", "--mass", "70", "--json", "made.json") == 0
    before, after = rows(walking), rows(walking.with_name("out.bvh"))
    assert after[:FRAME] == before[:FRAME]
    assert after[-1] != before[-1]
    (entry,) = json.loads(Path("made.json").read_text())["files"]
    assert entry["push"]["falls"] is False
    assert entry["push"]["gets_up"] is False
    assert entry["push"]["delta_v_m_s"] == pytest.approx(20.0 / 70.0)
    assert entry["push"]["threshold_m_s"] > 20.0 / 70.0


def test_a_fall_that_takes_longer_than_the_file_makes_it_longer(walking: Path) -> None:
    assert push("--impulse=300,0,0", "--mass", "70", "--fall", "always", "--json", "made.json") == 0
    (entry,) = json.loads(Path("made.json").read_text())["files"]
    assert entry["push"]["falls"] is True
    assert len(rows(walking.with_name("out.bvh"))) == entry["frames"][1] + 1 >= len(rows(walking))


@pytest.mark.parametrize(
    ("options", "code", "reason"),
    [
        (("--impulse", "nan,0,0"), 2, "not three finite numbers"),
        (("--impulse", "30,0"), 2, "not X,Y,Z"),
        (("--impulse", "30,0,0", "--mass", "-3"), 2, "not above 0"),
        (("--impulse", "0,0,0"), 1, "the impulse is zero"),
    ],
)
def test_what_is_no_push_is_one_line_and_no_file(
    walking: Path, capfd: pytest.CaptureFixture[str], options: tuple[str, ...], code: int, reason: str
) -> None:
    assert push(*options) == code
    told = [line for line in capfd.readouterr().err.splitlines() if line.strip()]
    assert reason in told[-1]
    assert not walking.with_name("out.bvh").exists()
