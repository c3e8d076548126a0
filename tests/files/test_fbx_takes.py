# SPDX-License-Identifier: GPL-3.0-or-later
"""An FBX goes through again and again, and each take keeps its name, its frames and its contacts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import bpy
import pytest

from support.walker import walk
from support.walker_armature import walking_armature
from toehold import command
from toehold.files.output import save
from toehold.files.scenes import Source

Record = dict[str, Any]


@pytest.fixture
def two_takes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An FBX with two takes of one walk, the second five frames later, and ending between two frames."""
    monkeypatch.chdir(tmp_path)
    armature = walking_armature(walk(strides=1.0, fps=30.0, slide_mm_s=150.0), name="one")
    action = armature.animation_data.action
    action.name = "walk"
    later = action.copy()
    later.name, later.use_fake_user = "walk later", True
    for layer in later.layers:
        for curve in layer.strips[0].channelbags[0].fcurves:
            for key in curve.keyframe_points:
                key.co.x += 5.0
            curve.keyframe_points[-1].co.x -= 0.5
            curve.update()
    save(Source(tmp_path / "none.blend", armature), tmp_path / "0.fbx")
    return tmp_path


def look(file: str) -> tuple[dict[str, tuple[float, float]], dict[str, int]]:
    """The ranges of the takes of a file, and how many bones each object has."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    bpy.ops.import_scene.fbx(filepath=file, anim_offset=0.0)
    ranges = {one.name: (round(one.frame_range[0], 3), round(one.frame_range[1], 3)) for one in bpy.data.actions}
    return ranges, {thing.name: len(getattr(thing.data, "bones", ())) for thing in bpy.data.objects}


def run(text: str) -> list[Record]:
    assert command.run([*text.split(), "--json", "r.json", "--quiet"]) == 0
    found: list[Record] = json.loads(Path("r.json").read_text())["files"]
    return found


def contacts_of(entries: list[Record]) -> dict[str, list[list[int]]]:
    return {
        entry["action"]: [[c["start"], c["end"]] for limb in entry["limbs"] for c in limb["contacts"]]
        for entry in entries
    }


def test_three_passes_keep_names_frames_and_bones(two_takes: Path) -> None:
    first = look("0.fbx")
    assert first[0] == {"one|walk": (1.0, 34.0), "one|walk later": (6.0, 38.5)}
    found = {}
    for number in range(3):
        found[number] = run(f"clean {number}.fbx -o {number + 1}.fbx")
        assert look(f"{number + 1}.fbx") == first
    assert all(entry["before"]["slide_mm_s"] > 100.0 for entry in found[0])
    assert all(entry["before"]["slide_mm_s"] < 1.0 for entry in found[1] + found[2])
    assert contacts_of(found[0]) == contacts_of(found[1]) == contacts_of(found[2])


def test_contacts_of_every_take_travel(two_takes: Path) -> None:
    given = {"one|walk": (4, 9), "one|walk later": (15, 26)}
    entries = [
        {
            "file": "0.fbx",
            "action": action,
            "limbs": [
                {"toe": f"{side}ToeBase", "contacts": [{"start": start, "end": end, "kind": "toe"}]}
                for side in ("Left", "Right")
            ],
        }
        for action, (start, end) in given.items()
    ]
    Path("c.json").write_text(json.dumps({"files": entries}))
    run("annotate 0.fbx -o noted.fbx --contacts c.json")
    wanted = {action: [list(span)] * 2 for action, span in given.items()}
    assert contacts_of(run("report noted.fbx")) == wanted
    assert contacts_of(run("clean noted.fbx -o out.fbx")) == wanted
    assert contacts_of(run("report out.fbx")) == wanted
