# SPDX-License-Identifier: GPL-3.0-or-later
"""What Blender's exporters leave out of a file is told in one line, and only what was really in it."""

from __future__ import annotations

from pathlib import Path

import bpy
import pytest

from support.gltf_files import PNG, Keying, Maker
from support.walker import walk
from support.walker_armature import walking_armature
from toehold import command
from toehold.files.kept import inventory, not_kept


def walking_gltf(file: Path, rich: bool) -> None:
    """A walk; where it is ``rich``, with what Blender can keep (a camera) and what not (an image that nothing uses)."""
    clip = walk(strides=1.0, fps=30.0, slide_mm_s=150.0).clip
    maker = Maker()
    nodes = maker.character(clip, "one")
    maker.animation("walk", clip, nodes, Keying())
    if rich:
        camera = maker.add("cameras", {"type": "perspective", "perspective": {"yfov": 0.7, "znear": 0.1}})
        maker.document["scenes"][0]["nodes"].append(maker.add("nodes", {"camera": camera, "name": "camera"}))
        maker.add("images", {"bufferView": maker.view(PNG), "mimeType": "image/png"})
        maker.document["extensionsUsed"] = ["ACME_secret"]
    maker.write(file)


@pytest.mark.parametrize("rich", [False, True])
def test_a_gltf_in_its_other_form_says_what_is_missing(
    rich: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    walking_gltf(tmp_path / "made.glb", rich)
    arguments = ["clean", str(tmp_path / "made.glb"), "-o", str(tmp_path / "out.gltf"), "--quiet"]
    assert command.run(arguments) == 0
    told = [line for line in capsys.readouterr().err.splitlines() if "could not be kept" in line]
    assert len(told) == rich
    if rich:
        assert told[0].startswith(
            "made.glb: 1 image, extension ACME_secret could not be kept: Blender writes this .gltf"
        )
    again = inventory(tmp_path / "out.gltf")
    assert again is not None
    assert again["camera"] == rich


def test_an_fbx_with_a_light_and_a_camera_is_counted_as_blender_sees_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    walking_armature(walk(strides=1.0, fps=30.0, slide_mm_s=150.0))
    bpy.ops.object.camera_add()
    bpy.ops.object.light_add(type="SUN")
    bpy.ops.mesh.primitive_cube_add()
    bpy.ops.export_scene.fbx(filepath=str(tmp_path / "made.fbx"), add_leaf_bones=False)
    found = inventory(tmp_path / "made.fbx")
    assert found is not None
    assert [found[kind] for kind in ("camera", "light", "mesh", "image")] == [1, 1, 1, 0]
    arguments = ["clean", str(tmp_path / "made.fbx"), "-o", str(tmp_path / "out.fbx"), "--quiet"]
    assert command.run(arguments) == 0
    assert capsys.readouterr().err == ""
    assert not_kept(found, inventory(tmp_path / "out.fbx")) == []


def test_a_broken_file_has_no_inventory(tmp_path: Path) -> None:
    (tmp_path / "a.glb").write_bytes(b"glTF nonsense")
    assert inventory(tmp_path / "a.glb") is None
    assert not_kept(None, None) == []
