# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of any kind are opened to the right armature and action, or refused in one line."""

from __future__ import annotations

from pathlib import Path

import bpy
import pytest

from support.clips import DATA
from toehold.files.scenes import Choice, from_scene, open_file
from toehold.rig.common.wording import RigError

needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="the real clips of ../shared/data are not here")
ANYTHING = Choice()


def add_armature(name: str, action: str | None = None) -> bpy.types.Object:
    armature = bpy.data.objects.new(name, bpy.data.armatures.new(name))
    bpy.context.scene.collection.objects.link(armature)
    if action is not None:
        armature.animation_data_create().action = bpy.data.actions.new(action)
        armature.keyframe_insert("location", frame=1)
    return armature


@pytest.mark.parametrize(
    ("name", "content", "what"),
    [
        ("junk.fbx", b"not an fbx", "not a binary FBX file"),
        ("text.fbx", b"; FBX 7.3.0 project file\nFBXHeaderExtension: {", "is text (ASCII)"),
        ("old.fbx", b"Kaydara FBX Binary  \0\x1a\0" + (6100).to_bytes(4, "little"), "has version 6100"),
        ("junk.glb", b"glTF", "not a .glb file"),
        ("junk.glb", b"glTF\x02\0\0\0\x64\0\0\0" + b"x" * 88, "cannot read it"),
        ("junk.gltf", b"{", "cannot read it"),
        ("junk.gltf", b'{"asset":{"version":"2.0"},"scenes":[{"nodes":[5]}]}', "cannot read it"),
        ("empty.gltf", b'{"asset":{"version":"2.0"},"scenes":[{"nodes":[0]}],"nodes":[{}],"scene":0}', "no armature"),
        ("junk.blend", b"BLENDER", "not a .blend file"),
        ("junk.blend", b"BLENDER-v405" + b"x" * 300, "cannot read it"),
        ("junk.blend", b"\x28\xb5\x2f\xfd" + b"junk" * 100, "cannot read it"),
        ("none.bvh", b"", "empty"),
        ("what.xyz", b"?", "cannot be opened"),
        ("what", b"?", "cannot be opened"),
    ],
)
def test_what_cannot_be_opened_is_refused_in_one_line(
    name: str, content: bytes, what: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(RigError) as caught:
        open_file(tmp_path / name, ANYTHING)
    message = str(caught.value)
    assert message.startswith(f"{name}: ")
    assert what in message
    assert "\n" not in message
    assert capfd.readouterr() == ("", "")


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RigError, match=r"gone\.fbx: cannot be read"):
        open_file(tmp_path / "gone.fbx", ANYTHING)


def test_of_several_armatures_the_one_that_moves_is_taken() -> None:
    add_armature("Prop")
    add_armature("Hero", "Walk")
    assert from_scene(Path("a.blend"), ANYTHING).armature.name == "Hero"


def test_several_moving_armatures_are_listed() -> None:
    add_armature("Hero", "Walk")
    add_armature("Dog", "Trot")
    with pytest.raises(RigError, match=r"a\.blend: there are several armatures; .*--armature: 'Dog', 'Hero'"):
        from_scene(Path("a.blend"), ANYTHING)
    assert from_scene(Path("a.blend"), Choice(armature="Dog")).armature.name == "Dog"
    with pytest.raises(RigError, match="no armature 'Cat'; choose one of 'Dog', 'Hero'"):
        from_scene(Path("a.blend"), Choice(armature="Cat"))


def test_the_action_can_be_chosen_by_name() -> None:
    hero = add_armature("Hero", "Walk")
    add_armature("Dog", "Trot")
    from_scene(Path("a.blend"), Choice(armature="Hero", actions=("Trot",)))
    assert hero.animation_data.action.name == "Trot"
    assert hero.animation_data.action_slot is not None
    with pytest.raises(RigError, match="no action 'Fly'; the file has 'Trot', 'Walk'"):
        from_scene(Path("a.blend"), Choice(armature="Hero", actions=("Fly",)))


def test_an_armature_without_action_is_refused_with_what_there_is() -> None:
    add_armature("Hero")
    with pytest.raises(RigError, match="'Hero' has no action; export the animation too"):
        from_scene(Path("a.blend"), ANYTHING)
    bpy.data.actions.new("Walk")
    with pytest.raises(RigError, match="choose with --action: 'Walk'"):
        from_scene(Path("a.blend"), ANYTHING)


@needs_data
def test_a_glb_is_opened_at_the_rate_it_is_keyed_at(capfd: pytest.CaptureFixture[str]) -> None:
    source = open_file(DATA / "gltf" / "Med_MovementBasic.glb", ANYTHING)
    assert source.frame_rate == 30.0
    assert capfd.readouterr() == ("", "")


@needs_data
def test_a_bvh_says_how_its_unit_was_found() -> None:
    path = DATA / "contacts_truth" / "zoo_HC038A11_Straight.bvh"
    source = open_file(path, ANYTHING)
    assert source.metres_per_unit == 0.01
    assert "centimetres" in source.unit_note
    assert "0.83 m" in source.unit_note
    given = open_file(path, Choice(metres_per_unit=0.02))
    assert (given.metres_per_unit, given.unit_note) == (0.02, "")
    assert [thing.name for thing in bpy.data.objects] == [given.armature.name]
