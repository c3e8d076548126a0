# SPDX-License-Identifier: GPL-3.0-or-later
"""The command says where a clip that was made for a flat floor stays deep in the ground objects."""

from __future__ import annotations

import json
import re
from pathlib import Path

import bpy
import pytest

from support import grounds
from support.ground_objects import add_stairs, add_terrain
from support.walker import walk
from support.walker_armature import walking_armature
from toehold import command
from toehold.files.output import save
from toehold.files.scenes import Source


@pytest.mark.parametrize(("degrees", "deep"), [(10.0, True), (1.0, False)])
def test_feet_that_stay_deep_in_the_ground_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], degrees: float, deep: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    add_terrain(grounds.ramp(degrees), "Ramp")
    walking_armature(walk(strides=2.5))
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "ramp.blend"))
    assert command.run(["clean", "ramp.blend", "-o", "out.blend", "--ground", "Ramp"]) == 0
    told = capsys.readouterr().err
    found = re.search(r"ramp.blend: feet up to (\d+) mm deep in the ground objects; use the verb adapt first\n", told)
    assert bool(found) == deep
    if found:
        assert 150 < int(found[1]) < 400
        assert command.run(["adapt", "ramp.blend", "-o", "up.blend", "--ground", "Ramp"]) == 0
        up = ["clean", "up.blend", "-o", "out.blend", "--ground", "Ramp", "--action", "Walker Walk On Ground"]
        assert command.run(up) == 0
        assert "deep" not in capsys.readouterr().err


def test_a_clip_is_adapted_to_the_ground_and_stands_on_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    add_stairs(0.15).name = "Stairs"
    walking_armature(walk(strides=2.5))
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "walk.blend"))
    assert command.run(["adapt", "walk.blend", "-o", "up.blend", "--ground", "Stairs", "--json", "up.json"]) == 0
    (entry,) = json.loads(Path("up.json").read_text(encoding="utf-8"))["files"]
    assert entry["before"]["penetration_mm"] > 100.0
    assert entry["after"]["penetration_mm"] < 5.0
    assert entry["after"]["slide_mm_s"] < 2.0
    assert [warning["code"] for warning in entry["warnings"]] == ["beside-ground"]


def test_a_bvh_has_no_ground_to_be_adapted_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    save(Source(Path("walk.bvh"), walking_armature(walk(strides=1.0))), Path("walk.bvh"))
    assert command.run(["adapt", "walk.bvh", "-o", "up.bvh", "--ground", "Stairs"]) == 1
    assert "walk.bvh: --ground Stairs: a .bvh has no objects to stand on" in capsys.readouterr().err
    assert not Path("up.bvh").exists()
