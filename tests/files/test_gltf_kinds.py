# SPDX-License-Identifier: GPL-3.0-or-later
"""However a glTF stores its keys, its joints come back where Clean wants them, and all else byte by byte."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support.gltf_files import PNG, Keying, Maker
from support.walker import walk
from toehold import command
from toehold.files import gltf as gltf_text
from toehold.files import gltf_patch
from toehold.files.gltf import Gltf
from toehold.files.gltf_motion import keys_of, range_of, target_of, world_of
from toehold.files.gltf_patch import ClipChange
from toehold.solver.clip import Clip
from toehold.solver.rotations import FloatArray

KEYINGS = {
    "linear": Keying(),
    "step": Keying("STEP"),
    "cubic": Keying("CUBICSPLINE"),
    "cubic with few keys": Keying("CUBICSPLINE", every=3),
    "linear with few keys": Keying(every=4),
    "sparse": Keying(stored="sparse"),
    "normalized": Keying(stored="short"),
    "cubic and normalized": Keying("CUBICSPLINE", every=2, stored="sparse"),
    "late": Keying(start=2.0),
    "late and between frames": Keying(start=1.513),
}
NAMES = ["walk", "walk", "Gehen|ä ·走る|x", None, "walk.001"]


@lru_cache(maxsize=1)
def walked() -> Clip:
    return walk(strides=1.0, fps=30.0, slide_mm_s=150.0).clip


@pytest.fixture(autouse=True)
def _in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[ClipChange]:
    """What Clean asked for, once it has."""
    changes: list[ClipChange] = []
    usual = gltf_patch.patched

    def patched(gltf: Gltf, wanted: Sequence[ClipChange], *more: Any) -> Gltf:
        changes.extend(wanted)
        return usual(gltf, wanted, *more)

    monkeypatch.setattr(gltf_patch, "patched", patched)
    return changes


def clean(file: str, out: str, *more: str) -> list[dict[str, Any]]:
    assert command.run(["clean", file, "-o", out, "--json", "r.json", "--quiet", *more]) == 0
    found: list[dict[str, Any]] = json.loads(Path("r.json").read_text())["files"]
    return found


def one_walk(keying: Keying, file: str = "made.glb", buffer: str | None = None, skinned: bool = True) -> Maker:
    """A file with one character that walks and whose shape changes."""
    maker = Maker()
    nodes = maker.character(walked(), "one", skinned)
    animation = maker.animation("walk", walked(), nodes, keying)
    if skinned:
        maker.move_shape(animation, len(maker.document["nodes"]) - 1)
    maker.write(Path(file), buffer)
    return maker


def away_from(gltf: Gltf, change: ClipChange, clip: Clip) -> float:
    """How far any joint is, at most, from where it is in a clip (metres)."""
    times = change.frames / clip.fps
    if clip.frame_times is not None:
        times = (change.frames[0] + clip.frame_times) / clip.fps
    keys = keys_of(gltf, gltf.items("animations")[change.animation])
    joints = [joint for joint, node in enumerate(change.nodes) if node is not None]
    assert len(joints) > 8
    worlds = world_of(gltf, keys, [node for node in change.nodes if node is not None], times)
    found: FloatArray = np.stack([worlds[change.nodes[joint] or 0][:, :3, 3] for joint in joints], axis=1)
    found = found[..., [0, 2, 1]] * np.array([1.0, -1.0, 1.0])
    return float(np.linalg.norm(found - clip.positions[:, joints], axis=-1).max())


def expect_only_keys_changed(before: Gltf, after: Gltf, changes: Sequence[ClipChange]) -> None:
    grown = {"animations", "accessors", "bufferViews", "buffers"}
    assert {k: v for k, v in before.document.items() if k not in grown} == {
        k: v for k, v in after.document.items() if k not in grown
    }
    for name in ("accessors", "bufferViews"):
        assert after.items(name)[: len(before.items(name))] == before.items(name)
    assert after.buffer(0)[: before.items("buffers")[0]["byteLength"]] == before.buffer(0)
    for at, (one, other) in enumerate(zip(before.items("animations"), after.items("animations"), strict=True)):
        own = [change for change in changes if change.animation == at]
        if not own:
            assert one == other
            continue
        assert one.get("name") == other.get("name")
        assert range_of(before, one) == range_of(after, other)
        legs = {node for change in own for node in change.nodes}
        for channel, later in zip(one["channels"], other["channels"], strict=False):
            assert channel["target"] == later["target"]
            target = target_of(channel)
            if target is None or target[0] not in legs:
                assert one["samplers"][channel["sampler"]] == other["samplers"][later["sampler"]]


def expect_what_was_asked_for(file: str, out: str, changes: Sequence[ClipChange]) -> None:
    assert changes
    before, after = gltf_text.read(Path(file)), gltf_text.read(Path(out))
    for change in changes:
        assert away_from(before, change, change.source) < 1e-4, "what Blender read"
        assert away_from(after, change, change.result) < 1e-4
        assert np.abs(change.result.positions - change.source.positions).max() > 5e-3, "something to do"
    expect_only_keys_changed(before, after, changes)


@pytest.mark.parametrize("keying", KEYINGS.values(), ids=KEYINGS)
def test_keys_of_any_kind(keying: Keying, asked: list[ClipChange]) -> None:
    one_walk(keying)
    clean("made.glb", "out.glb")
    expect_what_was_asked_for("made.glb", "out.glb", asked)


@pytest.mark.parametrize("file", ["made.vrm", "made.vrma"])
def test_a_vrm_and_a_vrma(file: str, asked: list[ClipChange]) -> None:
    one_walk(Keying(), file)
    clean(file, f"out.{file}")
    expect_what_was_asked_for(file, f"out.{file}", asked)
    assert clean(f"out.{file}", "again.glb")[0]["before"]["slide_mm_s"] < 2.0


def test_a_character_of_nodes_without_a_skin(asked: list[ClipChange]) -> None:
    one_walk(Keying(), skinned=False)
    clean("made.glb", "out.glb")
    expect_what_was_asked_for("made.glb", "out.glb", asked)


@pytest.mark.parametrize("hips", [True, False], ids=["hips in the skin", "hips bare"])
def test_legs_that_are_not_in_the_skin(hips: bool, asked: list[ClipChange]) -> None:
    clip = walked()
    names, parents = clip.skeleton.names, clip.skeleton.parents
    bare = [] if hips else [0]
    for joint, name in enumerate(names):
        if name.endswith("UpLeg") or (parents[joint] in bare and parents[joint] > 0):
            bare.append(joint)
    maker = Maker()
    nodes = maker.character(clip, "one", bare=bare)
    maker.animation("walk", clip, nodes, Keying())
    maker.write(Path("made.glb"))
    clean("made.glb", "out.glb")
    expect_what_was_asked_for("made.glb", "out.glb", asked)
    assert clean("out.glb", "again.glb")[0]["before"]["slide_mm_s"] < 2.0


def test_names_that_are_there_twice_missing_or_of_any_letters(asked: list[ClipChange]) -> None:
    maker = Maker()
    nodes = maker.character(walked(), "one")
    for name in NAMES:
        maker.animation(name, walked(), nodes, Keying())
    maker.write(Path("made.glb"))
    assert len(clean("made.glb", "out.glb")) == len(NAMES)
    assert sorted(change.animation for change in asked) == list(range(len(NAMES)))
    expect_what_was_asked_for("made.glb", "out.glb", asked)


@pytest.mark.parametrize("wanted", ["one", "two", "all"])
def test_two_characters_in_one_file(wanted: str, asked: list[ClipChange]) -> None:
    maker = Maker()
    for name, x in (("one", 0.0), ("two", 2.0)):
        maker.animation(f"{name} walks", walked(), maker.character(walked(), name, x=x), Keying())
    maker.write(Path("made.glb"))
    entries = clean("made.glb", "out.glb", "--armature", wanted)
    chosen = {"one", "two"} if wanted == "all" else {wanted}
    assert {entry["armature"] for entry in entries} == chosen
    assert {entry["action"] for entry in entries} == {f"{name} walks" for name in chosen}
    expect_what_was_asked_for("made.glb", "out.glb", asked)


def test_two_characters_in_one_animation(asked: list[ClipChange]) -> None:
    maker = Maker()
    both = [maker.character(walked(), name, x=x) for name, x in (("one", 0.0), ("two", 2.0))]
    maker.animation("walk", walked(), both[0], Keying())
    second = maker.animation("", walked(), both[1], Keying())
    second_one = maker.document["animations"].pop(second)
    first = maker.document["animations"][0]
    for channel in second_one["channels"]:
        first["channels"].append(channel | {"sampler": channel["sampler"] + len(first["samplers"])})
    first["samplers"] += second_one["samplers"]
    maker.write(Path("made.glb"))
    assert len(clean("made.glb", "out.glb", "--armature", "all")) == 2
    expect_what_was_asked_for("made.glb", "out.glb", asked)


def test_data_and_images_in_folders_go_along(asked: list[ClipChange]) -> None:
    maker = Maker()
    nodes = maker.character(walked(), "one")
    maker.animation("walk", walked(), nodes, Keying())
    for folder, uri in (("textures ä", "textures%20ä/a.png"), ("gone", "gone/missing.png")):
        maker.add("images", {"uri": uri})
        maker.add("textures", {"source": len(maker.document["images"]) - 1, "name": folder})
    Path("in/textures ä").mkdir(parents=True)
    Path("in/textures ä/a.png").write_bytes(PNG)
    Path("out").mkdir()
    maker.write(Path("in/made.gltf"), "data/own.bin")
    clean("in/made.gltf", "out/made.gltf")
    expect_what_was_asked_for("in/made.gltf", "out/made.gltf", asked)
    for kept in ("data/own.bin", "textures ä/a.png"):
        assert Path("out", kept).read_bytes() == Path("in", kept).read_bytes()
