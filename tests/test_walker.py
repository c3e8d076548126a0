# SPDX-License-Identifier: GPL-3.0-or-later
"""The walker's own promises: what it says is planted stands still, and what it says slides, slides so fast."""

from __future__ import annotations

import numpy as np
import pytest

from support import walker
from toehold.solver.arrays import FloatArray
from toehold.solver.contacts import runs


def planted_speeds_mm_s(walk: walker.Walk) -> FloatArray:
    """Return the speed of every planted point between two frames in which it is planted (N,)."""
    speeds = []
    for index, limb in enumerate(walk.limbs):
        for joint, planted in ((limb.toe, walk.contacts.toe_planted), (limb.heel, walk.contacts.heel_planted)):
            both = planted[1:, index] & planted[:-1, index]
            steps = np.diff(walk.clip.positions[:, joint], axis=0)[both]
            speeds.append(np.linalg.norm(steps, axis=-1) * walk.clip.fps * 1000.0)
    return np.concatenate(speeds)


@pytest.mark.parametrize("fps", [30.0, 60.0, 119.88])
def test_planted_points_are_exactly_still_before_a_slide_is_put_in(fps: float) -> None:
    assert planted_speeds_mm_s(walker.walk(fps=fps)).max() < 1e-9


@pytest.mark.parametrize("slide_mm_s", [-200.0, 300.0])
def test_every_planted_point_slides_as_fast_as_asked(slide_mm_s: float) -> None:
    np.testing.assert_allclose(planted_speeds_mm_s(walker.walk(slide_mm_s=slide_mm_s)), abs(slide_mm_s), atol=1e-9)


def test_each_foot_is_down_once_a_stride_from_heel_strike_to_toe_off() -> None:
    walk = walker.walk(strides=4.0)
    for limb in range(2):
        heel, toe = runs(walk.contacts.heel_planted[:, limb]), runs(walk.contacts.toe_planted[:, limb])
        last_frame = walk.clip.frame_count - 1
        whole = [span for span in runs(walk.contacts.foot_down[:, limb]) if span[0] > 0 and span[1] < last_frame]
        assert len(whole) >= 3
        for start, end in whole:
            assert any(start == first and last < end for first, last in heel)
            assert any(start < first and last == end for first, last in toe)


@pytest.mark.parametrize("stride_length", [0.6, 1.2, 1.3])
def test_legs_stay_within_reach_and_feet_above_the_ground(stride_length: float) -> None:
    walk = walker.walk(stride_length=stride_length)
    positions = walk.clip.positions
    for limb in walk.limbs:
        reach = np.linalg.norm(positions[:, limb.heel] - positions[:, limb.hip], axis=-1)
        assert reach.max() < 0.99 * (walker.THIGH + walker.SHIN)
        assert positions[:, [limb.toe, limb.toe_end], 2].min() > walker.TOE_HEIGHT - 1e-3
        assert positions[:, limb.heel, 2].min() > walker.HEEL_HEIGHT - 1e-3


@pytest.mark.parametrize(
    ("scale", "y_up", "axes_seed"), [(1.0, False, None), (0.01, False, None), (0.01, True, 3), (1.7, False, 5)]
)
def test_the_armature_walks_as_the_clip_does(scale: float, y_up: bool, axes_seed: int | None) -> None:
    import bpy

    from support.walker_armature import FIRST_FRAME, walking_armature

    walk = walker.walk(strides=1.0, fps=24.0, slide_mm_s=100.0)
    armature = walking_armature(walk, scale=scale, y_up=y_up, axes_seed=axes_seed)
    for frame in (0, 7, 20):
        bpy.context.scene.frame_set(FIRST_FRAME + frame)
        for joint, name in enumerate(walker.NAMES):
            bone = armature.pose.bones.get(name)
            if bone is not None:
                there = np.array(armature.matrix_world @ bone.head)
                np.testing.assert_allclose(there, walk.clip.positions[frame, joint], atol=1e-5)
        toes = armature.pose.bones["LeftToeBase"]
        tip = walk.clip.positions[frame, walk.limbs[0].toe_end]
        np.testing.assert_allclose(np.array(armature.matrix_world @ toes.tail), tip, atol=1e-5)
