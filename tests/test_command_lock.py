# SPDX-License-Identifier: GPL-3.0-or-later
"""``toehold lock`` does over files what the lock in a game does, and nothing else."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support.walker import walk
from support.walker_armature import walking_armature
from toehold import command
from toehold.files import bvh as bvh_files
from toehold.files.bvh_motion import to_clip
from toehold.files.output import save
from toehold.files.scenes import Source
from toehold.solver.clip import Clip


@pytest.fixture
def sliding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with ``walk.bvh``, in metres, whose planted feet slide at 120 mm/s."""
    monkeypatch.chdir(tmp_path)
    save(Source(tmp_path / "walk.bvh", walking_armature(walk(strides=3.0, slide_mm_s=120.0))), tmp_path / "walk.bvh")
    return tmp_path


def run(arguments: str) -> int:
    return command.run(arguments.split())


def entry_of(path: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(Path(path).read_text())
    return dict(document["files"][0])


def clip_of(path: str) -> Clip:
    return to_clip(bvh_files.read(Path(path)), 1.0)


def test_lock_slides_less_and_moves_no_bone_but_the_legs(sliding: Path) -> None:
    assert run("lock walk.bvh -o out.bvh --json r.json --quiet") == 0
    entry = entry_of("r.json")
    assert entry["after"]["slide_mm_s"] < 0.5 * entry["before"]["slide_mm_s"]
    assert entry["before"]["lag_mm"] == 0.0
    assert 5.0 < entry["after"]["lag_mm"] < 230.0
    before, after = clip_of("walk.bvh"), clip_of("out.bvh")
    legs = {before.skeleton.index(limb[part]) for limb in entry["limbs"] for part in ("hip", "knee", "heel", "toe")}
    others = [joint for joint in range(len(before.skeleton.names)) if joint not in legs]
    np.testing.assert_array_equal(before.local_rotations[:, others], after.local_rotations[:, others])
    np.testing.assert_array_equal(before.local_locations, after.local_locations)


def test_a_foot_stays_nearer_to_the_animation_the_sooner_it_is_let_go(sliding: Path) -> None:
    lags = []
    for distance in (0.02, 0.05, 0.2):
        assert run(f"lock walk.bvh -o out.bvh --unlock-distance {distance} --json r.json --quiet") == 0
        lags.append(entry_of("r.json")["after"]["lag_mm"])
    assert lags == sorted(lags)
    assert lags[0] < 0.5 * lags[-1]


def test_frames_outside_those_asked_for_stay_and_the_last_asked_for_meets_them(sliding: Path) -> None:
    assert run("lock walk.bvh -o out.bvh --frames 30:150 --quiet") == 0
    before, after = clip_of("walk.bvh"), clip_of("out.bvh")
    moved = np.linalg.norm(after.positions - before.positions, axis=-1).max(axis=-1)
    assert moved[:30].max() == 0.0
    assert moved[151:].max() == 0.0
    assert moved[150] < 1e-5
    assert moved[30:151].max() > 0.01


def test_lock_refuses_what_clean_refuses(sliding: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("lock walk.bvh") == 2
    assert run("lock walk.bvh -o walk.bvh") == 2
    assert run("lock walk.bvh -o out.bvh --blend-time -1") == 2
    assert run("lock missing.bvh -o out.bvh") == 1
    assert "below 0" in capsys.readouterr().err
    assert not Path("out.bvh").exists()


@pytest.mark.parametrize("ending", [".blend", ".glb", ".fbx"])
def test_lock_writes_every_kind(sliding: Path, ending: str) -> None:
    assert run(f"lock walk.bvh -o out{ending} --quiet") == 0
    assert run(f"report out{ending} --json r.json --quiet") == 0


def test_report_compares_what_lock_and_clean_would_make_of_it(
    sliding: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("report walk.bvh --compare --json r.json") == 0
    compared = entry_of("r.json")["compare"]
    slides = [compared[way]["slide_mm_s"] for way in ("source", "lock", "clean")]
    assert slides == sorted(slides, reverse=True)
    assert compared["source"] == entry_of("r.json")["before"]
    table = capsys.readouterr().out
    assert re.search(r"source +lock +clean", table)
    assert "toe from the animation" in table
    assert run("report walk.bvh --json r.json --quiet") == 0
    assert "compare" not in entry_of("r.json")
    assert run("lock walk.bvh -o out.bvh --json r.json --quiet") == 0
    assert entry_of("r.json")["after"]["slide_mm_s"] == pytest.approx(slides[1], abs=0.5)


def test_events_are_in_the_files_own_frames(sliding: Path) -> None:
    assert run("annotate walk.bvh --events e.json --json r.json --quiet") == 0
    document = json.loads(Path("e.json").read_text())
    assert document["frames"] == entry_of("r.json")["frames"]
    down = {limb["name"]: limb["foot_down"] for limb in entry_of("r.json")["limbs"]}
    for name, spans in down.items():
        touches = [[span["start"], span["end"]] for span in document["touches"] if span["limb"] == name]
        assert touches == spans


@pytest.mark.parametrize("writer", ["csv", "unreal-csv", "unreal-json", "unity", "godot"])
def test_events_are_written_for_every_engine(sliding: Path, writer: str) -> None:
    Path("events").mkdir()
    assert run(f"annotate walk.bvh --events events --events-format {writer} --quiet") == 0
    (written,) = Path("events").iterdir()
    assert written.stem == "walk"
    assert written.read_text()


def test_events_that_cannot_be_written_are_refused_before_anything_is_done(
    sliding: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("annotate walk.bvh --events events.txt") == 2
    assert run("annotate walk.bvh walk.bvh --events events.json") == 2
    assert run("annotate walk.bvh --events missing/events.json") == 2
    assert "--events-format" in capsys.readouterr().err
