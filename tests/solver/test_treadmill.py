# SPDX-License-Identifier: GPL-3.0-or-later
"""Belts are found where there is one, to a few per cent, and nowhere else."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from support import walker
from support.clips import bvh_clip
from support.legs import legs_of
from toehold.solver import rotations, signals
from toehold.solver.clip import Clip
from toehold.solver.detection import find_contacts
from toehold.solver.ground import FlatGround, Treadmill
from toehold.solver.rotations import FloatArray
from toehold.solver.treadmill import estimate_treadmill_velocity, on_treadmill

CMU = ("cmu/cmu_12_01_walk.bvh", 0.0254 / 0.45)
SPRINT = ("contacts_truth/nimble_sprint_JA1Gait35.bvh", 0.01)


def in_place(clip: Clip) -> tuple[Clip, FloatArray]:
    """Return the clip with its mean travel taken out, and the velocity (3,) of the belt that this makes."""
    seconds = np.arange(clip.frame_count) / clip.fps
    root = clip.local_locations[:, 0]
    travel = np.append(np.polyfit(seconds, root[:, :2], 1)[0], 0.0)
    locations = clip.local_locations.copy()
    locations[:, 0] -= seconds[:, None] * travel
    return clip.moved(local_locations=locations), -travel


@pytest.mark.parametrize(
    ("path", "metres_per_unit", "within"),
    [
        (*CMU, 0.02),
        (*SPRINT, 0.02),
        ("contacts_truth/opensim_example3DWalking.bvh", 0.01, 0.02),
        ("contacts_truth/gaitalytics_overground.bvh", 0.01, 0.02),
        # In these the joints of planted feet creep forward all the time, by 2 to 3 per cent of the belt's speed.
        ("contacts_truth/zoo_HC002D06_Straight.bvh", 0.01, 0.02),
        ("contacts_truth/zoo_HC038A11_Straight.bvh", 0.01, 0.02),
        ("contacts_truth/zoo_HC033A10_Straight.bvh", 0.01, 0.025),
    ],
)
def test_a_belt_is_found_in_speed_and_direction(data: Path, path: str, metres_per_unit: float, within: float) -> None:
    clip, belt = in_place(bvh_clip(data / path, metres_per_unit))
    found = estimate_treadmill_velocity(clip, legs_of(clip))
    assert found is not None
    assert found[2] == 0.0
    assert np.linalg.norm(found - belt) < within * np.linalg.norm(belt)


@pytest.mark.parametrize("fps", [24.0, 30.0, 60.0, 120.0])
def test_a_belt_is_found_at_any_frame_rate_in_any_direction_and_through_jitter(data: Path, fps: float) -> None:
    random = np.random.default_rng(5)
    for path, metres_per_unit in (CMU, SPRINT, ("contacts_truth/opensim_example3DWalking.bvh", 0.01)):
        clip, belt = in_place(bvh_clip(data / path, metres_per_unit))
        seconds = (clip.frame_count - 1) / clip.fps
        clip = retimed(clip, np.arange(int(seconds * fps) + 1) * clip.fps / fps, fps)
        turn = rotations.from_axis_angle(np.array([0.0, 0.0, 1.0]), random.uniform(-np.pi, np.pi))
        turned, located = clip.local_rotations.copy(), clip.local_locations.copy()
        turned[:, 0] = rotations.multiply(turn, turned[:, 0])
        located[:, 0] = rotations.rotate(turn, located[:, 0]) + random.normal(0.0, 0.002, (clip.frame_count, 3))
        found = estimate_treadmill_velocity(clip.moved(turned, located), legs_of(clip))
        assert found is not None, path
        assert np.linalg.norm(found) == pytest.approx(np.linalg.norm(belt), rel=0.02), path


def retimed(clip: Clip, at: FloatArray, fps: float) -> Clip:
    """Return the clip as it is at frames ``at`` (N,), which come at ``fps`` then."""
    before = np.minimum(at.astype(np.intp), clip.frame_count - 2)
    share = (at - before)[:, None, None]
    first, second = clip.local_rotations[before], clip.local_rotations[before + 1]
    second = second * np.sign(np.sum(first * second, axis=-1, keepdims=True))
    located = (1.0 - share) * clip.local_locations[before] + share * clip.local_locations[before + 1]
    return Clip(clip.skeleton, fps, rotations.normalized((1.0 - share) * first + share * second), located)


@pytest.mark.parametrize("fps", [30.0, 60.0])
@pytest.mark.parametrize(("first", "last", "seconds"), [(1.0, 1.6, 10.0), (1.6, 0.9, 12.0), (0.7, 1.3, 9.0)])
def test_a_belt_that_changes_its_speed_is_followed(fps: float, first: float, last: float, seconds: float) -> None:
    walk, own_speed = walker.walk(strides=16, fps=120.0).clip, 1.2 / 1.1
    times = np.arange(int(seconds * fps) + 1) / fps
    speeds = np.linspace(first, last, len(times))
    gone = signals.carried(speeds, fps)
    clip = retimed(walk, gone / own_speed * walk.fps, fps)
    located = clip.local_locations.copy()
    located[:, 0] -= gone[:, None] * walker.FORWARD
    clip = clip.moved(local_locations=located)
    ground = on_treadmill(clip, walker.limbs(), FlatGround())
    assert isinstance(ground, Treadmill)
    assert ground.varies
    found = np.linalg.norm(ground.belt_velocity, axis=-1)
    np.testing.assert_allclose(found, speeds, rtol=0.04)
    assert found.mean() == pytest.approx(speeds.mean(), rel=0.02)
    # And whoever stands on it, stands.
    contacts = find_contacts(clip, walker.limbs(), FlatGround())
    travelling = find_contacts(retimed(walk, gone / own_speed * walk.fps, fps), walker.limbs(), FlatGround())
    assert np.mean(contacts.foot_down != travelling.foot_down) < 0.02


def test_who_walks_there_and_back_stands_first_or_idles_is_on_no_belt(data: Path) -> None:
    for path, metres_per_unit in (CMU, SPRINT, ("deep-motion-editing/comp_3d_2_fixed.bvh", None)):
        clip = bvh_clip(data / path, metres_per_unit)
        frame = np.arange(clip.frame_count)
        stands = np.zeros(clip.frame_count, dtype=np.intp)
        for order in ([*frame, *frame[::-1]], [*stands, *frame], [*frame, *(stands - 1)], [*stands, *stands]):
            for factor in (0.6, 1.0, 1.5):
                located = clip.local_locations[order]
                located[:, 0, :2] = located[0, 0, :2] + factor * (located[:, 0, :2] - located[0, 0, :2])
                made = clip.moved(clip.local_rotations[order], located)
                assert isinstance(on_treadmill(made, legs_of(made), FlatGround()), FlatGround), path


@pytest.mark.parametrize("fps", [24.0, 30.0, 60.0])
def test_a_belt_known_exactly_is_found_to_half_a_per_cent(fps: float) -> None:
    clip, belt = in_place(walker.walk(fps=fps).clip)
    found = estimate_treadmill_velocity(clip, walker.limbs())
    assert found is not None
    assert np.linalg.norm(found - belt) < 0.005 * np.linalg.norm(belt) + 1e-3


def test_contacts_on_a_belt_are_those_of_the_walk_that_travels(data: Path) -> None:
    for path, metres_per_unit in (CMU, SPRINT):
        clip = bvh_clip(data / path, metres_per_unit)
        legs = legs_of(clip)
        travelling, on_belt = (find_contacts(each, legs, FlatGround()) for each in (clip, in_place(clip)[0]))
        differing = travelling.foot_down != on_belt.foot_down
        assert differing.mean() < 0.005


def test_no_belt_is_found_in_clips_that_travel_turn_jump_or_slide(data: Path) -> None:
    paths = sorted([*(data / "contacts_truth").glob("*.bvh"), *(data / "deep-motion-editing").glob("*.bvh")])
    paths += [data / "pymo/AV_8Walk_Meredith_HVHA_Rep1.bvh", data / CMU[0]]
    assert len(paths) >= 15
    for path in paths:
        clip = bvh_clip(path)
        assert estimate_treadmill_velocity(clip, legs_of(clip)) is None, path.name


@pytest.mark.parametrize("factor", [0.75, 1.25, 1.5])
def test_a_root_that_travels_too_far_or_too_little_is_no_belt(data: Path, factor: float) -> None:
    for path, metres_per_unit in (CMU, ("pymo/AV_8Walk_Meredith_HVHA_Rep1.bvh", 0.0254)):
        clip = bvh_clip(data / path, metres_per_unit)
        locations = clip.local_locations.copy()
        locations[:, 0, :2] = locations[0, 0, :2] + factor * (locations[:, 0, :2] - locations[0, 0, :2])
        assert estimate_treadmill_velocity(clip.moved(local_locations=locations), legs_of(clip)) is None


@pytest.mark.parametrize("frames", [1, 2, 3, 60])
def test_who_stands_is_on_no_belt(data: Path, frames: int) -> None:
    clip = bvh_clip(data / CMU[0], CMU[1])
    still = clip.moved(*(np.repeat(each[:1], frames, axis=0) for each in (clip.local_rotations, clip.local_locations)))
    assert estimate_treadmill_velocity(still, legs_of(still)) is None
    assert estimate_treadmill_velocity(still, ()) is None


def test_a_belt_is_added_to_a_ground_at_rest_only(data: Path) -> None:
    clip, belt = in_place(bvh_clip(data / CMU[0], CMU[1]))
    legs = legs_of(clip)
    at_rest, moving = FlatGround(0.5), FlatGround(0.5, tuple(belt))
    found = on_treadmill(clip, legs, at_rest)
    assert isinstance(found, Treadmill)
    points = clip.positions[:, [leg.toe for leg in legs]]
    np.testing.assert_allclose(found.velocity(points), np.broadcast_to(belt, points.shape), atol=0.03)
    assert np.array_equal(found.height(points), at_rest.height(points))
    assert np.array_equal(found.normal(points), at_rest.normal(points))
    assert on_treadmill(clip, legs, moving) is moving
    assert on_treadmill(clip, legs, found) is found
