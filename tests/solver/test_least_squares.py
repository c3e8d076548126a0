# SPDX-License-Identifier: GPL-3.0-or-later
"""The least squares over frames are those of the dense problem."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from toehold.solver.least_squares import BandedSystem


@settings(deadline=None, max_examples=40)
@given(frames=st.integers(1, 24), seed=st.integers(0, 2**32 - 1))
def test_weighted_residuals_over_frames_have_the_solution_of_dense_least_squares(frames: int, seed: int) -> None:
    """Two points of three coordinates: values, steps, differences of each order, distances and how these bend."""
    random = np.random.default_rng(seed)
    size = 6
    unknowns = np.eye(frames * size).reshape(frames, size, frames * size)
    rows: list[np.ndarray] = []
    wanted: list[np.ndarray] = []

    def add(weights: np.ndarray, coefficients: np.ndarray, values: np.ndarray) -> None:
        root = np.sqrt(weights).ravel()
        rows.append(root[:, None] * coefficients.reshape(-1, frames * size))
        wanted.append(root * values.ravel())

    system = BandedSystem(frames, size)
    weights, values = random.uniform(0.1, 2.0, (frames, size)), random.normal(size=(frames, size))
    system.add_values(weights, values)
    add(weights, unknowns, values)
    weights, steps = random.uniform(0.0, 5.0, (frames - 1, size)), random.normal(size=(frames - 1, size))
    system.add_steps(weights, steps)
    add(weights, np.diff(unknowns, axis=0), steps)
    for order in (1, 2, 3):
        weights = random.uniform(0.1, 2.0, size)
        system.add_differences(order, weights)
        bent = np.diff(unknowns, order, axis=0)
        add(np.broadcast_to(weights, (len(bent), size)), bent, np.zeros((len(bent), size)))
    gradients, weights, values = (
        random.normal(size=(frames, 2, size)),
        random.uniform(0.0, 9.0, (frames, 2)),
        random.normal(size=(frames, 2)),
    )
    system.add_rows(gradients, weights, values)
    distances = np.einsum("fri,fix->frx", gradients, unknowns)
    add(weights, distances, values)
    system.add_second_differences_of_rows(gradients, 0.3, values)
    bent = np.diff(distances, 2, axis=0)
    add(np.full(bent.shape[:2], 0.3), bent, np.diff(values, 2, axis=0))

    expected = np.linalg.lstsq(np.concatenate(rows), np.concatenate(wanted), rcond=None)[0]
    np.testing.assert_allclose(system.solve().ravel(), expected, rtol=1e-6, atol=1e-7)


def test_adding_to_a_copy_leaves_the_original_as_it_was() -> None:
    system = BandedSystem(5, 3)
    system.add_values(np.ones((5, 3)), np.full((5, 3), 2.0))
    other = system.copy()
    other.add_values(np.ones((5, 3)), np.zeros((5, 3)))
    other.add_steps(np.ones((4, 3)), np.zeros((4, 3)))
    other.add_second_differences_of_rows(np.ones((5, 1, 3)), 1.0, np.zeros((5, 1)))
    np.testing.assert_allclose(system.solve(), 2.0)
    np.testing.assert_allclose(other.solve(), 1.0)
