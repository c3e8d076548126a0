# SPDX-License-Identifier: GPL-3.0-or-later
"""What the legs' bones are called by the makers of rigs."""

from __future__ import annotations

# Hips, then thigh, shin, foot and toe, with both spellings of a side once.
CONVENTIONS = {
    "mixamo": ("mixamorig:Hips", "mixamorig:{Left|Right}UpLeg {}Leg {}Foot {}ToeBase"),
    "lafan": ("Hips", "{Left|Right}UpLeg {}Leg {}Foot {}Toe"),
    "unreal": ("pelvis", "thigh_{l|r} calf_{} foot_{} ball_{}"),
    "bandai": ("Hips", "UpperLeg_{L|R} LowerLeg_{} Foot_{} Toes_{}"),
    "rokoko": ("Hips", "{Left|Right}Thigh {}Shin {}Foot {}Toe"),
    "vrm": ("J_Bip_C_Hips", "J_Bip_{L|R}_UpperLeg J_Bip_{}_LowerLeg J_Bip_{}_Foot J_Bip_{}_ToeBase"),
    "smpl": ("Pelvis", "{L|R}_Hip {}_Knee {}_Ankle {}_Foot"),
    "smplx": ("pelvis", "{left|right}_hip {}_knee {}_ankle {}_foot"),
    "kaykit": ("hips", "upperleg.{l|r} lowerleg.{} foot.{} toes.{}"),
    "kimodo": ("Hips", "{Left|Right}Leg {}Shin {}Foot {}ToeBase"),
    "blender": ("spine", "thigh.{L|R} shin.{} foot.{} toe.{}"),
    "3ds max": ("Bip01 Pelvis", "Bip01 {L|R} Thigh,Bip01 {} Calf,Bip01 {} Foot,Bip01 {} Toe0"),
    "daz": ("hip", "{l|r}ThighBend {}Shin {}Foot {}Toe"),
    "character creator": ("CC_Base_Hip", "CC_Base_{L|R}_Thigh CC_Base_{}_Calf CC_Base_{}_Foot CC_Base_{}_ToeBase"),
    "mmd": ("下半身", "{左|右}足 {}ひざ {}足首 {}つま先"),
    "genesis 9": ("hip", "{l|r}_thigh {}_shin {}_foot {}_toes"),
    "auto-rig pro": ("root.x", "thigh_stretch.{l|r} leg_stretch.{} foot.{} toes_01.{}"),
    "legs only": ("Hips", "Leg1.{L|R} Leg2.{} Foot.{} Toe.{}"),
    "nobody's": ("Bone", "Bone.{001|005} Bone.{002|006} Bone.{003|007} Bone.{004|008}"),
}


def spelled(pattern: str) -> list[list[str]]:
    """Return the names of both legs of a pattern like "thigh_{l|r} calf_{}"."""
    first = pattern[pattern.index("{") + 1 : pattern.index("}")]
    names = pattern.split("," if "," in pattern else " ")
    both = []
    for side in (0, 1):
        own = [name.replace("{}", first.split("|")[side]) for name in names]
        both.append([_choose(name, side) for name in own])
    return both


def _choose(name: str, side: int) -> str:
    while "{" in name:
        start, end = name.index("{"), name.index("}")
        name = name[:start] + name[start + 1 : end].split("|")[side] + name[end + 1 :]
    return name
