# SPDX-License-Identifier: GPL-3.0-or-later
"""The limb solve: a nudge, exact where it can be, never a broken pose."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support import walker
from support.clips import bvh_clip
from support.legs import legs_of
from toehold.solver import rotations
from toehold.solver.bending import soft_reach
from toehold.solver.clip import Clip, Skeleton
from toehold.solver.ground import FlatGround
from toehold.solver.limb import Limb, LimbSettings, knee_side_axis, solve_limbs, solve_pose
from toehold.solver.rotations import FloatArray

GROUND = FlatGround()
ANY_FLOAT = st.floats(-2.0, 2.0) | st.sampled_from([0.0, -0.0, 5e-324, -1e-310, 1e-200, 1e-12, 1e-7, 1.0, -1.0])
ANY_POINT = st.tuples(ANY_FLOAT, ANY_FLOAT, ANY_FLOAT)


def _toes(clip: Clip, limbs: tuple[Limb, ...]) -> FloatArray:
    return np.stack([clip.positions[:, limb.toe] for limb in limbs], axis=1)


def _leg(knee: FloatArray, heel: FloatArray, toe: FloatArray, end: FloatArray) -> tuple[Clip, tuple[Limb, ...]]:
    """Return a leg (F, 3) that hangs from the origin, its joints' frames the world's."""
    offsets = np.stack([np.zeros_like(knee), np.zeros_like(knee), knee, heel - knee, toe - heel, end - toe], axis=1)
    names = ("root", "hip", "knee", "heel", "toe", "toe_end")
    at_rest = np.tile(rotations.IDENTITY, (6, 1))
    skeleton = Skeleton(names, (-1, 0, 1, 2, 3, 4), at_rest, offsets[0])
    clip = Clip(skeleton, 30.0, np.tile(at_rest, (len(knee), 1, 1)), offsets)
    return clip, (Limb("leg", 0, 1, 2, 3, 4, 5),)


def _bent_leg(bends_deg: FloatArray) -> tuple[Clip, tuple[Limb, ...]]:
    """Return a leg of two segments of 0.45 m that bends forwards (-Y), by ``bends_deg``, one frame each."""
    half = np.radians(bends_deg) / 2.0
    down, forward = np.array([0.0, 0.0, -0.45]), np.array([0.0, -0.45, 0.0])
    knee = np.cos(half)[:, None] * down + np.sin(half)[:, None] * forward
    heel = knee + np.cos(half)[:, None] * down - np.sin(half)[:, None] * forward
    toe = heel + np.array([0.0, -0.13, -0.06])
    return _leg(knee, heel, toe, toe + np.array([0.0, -0.07, 0.0]))


@pytest.mark.parametrize(
    ("path", "metres_per_unit"),
    [
        ("cmu/cmu_12_01_walk.bvh", 0.0643),
        ("contacts_truth/zoo_HC002D06_Straight.bvh", 0.01),
        ("contacts_truth/nimble_sprint_JA1Gait35.bvh", 0.01),
        ("deep-motion-editing/comp_video_1_raw.bvh", 0.0564),
    ],
)
def test_a_target_equal_to_the_input_gives_the_input_pose(data: Path, path: str, metres_per_unit: float) -> None:
    clip = bvh_clip(data / path, metres_per_unit)
    limbs = legs_of(clip)
    solved = solve_limbs(clip, limbs, _toes(clip, limbs), GROUND)
    assert np.abs(rotations.angle_between(clip.local_rotations, solved.local_rotations)).max() < 1e-6
    assert np.abs(clip.positions - solved.positions).max() < 1e-6


def test_a_target_within_reach_is_met_to_a_thousandth_of_a_millimetre_and_the_foot_keeps_its_way() -> None:
    walk = walker.walk()
    clip, limbs = walk.clip, walker.limbs()
    random = np.random.default_rng(5)
    closer = np.array([0.0, 0.0, 0.04]) + 0.03 * random.uniform(-1.0, 1.0, (clip.frame_count, 2, 3))
    targets = _toes(clip, limbs) + closer
    solved = solve_limbs(clip, limbs, targets, GROUND)
    assert np.abs(_toes(solved, limbs) - targets).max() < 1e-6
    feet = [limb.heel for limb in limbs]
    assert np.degrees(rotations.angle_between(clip.rotations[:, feet], solved.rotations[:, feet])).max() < 1e-4


def test_only_hips_knees_heels_and_toes_turn_and_nothing_is_stretched() -> None:
    walk = walker.walk()
    clip, limbs = walk.clip, walker.limbs()
    solved = solve_limbs(clip, limbs, _toes(clip, limbs) + [0.05, 0.0, 0.02], GROUND)
    legs = {joint for limb in limbs for joint in (limb.hip, limb.knee, limb.heel, limb.toe)}
    others = [joint for joint in range(len(clip.skeleton.names)) if joint not in legs]
    np.testing.assert_array_equal(solved.local_rotations[:, others], clip.local_rotations[:, others])
    np.testing.assert_array_equal(solved.local_locations, clip.local_locations)


@settings(deadline=None, max_examples=300)
@given(knee=ANY_POINT, heel=ANY_POINT, toe=ANY_POINT, end=ANY_POINT, target=ANY_POINT)
def test_no_leg_and_no_target_gives_nan(
    knee: tuple[float, ...],
    heel: tuple[float, ...],
    toe: tuple[float, ...],
    end: tuple[float, ...],
    target: tuple[float, ...],
) -> None:
    """Zero-length bones, straight and folded legs, a target on the hip, everything on one line, denormals."""
    points = [np.array([point, point]) for point in (knee, heel, toe, end)]
    clip, limbs = _leg(*points)
    solved = solve_limbs(clip, limbs, np.array([[target], [toe]]), GROUND)
    assert np.isfinite(solved.local_rotations).all()
    np.testing.assert_allclose(np.linalg.norm(solved.local_rotations, axis=-1), 1.0, atol=1e-9)


@settings(deadline=None, max_examples=200)
@given(
    given_reach=st.floats(0.0, 0.9),
    wanted=st.floats(0.0, 3.0),
    softening=st.floats(0.0, 0.1),
    step=st.floats(0.0, 1e-3),
)
def test_reach_is_soft_never_past_the_leg_and_never_falls_as_more_is_wanted(
    given_reach: float, wanted: float, softening: float, step: float
) -> None:
    longest = 0.9
    reach = soft_reach(
        np.array([wanted, wanted + step, given_reach]), np.full(3, given_reach), np.full(3, longest), softening
    )
    assert reach[:2].max() <= longest + 1e-12
    assert 0.0 - 1e-12 <= reach[1] - reach[0] <= step + 1e-12
    assert reach[2] == given_reach


def test_a_straight_leg_stays_within_a_degree_when_its_toe_is_pulled_away() -> None:
    clip, limbs = _bent_leg(np.array([0.0, 0.5, 3.0, 20.0]))
    solved = solve_limbs(clip, limbs, _toes(clip, limbs) + [0.0, 0.0, -0.3], GROUND)
    knee, heel = solved.positions[:, 2], solved.positions[:, 3]
    assert np.linalg.norm(heel, axis=-1).max() <= 0.9 + 1e-12
    bend = np.degrees(rotations.angle_between(clip.rotations[:, 2], solved.rotations[:, 2]))
    assert bend[:2].max() < 1.0
    np.testing.assert_allclose(np.linalg.norm(knee, axis=-1), 0.45, atol=1e-12)


def test_a_straight_leg_bends_to_where_the_foot_points() -> None:
    clip, limbs = _bent_leg(np.zeros(3))
    solved = solve_limbs(clip, limbs, _toes(clip, limbs) + [0.0, 0.0, 0.2], GROUND)
    assert solved.positions[:, 2, 1].max() < -0.1
    assert np.abs(solved.positions[:, 2, 0]).max() < 1e-9


def test_knees_that_shake_about_straight_bend_smoothly_and_the_right_way() -> None:
    """Noise of two degrees to either side, as in captured legs; the toe is raised slowly by 10 cm."""
    frames = 120
    bends = np.where(np.arange(frames) < 60, 25.0, 2.0 * np.sin(np.arange(frames)))
    clip, limbs = _bent_leg(bends)
    raise_toe = np.linspace(0.0, 0.1, frames)[:, None, None] * np.array([0.0, 0.0, 1.0])
    solved = solve_limbs(clip, limbs, _toes(clip, limbs) + raise_toe, GROUND)
    knee = solved.positions[60:, 2]
    assert knee[:, 1].max() < 0.0
    assert np.abs(np.diff(knee[:, 1])).max() < 0.03


def test_the_side_axis_comes_from_the_clip_and_can_be_set() -> None:
    clip, limbs = _bent_leg(np.array([30.0, 60.0]))
    np.testing.assert_allclose(knee_side_axis(clip, limbs[0]), [1.0, 0.0, 0.0], atol=1e-9)
    chosen = Limb("leg", 0, 1, 2, 3, 4, 5, knee_side_axis=(0.0, 2.0, 0.0))
    np.testing.assert_allclose(knee_side_axis(clip, chosen), [0.0, 1.0, 0.0])


def test_twist_bones_between_hip_and_knee_keep_their_own_rotation() -> None:
    rest = np.tile(rotations.IDENTITY, (7, 1))
    twist = rotations.from_axis_angle(np.array([0.0, 0.0, 1.0]), np.array(0.4))
    locations = np.array(
        [[0, 0, 0.9], [0, 0, 0], [0, -0.02, -0.2], [0, 0, -0.25], [0, 0.02, -0.43], [0, -0.13, -0.02], [0, -0.07, 0]]
    )
    skeleton = Skeleton(("root", "hip", "twist", "knee", "heel", "toe", "tip"), (-1, 0, 1, 2, 3, 4, 5), rest, locations)
    turned = np.tile(rest, (2, 1, 1))
    turned[:, 2] = twist
    clip = Clip(skeleton, 30.0, turned, np.tile(locations, (2, 1, 1)))
    limbs = (Limb("leg", 0, 1, 3, 4, 5, 6),)
    targets = _toes(clip, limbs) + [0.03, -0.05, 0.06]
    solved = solve_limbs(clip, limbs, targets, FlatGround(-1.0))
    np.testing.assert_array_equal(solved.local_rotations[:, 2], clip.local_rotations[:, 2])
    assert np.abs(_toes(solved, limbs) - targets).max() < 1e-6


def test_a_foot_that_does_not_hang_from_its_leg_is_brought_along() -> None:
    """Hip and knee bend as if it did, and its own location follows the end of the shin."""
    names, parents = ("root", "hip", "knee", "heel", "toe", "toe_end"), (-1, 0, 1, 0, 3, 4)
    rest = np.tile(rotations.IDENTITY, (6, 1))
    locations = np.array([[0, 0, 0.9], [0, 0, 0], [0, -0.03, -0.44], [0, 0, -0.86], [0, -0.13, -0.02], [0, -0.07, 0]])
    clip = Clip(
        Skeleton(names, parents, rest, locations), 30.0, np.tile(rest, (3, 1, 1)), np.tile(locations, (3, 1, 1))
    )
    limbs = (Limb("leg", 0, 1, 2, 3, 4, 5),)
    targets = _toes(clip, limbs) + [0.02, -0.05, 0.08]
    solved = solve_limbs(clip, limbs, targets, FlatGround(-1.0))
    assert np.abs(_toes(solved, limbs) - targets).max() < 1e-6
    still = solve_limbs(clip, limbs, _toes(clip, limbs), FlatGround(-1.0))
    assert np.abs(still.positions - clip.positions).max() < 1e-6
    shin = rotations.rotate(rotations.inverse(clip.rotations[:, 2]), clip.positions[:, 3] - clip.positions[:, 2])
    carried = solved.positions[:, 2] + rotations.rotate(solved.rotations[:, 2], shin)
    np.testing.assert_allclose(solved.positions[:, 3], carried, atol=1e-9)


def test_toes_bend_up_where_their_tip_would_sink_and_not_where_nothing_was_asked() -> None:
    clip, limbs = _bent_leg(np.array([20.0, 20.0]))
    low = FlatGround(float(clip.positions[0, 5, 2]) + 0.02)
    targets = _toes(clip, limbs)
    targets[1, 0] += [0.0, -0.05, 0.08]
    clip.local_rotations[:, 4] = rotations.from_axis_angle(np.array([1.0, 0.0, 0.0]), np.array(0.8))
    clip = clip.moved()
    solved = solve_limbs(clip, limbs, targets, low)
    np.testing.assert_allclose(solved.positions[0, 5], clip.positions[0, 5], atol=1e-9)
    assert solved.positions[1, 5, 2] >= low.floor_height - 1e-9
    apart = np.linalg.norm(solved.positions[1, 5] - solved.positions[1, 4])
    assert apart == pytest.approx(0.07)


def test_a_foot_that_cannot_come_along_turns_towards_its_target() -> None:
    clip, limbs = _bent_leg(np.array([5.0]))
    far = _toes(clip, limbs)[:, 0] + [0.0, -0.6, 0.0]
    turned = solve_pose(clip, limbs[0], far, LimbSettings())
    foot = _toes(clip, limbs)[:, 0] - clip.positions[:, limbs[0].heel]
    missed = [np.linalg.norm(toe - far) for toe in (turned.toe_position, turned.heel_position + foot)]
    assert missed[0] < missed[1] - 0.005
