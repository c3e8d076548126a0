# SPDX-License-Identifier: GPL-3.0-or-later
"""Channels and joint transforms say the same."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from support.clips import DATA, bvh_clip
from toehold.files import bvh as bvh_files
from toehold.files.bvh_motion import (
    guess_metres_per_unit,
    local_transforms,
    rotation_channels,
    to_clip,
    y_up,
    y_up_rotations,
    z_up,
    z_up_rotations,
)
from toehold.solver import rotations

ORDERS = ["".join(order) for order in permutations("XYZ")]
angles = st.lists(st.floats(-720.0, 720.0), min_size=3, max_size=3).map(np.array)


def turned(order: str, degrees: np.ndarray) -> np.ndarray:
    """(F, 4) by scipy: capital letters turn about the axes as they are by then, the first first."""
    x, y, z, w = Rotation.from_euler(order, degrees, degrees=True).as_quat().T
    return np.stack([w, x, y, z], axis=-1)


@pytest.mark.parametrize("order", ORDERS)
@given(angles=angles)
def test_any_order_gives_the_rotation_back(order: str, angles: np.ndarray) -> None:
    q = turned(order, angles[None])
    found = rotation_channels(order, q, np.zeros((1, 3)))
    assert rotations.angle_between(q, turned(order, found)).max() < 1e-6


@pytest.mark.parametrize("order", ORDERS)
@given(angles=angles)
def test_the_angles_nearest_to_the_old_ones_are_found(order: str, angles: np.ndarray) -> None:
    found = rotation_channels(order, turned(order, angles[None]), angles[None])[0]
    assert np.sum((found - angles) ** 2) < 1e-6 or abs(np.cos(np.radians(angles[1]))) < 1e-5


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("middle", [90.0, -90.0, 270.0])
def test_gimbal_lock_keeps_the_first_angle(order: str, middle: float) -> None:
    old = np.array([[30.0, middle, -50.0]])
    found = rotation_channels(order, turned(order, old), old)
    assert found[0, 0] == pytest.approx(30.0)
    assert rotations.angle_between(turned(order, old), turned(order, found)).max() < 1e-6


def test_one_rotation_channel_turns_about_its_axis_alone() -> None:
    q = turned("XYZ", np.array([[25.0, 0.0, 0.0]]))
    assert rotation_channels("X", q, np.array([[380.0]])) == pytest.approx(np.array([[385.0]]))
    assert rotation_channels("", q, np.zeros((1, 0))).shape == (1, 0)


def test_axes_go_to_blender_and_back() -> None:
    points = np.array([[1.0, 2.0, 3.0]])
    assert z_up(points).tolist() == [[1.0, -3.0, 2.0]]
    assert y_up(z_up(points)).tolist() == points.tolist()
    q = turned("ZXY", np.array([[10.0, 20.0, 30.0]]))
    assert y_up_rotations(z_up_rotations(q)).tolist() == q.tolist()
    assert np.allclose(z_up(rotations.rotate(q, points)), rotations.rotate(z_up_rotations(q), z_up(points)))


def test_position_channels_stand_in_place_of_the_offset() -> None:
    text = (
        "HIERARCHY\nROOT a\n{\nOFFSET 5 6 7\nCHANNELS 2 Yposition Xrotation\nEnd Site\n{\nOFFSET 0 0 2\n}\n}\n"
        "MOTION\nFrames: 1\nFrame Time: 0.04\n9 90\n"
    )
    bvh = bvh_files.parse(text.encode(), "a.bvh")
    _, locations = local_transforms(bvh)
    assert locations[0].tolist() == [[5.0, 9.0, 7.0], [0.0, 0.0, 2.0]]
    clip = to_clip(bvh, 0.01)
    # A quarter turn about X takes the tip, 2 along Z, to 2 down.
    assert clip.positions[0] == pytest.approx(np.array([[0.05, -0.07, 0.09], [0.05, -0.07, 0.07]]))
    assert clip.fps == pytest.approx(25.0)


@pytest.mark.parametrize(
    ("leg", "unit"), [(0.9, 1.0), (88.0, 0.01), (33.0, 0.0254), (850.0, 0.001), (14.0, 0.0254 / 0.45), (4.5, 0.2)]
)
def test_the_unit_follows_from_the_leg(leg: float, unit: float) -> None:
    assert guess_metres_per_unit(leg)[0] == pytest.approx(unit)


def test_a_leg_without_length_gives_a_unit_all_the_same() -> None:
    assert guess_metres_per_unit(0.0)[0] == 1.0


@pytest.mark.skipif(not DATA.is_dir(), reason="the real clips of ../shared/data are not here")
def test_a_real_walk_is_upright_and_about_as_tall_as_a_person() -> None:
    clip = bvh_clip("cmu/cmu_12_01_walk.bvh")
    head = clip.positions[1:, clip.skeleton.index("Head_end"), 2]
    assert 1.3 < np.median(head) < 2.0
