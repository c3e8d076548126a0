# SPDX-License-Identifier: GPL-3.0-or-later
"""Legs of three segments are told from those of two, and are cleaned by all their joints."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import bpy
import numpy as np
import pytest

from support.control_rigs import generated, key
from support.rigs import Bone, add_armature, import_gltf, joints_by_blender, play
from toehold.rig.legs.by_hand import selected_limb
from toehold.rig.legs.find_legs import find_legs
from toehold.rig.legs.limb_bones import LimbBones
from toehold.rig.verbs import journey
from toehold.solver.contacts import Contacts

Verb = Callable[..., journey.Cleaned]

# (hock, heel, toe) of the legs on the left, front before back; "" where a leg has two segments.
METARIGS = {
    "basic_human": [("", "foot.L", "toe.L")],
    "basic_quadruped": [("", "front_foot.L", "front_toe.L"), ("foot.L", "toe.L", "toe.L")],
    "wolf": [("", "front_foot.L", "front_toe.L"), ("foot.L", "toe.L", "toe.L")],
    "horse": [("forefoot.L", "f_toe.L", "f_hoof.L"), ("hind_foot.L", "r_toe.L", "r_hoof.L")],
    "cat": [("", "hand.L", "f_toe.L"), ("foot.L", "r_toe.L", "r_toe.L")],
    # Its foot is a stub of 6 mm: no segment that could lean.
    "bird": [("", "foot.L", "toe.L")],
}
GLTF = {
    "Fox": [("", "b_LeftHand_011", "b_LeftHand_011"), ("b_LeftFoot01_017", "b_LeftFoot02_018", "b_LeftFoot02_018")],
    "Horse": [("", "IKFrontLeg.L", "FF.L"), ("BackLowerLeg.L", "IKBackLeg.L", "FFB.L")],
    "Wolf": [("", "IKFrontLeg.L", "FF.L"), ("BackLowerLeg.L", "IKBackLeg.L", "FFB.L")],
    "Med_MovementBasic": [("", "foot.l", "toes.l")],
    "horse-animations": [
        ("front_leg_lower_l", "front_leg_ankle_l", "front_leg_foot_l"),
        ("back_leg_ankle_l", "back_leg_foot_l", "back_leg_toe_l"),
    ],
    "kaiju-animations": [("Back_Leg_Ankle_L", "Back_Leg_Foot_1_L", "Back_Leg_Foot_1_L")],
    "spider-animations": [(f"leg_{row}_3_l", f"leg_{row}_tip_l", f"leg_{row}_tip_l") for row in "abcd"],
}


def lower_legs(limbs: Sequence[LimbBones]) -> list[tuple[str, str, str]]:
    return [(limb.hock, limb.heel, limb.toe) for limb in limbs if "Left" in limb.name]


@pytest.mark.parametrize("kind", METARIGS)
def test_blenders_own_metarigs_have_hocks_where_the_beast_has(kind: str) -> None:
    # Found only once bpy is there.
    import addon_utils

    addon_utils.enable("rigify", default_set=True)
    getattr(bpy.ops.object, f"armature_{kind}_metarig_add")()
    assert lower_legs(find_legs(bpy.context.object)) == METARIGS[kind]


@pytest.mark.parametrize("file", GLTF)
def test_game_characters_have_hocks_where_the_beast_has(data: Path, file: str) -> None:
    assert lower_legs(find_legs(import_gltf(data / f"gltf/{file}.glb"))) == GLTF[file]


@pytest.mark.parametrize("heel_height", [0.08, 0.18])
def test_a_person_on_high_heels_with_a_split_shin_has_no_hock(heel_height: float) -> None:
    bones = [Bone("hips", "", (0.0, 0.0, 0.95), (0.0, 0.0, 1.1))]
    for side, x in (("L", 0.1), ("R", -0.1)):
        knee, half, heel = (x, -0.03, 0.5), (x, -0.015, 0.25 + 0.5 * heel_height), (x, 0.0, heel_height)
        bones += [
            Bone(f"thigh.{side}", "hips", (x, 0.0, 0.9), knee),
            Bone(f"shin.{side}", f"thigh.{side}", knee, half),
            Bone(f"shin_lower.{side}", f"shin.{side}", half, heel),
            Bone(f"foot.{side}", f"shin_lower.{side}", heel, (x, -0.11, 0.02)),
            Bone(f"toe.{side}", f"foot.{side}", (x, -0.11, 0.02), (x, -0.2, 0.0)),
        ]
    assert [(limb.hock, limb.heel) for limb in find_legs(add_armature(bones))] == [("", "foot.L"), ("", "foot.R")]


def test_a_leg_found_with_a_hock_begins_with_the_lean_and_extension_of_its_rest_pose(data: Path) -> None:
    hind = next(limb for limb in find_legs(import_gltf(data / "gltf/Fox.glb")) if limb.name == "Back Left Leg")
    # 5 units ahead in 15 down, the hock behind the toe.
    assert math.degrees(hind.stance_lean) == pytest.approx(18.7, abs=0.5)
    assert hind.stance_lean == hind.swing_lean
    assert hind.stance_extension == hind.swing_extension == pytest.approx(0.87, abs=0.05)
    assert hind.lean_share == hind.extension_share == 0.0


@pytest.mark.parametrize("count", [4, 5, 6])
def test_a_beasts_bones_that_are_selected_make_a_leg_with_its_hock(count: int) -> None:
    places = ((0.0, 1.4), (-0.06, 1.0), (0.14, 0.6), (0.07, 0.2), (0.01, 0.1), (-0.05, 0.0), (-0.1, 0.0))
    joints = [(0.1, along, height) for along, height in places]
    names = ["thigh", "shin", "cannon", "pastern", "hoof", "tip"]
    bones = [Bone("hips", "", (0.0, 0.0, 1.4), (0.0, 0.0, 1.6))]
    above = ["hips", *names]
    bones += [Bone(name, above[at], joints[at], joints[at + 1]) for at, name in enumerate(names)]
    armature = add_armature(bones)
    bpy.ops.object.mode_set(mode="POSE")
    for bone in armature.pose.bones:
        chosen = bone.name in names[:count]
        if hasattr(bone, "select"):
            bone.select = chosen
        else:
            bone.bone.select = chosen
    limb = selected_limb(armature, "Leg")
    # Of four, the pastern's joint is the toe.
    assert (limb.hip, limb.knee, limb.hock) == ("thigh", "shin", "cannon")
    assert (limb.heel, limb.toe) == (("pastern", "pastern") if count == 4 else ("pastern", "hoof"))


@pytest.mark.parametrize(("file", "action"), [("horse-animations", "Trot"), ("Fox", "Walk"), ("Wolf", "Walk")])
def test_a_beasts_loop_in_place_is_cleaned_as_blender_shows_it(data: Path, file: str, action: str) -> None:
    armature = import_gltf(data / f"gltf/{file}.glb")
    if file == "Fox":
        armature.scale = (0.01, 0.01, 0.01)
        bpy.context.view_layer.update()
    play(armature, next(one for one in bpy.data.actions if one.name.split("|")[-1] == action))
    limbs = find_legs(armature)
    assert any(limb.hock for limb in limbs)
    cleaned = journey.clean(armature, limbs, journey.Options())
    shown = joints_by_blender(armature, cleaned.sample)
    assert np.abs(shown - cleaned.clip.positions).max() <= 1e-5 * max(1.0, float(np.abs(shown).max()))
    assert cleaned.after.slide_mm_s < 2.0
    hocks = {limb.hock for limb in limbs if limb.hock}
    assert hocks <= {name for name in cleaned.sample.bones if name}


@pytest.mark.parametrize("verb", [journey.clean, journey.lock])
def test_a_lower_leg_leans_as_set_while_its_foot_stands_still(data: Path, verb: Verb) -> None:
    armature = import_gltf(data / "gltf/Fox.glb")
    armature.scale = (0.01, 0.01, 0.01)
    play(armature, bpy.data.actions["Walk"])
    found = find_legs(armature)
    limbs = [replace(limb, lean_share=1.0, stance_lean=math.radians(25.0)) if limb.hock else limb for limb in found]
    # Held firmly from the first frame of a contact to its last.
    planted = journey.measure(armature, limbs, journey.Options()).contacts
    firm = Contacts((planted.toe > 0.5) * 1.0, planted.heel * 0.0)
    made = verb(armature, limbs, journey.Options(), firm)
    for at, limb in enumerate(made.sample.limbs):
        if limb.hock is not None:
            up = made.clip.positions[:, limb.hock] - made.clip.positions[:, limb.heel]
            lean = np.degrees(np.arctan2(up[:, 1], up[:, 2]))
            # Where thigh and shin are stretched out the lean gives way.
            upper = made.clip.positions[:, limb.hock] - made.clip.positions[:, limb.hip]
            bent = np.linalg.norm(upper, axis=-1) < 0.99 * limb.full_reach(made.clip, limb.hock)
            stands = (firm.toe[:, at] > 0.5) & bent
            assert stands.sum() >= 4
            assert np.abs(lean[stands] - 25.0).max() < 1.0
    assert verb is journey.lock or made.after.slide_mm_s < 2.0


def test_a_generated_horse_rig_stands_still_by_what_an_animator_animates() -> None:
    """The body goes ahead and down, and all feet slide by 5 cm."""
    armature = generated("horse")
    bones = armature.pose.bones
    feet = [f"{foot}_ik.{side}" for foot in ("hind_foot", "forefoot") for side in "LR"]
    for frame in (1, 12, 24):
        key(bones["torso"], "location", (0.0, -0.004 * frame, -0.002 * frame), frame)
        for foot in feet:
            key(bones[foot], "location", (0.0, -0.002 * frame, 0.0), frame)
    limbs = find_legs(armature)
    assert [limb.hock for limb in limbs if "Left" in limb.name] == ["DEF-forefoot.L", "DEF-hind_foot.L"]
    everywhere = np.ones((24, len(limbs)))
    cleaned = journey.clean(armature, limbs, journey.Options(), Contacts(everywhere, 0.0 * everywhere))
    assert cleaned.before.slide_mm_s > 40.0
    assert cleaned.after.slide_mm_s < 1.0
    assert cleaned.after.unreached_mm < 1.0
