# SPDX-License-Identifier: GPL-3.0-or-later
"""What the command wrote is worked on again: sources stay sources, and no result is lost or taken for one."""

from __future__ import annotations

import json
from pathlib import Path

import bpy
import pytest

from support.walker import walk
from support.walker_armature import walking_armature
from toehold import command
from toehold.rig.curves.actions import source_of


@pytest.fixture
def two_walks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a .blend of one character that has two walks."""
    monkeypatch.chdir(tmp_path)
    armature = walking_armature(walk(strides=1.0, fps=30.0, slide_mm_s=120.0))
    action = armature.animation_data.action
    action.name = "walk"
    again = action.copy()
    again.name, again.use_fake_user = "again", True
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "two.blend"))
    return tmp_path


def run(text: str) -> None:
    assert command.run([*text.split(), "--json", "r.json", "--quiet"]) == 0


def told(key: str = "files") -> list[str]:
    return sorted(entry["action"] for entry in json.loads(Path("r.json").read_text()).get(key, []))


def sources_in(file: str) -> dict[str, str | None]:
    """Which action each one of a file was made from."""
    bpy.ops.wm.open_mainfile(filepath=str(Path(file).absolute()), load_ui=False)
    made_from = {action.name: source_of(action) for action in bpy.data.actions}
    return {name: source and source.name for name, source in made_from.items()}


CLEANED = {"walk": None, "walk Clean": "walk", "again": None, "again Clean": "again"}


def test_every_result_is_in_the_file_and_is_made_again_from_its_source(two_walks: Path) -> None:
    run("clean two.blend -o once.blend")
    assert sources_in("once.blend") == CLEANED
    for before, after in (("once", "twice"), ("twice", "thrice")):
        run(f"clean {before}.blend -o {after}.blend")
        assert told() == ["again Clean", "walk Clean"]
        assert sources_in(f"{after}.blend") == CLEANED
    run("report thrice.blend")
    assert [round(entry["before"]["slide_mm_s"]) for entry in json.loads(Path("r.json").read_text())["files"]] == [0, 0]


def test_an_action_with_two_results_is_cleaned_once(two_walks: Path) -> None:
    run("clean two.blend -o once.blend")
    bpy.ops.wm.open_mainfile(filepath=str(two_walks / "once.blend"), load_ui=False)
    kept = bpy.data.actions["walk Clean"].copy()
    kept.name, kept.use_fake_user = "by hand", True
    bpy.ops.wm.save_as_mainfile(filepath=str(two_walks / "kept.blend"))
    run("clean kept.blend -o out.blend")
    assert told() == ["again Clean", "walk Clean"]
    assert told("left") == ["by hand"]
    assert sources_in("out.blend") == CLEANED | {"by hand": "walk"}


def test_a_result_over_a_result_stands_for_both(two_walks: Path) -> None:
    run("clean two.blend -o moved.blend --root-motion --action walk")
    once = sources_in("moved.blend")
    run("clean moved.blend -o out.blend")
    assert len(told()) == 2, "one of each walk"
    assert sources_in("out.blend") == once | {"again Clean": "again"}
