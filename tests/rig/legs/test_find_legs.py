# SPDX-License-Identifier: GPL-3.0-or-later
"""Legs are found on armatures of any make, by name and by shape."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import bpy
import numpy as np
import pytest

from support.bone_names import CONVENTIONS, spelled
from support.rigs import Bone, add_armature, biped, import_bvh, import_gltf, leg
from toehold.rig.common.wording import RigError
from toehold.rig.legs.bone_tree import bone_tree
from toehold.rig.legs.find_legs import find_legs
from toehold.rig.legs.motion import Motion


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_both_legs_are_found_whatever_bones_are_called(convention: str) -> None:
    hips, pattern = CONVENTIONS[convention]
    left, right = spelled(pattern)

    limbs = find_legs(add_armature(biped(hips, left, right)))

    assert [limb.name for limb in limbs] == ["Left Leg", "Right Leg"]
    for limb, names in zip(limbs, (left, right), strict=True):
        assert [limb.hip, limb.knee, limb.heel, limb.toe] == names
        assert limb.root == hips
        assert 0.0 < limb.confidence <= 1.0
        assert limb.reason


def test_controls_that_roll_feet_and_begin_on_the_floor_are_no_legs() -> None:
    left, right = (["thigh.l", "shin.l", "foot.l", "toes.l"], ["thigh.r", "shin.r", "foot.r", "toes.r"])
    bones = [Bone("root", "", (0.0, 0.0, 0.0), (0.0, 0.2, 0.0)), *biped("hips", left, right)]
    bones = [replace(bone, parent="root") if bone.name == "hips" else bone for bone in bones]
    for side, x in (("l", 0.1), ("r", -0.1)):
        chain = [("toe-roll", -0.5, 0.03), ("heel-roll", 0.25, 0.03), ("ball-roll", -0.12, 0.02), ("IK", 0.02, 0.15)]
        above = "root"
        for name, y, z in chain:
            bones.append(Bone(f"{name}.{side}", above, (x, y, z), (x, y, z + 0.1)))
            above = f"{name}.{side}"

    armature = add_armature(bones)
    tree = bone_tree(armature)
    time = np.linspace(0.0, 4.0 * np.pi, 41)
    step = np.zeros((len(time), len(tree.names), 3))
    for at, name in enumerate(tree.names):
        if any(part in name for part in ("foot", "toe", "roll", "IK")):
            turn = time + (np.pi if name.endswith(".r") else 0.0)
            step[:, at] = np.stack([0.0 * turn, 0.3 * np.cos(turn), np.maximum(0.2 * np.sin(turn), 0.0)], axis=-1)
    motion = Motion(tree.heads + step, tree.tails + step)

    limbs = find_legs(armature, motion=motion)

    assert [[limb.root, limb.hip, limb.knee, limb.heel, limb.toe] for limb in limbs] == [
        ["hips", *left],
        ["hips", *right],
    ]


def test_a_scaled_and_turned_rig_has_the_same_legs() -> None:
    names = [f"Bone.{number:03}" for number in range(8)]
    armature = add_armature([_laid_down(bone) for bone in biped("Bone", names[:4], names[4:])])
    armature.rotation_euler, armature.scale = (math.radians(90.0), 0.0, 0.0), (0.01, 0.01, 0.01)

    limbs = find_legs(armature)

    assert [limb.hip for limb in limbs] == [names[0], names[4]]


def _laid_down(bone: Bone) -> Bone:
    """Y up, in centimetres, as data from other programs are."""
    head, tail = ((100.0 * x, 100.0 * z, -100.0 * y) for x, y, z in (bone.head, bone.tail))
    return Bone(bone.name, bone.parent, head, tail)


def test_twist_and_inverse_kinematics_bones_are_left_out() -> None:
    left, right = spelled("thigh_{l|r} calf_{} foot_{} ball_{}")
    bones = [Bone("root", "", (0.0, 0.0, 0.0), (0.0, 0.0, 0.2)), *biped("pelvis", left, right)]
    bones += [Bone("ik_foot_root", "root", (0.0, 0.0, 0.0), (0.0, 0.0, 0.1))]
    for side, x in (("l", 0.1), ("r", -0.1)):
        bones.append(Bone(f"ik_foot_{side}", "ik_foot_root", (x, 0.0, 0.08), (x, 0.1, 0.08)))
        bones.append(Bone(f"thigh_twist_01_{side}", f"thigh_{side}", (x, 0.0, 0.7), (x, 0.0, 0.6)))
        bones.append(Bone(f"calf_twist_01_{side}", f"calf_{side}", (x, 0.0, 0.3), (x, 0.0, 0.2)))

    limbs = find_legs(add_armature(bones))

    assert [limb.knee for limb in limbs] == ["calf_l", "calf_r"]
    assert [limb.heel for limb in limbs] == ["foot_l", "foot_r"]


def test_of_chains_in_one_place_the_one_that_moves_the_mesh_is_the_leg() -> None:
    left, right = spelled("thigh_fk.{L|R} shin_fk.{} foot_fk.{} toe_fk.{}")
    bones = [
        Bone(bone.name, bone.parent, bone.head, bone.tail, deform=not bone.name.endswith((".L", ".R")))
        for bone in biped("hips", left, right)
    ]
    for side, x in (("L", 0.1), ("R", -0.1)):
        bones += leg([f"DEF-{part}.{side}" for part in ("thigh", "shin", "foot", "toe")], "hips", x)

    limbs = find_legs(add_armature(bones))

    assert [limb.hip for limb in limbs] == ["DEF-thigh.L", "DEF-thigh.R"]


def test_the_root_can_be_moved_where_the_hips_are_connected() -> None:
    left, right = spelled("thigh.{L|R} shin.{} foot.{} toe.{}")
    bones = [Bone("base", "", (0.0, 0.3, 0.95), (0.0, 0.0, 0.95))]
    bones += [Bone("spine", "base", (0.0, 0.0, 0.95), (0.0, 0.0, 1.1), connected=True)]
    bones += [bone for bone in biped("spine", left, right) if bone.name != "spine"]

    assert {limb.root for limb in find_legs(add_armature(bones))} == {"base"}


def test_without_a_toe_bone_the_foots_tip_stands_in() -> None:
    left, right = spelled("thigh.{L|R} shin.{} foot.{}")
    limb, _ = find_legs(add_armature(biped("hips", left, right)))
    assert (limb.toe, limb.toe_joint, limb.contact_bone) == ("", "foot.L_end", "foot.L")


def test_a_bone_at_the_tip_of_the_toes_is_their_end() -> None:
    left, right = spelled("{Left|Right}UpLeg {}Leg {}Foot {}ToeBase")
    ends = [
        Bone(f"{side}Toe_End", f"{side}ToeBase", (x, -0.2, 0.0), (x, -0.25, 0.0))
        for side, x in (("Left", 0.1), ("Right", -0.1))
    ]
    assert find_legs(add_armature([*biped("Hips", left, right), *ends]))[0].toe_end == "LeftToe_End"


def test_one_leg_is_one_limb() -> None:
    bones = [Bone("hips", "", (0.0, 0.0, 0.95), (0.0, 0.0, 1.1)), *leg(["thigh", "shin", "foot", "toe"], "hips", 0.0)]
    (limb,) = find_legs(add_armature(bones))
    assert (limb.hip, limb.knee, limb.heel, limb.toe) == ("thigh", "shin", "foot", "toe")


def test_a_skirt_and_hanging_arms_are_no_legs() -> None:
    left, right = spelled("thigh.{L|R} shin.{} foot.{} toe.{}")
    bones = biped("hips", left, right)
    for side, x in (("P", 0.25), ("Q", -0.25)):
        points = [(x, 0.0, z) for z in (0.9, 0.6, 0.3, 0.0)]
        names = [f"drape{side}{at}" for at in range(3)]
        bones += [Bone(name, ["hips", *names][at], points[at], points[at + 1]) for at, name in enumerate(names)]
    assert len(find_legs(add_armature(bones))) == 2


@pytest.mark.parametrize("kind", ["snake", "torso", "nothing"])
def test_a_rig_without_legs_is_refused_in_one_line(kind: str) -> None:
    snake = [Bone(f"b{at}", f"b{at - 1}", (0.0, 0.1 * at, 0.0), (0.0, 0.1 * (at + 1), 0.0)) for at in range(9)]
    torso = [
        bone
        for bone in biped("hips", *spelled("thigh.{L|R} shin.{} foot.{} toe.{}"))
        if bone.name.endswith(("P", "Q")) or bone.name in ("hips", "Torso")
    ]
    named = [
        Bone(b.name.replace("Up", "upper_arm."), b.parent.replace("Up", "upper_arm."), b.head, b.tail) for b in torso
    ]
    bones = {"snake": snake, "torso": named, "nothing": snake[:1]}[kind]

    with pytest.raises(RigError) as refused:
        find_legs(add_armature(bones))
    assert "no legs" in str(refused.value)
    assert "\n" not in str(refused.value)


METARIGS = {"basic_human": 2, "human": 2, "basic_quadruped": 4, "wolf": 4, "horse": 4, "cat": 4, "bird": 2}


@pytest.mark.parametrize("named", [True, False], ids=["named", "nameless"])
@pytest.mark.parametrize("kind", METARIGS)
def test_blenders_own_metarigs_have_their_legs(kind: str, named: bool) -> None:
    # Found only once bpy is there.
    import addon_utils

    addon_utils.enable("rigify", default_set=True)
    getattr(bpy.ops.object, f"armature_{kind}_metarig_add")()
    armature = bpy.context.object
    if not named:
        _forget_names(armature)

    limbs = find_legs(armature)

    assert len(limbs) == METARIGS[kind]
    assert len({limb.name for limb in limbs}) == len(limbs)
    if named and METARIGS[kind] == 4:
        assert [limb.name for limb in limbs] == ["Front Left Leg", "Front Right Leg", "Back Left Leg", "Back Right Leg"]


def _forget_names(armature: bpy.types.Object) -> None:
    for number, bone in enumerate(armature.data.bones):
        bone.name = f"Bone.{number:03}"


GLTF = {
    "Fox": 4,
    "Horse": 4,
    "Wolf": 4,
    "Med_MovementBasic": 2,
    "horse-animations": 4,
    "kaiju-animations": 2,
    "spider-animations": 8,
}


@pytest.mark.parametrize("named", [True, False], ids=["named", "nameless"])
@pytest.mark.parametrize("file", GLTF)
def test_game_characters_have_their_legs(data: Path, file: str, named: bool) -> None:
    armature = import_gltf(data / f"gltf/{file}.glb")
    if not named:
        _forget_names(armature)
    limbs = find_legs(armature)
    assert len(limbs) == GLTF[file]
    assert len({limb.heel for limb in limbs}) == len(limbs)


def test_recordings_have_the_same_legs_with_and_without_names(data: Path) -> None:
    for path in sorted(data.glob("*/*.bvh")):
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        armature = import_bvh(path)
        places = {bone.name: at for at, bone in enumerate(armature.data.bones)}
        by_name = find_legs(armature)
        _forget_names(armature)
        by_shape = find_legs(armature)
        assert len(by_name) == len(by_shape) == 2, path.name
        for named, shaped in zip(by_name, by_shape, strict=True):
            for part in ("hip", "knee", "heel", "toe"):
                assert getattr(shaped, part) == f"Bone.{places[getattr(named, part)]:03}", (path.name, part)


@pytest.mark.parametrize(("kind", "count"), [("basic_human", 2), ("basic_quadruped", 4), ("horse", 4)])
def test_generated_control_rigs_have_the_legs_that_move_the_mesh(kind: str, count: int) -> None:
    # Found only once bpy is there.
    import addon_utils

    addon_utils.enable("rigify", default_set=True)
    getattr(bpy.ops.object, f"armature_{kind}_metarig_add")()
    bpy.ops.pose.rigify_generate()
    limbs = find_legs(bpy.data.objects["rig"])
    assert len(limbs) == count
    assert all(limb.hip.startswith("DEF-") for limb in limbs)
