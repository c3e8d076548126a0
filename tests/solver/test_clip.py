# SPDX-License-Identifier: GPL-3.0-or-later
"""A clip knows where its joints are, and refuses shapes that do not fit."""

from __future__ import annotations

import numpy as np
import pytest

from support import walker
from toehold.solver import rotations
from toehold.solver.clip import Clip, Skeleton


def test_joints_stay_as_far_from_their_parents_as_their_locations_say() -> None:
    clip = walker.walk().clip
    parents = np.array(clip.skeleton.parents)
    child = np.flatnonzero(parents >= 0)
    apart = np.linalg.norm(clip.positions[:, child] - clip.positions[:, parents[child]], axis=-1)
    np.testing.assert_allclose(apart, np.linalg.norm(clip.local_locations[:, child], axis=-1), atol=1e-12)


def test_world_rotations_are_the_product_of_local_ones_down_the_tree() -> None:
    clip = walker.walk().clip
    toe = clip.skeleton.index("LeftToeBase")
    chain = [toe]
    while clip.skeleton.parents[chain[0]] >= 0:
        chain.insert(0, clip.skeleton.parents[chain[0]])
    expected = clip.local_rotations[:, chain[0]]
    for joint in chain[1:]:
        expected = rotations.multiply(expected, clip.local_rotations[:, joint])
    np.testing.assert_allclose(clip.rotations[:, toe], expected, atol=1e-12)


def test_a_moved_clip_has_its_own_positions() -> None:
    clip = walker.walk().clip
    before = clip.positions.copy()
    locations = clip.local_locations.copy()
    locations[:, 0, 2] += 1.0
    np.testing.assert_allclose(clip.moved(local_locations=locations).positions, before + [0.0, 0.0, 1.0], atol=1e-12)
    np.testing.assert_array_equal(clip.positions, before)


def test_a_child_before_its_parent_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="'knee' stands before its parent"):
        Skeleton(("knee", "hip"), (1, -1), np.tile(rotations.IDENTITY, (2, 1)), np.zeros((2, 3)))


@pytest.mark.parametrize("fps", [0.0, -24.0, float("nan")])
def test_a_frame_rate_that_is_not_above_zero_is_refused(fps: float) -> None:
    skeleton = walker.skeleton()
    count = len(skeleton.names)
    with pytest.raises(ValueError, match="frame rate"):
        Clip(skeleton, fps, np.tile(rotations.IDENTITY, (3, count, 1)), np.zeros((3, count, 3)))


def test_a_joint_that_is_not_there_is_named() -> None:
    with pytest.raises(KeyError, match="Tail"):
        walker.skeleton().index("Tail")
