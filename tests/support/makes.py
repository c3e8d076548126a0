# SPDX-License-Identifier: GPL-3.0-or-later
"""What bones of legs and arms are called by fifty programs, and in other languages."""

from __future__ import annotations

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
