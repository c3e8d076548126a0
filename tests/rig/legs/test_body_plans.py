# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies of every plan, named in every way, in every pose at rest, still and in motion, have exactly their limbs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import bpy
import numpy as np
import pytest

from support.body_motion import NAMINGS, bone_tree_of, spelled, walking
from support.body_plans import PLANS, Plan, dog, person
from support.rigs import Bone, add_armature
from toehold.rig.legs.doubts import LIMB_HANDS_CARRY, LIMB_UNSURE
from toehold.rig.legs.find_legs import limbs_in
from toehold.rig.legs.limb_bones import LimbBones
from toehold.rig.legs.motion import Motion
from toehold.rig.sampling.limb_search import limb_motion, search_limbs

JOINTS = ("hip", "knee", "hock", "heel", "toe")


def found(limbs: tuple[LimbBones, ...]) -> list[tuple[str, ...]]:
    return sorted(tuple(getattr(limb, joint) for joint in JOINTS) for limb in limbs)


def expected(plan: Plan, names: dict[str, str]) -> list[tuple[str, ...]]:
    return sorted(tuple(names[leg[joint]] if joint in leg else "" for joint in JOINTS) for leg in plan.legs.values())


def cases(plan: Plan, naming: str) -> Iterator[tuple[bool, bool]]:
    """Yield whether the limbs lie along an axis at rest, and whether the body walks, where that tells its limbs.

    Of a skeleton that lies and never moved, names have to tell, and nothing tells where a leg bends into a hock.
    """
    hocks = any("hock" in leg for leg in plan.legs.values())
    for lying in (False, True):
        for moves in (False, True):
            if moves or not lying or (naming not in ("none", "numbers", "arms") and not hocks):
                yield lying, moves


@pytest.mark.parametrize("naming", NAMINGS)
@pytest.mark.parametrize("kind", PLANS)
def test_each_leg_has_its_joints_and_nothing_else_is_a_leg(kind: str, naming: str) -> None:
    plan = PLANS[kind]()
    names = spelled(plan, naming)
    motion = walking(plan)
    for lying, moves in cases(plan, naming):
        limbs = limbs_in(bone_tree_of(plan, names, lying), motion=motion if moves else None).limbs
        assert found(limbs) == expected(plan, names), f"lying {lying}, moves {moves}"


@pytest.mark.parametrize("degrees", [0.0, 37.0, 120.0])
@pytest.mark.parametrize("kind", ["dog", "floating feet", "spider", "tyrannosaur", "table"])
def test_limbs_are_the_same_wherever_the_clip_goes(kind: str, degrees: float) -> None:
    """In a curve, higher up, and in centimetres."""
    plan = PLANS[kind]()
    names = spelled(plan, "none")
    motion = walking(plan)
    turns = np.radians(degrees) * np.linspace(0.3, 1.0, len(motion.heads))[:, None]

    def moved(points: np.ndarray) -> np.ndarray:
        x, y, z = np.moveaxis(points, -1, 0)
        cosines, sines = np.cos(turns), np.sin(turns)
        return 100.0 * np.stack([cosines * x - sines * y + 3.0, sines * x + cosines * y, z + 0.7], axis=-1)

    tree = bone_tree_of(plan, names, lying=True)
    tree = replace(tree, heads=100.0 * tree.heads, tails=100.0 * tree.tails)
    limbs = limbs_in(tree, motion=Motion(moved(motion.heads), moved(motion.tails))).limbs
    assert found(limbs) == expected(plan, names)


def crawling(fingers: bool) -> tuple[Plan, Motion]:
    """Return a dog whose front legs are a person's arms, with or without fingers, and what it does."""
    plan = dog()
    if fingers:
        for side, x in (("L", 0.08), ("R", -0.08)):
            for number in range(3):
                at = np.array((x + 0.01 * number, -0.35, 0.01))
                ends = (at, at + np.array((0.0, -0.03, 0.0)))
                plan.joints.append(
                    type(plan.joints[0])(
                        f"finger{number}{side}", f"fore.heel.{side}", *ends, f"fore.{side}", (1.0, 1.0)
                    )
                )
    return plan, walking(plan)


@pytest.mark.parametrize("fingers", [False, True])
def test_hands_that_carry_weight_are_found_by_default(fingers: bool) -> None:
    plan, motion = crawling(fingers)
    names = spelled(plan, "arms")
    limbs = limbs_in(bone_tree_of(plan, names, lying=True), motion=motion).limbs
    assert len(limbs) == 4
    assert {(limb.knee, limb.heel) for limb in limbs} >= {("LeftForeArm", "LeftHand"), ("RightForeArm", "RightHand")}


def test_hands_that_carry_nothing_are_no_limbs_until_they_are_asked_for() -> None:
    plan = person()
    tree = bone_tree_of(plan, spelled(plan, "mixamo"))
    still, asked = (limbs_in(tree, hands, walking(plan)) for hands in (False, True))
    assert [limb.hand for limb in still.limbs] == [False, False]
    assert [limb.hand for limb in asked.limbs] == [False, False, True, True]
    assert not still.doubts


def test_a_floating_foot_belongs_to_the_leg_that_moves_with_it_wherever_it_rests() -> None:
    """Both feet rest nearer to the other leg."""
    plan = PLANS["floating feet"]()
    names = spelled(plan, "none")
    tree = bone_tree_of(plan, names)
    heads, tails = tree.heads.copy(), tree.tails.copy()
    for at, joint in enumerate(plan.joints):
        if joint.name.startswith(("hind.heel", "hind.toe")):
            heads[at, 0] *= -1.0
            tails[at, 0] *= -1.0
    limbs = limbs_in(replace(tree, heads=heads, tails=tails), motion=walking(plan)).limbs
    assert found(limbs) == expected(plan, names)


def test_what_is_not_sure_is_said_with_the_limb_and_the_reason() -> None:
    plan = PLANS["floating feet"]()
    names = spelled(plan, "none")
    sure = limbs_in(bone_tree_of(plan, names), motion=walking(plan))
    unsure = limbs_in(bone_tree_of(plan, names))
    assert not sure.doubts, "the clip tells"
    assert [(doubt.limb, doubt.code) for doubt in unsure.doubts] == [
        ("Left Leg", LIMB_UNSURE),
        ("Right Leg", LIMB_UNSURE),
    ]
    for limb, doubt in zip(unsure.limbs, unsure.doubts, strict=True):
        assert limb.hip in doubt.text()
        assert limb.reason in doubt.text()
        assert "\n" not in doubt.text()


def test_a_front_leg_that_is_named_an_arm_is_said_to_be_one() -> None:
    plan, motion = crawling(fingers=True)
    doubts = limbs_in(bone_tree_of(plan, spelled(plan, "arms"), lying=True), motion=motion).doubts
    assert [doubt.code for doubt in doubts] == [LIMB_HANDS_CARRY] * 2


def keyed(plan: Plan, naming: str) -> tuple[bpy.types.Object, dict[str, str]]:
    """Return an armature that lies at rest, keyed by the locations of its bones to do what a plan does."""
    names = spelled(plan, naming)
    tree, motion = bone_tree_of(plan, names, lying=True), walking(plan, frames=40)
    parents = [names[joint.parent] if joint.parent else "" for joint in plan.joints]
    bones = [
        Bone(name, parent, tuple(head), tuple(tail))
        for name, parent, head, tail in zip(tree.names, parents, tree.heads, tree.tails, strict=True)
    ]
    armature = add_armature(bones)
    bpy.context.view_layer.update()
    for frame in range(0, 40, 2):
        bpy.context.scene.frame_set(frame)
        for at in range(len(bones)):
            bone = armature.pose.bones[tree.names[at]]
            matrix = bone.matrix.copy()
            matrix.translation = motion.heads[frame, at]
            bone.matrix = matrix
            bpy.context.view_layer.update()
            bone.keyframe_insert("location", frame=frame)
    return armature, names


def test_through_blender_the_clip_tells_the_same_and_the_scene_stays_as_it_was() -> None:
    plan = dog()
    armature, names = keyed(plan, "arms")
    scene = bpy.context.scene
    scene.frame_set(7)
    free = armature.pose.bones[names["neck0"]]
    free.scale = (1.1, 1.1, 1.1)
    seen = {joint: tuple(armature.pose.bones[joint].matrix_basis.to_translation()) for joint in names.values()}
    limbs = search_limbs(armature).limbs
    heels = {limb.heel for limb in limbs}
    assert heels == {"LeftHand", "RightHand", "LeftFoot", "RightFoot"}
    assert scene.frame_current == 7
    assert free.scale[0] == pytest.approx(1.1)
    for joint, place in seen.items():
        assert tuple(armature.pose.bones[joint].matrix_basis.to_translation()) == place


@pytest.mark.parametrize("how", ["constrained", "strips"])
def test_what_bones_do_is_seen_through_constraints_and_strips_with_nothing_lost(how: str) -> None:
    armature, names = keyed(dog(), "arms")
    free = armature.pose.bones[names["neck0"]]
    free.scale = (1.1, 1.1, 1.1)
    plain = limb_motion(armature)
    if how == "strips":
        animation = armature.animation_data
        action = animation.action
        animation.nla_tracks.new().strips.new("Walk", 0, action)
        animation.action = None
    else:
        limited = armature.pose.bones[names["tail1"]].constraints.new("LIMIT_ROTATION")
        limited.use_limit_x = True
    bpy.context.scene.frame_set(5)
    stepped = limb_motion(armature)
    assert plain is not None
    assert stepped is not None
    assert np.abs(stepped.heads[0] - plain.heads[0]).max() < 1e-4
    assert np.ptp(stepped.heads, axis=0).max() == pytest.approx(np.ptp(plain.heads, axis=0).max(), rel=0.1)
    assert bpy.context.scene.frame_current == 5
    assert free.scale[0] == pytest.approx(1.1)


def test_an_armature_that_shows_its_rest_or_has_no_action_tells_nothing() -> None:
    armature, _ = keyed(dog(), "arms")
    armature.data.pose_position = "REST"
    assert limb_motion(armature) is None
    armature.data.pose_position = "POSE"
    armature.animation_data_clear()
    assert limb_motion(armature) is None
