# SPDX-License-Identifier: GPL-3.0-or-later
"""The limbs of one armature are kept under a name, and taken for another with the same bones."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import bpy
import pytest

from support.acrobat import crawl
from support.rigs import add_armature, biped
from support.snapshot import snapshot
from support.walker_armature import walking_armature
from toehold import command, settings
from toehold.operators.limb_presets import FOLDER


@pytest.fixture
def scripts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder in place of the user's own scripts."""
    monkeypatch.setenv("BLENDER_USER_SCRIPTS", str(tmp_path))
    if not bpy.utils.user_resource("SCRIPTS").startswith(str(tmp_path)):
        pytest.skip("this Blender has looked for the user's scripts already")
    return tmp_path


@pytest.fixture
def crawler(registered: ModuleType) -> bpy.types.Object:
    return walking_armature(crawl(strides=1.0))


def kept(crawler: bpy.types.Object, tmp_path: Path) -> Path:
    """Return the file of a preset of all limbs of an armature, written as Blender's own operator writes it."""
    from toehold.operators.limb_presets import AddLimbPreset

    bpy.ops.toehold.find_legs(hands=True)
    crawler.toehold.limbs[0].name = "Left Hind Leg"
    file = tmp_path / "Crawler.py"
    AddLimbPreset.add(None, bpy.context, str(file))
    return file


def test_limbs_are_the_same_on_another_armature_with_these_bones(crawler: bpy.types.Object, tmp_path: Path) -> None:
    file = kept(crawler, tmp_path)
    wanted = settings.limb_bones(crawler)
    other = walking_armature(crawl(strides=1.0), name="Other", scale=0.01, y_up=True)
    assert bpy.ops.toehold.use_limb_preset(filepath=str(file)) == {"FINISHED"}
    taken = settings.limb_bones(other)
    assert [limb.bones for limb in taken] == [limb.bones for limb in wanted]
    assert [limb.hand for limb in taken] == [False, False, True, True]
    assert taken[0].name == "Left Hind Leg"


def test_an_armature_without_the_bones_is_refused_in_one_line_and_stays(
    crawler: bpy.types.Object, tmp_path: Path
) -> None:
    file = kept(crawler, tmp_path)
    add_armature(biped("hips", *([f"{part}.{side}" for part in ("thigh", "shin", "foot")] for side in "LR")))
    bpy.ops.toehold.find_legs()
    before = snapshot()
    with pytest.raises(RuntimeError, match='"Rig" lacks bones of these limbs, such as "Hips"') as refused:
        bpy.ops.toehold.use_limb_preset(filepath=str(file))
    assert str(refused.value).strip().count("\n") == 0
    assert snapshot() == before


@pytest.mark.parametrize("text", ["", "no JSON", "{}", "[]", '[{"name": "x"}]'])
def test_a_broken_preset_is_refused(crawler: bpy.types.Object, tmp_path: Path, text: str) -> None:
    (tmp_path / "Broken.py").write_text(text)
    with pytest.raises(RuntimeError, match=r"JSON|limb"):
        bpy.ops.toehold.use_limb_preset(filepath=str(tmp_path / "Broken.py"))


def test_the_command_reads_a_preset(crawler: bpy.types.Object, tmp_path: Path) -> None:
    file = kept(crawler, tmp_path)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "crawl.blend"))
    out = tmp_path / "out.json"
    assert (
        command.run(["report", str(tmp_path / "crawl.blend"), "--limbs", str(file), "--json", str(out), "--quiet"]) == 0
    )
    assert "Left Hind Leg" in out.read_text()


def test_blender_keeps_lists_and_removes_them(crawler: bpy.types.Object, scripts: Path) -> None:
    bpy.ops.toehold.find_legs()
    assert bpy.ops.toehold.add_limb_preset(name="My Crawler") == {"FINISHED"}
    file = bpy.utils.preset_find("My_Crawler", FOLDER)
    assert file is not None
    assert Path(file).is_file()
    bpy.ops.toehold.add_limb_preset(name="My_Crawler", remove_name=True)
    assert not Path(file).exists()
