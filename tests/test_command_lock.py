# SPDX-License-Identifier: GPL-3.0-or-later
"""``toehold lock`` does over files what the lock in a game does, and nothing else."""

from __future__ import annotations

import json
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
