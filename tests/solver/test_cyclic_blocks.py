# SPDX-License-Identifier: GPL-3.0-or-later
"""Cyclic block-tridiagonal systems with a border are solved as numpy solves the whole matrix."""

from __future__ import annotations

import numpy as np
import pytest

from toehold.solver.cyclic_blocks import solve_cyclic


@pytest.mark.parametrize("count", [3, 4, 7, 20])
def test_the_solution_is_that_of_the_dense_system(count: int) -> None:
    random = np.random.default_rng(count)
    size, extra = 4, 3
    diagonal = random.normal(size=(count, size, size))
    diagonal = diagonal + np.swapaxes(diagonal, 1, 2) + 30.0 * np.eye(size)
    upper = random.normal(size=(count, size, size))
    border = random.normal(size=(count, size, extra))
    corner = 60.0 * np.eye(extra)
    whole = np.zeros((count * size + extra, count * size + extra))
    for block in range(count):
        rows, after = block * size + np.arange(size), (block + 1) % count * size + np.arange(size)
        whole[np.ix_(rows, rows)] += diagonal[block]
        whole[np.ix_(rows, after)] += upper[block]
        whole[np.ix_(after, rows)] += upper[block].T
        whole[rows, count * size :] = border[block]
        whole[count * size :, rows] = border[block].T
    whole[count * size :, count * size :] = corner
    right = random.normal(size=count * size + extra)
    own, shared = solve_cyclic(
        diagonal, upper, border, corner, (right[: count * size].reshape(count, size), right[count * size :])
    )
    assert np.concatenate([own.ravel(), shared]) == pytest.approx(np.linalg.solve(whole, right), abs=1e-10)
