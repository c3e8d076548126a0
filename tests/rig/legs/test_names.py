# SPDX-License-Identifier: GPL-3.0-or-later
"""What a bone's name says of it, in the naming of many programs."""

from __future__ import annotations

import pytest

from toehold.rig.legs.names import Part, is_end, read_name


@pytest.mark.parametrize(
    ("name", "side", "part"),
    [
        ("mixamorig:LeftUpLeg", "L", Part.THIGH),
        ("mixamorig1:RightLeg", "R", Part.LEG),
        ("LeftFoot", "L", Part.FOOT),
        ("LeftToeBase", "L", Part.TOE),
        ("thigh_l", "L", Part.THIGH),
        ("calf_r", "R", Part.SHIN),
        ("ball_l", "L", Part.TOE),
        ("UpperLeg_L", "L", Part.THIGH),
        ("LowerLeg_R", "R", Part.SHIN),
        ("Toes_L", "L", Part.TOE),
        ("LeftThigh", "L", Part.THIGH),
        ("J_Bip_L_UpperLeg", "L", Part.THIGH),
        ("J_Bip_R_ToeBase", "R", Part.TOE),
        ("L_Hip", "L", Part.HIP),
        ("left_knee", "L", Part.SHIN),
        ("R_Ankle", "R", Part.ANKLE),
        ("upperleg.l", "L", Part.THIGH),
        ("toes.r", "R", Part.TOE),
        ("LeftShin", "L", Part.SHIN),
        ("shin.L.001", "L", Part.SHIN),
        ("lThighBend", "L", Part.THIGH),
        ("CC_Base_R_Calf", "R", Part.SHIN),
        ("Bip01 L Calf", "L", Part.SHIN),
        ("leftupleg", "L", Part.THIGH),
        ("r_toe.L", "L", Part.TOE),
        ("f_hoof.R", "R", Part.HOOF),
        ("front_leg_lower_l", "L", Part.SHIN),
        ("leg.upper.R", "R", Part.THIGH),
        ("左足", "L", Part.LEG),
        ("右ひざ", "R", Part.SHIN),
        ("左足首", "L", Part.ANKLE),
        ("thigh", "", Part.THIGH),
    ],
)
def test_a_name_tells_side_and_part(name: str, side: str, part: Part) -> None:
    read = read_name(name)
    assert (read.side, read.part) == (side, part)


@pytest.mark.parametrize(
    "name",
    [
        "ik_foot_l",
        "thigh_twist_01_l",
        "lThighTwist",
        "foot_roll.L",
        "LeftHeel",
        "heel.02.L",
        "左足\uff29\uff2b",
        "toe_pole.R",
    ]
    + ["Hips", "spine_01", "LeftForeArm", "Bone.001", "back_leg_pelvis_l", "HandL", ""],
)
def test_helpers_and_other_parts_are_no_joints_of_a_leg(name: str) -> None:
    assert read_name(name).part is None


def test_bones_that_only_mark_an_end_are_told() -> None:
    assert is_end(read_name("LeftToe_End"))
    assert is_end(read_name("foot.L.nub"))
    assert not is_end(read_name("LeftToeBase"))
