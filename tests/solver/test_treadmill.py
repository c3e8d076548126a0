# SPDX-License-Identifier: GPL-3.0-or-later
"""Belts are found where there is one, to a few per cent, and nowhere else."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from support import walker
from support.clips import bvh_clip
from support.legs import legs_of
from toehold.solver.clip import Clip
from toehold.solver.contacts import annotate
from toehold.solver.ground import FlatGround
from toehold.solver.rotations import FloatArray
from toehold.solver.treadmill import Treadmill, estimate_treadmill_velocity, on_treadmill

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
        # In these two the joints of planted feet creep forward, 2 to 3 per cent of the belt's speed.
        ("contacts_truth/zoo_HC038A11_Straight.bvh", 0.01, 0.035),
        ("contacts_truth/gaitalytics_overground.bvh", 0.01, 0.03),
    ],
)
def test_a_belt_is_found_in_speed_and_direction(data: Path, path: str, metres_per_unit: float, within: float) -> None:
    clip, belt = in_place(bvh_clip(data / path, metres_per_unit))
    found = estimate_treadmill_velocity(clip, legs_of(clip))
    assert found is not None
    assert found[2] == 0.0
    assert np.linalg.norm(found - belt) < within * np.linalg.norm(belt)


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
        travelling, on_belt = (annotate(each, legs, FlatGround()) for each in (clip, in_place(clip)[0]))
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
