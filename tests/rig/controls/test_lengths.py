# SPDX-License-Identifier: GPL-3.0-or-later
"""On rigs that can stretch no leg is stretched by cleaning, and both sides are keyed at the same controls."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from support.control_rigs import generated, rigify_walk, small_control_rig
from support.control_walks import WAYS, clean_and_look, slide_along
from toehold.rig.common.wording import RigError
from toehold.rig.controls.limb_controls import find_controls
from toehold.rig.legs.find_legs import find_legs
from toehold.rig.sampling import evaluated
from toehold.rig.sampling.sample import sample
from toehold.rig.verbs import journey
from toehold.solver.ground import FlatGround
from toehold.solver.limb import solve_limbs

WALKS = [
    *(("basic_human", way) for way in WAYS),
    ("bird", "switching"),
    ("bird", "stretched at first"),
    ("basic_quadruped", "inverse"),
    ("horse", "stretched at first"),
]


@pytest.mark.parametrize(("kind", "way"), WALKS)
def test_no_bone_of_a_generated_rig_is_stretched_and_its_feet_are_still(kind: str, way: str) -> None:
    armature = generated(kind)
    slide_along(armature, kind, way)

    outcome = clean_and_look(armature)

    assert outcome.longer <= 0.15
    assert outcome.apart <= 0.1
    before, after = outcome.slides
    assert before > 3.0
    assert after <= min(5.0, 0.3 * before)
    moved = [{name for name in side if name.endswith("location")} for side in outcome.keyed]
    assert moved[0] == moved[1]
    assert bool(moved[0]) == (way != "forward")


def test_frames_that_are_right_are_not_looked_at_again(monkeypatch: pytest.MonkeyPatch) -> None:
    armature = generated("basic_human")
    slide_along(armature, "basic_human", "no stretch")
    looked = []
    step_through = evaluated.frame_by_frame

    def counted(armature: bpy.types.Object, bones: list[str], frames: np.ndarray) -> object:
        looked.append(len(frames))
        return step_through(armature, bones, frames)

    monkeypatch.setattr(evaluated, "frame_by_frame", counted)
    cleaned = journey.clean(armature, find_legs(armature), journey.Options())
    # Once to sample the source, and once each for its controls and the result; then those where a leg is too short.
    assert looked[:3] == [len(cleaned.sample.frames)] * 3
    assert len(looked) > 4
    assert sum(looked[3:]) < 3.5 * len(cleaned.sample.frames)
    assert max(looked[3:]) < len(cleaned.sample.frames)


def test_controls_of_the_same_work_are_not_searched_twice_and_those_of_a_changed_rig_are() -> None:
    armature = small_control_rig()
    limbs = find_legs(armature)
    sampled = sample(armature, limbs)
    toes = sampled.clip.positions[:, [limb.toe for limb in sampled.limbs]] + [0.0, 0.01, 0.01]
    clip = solve_limbs(sampled.clip, sampled.limbs, toes, FlatGround(-9.0))
    first = find_controls(armature, sampled, clip)
    assert find_controls(armature, sampled, clip) is first
    armature.pose.bones["target.L"].lock_location = (True, True, True)
    with pytest.raises(RigError, match="no control that can be keyed"):
        find_controls(armature, sampled, clip)


def test_targets_of_legs_that_an_action_does_not_key_move_them_all_the_same() -> None:
    armature = small_control_rig()
    bones = armature.pose.bones
    for side in "LR":
        armature.data.bones[f"target.{side}"].use_deform = True
    bag = armature.animation_data.action.layers[0].strips[0].channelbags[0]
    for curve in list(bag.fcurves):
        if "target" in curve.data_path:
            bag.fcurves.remove(curve)
    for side in "LR":
        bones[f"target.{side}"].location = (0.0, 0.0, 0.02)
    limbs = find_legs(armature)
    sampled = sample(armature, limbs)
    toes = sampled.clip.positions[:, [limb.toe for limb in sampled.limbs]] + [0.0, 0.01, 0.01]
    clip = solve_limbs(sampled.clip, sampled.limbs, toes, FlatGround(-9.0))
    assert [limb.target for limb in find_controls(armature, sampled, clip).limbs] == ["target.L", "target.R"]


def test_a_shorter_action_of_the_same_rig_has_controls_for_its_own_frames() -> None:
    armature = small_control_rig()
    limbs = find_legs(armature)
    for last in (21, 9):
        for curve in armature.animation_data.action.layers[0].strips[0].channelbags[0].fcurves:
            for point in reversed(curve.keyframe_points):
                if point.co.x > last:
                    curve.keyframe_points.remove(point)
        sampled = sample(armature, limbs)
        assert len(sampled.frames) == last
        toes = sampled.clip.positions[:, [limb.toe for limb in sampled.limbs]] + [0.0, 0.01, 0.01]
        clip = solve_limbs(sampled.clip, sampled.limbs, toes, FlatGround(-9.0))
        assert all(len(limb.share) == last for limb in find_controls(armature, sampled, clip).limbs)


def test_a_source_assigned_by_hand_is_read_as_it_was_before_its_result_was_shown() -> None:
    armature = rigify_walk({1: 0.0})
    limbs = find_legs(armature)
    source = armature.animation_data.action
    foot, toe = (armature.pose.bones[name] for name in ("foot_ik.L", "toe_ik.R"))
    before = sample(armature, limbs).clip.positions
    journey.clean(armature, limbs, journey.Options())
    for frame in range(1, 41):
        bpy.context.scene.frame_set(frame)
        if abs(foot.rotation_quaternion[1]) > 1e-4:
            break
    assert tuple(foot.rotation_quaternion) != (1.0, 0.0, 0.0, 0.0)
    armature.animation_data.action = source
    # What a person has set since stays.
    toe.rotation_quaternion = (0.9, 0.1, 0.0, 0.0)
    after = sample(armature, limbs).clip.positions
    assert tuple(foot.rotation_quaternion) == (1.0, 0.0, 0.0, 0.0)
    assert toe.rotation_quaternion[1] == pytest.approx(0.1)
    left = [limb for limb in sample(armature, limbs).limbs if "Left" in limb.name]
    assert np.abs(after - before)[:, left[0].toe].max() <= 1e-5
