# SPDX-License-Identifier: GPL-3.0-or-later
"""``toehold gait`` makes a skeleton walk that has never moved, and the written file agrees with its figures."""

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
    """``bare.bvh``, in metres, whose skeleton stands still for two frames."""
    monkeypatch.chdir(tmp_path)
    out = tmp_path / "bare.bvh"
    save(Source(out, walking_armature(walk(strides=1.0))), out)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    lines = out.read_text().splitlines()
    at = next(row for row, line in enumerate(lines) if line.startswith("Frames:"))
    out.write_text("\n".join([*lines[:at], "Frames: 2", lines[at + 1], *[lines[at + 2]] * 2, ""]))
    return out


def test_a_skeleton_that_has_never_moved_walks_and_the_file_agrees_with_its_figures(bare: Path) -> None:
    before = bare.read_bytes()
    assert (
        command.run(
            [
                "gait",
                "bare.bvh",
                "-o",
                "out.bvh",
                "--gait",
                "WALK",
                "--speed",
                "1.2",
                "--cycles",
                "2",
                "--unit",
                "1",
                "--json",
                "made.json",
                "--quiet",
            ]
        )
        == 0
    )
    assert bare.read_bytes() == before
    (entry,) = json.loads(Path("made.json").read_text())["files"]
    gait = entry["gait"]
    assert gait["dynamics_bw"] <= 1e-5
    assert gait["torque_bw_h"] <= 1e-5
    assert gait["cone_margin_bw"] >= 0.0
    clip = to_clip(bvh_files.read("out.bvh"), 1.0)
    for limb in entry["limbs"]:
        toe = clip.positions[:, clip.skeleton.index(limb["toe"])]
        for contact in limb["contacts"]:
            if contact["kind"] == "toe":
                assert np.ptp(toe[contact["start"] : contact["end"] + 1], axis=0).max() < 5e-4
    assert clip.frame_count == 2 * gait["period_frames"] + 1
    way = (clip.positions[-1, 0] - clip.positions[0, 0])[:2]
    assert np.linalg.norm(way) * clip.fps / (clip.frame_count - 1) == pytest.approx(1.2, rel=0.01)


def test_a_walk_that_is_too_fast_is_refused_and_writes_nothing(bare: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.run(["gait", "bare.bvh", "-o", "out.bvh", "--gait", "WALK", "--speed", "9", "--quiet"]) == 1
    assert "too fast for WALK on these legs: at most" in capsys.readouterr().err
    assert not bare.with_name("out.bvh").exists()
