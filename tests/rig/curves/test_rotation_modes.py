# SPDX-License-Identifier: GPL-3.0-or-later
"""Every rotation mode goes to quaternions and back without a jump."""

from __future__ import annotations

import bpy  # noqa: F401 - mathutils is found only once it is there
import numpy as np
import pytest
from mathutils import Euler, Quaternion

from toehold.rig.curves.rotation_modes import from_quaternions, to_quaternions
from toehold.solver import rotations

ORDERS = ["XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX"]
RANDOM = np.random.default_rng(5)
ANGLES = RANDOM.uniform(-4.0, 4.0, (300, 3))


@pytest.mark.parametrize("order", ORDERS)
def test_euler_angles_turn_as_blenders_do(order: str) -> None:
    by_blender = np.array([Euler(angles, order).to_quaternion() for angles in ANGLES])
    assert rotations.angle_between(to_quaternions(order, ANGLES), by_blender).max() < 1e-6


def test_axis_and_angle_turn_as_blenders_do() -> None:
    values = RANDOM.normal(size=(100, 4))
    by_blender = np.array([Quaternion(value[1:], value[0]) for value in values])
    assert rotations.angle_between(to_quaternions("AXIS_ANGLE", values), by_blender).max() < 1e-6


@pytest.mark.parametrize("order", ORDERS)
def test_euler_angles_come_back_as_the_ones_they_were(order: str) -> None:
    back = from_quaternions(order, to_quaternions(order, ANGLES), ANGLES + 0.01, goes_on=False)
    assert np.abs(back - ANGLES).max() < 1e-7


@pytest.mark.parametrize("order", ORDERS)
def test_in_gimbal_lock_the_rotation_is_still_met(order: str) -> None:
    locked = ANGLES.copy()
    locked[:, "XYZ".index(order[1])] = RANDOM.choice([-0.5, 0.5], 300) * np.pi
    quaternions = to_quaternions(order, locked)
    back = from_quaternions(order, quaternions, locked, goes_on=False)
    assert rotations.angle_between(to_quaternions(order, back), quaternions).max() < 1e-6
    assert np.abs(back - locked).max() < 1e-5


@pytest.mark.parametrize("mode", ["QUATERNION", "AXIS_ANGLE", *ORDERS])
def test_values_stay_continuous_where_rotations_are(mode: str) -> None:
    time = np.linspace(0.1, 12.0, 400)
    axis = rotations.normalized(np.array([0.3, 1.0, 0.2]))
    turning = rotations.from_axis_angle(axis, np.sin(time))
    flipping = turning * RANDOM.choice([-1.0, 1.0], (400, 1))
    before = from_quaternions(mode, turning, np.zeros((400, 3 if mode in ORDERS else 4)), goes_on=False)

    values = from_quaternions(mode, flipping, before, goes_on=False)

    assert rotations.angle_between(to_quaternions(mode, values), turning).max() < 1e-7
    assert np.abs(np.diff(values, axis=0)).max() < 0.1


def test_a_quaternion_fits_the_key_after_it_even_where_its_source_flipped() -> None:
    source = np.array([[1.0, 0.0, 0.0, 0.0]] * 2 + [[-1.0, 0.0, 0.0, 0.0]] * 2)
    assert np.all(from_quaternions("QUATERNION", -source, source, goes_on=False)[:, 0] == 1.0)
    assert from_quaternions("QUATERNION", -source, source, goes_on=True)[-1, 0] == -1.0
