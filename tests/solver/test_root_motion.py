# SPDX-License-Identifier: GPL-3.0-or-later
"""A clip in place gets back the travel that was taken out of it, by its feet alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from support import walker
from support.clips import bvh_clip
from support.legs import legs_of
from support.sliding import cmu_walk, with_travel_scaled
from toehold.solver import root_motion, rotations, stance
from toehold.solver.clip import Clip
from toehold.solver.root_motion import Kind, RootMotion

KINDS: tuple[Kind, ...] = ("CONSTANT", "VARYING", "TURNING")


def turned_in_place(clip: Clip, degrees_a_second: float) -> tuple[Clip, RootMotion]:
    """Return the clip walking on a belt that also turns under it, and the motion that was taken out."""
    seconds = np.arange(clip.frame_count) / clip.fps
    still = root_motion.apply(clip, 0, root_motion.travel_out(clip, 0))
    turn = -np.radians(degrees_a_second) * seconds
    return root_motion.apply(still, 0, RootMotion(turn, np.zeros((clip.frame_count, 3)))), RootMotion(
        -turn, np.zeros((clip.frame_count, 3))
    )


@pytest.mark.parametrize("kind", KINDS)
def test_a_walk_in_place_gets_its_travel_back(kind: Kind) -> None:
    clip, limbs = walker.walk().clip, walker.limbs()
    in_place = root_motion.apply(clip, 0, root_motion.travel_out(clip, 0))
    assert np.linalg.norm(in_place.positions[-1, 0, :2] - in_place.positions[0, 0, :2]) < 1e-9
    motion = root_motion.feet_motion(in_place, limbs, kind)
    assert motion is not None
    result = root_motion.apply(in_place, 0, motion)
    travel = clip.positions[-1, 0] - clip.positions[0, 0]
    np.testing.assert_allclose(result.positions[-1, 0] - result.positions[0, 0], travel, atol=0.02 * 4.8)
    assert stance.stance_speed(result, limbs) < 0.02 * np.linalg.norm(travel) * clip.fps / clip.frame_count


@pytest.mark.parametrize(("kind", "within"), [("CONSTANT", 0.02), ("VARYING", 0.04), ("TURNING", 0.04)])
def test_a_real_walk_in_place_gets_its_travel_back(data: Path, kind: Kind, within: float) -> None:
    clip, limbs, _ = cmu_walk(data)
    motion = root_motion.feet_motion(root_motion.apply(clip, 0, root_motion.travel_out(clip, 0)), limbs, kind)
    assert motion is not None
    # The joint of a planted toe creeps forward, by 3 per cent of the way on average over all frames.
    travel = np.linalg.norm(clip.positions[-1, 0, :2] - clip.positions[0, 0, :2])
    assert np.linalg.norm(motion.displacement[-1]) == pytest.approx(travel, rel=within)


@pytest.mark.parametrize("degrees_a_second", [-30.0, 20.0])
def test_a_walk_on_a_turning_floor_is_turned_back(degrees_a_second: float) -> None:
    clip, limbs = walker.walk().clip, walker.limbs()
    turned, _ = turned_in_place(clip, degrees_a_second)
    motion = root_motion.feet_motion(turned, limbs, "TURNING")
    assert motion is not None
    seconds = (clip.frame_count - 1) / clip.fps
    # The feet step straight ahead of a body that turns against them.
    assert np.degrees(motion.turn[-1]) == pytest.approx(degrees_a_second * seconds, abs=0.05 * 30.0 * seconds)
    result = root_motion.apply(turned, 0, motion)
    assert stance.stance_speed(result, limbs) < 0.1 * stance.stance_speed(turned, limbs)


@pytest.mark.parametrize("factor", [0.75, 1.25])
def test_a_root_that_travels_wrongly_is_told_and_mended(data: Path, factor: float) -> None:
    clip, limbs, contacts = cmu_walk(data)
    sliding = with_travel_scaled(clip, factor)
    ratio = root_motion.speed_ratio(sliding, limbs, contacts.toe_planted)
    assert ratio is not None
    assert ratio == pytest.approx(factor, rel=0.03)
    motion = root_motion.feet_motion(sliding, limbs, "CONSTANT")
    assert motion is not None
    mended = root_motion.apply(sliding, 0, motion)
    assert root_motion.speed_ratio(mended, limbs, contacts.toe_planted) == pytest.approx(1.0, abs=0.03)


def test_who_stands_has_no_ratio_and_stays(data: Path) -> None:
    clip, limbs, _ = cmu_walk(data)
    still = clip.moved(*(np.repeat(each[:1], 60, axis=0) for each in (clip.local_rotations, clip.local_locations)))
    assert root_motion.speed_ratio(still, limbs, np.ones((60, 2), dtype=bool)) is None
    motion = root_motion.feet_motion(still, limbs, "VARYING")
    assert motion is not None
    assert np.abs(motion.displacement).max() < 1e-9
    assert root_motion.feet_motion(still, (), "VARYING") is None


def test_only_the_joint_it_is_put_on_changes() -> None:
    clip = walker.walk().clip
    motion = RootMotion(np.linspace(0.0, 1.0, clip.frame_count), np.ones((clip.frame_count, 3)))
    spine = clip.skeleton.index("Spine")
    result = root_motion.apply(clip, spine, motion)
    assert np.any(result.local_locations[:, spine] != clip.local_locations[:, spine])
    others = [joint for joint in range(len(clip.skeleton.names)) if joint != spine]
    np.testing.assert_array_equal(result.local_rotations[:, others], clip.local_rotations[:, others])
    turn = rotations.from_axis_angle(np.array([0.0, 0.0, 1.0]), motion.turn)
    expected = rotations.rotate(turn, clip.positions[:, spine]) + motion.displacement
    np.testing.assert_allclose(result.positions[:, spine], expected, atol=1e-12)


def test_feet_of_a_recording_that_travels_well_ask_for_next_to_nothing(data: Path) -> None:
    clip = bvh_clip(data / "pymo/AV_8Walk_Meredith_HVHA_Rep1.bvh", 0.0254)
    limbs = legs_of(clip)
    motion = root_motion.feet_motion(clip, limbs, "CONSTANT")
    assert motion is not None
    way = np.sum(np.linalg.norm(np.diff(clip.positions[:, 0, :2], axis=0), axis=-1))
    assert np.linalg.norm(motion.displacement[-1]) < 0.03 * way


@pytest.mark.parametrize("factor", [0.8, 1.15])
def test_steps_are_made_to_fit_a_travel_that_stays(data: Path, factor: float) -> None:
    clip, limbs, _ = cmu_walk(data)
    sliding = with_travel_scaled(clip, factor)
    ratio = root_motion.speed_ratio(sliding, limbs)
    assert ratio is not None
    assert ratio == pytest.approx(factor, rel=0.03)
    fitted, targets = root_motion.stride_scaled(sliding, limbs, ratio)
    np.testing.assert_allclose(fitted.positions[:, 0], sliding.positions[:, 0], atol=1e-12)
    assert stance.stance_speed(fitted, limbs, sliding) < 0.4 * stance.stance_speed(sliding, limbs)
    toes = np.stack([fitted.positions[:, limb.toe] for limb in limbs], axis=1)
    # Where longer steps stretch a leg out, millimetres are not reached.
    assert np.linalg.norm(toes - targets, axis=-1).max() < 5e-3


def test_feet_that_ease_are_followed_from_frame_to_frame_and_one_speed_is_said_not_to_fit() -> None:
    clip, limbs = walker.walk(strides=3.0).clip, walker.limbs()
    seconds = np.arange(clip.frame_count) / clip.fps
    # A body that lags and hurries as hand-made ones do: everything goes up to 0.3 m/s faster or slower.
    easing = np.zeros((clip.frame_count, 3))
    easing[:, 1] = 0.3 * 1.1 / (4.0 * np.pi) * np.sin(4.0 * np.pi * seconds / 1.1)
    eased = root_motion.apply(clip, 0, RootMotion(np.zeros(clip.frame_count), easing))
    in_place = root_motion.apply(eased, 0, root_motion.travel_out(eased, 0))
    left = {}
    for kind in KINDS:
        motion, differing = (
            made(in_place, limbs, kind) for made in (root_motion.feet_motion, root_motion.disagreement)
        )
        assert motion is not None
        assert differing is not None
        speed = np.linalg.norm(motion.displacement[-1]) / seconds[-1]
        left[kind] = stance.stance_speed(root_motion.apply(in_place, 0, motion), limbs, in_place) / speed, differing
    assert left["VARYING"][0] < 0.02
    assert left["VARYING"][1] < 0.01
    assert left["CONSTANT"][0] > 0.1
    assert left["CONSTANT"][1] == pytest.approx(left["CONSTANT"][0], rel=0.3)


def test_a_pose_that_is_held_before_the_first_key_does_not_travel() -> None:
    clip, limbs = walker.walk(strides=2.0, fps=30.0).clip, walker.limbs()
    in_place = root_motion.apply(clip, 0, root_motion.travel_out(clip, 0))
    held = replace(in_place, end_holds=(0.8, 0.4))
    motion = root_motion.feet_motion(held, limbs, "CONSTANT")
    assert motion is not None
    steps = np.linalg.norm(np.diff(motion.displacement, axis=0), axis=-1)
    np.testing.assert_allclose(steps[[0, -1]] / steps[1], [0.2, 0.6], atol=1e-9)
