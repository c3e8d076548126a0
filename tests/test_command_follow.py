# SPDX-License-Identifier: GPL-3.0-or-later
"""``toehold follow`` lets a skeleton go along points or a curve, and the written file agrees with its figures."""

from __future__ import annotations

import json
from pathlib import Path

import bpy
import numpy as np
import pytest

from support.walker import walk
from support.walker_armature import walking_armature
from toehold import command
from toehold.files import bvh as bvh_files
from toehold.files.bvh_motion import to_clip
from toehold.files.output import save
from toehold.files.scenes import Source


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """``bare.bvh``, in metres, whose skeleton stands still for two frames; the working folder is its own."""
    monkeypatch.chdir(tmp_path)
    out = tmp_path / "bare.bvh"
    save(Source(out, walking_armature(walk(strides=1.0))), out)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    lines = out.read_text().splitlines()
    at = next(row for row, line in enumerate(lines) if line.startswith("Frames:"))
    out.write_text("\n".join([*lines[:at], "Frames: 2", lines[at + 1], *[lines[at + 2]] * 2, ""]))
    return out


def follow(points: object, *options: str) -> int:
    Path("way.json").write_text(json.dumps({"points": points}))
    given = ["follow", "bare.bvh", "-o", "out.bvh", "--path", "way.json", "--unit", "1", "--quiet", *options]
    return command.run(given)


def test_the_written_file_is_on_the_path_and_its_feet_stand_still(bare: Path) -> None:
    before = bare.read_bytes()
    points = [[2.0, 1.0, 0.0], [2.0, -1.5, 0.0], [2.6, -4.0, 0.0]]
    assert follow(points, "--speed", "1.2", "--json", "made.json") == 0
    assert bare.read_bytes() == before
    (entry,) = json.loads(Path("made.json").read_text())["files"]
    assert entry["gait"]["names"] == ["WALK"]
    assert entry["path"]["slip_mm"] < 0.1
    assert entry["path"]["penetration_mm"] < 1.0
    clip = to_clip(bvh_files.read("out.bvh"), 1.0)
    root = clip.positions[:, 0]
    assert np.abs(root[[0, -1], :2] - np.array(points)[[0, -1], :2]).max() < 0.1
    for limb in entry["limbs"]:
        toe = clip.positions[:, clip.skeleton.index(limb["toe"])]
        assert limb["contacts"]
        for contact in limb["contacts"]:
            if contact["kind"] == "toe":
                assert np.ptp(toe[contact["start"] : contact["end"] + 1], axis=0).max() < 5e-4


@pytest.mark.parametrize(
    ("points", "options", "code", "why"),
    [
        ([[0, 0, 0]], (), 1, "at least two points"),
        ([[0, 0, 0], [0, 0, 0]], (), 1, "0 mm long"),
        ([[0, 0, 0], [0, "a", 0]], (), 2, "point 2 in way.json is not three numbers"),
        ([[0, 0, 0], [0, 1]], (), 2, "point 2 in way.json is not three numbers"),
        ("none", (), 2, 'has no "points"'),
        ([[0, 0, 0], [0, -3, 0]], ("--speed", "0"), 1, "above 0"),
        ([[0, 0, 0], [0, -3, 0]], ("--speed", "40"), 1, "too fast for RUN on these legs: at most"),
        ([[0, 0, 0], [0, -3, 0]], ("--gait", "trot"), 1, "TROT is no gait for 2 legs"),
        ([[0, 0, 0], [0, -3, 0]], ("--style", "bounce=7"), 1, "make it a number from 0 to 2"),
    ],
)
def test_a_path_that_cannot_be_followed_gets_one_line_and_writes_nothing(
    bare: Path, capsys: pytest.CaptureFixture[str], points: object, options: tuple[str, ...], code: int, why: str
) -> None:
    assert follow(points, *options) == code
    told = capsys.readouterr().err.strip()
    assert why in told
    assert len(told.splitlines()) == 1
    assert not bare.with_name("out.bvh").exists()


def test_a_file_that_is_not_there_is_told_by_its_name(bare: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.run(["follow", "bare.bvh", "-o", "out.bvh", "--path", "no.json", "--quiet"]) == 2
    assert "no.json" in capsys.readouterr().err
