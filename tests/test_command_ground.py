# SPDX-License-Identifier: GPL-3.0-or-later
"""The command says where a clip that was made for a flat floor stays deep in the ground objects."""

from __future__ import annotations

import re
from pathlib import Path

import bpy
import pytest

from support import grounds
from support.ground_objects import add_terrain
from support.walker import walk
from support.walker_armature import walking_armature
from toehold import command


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
    found = re.search(r"ramp.blend: feet are still up to (\d+) mm deep in what --ground names; use Adapt to", told)
    assert bool(found) == deep
    if found:
        assert 150 < int(found[1]) < 400
