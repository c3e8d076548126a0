# SPDX-License-Identifier: GPL-3.0-or-later
"""A glTF comes back with its feet standing still, and byte by byte the same in all that did not have to change."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

from support.walker import walk
from support.walker_armature import walking_armature
from toehold import command
from toehold.files import gltf as gltf_text
from toehold.files.gltf import Gltf
from toehold.files.gltf_motion import keys_of, range_of
from toehold.files.gltf_patch import patched
from toehold.files.json_text import Edit, edited


def made(folder: Path, ending: str = "glb", **shape: Any) -> Path:
    """A file with two walks and a pose of one character, one of the walks as long as half the other."""
    armature = walking_armature(walk(strides=2.0, fps=30.0, slide_mm_s=120.0), **shape)
    action = armature.animation_data.action
    action.name = "walk|one.x"
    again = action.copy()
    again.name = "Gehen ·ä zwei"
    still = bpy.data.actions.new("pose")
    armature.animation_data.action = still
    for frame in (1, 10):
        armature.pose.bones["Hips"].keyframe_insert("location", frame=frame)
    for one in (action, again, still):
        track = armature.animation_data.nla_tracks.new()
        track.name, track.mute = one.name, True
        track.strips.new(one.name, 1, one)
    armature.animation_data.action = action
    armature["keep"] = "me"
    out = folder / f"made.{ending}"
    bpy.ops.export_scene.gltf(
        filepath=str(out),
        export_format="GLB" if ending == "glb" else "GLTF_SEPARATE",
        export_animation_mode="ACTIONS",
        export_extras=True,
    )
    return out


def without_animations(one: Gltf) -> dict[str, Any]:
    """What a file says, but for its animations and what is added at the end of the lists that they point into."""
    return {
        name: value
        for name, value in one.document.items()
        if name not in {"animations", "accessors", "bufferViews", "buffers"}
    }


def test_an_edit_of_json_leaves_every_other_letter() -> None:
    text = '{ "a" : [1.0,\n 2e3, {"b":"]}"}], "c": {} , "d":[ ] }'
    assert edited(text, []) == text
    assert edited(text, [Edit(("a", 2, "b"), 3)]) == text.replace('"]}"', "3")
    assert edited(text, [Edit(("d", None), 1), Edit(("d", None), 2)]) == text.replace("[ ]", "[ 1,2]")
    assert edited(text, [Edit(("c", "e"), [1])]) == text.replace("{}", '{"e": [1]}')
    assert json.loads(edited(text, [Edit(("f", None), 1)]))["f"] == [1]


def test_a_file_in_which_nothing_changed_is_the_same_file(tmp_path: Path) -> None:
    for ending in ("glb", "gltf"):
        path = made(tmp_path, ending)
        assert patched(gltf_text.read(path), []).to_bytes() == path.read_bytes()
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)


@pytest.mark.parametrize("ending", ["glb", "gltf"])
@pytest.mark.parametrize("shape", [{}, {"scale": 0.01, "y_up": True}], ids=["plain", "small and Y up"])
def test_every_animation_is_cleaned_and_all_else_is_as_it_was(
    ending: str, shape: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    made(tmp_path, ending, **shape)
    assert command.run(["clean", f"made.{ending}", "-o", f"out.{ending}", "--json", "r.json"]) == 0
    document = json.loads(Path("r.json").read_text())
    assert sorted(entry["action"] for entry in document["files"]) == ["Gehen ·ä zwei", "walk|one.x"]
    assert [entry["action"] for entry in document["left"]] == ["pose"]
    before, after = gltf_text.read(Path(f"made.{ending}")), gltf_text.read(Path(f"out.{ending}"))
    assert without_animations(before) == without_animations(after)
    for name in ("accessors", "bufferViews"):
        assert after.items(name)[: len(before.items(name))] == before.items(name)
    length = before.items("buffers")[0]["byteLength"]
    assert after.buffer(0)[:length] == before.buffer(0)[:length]
    for one, other in zip(before.items("animations"), after.items("animations"), strict=True):
        assert one["name"] == other["name"]
        assert range_of(before, one) == range_of(after, other)
    # What Blender reads of it stands still.
    assert command.run(["report", f"out.{ending}", "--json", "again.json", "--quiet"]) == 0
    for entry in json.loads(Path("again.json").read_text())["files"]:
        assert entry["before"]["slide_mm_s"] < 2.0
    assert all(entry["before"]["slide_mm_s"] > 100.0 for entry in document["files"])


def test_a_chosen_action_is_the_only_one_that_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    made(tmp_path)
    assert command.run(["clean", "made.glb", "-o", "out.glb", "--action", "walk|one.x", "--quiet"]) == 0
    before, after = gltf_text.read(Path("made.glb")), gltf_text.read(Path("out.glb"))
    changed = [
        one["name"]
        for one, other in zip(before.items("animations"), after.items("animations"), strict=True)
        if one != other
    ]
    assert changed == ["walk|one.x"]


def test_keys_outside_the_frames_asked_for_keep_their_values(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    made(tmp_path)
    arguments = ["clean", "made.glb", "-o", "out.glb", "--action", "walk|one.x", "--frames", "20:40", "--quiet"]
    assert command.run(arguments) == 0
    before, after = gltf_text.read(Path("made.glb")), gltf_text.read(Path("out.glb"))
    at = [one["name"] for one in before.items("animations")].index("walk|one.x")
    old, new = (keys_of(one, one.items("animations")[at]) for one in (before, after))
    worst = 0.0
    for target, keys in old.items():
        frames = np.round(new[target].times * 30.0)
        outside = (frames < 20) | (frames > 40)
        if len(keys.times) == len(frames):
            one, other = keys.values[outside], new[target].values[outside]
            # A rotation's quaternion may have the other sign.
            differ = np.minimum(np.abs(one - other).max(axis=-1), np.abs(one + other).max(axis=-1))
            worst = max(worst, float(differ.max()))
    assert worst < 1e-5


def test_contacts_travel_with_each_animation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    made(tmp_path)
    span = {"start": 10, "end": 30, "kind": "toe"}
    toes = [{"toe": f"{side}ToeBase", "contacts": [span]} for side in ("Left", "Right")]
    document = {"files": [{"file": "made.glb", "action": "walk|one.x", "limbs": toes}]}
    Path("c.json").write_text(json.dumps(document))
    assert command.run(["annotate", "made.glb", "-o", "noted.glb", "--contacts", "c.json", "--quiet"]) == 0
    assert command.run(["report", "noted.glb", "--json", "r.json", "--quiet"]) == 0
    found = {
        entry["action"]: [[c["start"], c["end"]] for limb in entry["limbs"] for c in limb["contacts"]]
        for entry in json.loads(Path("r.json").read_text())["files"]
    }
    assert found["walk|one.x"] == [[10, 30], [10, 30]]
    assert found["Gehen ·ä zwei"] != found["walk|one.x"]


def test_a_file_beside_out_keeps_its_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    made(tmp_path, "gltf")
    os.mkdir("other")
    Path("other/made.bin").write_bytes(b"precious")
    assert command.run(["clean", "made.gltf", "-o", "other/out.gltf", "--quiet"]) == 0
    assert Path("other/made.bin").read_bytes() == b"precious"
    assert Path("other/made_1.bin").read_bytes() == Path("made.bin").read_bytes()
    assert command.run(["report", "other/out.gltf", "--quiet"]) == 0
