# SPDX-License-Identifier: GPL-3.0-or-later
"""The command works on what a file's NLA strips show, and on armatures that are mirrored."""

from __future__ import annotations

import json
from pathlib import Path

import bpy
import pytest

from support.walker import walk
from support.walker_armature import walking_armature
from toehold import command


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with ``strips.blend``, in which a sliding walk is played by a strip, with no action assigned."""
    monkeypatch.chdir(tmp_path)
    animation = walking_armature(walk(strides=1.5, slide_mm_s=120.0)).animation_data
    animation.nla_tracks.new().strips.new("walk", 4, animation.action)
    animation.action = None
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "strips.blend"))
    return tmp_path


def slide_of(path: str) -> float:
    """Return how fast planted feet slide in a file, in mm/s."""
    assert command.run(["report", path, "--json", "report.json", "--quiet"]) == 0
    return float(json.loads(Path("report.json").read_text())["files"][0]["before"]["slide_mm_s"])


def test_strips_of_a_blend_file_get_a_strip_on_top(folder: Path) -> None:
    assert slide_of("strips.blend") > 100.0
    assert command.run(["clean", "strips.blend", "-o", "out.blend", "--quiet"]) == 0
    assert slide_of("out.blend") < 1.0
    animation = bpy.data.objects["Walker"].animation_data
    assert [track.name for track in animation.nla_tracks][1:] == ["Toehold"]


@pytest.mark.parametrize("ending", ["fbx", "glb"])
def test_other_files_get_one_action_of_what_is_seen(folder: Path, ending: str) -> None:
    assert command.run(["clean", "strips.blend", "-o", f"out.{ending}", "--quiet"]) == 0
    assert slide_of(f"out.{ending}") < 1.0


def test_contacts_of_strips_are_kept_in_the_file(folder: Path) -> None:
    assert command.run(["annotate", "strips.blend", "-o", "out.blend", "--quiet"]) == 0
    bpy.ops.wm.open_mainfile(filepath=str(folder / "out.blend"))
    strip = bpy.data.objects["Walker"].animation_data.nla_tracks[-1].strips[0]
    paths = {curve.data_path for curve in strip.action.layers[0].strips[0].channelbags[0].fcurves}
    assert any(path.endswith('["contact"]') for path in paths)


@pytest.mark.parametrize("ending", ["glb", "bvh"])
def test_a_mirrored_armature_is_not_written_where_it_would_be_another(
    folder: Path, ending: str, capsys: pytest.CaptureFixture[str]
) -> None:
    bpy.data.objects["Walker"].scale.x = -1.0
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "mirrored.blend"))
    assert command.run(["clean", "mirrored.blend", "-o", f"out.{ending}", "--quiet"]) != 0
    assert "mirrored by a negative scale" in capsys.readouterr().err
    assert not Path(f"out.{ending}").exists()
    assert command.run(["clean", "mirrored.blend", "-o", "out.fbx", "--quiet"]) == 0
    assert slide_of("out.fbx") < 1.0
