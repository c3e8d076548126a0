# SPDX-License-Identifier: GPL-3.0-or-later
"""The plans of `body_plans` as trees of bones with names of any kind, and what their bones do when they walk."""

from __future__ import annotations

import numpy as np

from toehold.rig.legs.bone_tree import BoneTree
from toehold.rig.legs.motion import Motion

from .body_plans import Plan


def bone_tree_of(plan: Plan, names: dict[str, str], lying: bool = False) -> BoneTree:
    """Return the plan's bones at rest; ``lying``: each limb stretched along X, as recordings of animals come."""
    index = {joint.name: at for at, joint in enumerate(plan.joints)}
    heads = np.array([joint.head for joint in plan.joints])
    tails = np.array([joint.tail for joint in plan.joints])
    for at, joint in enumerate(plan.joints):
        if lying and (joint.limb or joint.name.startswith("arm.")):
            above = plan.joints[index[joint.parent]]
            if (above.limb, above.name.split(".")[0]) == (joint.limb, joint.name.split(".")[0]):
                heads[at] = tails[index[joint.parent]]
            tails[at] = heads[at] + np.array([np.linalg.norm(joint.tail - joint.head), 0.0, 0.0])
    return BoneTree(
        names=tuple(names[joint.name] for joint in plan.joints),
        parents=tuple(index.get(joint.parent, -1) for joint in plan.joints),
        heads=heads,
        tails=tails,
        side_axes=np.eye(3),
        connected=(False,) * len(index),
        deform=(True,) * len(index),
    )


def walking(plan: Plan, frames: int = 32, cycles: float = 3.0) -> Motion:
    """Return what a plan's bones do when it walks: each leg stands still for 60 % of a cycle, then steps ahead."""
    time = np.arange(frames) / frames * cycles
    body = np.zeros((frames, 3))
    body[:, 1] = -plan.step * time
    if plan.hop:
        body[:, 2] = plan.hop * np.maximum(np.sin(np.pi * (time % 1.0 - 0.6) / 0.4), 0.0)
    ends = np.zeros((frames, len(plan.joints), 2, 3))
    for at, joint in enumerate(plan.joints):
        feet = np.zeros((frames, 3))
        if joint.limb:
            cycle = time + plan.phases[joint.limb]
            swing = np.clip((cycle % 1.0 - 0.6) / 0.4, 0.0, 1.0)
            # As seen from the body: back while the foot stands, ahead in the swing.
            feet[:, 1] = plan.step * (cycle - np.floor(cycle) - swing + 0.5)
            feet[:, 2] = 0.3 * plan.step * np.sin(np.pi * swing)
        for end, place in enumerate((joint.head, joint.tail)):
            ends[:, at, end] = place + body + joint.shares[end] * feet
    return Motion(ends[:, :, 0], ends[:, :, 1])


def spelled(plan: Plan, naming: str, seed: int = 5) -> dict[str, str]:
    """Return what each bone of a plan is called; nameless in no order."""
    if naming not in _NAMED:
        return _numbered(plan, naming, seed)
    return {joint.name: _called(joint.name, naming) for joint in plan.joints}


def _numbered(plan: Plan, naming: str, seed: int) -> dict[str, str]:
    order = np.random.default_rng(seed).permutation(len(plan.joints))
    pattern = {"none": "Bone.{:03}", "numbers": "joint{}"}[naming]
    return {joint.name: pattern.format(number) for joint, number in zip(plan.joints, order, strict=True)}


# What each convention calls the parts of a leg and of an arm, in the order of _PARTS; the place of side and row.
_PARTS = ("hip", "knee", "hock", "heel", "toe", "collar", "upperarm", "forearm", "hand")
_NAMED = {
    "blender": "thigh shin hock foot toe shoulder upper_arm forearm hand",
    "mixamo": "UpLeg Leg Ankle Foot ToeBase Shoulder Arm ForeArm Hand",
    "biped": "Thigh Calf HorseLink Foot Toe0 Clavicle UpperArm Forearm Hand",
    "japanese": "足 ひざ 飛節 足首 つま先 肩 腕 ひじ 手首",
    "arms": "UpLeg Leg Ankle Foot ToeBase Shoulder Arm ForeArm Hand",
}
_SPELLED = {
    "blender": ("{row}{part}.{side}", "L", "R"),
    "mixamo": ("{side}{row}{part}", "Left", "Right"),
    "biped": ("Bip001 {side} {row}{part}", "L", "R"),
    "japanese": ("{side}{row}{part}", "左", "右"),
    "arms": ("{side}{row}{part}", "Left", "Right"),
}
_FORE_AS_ARMS = {"hip": "Arm", "knee": "ForeArm", "heel": "Hand", "toe": "HandEnd"}
NAMINGS = ("none", "numbers", *_NAMED)


def _called(name: str, naming: str) -> str:
    kind, _, rest = name.partition(".")
    if not rest:
        return name
    part, _, side = rest.rpartition(".")
    words = dict(zip(_PARTS, _NAMED[naming].split(), strict=True))
    if naming == "arms" and kind == "fore":
        words, kind = _FORE_AS_ARMS, "hind"
    row = {"hind": "", "arm": "", "fore": "前" if naming == "japanese" else "front_"}.get(kind, f"{kind}_")
    pattern, left, right = _SPELLED[naming]
    spelled_side = {"L": left, "R": right}.get(side, "")
    return pattern.format(row=row, part=words.get(part, part), side=spelled_side).strip(".").replace("  ", " ")
