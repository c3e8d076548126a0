# SPDX-License-Identifier: GPL-3.0-or-later
"""Legs and hands of whole bodies of many makes and kinds, with whatever hangs from them, named and nameless."""

from __future__ import annotations

from collections.abc import Callable
from math import cos, sin

import numpy as np
import pytest

from support.bodies import body, chain, nameless, pair, turned
from support.makes import MAKES
from support.rigs import Bone, add_armature
from toehold.rig.common.wording import RigError
from toehold.rig.legs.find_legs import find_legs

HIDDEN = 0.5


@pytest.mark.parametrize("pose", ["T", "A", "hanging"])
@pytest.mark.parametrize("make", MAKES)
def test_legs_and_hands_are_found_whatever_their_bones_are_called(make: str, pose: str) -> None:
    made = body(make, pose)
    limbs = find_legs(add_armature(made.bones), hands=True)

    assert [limb.name for limb in limbs] == ["Left Leg", "Right Leg", "Left Hand", "Right Hand"]
    for limb, joints in zip(limbs[:2], made.legs, strict=True):
        found = [limb.hip, limb.knee, limb.heel, limb.toe]
        assert found[: len(joints)] == joints
        assert not limb.hand
    for limb, joints in zip(limbs[2:], made.arms, strict=True):
        assert [limb.hip, limb.knee, limb.heel] == joints
        assert "digit 2" in limb.toe, "the middle finger"
        assert limb.hand
    assert {limb.root for limb in limbs} == {MAKES[make][0]}
    assert all(limb.confidence > HIDDEN and limb.reason for limb in limbs)


SKIRT = [
    bone
    for at, angle in enumerate((1.2, 0.4, -0.4, -1.2))
    for bone in pair(f"drape{at}", "Hips", [(0.15 * cos(angle), 0.15 * sin(angle), z) for z in (0.95, 0.6, 0.3, 0.02)])
]
CLOAK = pair("drape", "Breast", [(0.12, 0.12, float(z)) for z in np.linspace(1.45, 0.05, 7)])
BRAIDS = pair("drape", "Head", [(0.1, 0.1, 1.7), (0.2, 0.15, 1.5), *((0.22, 0.15, z) for z in (1.2, 0.9, 0.6, 0.3))])
TAIL = chain("drape", "Hips", [(0.0, 0.1, 0.95), (0.0, 0.3, 0.8), (0.0, 0.5, 0.5), (0.0, 0.7, 0.2), (0.0, 1.0, 0.02)])
SWORD = chain("drape", "RightHand", [(-0.6, 0.0, 0.8), (-0.6, -0.5, 0.4), (-0.6, -1.0, 0.05)])


@pytest.mark.parametrize("degrees", [0.0, 45.0, 90.0])
@pytest.mark.parametrize("named", [True, False], ids=["named", "nameless"])
@pytest.mark.parametrize(
    "more", [SKIRT, CLOAK, BRAIDS, TAIL, SWORD, []], ids=["skirt", "cloak", "braids", "tail", "sword", "-"]
)
def test_what_hangs_down_beside_legs_is_no_leg(more: list[Bone], named: bool, degrees: float) -> None:
    bones = turned([*body("motionbuilder", "A").bones, *more], degrees, scale=1.0 if named else 100.0)
    called = {}
    if not named:
        bones, called = nameless(bones)
    limbs = find_legs(add_armature(bones))
    assert {called.get(limb.hip, limb.hip) for limb in limbs} == {"LeftUpLeg", "RightUpLeg"}
    assert [called.get(limb.hip, limb.hip)[:4] for limb in limbs] == [limb.name[:4] for limb in limbs], "left and right"


def beast(legs: int) -> list[Bone]:
    """Return a beast on pairs of legs that point ahead."""
    bones = chain("trunk", "", [(0.0, 0.6, 0.8), (0.0, 0.1, 0.8), (0.0, -0.5, 0.8), (0.0, -0.9, 1.2), (0.0, -1.2, 1.1)])
    for at, y in enumerate(np.linspace(-0.5, 0.5, legs // 2).tolist()):
        points = [(0.2, y, 0.7), (0.2, y - 0.05, 0.35), (0.2, y, 0.1), (0.2, y - 0.1, 0.03), (0.2, y - 0.2, 0.0)]
        bones += pair(f"leg{at}", "trunk0" if y > 0.0 else "trunk1", points)
    return bones


def spider(legs: int) -> list[Bone]:
    """Return a body on legs that point away from it."""
    bones = chain("trunk", "", [(0.0, 0.5, 0.4), (0.0, 0.0, 0.3), (0.0, -0.4, 0.3)])
    for at, angle in enumerate(np.linspace(-0.9, 0.9, legs // 2).tolist()):
        way = [(0.1, 0.3), (0.4, 0.55), (0.9, 0.3), (1.2, 0.0)]
        bones += pair(f"leg{at}", "trunk0", [(r * cos(angle), r * sin(angle), z) for r, z in way])
    return bones


@pytest.mark.parametrize("legs", [4, 6, 8])
@pytest.mark.parametrize("kind", [beast, spider])
def test_nameless_beasts_have_all_their_legs_on_their_sides(kind: Callable[[int], list[Bone]], legs: int) -> None:
    bones, called = nameless(kind(legs))
    limbs = find_legs(add_armature(bones))
    assert len(limbs) == legs
    for limb in limbs:
        assert ("Left" in limb.name) == called[limb.hip].endswith("P0")
        assert called[limb.hip].startswith("leg")


def test_a_beast_with_a_persons_trunk_has_four_legs_and_two_hands() -> None:
    bones = beast(4)
    names = ("Clavicle", "UpperArm", "Forearm", "Hand")
    for side, x in (("L", 1.0), ("R", -1.0)):
        points = [(x * reach, -0.9, z) for reach, z in ((0.05, 1.4), (0.2, 1.4), (0.4, 1.2), (0.5, 1.0), (0.52, 0.9))]
        arm = [f"{side}_{name}" for name in names]
        bones += [Bone(name, ["trunk3", *arm][at], points[at], points[at + 1]) for at, name in enumerate(arm)]
    limbs = find_legs(add_armature(bones), hands=True)
    assert [limb.name for limb in limbs[4:]] == ["Left Hand", "Right Hand"]
    assert len(limbs) == 6
    assert [limb.hip for limb in limbs[4:]] == ["L_UpperArm", "R_UpperArm"]


@pytest.mark.parametrize("named", [True, False], ids=["named", "nameless"])
def test_somebody_on_one_leg_has_one(named: bool) -> None:
    missing = ("RightUpLeg", "RightLeg", "RightFoot", "RightToeBase")
    bones = [bone for bone in body("motionbuilder", "A").bones if bone.name not in missing]
    called = {}
    if not named:
        bones, called = nameless(bones)
    (limb,) = find_legs(add_armature(bones))
    assert called.get(limb.hip, limb.hip) == "LeftUpLeg"
    assert (limb.confidence < HIDDEN) == (not named), "a guess is marked as one"


@pytest.mark.parametrize("pose", ["T", "A", "hanging"])
@pytest.mark.parametrize("named", [True, False], ids=["named", "nameless"])
def test_somebody_without_legs_is_refused_with_the_reason(named: bool, pose: str) -> None:
    legs = [f"{side}{part}" for side in ("Left", "Right") for part in ("UpLeg", "Leg", "Foot", "ToeBase")]
    bones = [bone for bone in body("motionbuilder", pose).bones if bone.name not in legs]
    if not named:
        bones, _ = nameless(bones)
    armature = add_armature(bones)
    with pytest.raises(RigError, match="no legs found") as refused:
        find_legs(armature)
    assert "from the body to the ground" in str(refused.value)
    if named:
        assert [limb.name for limb in find_legs(armature, hands=True)] == ["Left Hand", "Right Hand"]


def test_the_root_carries_the_trunk_where_the_hips_carry_legs_only() -> None:
    """As in MikuMikuDance: the lower and the upper half of the body hang side by side from its centre."""
    bones = [Bone("センター", "", (0.0, 0.0, 0.8), (0.0, 0.0, 0.95))]
    bones += [
        Bone(bone.name, "センター" if bone.name in ("下半身", "Trunk") else bone.parent, bone.head, bone.tail)
        for bone in body("mmd blender").bones
    ]
    assert {limb.root for limb in find_legs(add_armature(bones), hands=True)} == {"センター"}
