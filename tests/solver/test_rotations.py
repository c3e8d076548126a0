# SPDX-License-Identifier: GPL-3.0-or-later
"""Quaternions agree with scipy's, and nothing is ever NaN."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from toehold.solver import rotations


def _random(count: int, seed: int = 0) -> tuple[np.ndarray, Rotation]:
    turned = Rotation.random(count, random_state=seed)
    return turned.as_quat()[:, [3, 0, 1, 2]], turned


def _same(quaternions: np.ndarray, turned: Rotation) -> None:
    np.testing.assert_allclose(rotations.to_matrices(quaternions), turned.as_matrix(), atol=1e-12)


def test_products_inverses_and_rotated_vectors_agree_with_scipy() -> None:
    (a, scipy_a), (b, scipy_b) = _random(50, 1), _random(50, 2)
    vectors = np.random.default_rng(3).normal(size=(50, 3))
    _same(rotations.multiply(a, b), scipy_a * scipy_b)
    _same(rotations.inverse(a), scipy_a.inv())
    np.testing.assert_allclose(rotations.rotate(a, vectors), scipy_a.apply(vectors), atol=1e-12)


def test_rotation_vectors_agree_with_scipy_and_none_is_no_turn() -> None:
    vectors = np.random.default_rng(3).uniform(-2.0, 2.0, (40, 3))
    _same(rotations.from_vector(vectors), Rotation.from_rotvec(vectors))
    np.testing.assert_array_equal(rotations.from_vector(np.zeros((2, 3))), np.tile(rotations.IDENTITY, (2, 1)))


def test_matrices_come_back_as_the_rotation_they_are_half_turns_too() -> None:
    quaternions, turned = _random(200)
    half_turns = np.concatenate([np.zeros((3, 1)), np.eye(3)], axis=1)
    _same(rotations.from_matrices(turned.as_matrix()), turned)
    matrices = rotations.to_matrices(half_turns)
    np.testing.assert_allclose(rotations.to_matrices(rotations.from_matrices(matrices)), matrices, atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(quaternions, axis=-1), 1.0)


def test_between_turns_one_direction_onto_the_other_even_the_opposite() -> None:
    random = np.random.default_rng(4)
    a, b = random.normal(size=(100, 3)), random.normal(size=(100, 3))
    b[:10] = -a[:10]
    b[10:20] = a[10:20] * 7.0
    turned = rotations.rotate(rotations.between(a, b), rotations.normalized(a))
    np.testing.assert_allclose(turned, rotations.normalized(b), atol=1e-7)
    still = rotations.angle_between(rotations.between(a[10:20], b[10:20]), rotations.IDENTITY)
    np.testing.assert_allclose(still, 0.0, atol=1e-7)


@pytest.mark.parametrize("length", [0.0, 1e-320, 1e-200, 1e200])
def test_lengths_at_the_ends_of_the_number_range_give_no_nan(length: float) -> None:
    vector = np.array([[length, -length, 0.0]])
    with np.errstate(all="raise", under="ignore"):
        unit = rotations.normalized(vector, np.array([0.0, 0.0, 1.0]))
        turn = rotations.between(vector, np.array([[0.0, 1.0, 0.0]]))
    np.testing.assert_allclose(np.linalg.norm(unit, axis=-1), 1.0)
    np.testing.assert_allclose(np.linalg.norm(turn, axis=-1), 1.0)


def test_a_small_angle_is_measured_to_a_millionth_of_a_degree() -> None:
    angle = np.radians(1e-4)
    turn = rotations.from_axis_angle(np.array([0.0, 0.0, 1.0]), np.array(angle))
    assert rotations.angle_between(rotations.IDENTITY, turn) == pytest.approx(angle, rel=1e-6)
