# SPDX-License-Identifier: GPL-3.0-or-later
"""Whole bodies as many programs name and pose them, and what else may hang from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from .rigs import Bone, Vector

# Hips, legs from thigh to toes, arms from collarbone to hand, with both spellings of a side once. Bones marked with a
# star are in the chain and no joint of a limb: halves, twists, and what leads from the body to the hip.
MAKES: dict[str, tuple[str, str, str]] = {
    "motionbuilder": (
        "Hips",
        "{Left|Right}UpLeg {}Leg {}Foot {}ToeBase",
        "{Left|Right}Shoulder* {}Arm {}ForeArm {}Hand",
    ),
    "bip001": (
        "Bip001 Pelvis",
        "Bip001 {L|R} Thigh,Bip001 {} Calf,Bip001 {} Foot,Bip001 {} Toe0",
        "Bip001 {L|R} Clavicle*,Bip001 {} UpperArm,Bip001 {} Forearm,Bip001 {} Hand",
    ),
    "cat": (
        "CATRigPelvis",
        "CATRig{L|R}Leg1 CATRig{}Leg2 CATRig{}LegAnkle CATRig{}LegDigit11",
        "CATRig{L|R}ArmCollarbone* CATRig{}Arm1 CATRig{}Arm2 CATRig{}ArmPalm",
    ),
    "cat named": (
        "LizardPelvis",
        "Lizard{L|R}LegThigh Lizard{}LegCalf Lizard{}LegAnkle Lizard{}LegDigit1",
        "Lizard{L|R}ArmCollarbone* Lizard{}ArmUpper Lizard{}ArmLower Lizard{}ArmPalm",
    ),
    "cat mr": (
        "Hub",
        "{L|R}Leg {}Leg2 {}Ankle {}Toe",
        "{L|R}Collarbone* {}UpperArm {}Forearm {}Palm",
    ),
    "neuron": (
        "Robot_Hips",
        "Robot_{Left|Right}UpLeg Robot_{}Leg Robot_{}Foot",
        "Robot_{Left|Right}Shoulder* Robot_{}Arm Robot_{}ForeArm Robot_{}Hand",
    ),
    "xsens": (
        "Pelvis",
        "{Left|Right}UpperLeg {}LowerLeg {}Foot {}Toe",
        "{Left|Right}Shoulder* {}UpperArm {}ForeArm {}Hand",
    ),
    "xsens bvh": (
        "Hips",
        "{Left|Right}Hip {}Knee {}Ankle {}Toe",
        "{Left|Right}Collar* {}Shoulder {}Elbow {}Wrist",
    ),
    "asf": (
        "root",
        "{l|r}hipjoint* {}femur {}tibia {}foot {}toes",
        "{l|r}clavicle* {}humerus {}radius {}wrist",
    ),
    "cmu bvh": (
        "Hips",
        "{L|R}HipJoint* {Left|Right}UpLeg {Left|Right}Leg {Left|Right}Foot {Left|Right}ToeBase",
        "{Left|Right}Shoulder* {}Arm {}ForeArm {}Hand",
    ),
    "opensim": (
        "pelvis",
        "femur_{l|r} tibia_{} talus_{} calcn_{}* toes_{}",
        "humerus_{l|r} ulna_{} radius_{}* hand_{}",
    ),
    "makehuman": (
        "root",
        "pelvis.{L|R}* upperleg01.{} upperleg02.{}* lowerleg01.{} lowerleg02.{}* foot.{} toe1-1.{}",
        "clavicle.{L|R}* shoulder01.{}* upperarm01.{} upperarm02.{}* lowerarm01.{} lowerarm02.{}* wrist.{}",
    ),
    "unity": (
        "Hips",
        "{Left|Right}UpperLeg {}LowerLeg {}Foot {}Toes",
        "{Left|Right}Shoulder* {}UpperArm {}LowerArm {}Hand",
    ),
    "vrm lower": (
        "hips",
        "{left|right}UpperLeg {}LowerLeg {}Foot {}Toes",
        "{left|right}Shoulder* {}UpperArm {}LowerArm {}Hand",
    ),
    "mmd blender": (
        "下半身",
        "足.{L|R} ひざ.{} 足首.{} つま先.{}",
        "肩.{L|R}* 腕.{} ひじ.{} 手首.{}",
    ),
    "mmd romaji": (
        "lower body",
        "leg_{L|R} knee_{} ankle_{} toe_{}",
        "shoulder_{L|R}* arm_{} elbow_{} wrist_{}",
    ),
    "daz g8": (
        "hip",
        "{l|r}ThighBend {}ThighTwist* {}Shin {}Foot {}Metatarsals* {}Toe",
        "{l|r}Collar* {}ShldrBend {}ShldrTwist* {}ForearmBend {}ForearmTwist* {}Hand",
    ),
    "daz g3 pelvis": (
        "pelvis",
        "{l|r}Thigh {}Shin {}Foot {}Toe",
        "{l|r}Collar* {}Shldr {}ForeArm {}Hand",
    ),
    "valve": (
        "ValveBiped.Bip01_Pelvis",
        "ValveBiped.Bip01_{L|R}_Thigh ValveBiped.Bip01_{}_Calf ValveBiped.Bip01_{}_Foot ValveBiped.Bip01_{}_Toe0",
        "ValveBiped.Bip01_{L|R}_UpperArm ValveBiped.Bip01_{}_Forearm ValveBiped.Bip01_{}_Hand",
    ),
    "roblox": (
        "LowerTorso",
        "{Left|Right}UpperLeg {}LowerLeg {}Foot",
        "{Left|Right}UpperArm {}LowerArm {}Hand",
    ),
    "fortnite": (
        "pelvis",
        "thigh_{l|r} calf_{} foot_{} ball_{}",
        "clavicle_{l|r}* upperarm_{} lowerarm_{} hand_{}",
    ),
    "spanish": (
        "cadera",
        "muslo_{izq|der} pantorrilla_{} pie_{} dedos_pie_{}",
        "clavicula_{izq|der}* brazo_{} antebrazo_{} mano_{}",
    ),
    "spanish2": (
        "Cadera",
        "Pierna.{L|R} Espinilla.{} Pie.{} Punta.{}",
        "Hombro.{L|R}* Brazo.{} Antebrazo.{} Mano.{}",
    ),
    "german": (
        "Becken",
        "Oberschenkel.{L|R} Unterschenkel.{} Fuß.{} Zehen.{}",
        "Schulter.{L|R}* Oberarm.{} Unterarm.{} Hand.{}",
    ),
    "french": (
        "Bassin",
        "cuisse.{G|D} mollet.{} pied.{} orteil.{}",
        "clavicule.{G|D}* bras.{} avant_bras.{} main.{}",
    ),
    "italian": (
        "bacino",
        "coscia_{sx|dx} polpaccio_{} piede_{} dita_{}",
        "clavicola_{sx|dx}* braccio_{} avambraccio_{} mano_{}",
    ),
    "russian": (
        "таз",
        "бедро_{л|п} голень_{} стопа_{} носок_{}",
        "ключица_{л|п}* плечо_{} предплечье_{} кисть_{}",
    ),
    "chinese": (
        "骨盆",
        "{左|右}大腿 {}小腿 {}脚 {}脚趾",
        "{左|右}肩* {}上臂 {}前臂 {}手",
    ),
    "korean": (
        "골반",
        "{왼쪽|오른쪽}허벅지 {}종아리 {}발 {}발가락",
        "{왼쪽|오른쪽}쇄골* {}위팔 {}아래팔 {}손",
    ),
    "maya": (
        "Root_M",
        "Hip_{L|R} Knee_{} Ankle_{} Toes_{}",
        "Scapula_{L|R}* Shoulder_{} Elbow_{} Wrist_{}",
    ),
    "maya leg jnt": (
        "cog_jnt",
        "{L|R}_leg_jnt {}_knee_jnt {}_ankle_jnt {}_ball_jnt",
        "{L|R}_clav_jnt* {}_arm_jnt {}_elbow_jnt {}_wrist_jnt",
    ),
    "mgear": (
        "spine_C0_0_jnt",
        "leg_{L|R}0_0_jnt leg_{}0_div1_jnt* leg_{}0_1_jnt foot_{}0_0_jnt foot_{}0_1_jnt",
        "arm_{L|R}0_0_jnt arm_{}0_1_jnt arm_{}0_2_jnt",
    ),
    "mgear2": (
        "spine_C0_pelvis_jnt",
        "leg_{L|R}0_upperRoll0_jnt leg_{}0_kneeRoll0_jnt leg_{}0_end_jnt foot_{}0_fk0_jnt",
        "arm_{L|R}0_0_jnt arm_{}0_1_jnt arm_{}0_2_jnt",
    ),
    "cascadeur": (
        "pelvis",
        "thigh_{l|r} calf_{} foot_{} toe_{}",
        "clavicle_{l|r}* arm_{} forearm_{} hand_{}",
    ),
    "synty": (
        "Hips",
        "UpperLeg_{L|R} LowerLeg_{} Ankle_{} Ball_{}",
        "Clavicle_{L|R}* Shoulder_{} Elbow_{} Hand_{}",
    ),
    "quaternius": (
        "Body",
        "UpperLeg.{L|R} LowerLeg.{} Foot.{}",
        "Shoulder.{L|R}* UpperArm.{} LowerArm.{} Palm.{}",
    ),
    "vicon": (
        "pelvis",
        "{L|R}FEMUR {}TIBIA {}FOOT {}TOES",
        "{L|R}CLAVICLE* {}HUMERUS {}RADIUS {}HAND",
    ),
    "h36m": (
        "Hips",
        "{L|R}Hip {}Knee {}Ankle",
        "{L|R}Shoulder {}Elbow {}Wrist",
    ),
    "kinect": (
        "SpineBase",
        "Hip{Left|Right} Knee{} Ankle{} Foot{}",
        "Shoulder{Left|Right} Elbow{} Wrist{}",
    ),
    "azure": (
        "PELVIS",
        "HIP_{LEFT|RIGHT} KNEE_{} ANKLE_{} FOOT_{}",
        "CLAVICLE_{LEFT|RIGHT}* SHOULDER_{} ELBOW_{} WRIST_{}",
    ),
    "second life": (
        "mPelvis",
        "mHip{Left|Right} mKnee{} mAnkle{} mFoot{} mToe{}*",
        "mCollar{Left|Right}* mShoulder{} mElbow{} mWrist{}",
    ),
    "skyrim": (
        "NPC Pelvis [Pelv]",
        "NPC {L|R} Thigh [{}Thg],NPC {} Calf [{}Clf],NPC {} Foot [{}ft ],NPC {} Toe0 [{}Toe]",
        "NPC {L|R} Clavicle [{}Clv]*,NPC {} UpperArm [{}Uar],NPC {} Forearm [{}Lar],NPC {} Hand [{}Hnd]",
    ),
    "gta": (
        "SKEL_Pelvis",
        "SKEL_{L|R}_Thigh SKEL_{}_Calf SKEL_{}_Foot SKEL_{}_Toe0",
        "SKEL_{L|R}_Clavicle* SKEL_{}_UpperArm SKEL_{}_Forearm SKEL_{}_Hand",
    ),
    "koikatsu": (
        "cf_j_waist02",
        "cf_j_thigh00_{L|R} cf_j_leg01_{} cf_j_leg03_{}* cf_j_foot_{} cf_j_toes_{}",
        "cf_j_shoulder_{L|R}* cf_j_arm00_{} cf_j_forearm01_{} cf_j_hand_{}",
    ),
    "mixamo fused": (
        "mixamorigHips",
        "mixamorig{Left|Right}UpLeg mixamorig{}Leg mixamorig{}Foot mixamorig{}ToeBase",
        "mixamorig{Left|Right}Shoulder* mixamorig{}Arm mixamorig{}ForeArm mixamorig{}Hand",
    ),
    "mixamo suffix": (
        "mixamorig:Hips_01",
        "mixamorig:{Left|Right}UpLeg_055 mixamorig:{}Leg_056 mixamorig:{}Foot_057 mixamorig:{}ToeBase_058",
        "mixamorig:{Left|Right}Shoulder_1* mixamorig:{}Arm_2 mixamorig:{}ForeArm_3 mixamorig:{}Hand_4",
    ),
    "lower glued": (
        "hips",
        "{l|r}thigh {}calf {}foot {}toe",
        "{l|r}clavicle* {}upperarm {}forearm {}hand",
    ),
    "glued after": (
        "hips",
        "thigh{l|r} calf{} foot{} toe{}",
        "clavicle{l|r}* upperarm{} forearm{} hand{}",
    ),
    "Thigh.Left": (
        "Hips",
        "Thigh.{Left|Right} Shin.{} Foot.{} Toe.{}",
        "Clavicle.{Left|Right}* UpperArm.{} Forearm.{} Hand.{}",
    ),
    "Lf": (
        "Pelvis",
        "{Lf|Rt}_Leg_Upper {}_Leg_Lower {}_Foot {}_Toe",
        "{Lf|Rt}_Clavicle* {}_Arm_Upper {}_Arm_Lower {}_Hand",
    ),
    "Leg.L.001": (
        "Body",
        "Leg.{L|R} Leg.{}.001 Leg.{}.002 Leg.{}.003",
        "Arm.{L|R} Arm.{}.001 Arm.{}.002",
    ),
    "DEF rigify": (
        "DEF-spine",
        "DEF-thigh.{L|R} DEF-thigh.{}.001* DEF-shin.{} DEF-shin.{}.001* DEF-foot.{} DEF-toe.{}",
        "DEF-shoulder.{L|R}* DEF-upper_arm.{} DEF-upper_arm.{}.001* DEF-forearm.{} DEF-forearm.{}.001* DEF-hand.{}",
    ),
    "bone only": (
        "Bone",
        "{Bone.002|Bone.010} {Bone.003|Bone.011} {Bone.004|Bone.012} {Bone.005|Bone.013}",
        "{Bone.020|Bone.030}* {Bone.021|Bone.031} {Bone.022|Bone.032} {Bone.023|Bone.033}",
    ),
    "joint num": (
        "joint1",
        "joint{2|12} joint{3|13} joint{4|14} joint{5|15}",
        "joint{22|32}* joint{23|33} joint{24|34} joint{25|35}",
    ),
}

# Joints of a leg and of an arm from where it leaves the body, for the left side.
_LEG = np.array([(0.1, 0.0, 0.9), (0.1, -0.03, 0.5), (0.1, 0.0, 0.08), (0.1, -0.13, 0.02), (0.1, -0.2, 0.0)])
_ALONG_ARM = (0.0, 0.15, 0.43, 0.68, 0.77)
_SHOULDER = np.array([0.03, 0.0, 1.42])
_POSES = {"T": (1.0, 0.0, 0.0), "A": (0.7, 0.0, -0.7), "hanging": (0.1, 0.0, -1.0)}


@dataclass(frozen=True)
class Body:
    """Bones, and the names of the joints of each limb, left and right: hip, knee, heel and toe; arms likewise."""

    bones: list[Bone]
    legs: list[list[str]]
    arms: list[list[str]]


def body(make: str, pose: str = "T") -> Body:
    """Return a person as a program names the bones, with fingers; facing -Y, metres."""
    hips, legs, arms = MAKES[make]
    bones = [
        Bone(hips, "", (0.0, 0.0, 0.95), (0.0, 0.0, 1.1)),
        Bone("Trunk", hips, (0.0, 0.0, 1.1), (0.0, 0.0, 1.3)),
        Bone("Breast", "Trunk", (0.0, 0.0, 1.3), (0.0, 0.0, 1.45)),
        Bone("Neck", "Breast", (0.0, 0.0, 1.45), (0.0, 0.0, 1.55)),
        Bone("Head", "Neck", (0.0, 0.0, 1.55), (0.0, 0.0, 1.75)),
    ]
    direction = np.array(_POSES[pose]) / np.linalg.norm(_POSES[pose])
    joints: dict[str, list[list[str]]] = {"legs": [], "arms": []}
    for side, mirror in enumerate((1.0, -1.0)):
        leg = _spelled(legs, side)
        bones += _chain(leg, hips, _leg_points(leg), mirror)
        joints["legs"].append([name for name, counts in leg if counts])
        arm = _spelled(arms, side)
        along = (
            _ALONG_ARM if len(arm) == 4 else tuple(np.interp(np.linspace(0.0, 4.0, len(arm) + 1), range(5), _ALONG_ARM))
        )
        points = [_SHOULDER + direction * distance for distance in along]
        bones += _chain(arm, "Breast", points, mirror)
        bones += _fingers(arm[-1][0], points[-1], direction, mirror)
        joints["arms"].append([name for name, counts in arm if counts])
    return Body(bones, joints["legs"], joints["arms"])


def nameless(bones: Sequence[Bone], seed: int = 3) -> tuple[list[Bone], dict[str, str]]:
    """Return bones called Bone.000 and so on in no order, and what each was called."""
    order = np.random.default_rng(seed).permutation(len(bones))
    new = {bone.name: f"Bone.{number:03}" for bone, number in zip(bones, order, strict=True)} | {"": ""}
    renamed = [replace(bone, name=new[bone.name], parent=new[bone.parent]) for bone in bones]
    return renamed, {number: name for name, number in new.items()}


def turned(bones: Sequence[Bone], degrees: float, scale: float = 1.0) -> list[Bone]:
    """Return bones turned about the upright axis in the armature's own space, and scaled."""
    cosine, sine = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))

    def moved(point: Vector) -> Vector:
        x, y, z = point
        return (scale * (cosine * x - sine * y), scale * (sine * x + cosine * y), scale * z)

    return [replace(bone, head=moved(bone.head), tail=moved(bone.tail)) for bone in bones]


def chain(name: str, parent: str, points: Sequence[Vector]) -> list[Bone]:
    """Return bones from point to point, called by a name and their number."""
    names = [f"{name}{number}" for number in range(len(points) - 1)]
    return [Bone(own, [parent, *names][at], points[at], points[at + 1]) for at, own in enumerate(names)]


def pair(name: str, parent: str, points: Sequence[Vector]) -> list[Bone]:
    """Return a chain on the left, called P, and its mirror image on the right, called Q."""
    return chain(f"{name}P", parent, points) + chain(f"{name}Q", parent, [(-x, y, z) for x, y, z in points])


def _spelled(pattern: str, side: int) -> list[tuple[str, bool]]:
    """Return the names of one side, and whether each is a joint of the limb."""
    first = pattern[pattern.index("{") + 1 : pattern.index("}")].split("|")[side]
    found = []
    for part in pattern.split("," if "," in pattern else " "):
        name = part.rstrip("*").replace("{}", first)
        while "{" in name:
            start, end = name.index("{"), name.index("}")
            name = name[:start] + name[start + 1 : end].split("|")[side] + name[end + 1 :]
        found.append((name, not part.endswith("*")))
    return found


def _leg_points(leg: Sequence[tuple[str, bool]]) -> list[np.ndarray]:
    joints = [at for at, (_, counts) in enumerate(leg) if counts]
    points = []
    for at in range(len(leg)):
        before, after = [one for one in joints if one <= at], [one for one in joints if one >= at]
        if not before:
            points.append(np.array([0.03, 0.0, 0.95]))
        elif not after:
            points.append(np.array([0.1, -0.17, 0.01]))
        else:
            one, other = _LEG[joints.index(before[-1])], _LEG[joints.index(after[0])]
            share = (at - before[-1]) / max(after[0] - before[-1], 1)
            points.append(one + share * (other - one))
    return [*points, _LEG[4]]


def _chain(names: Sequence[tuple[str, bool]], parent: str, points: Sequence[np.ndarray], mirror: float) -> list[Bone]:
    at = [(mirror * x, y, z) for x, y, z in points]
    above = [parent, *(name for name, _ in names)]
    return [Bone(name, above[number], at[number], at[number + 1]) for number, (name, _) in enumerate(names)]


def _fingers(hand: str, tip: np.ndarray, direction: np.ndarray, mirror: float) -> list[Bone]:
    """Return five fingers of three bones from the tip of the hand on, the middle one the longest."""
    bones = []
    for finger, length in enumerate((0.02, 0.028, 0.03, 0.028, 0.024)):
        joints = [tip + direction * length * bone + np.array([0.0, 0.015 * finger - 0.03, 0.0]) for bone in range(4)]
        names = [(f"{hand} digit {finger}{bone}", False) for bone in range(3)]
        bones += _chain(names, hand, joints, mirror)
    return bones
