# SPDX-License-Identifier: GPL-3.0-or-later
"""Block-tridiagonal systems, open and cyclic, are solved as numpy solves the whole matrix."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toehold.solver import block_tridiagonal


@settings(deadline=None, max_examples=60)
@given(count=st.integers(1, 20), size=st.sampled_from([1, 2, 5, 17, 27]), seed=st.integers(0, 2**32 - 1))
def test_any_positive_definite_system_is_solved_as_the_dense_one(count: int, size: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    factor = np.zeros((count * size, count * size))
    for block in range(count):
        rows = slice(block * size, (block + 1) * size)
        factor[rows, rows] = random.normal(size=(size, size)) / np.sqrt(size) + 3.0 * np.eye(size)
        if block:
            factor[rows, (block - 1) * size : block * size] = random.normal(size=(size, size)) / np.sqrt(size)
    matrix = factor @ factor.T + 1e-3 * np.eye(count * size)
    right = random.normal(size=(count, size, 2))
    blocks = matrix.reshape(count, size, count, size).swapaxes(1, 2)
    each = np.arange(count)
    found = block_tridiagonal.solve(blocks[each, each], blocks[each[:-1], each[1:]], right)
    np.testing.assert_allclose(
        found.ravel(), np.linalg.solve(matrix, right.reshape(-1, 2)).ravel(), rtol=1e-6, atol=1e-6
    )


@pytest.mark.parametrize("count", [3, 4, 7, 20])
def test_a_cyclic_system_with_a_border_is_solved_as_the_dense_one(count: int) -> None:
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
    own, shared = block_tridiagonal.solve_cyclic(
        diagonal, upper, border, corner, (right[: count * size].reshape(count, size), right[count * size :])
    )
    assert np.concatenate([own.ravel(), shared]) == pytest.approx(np.linalg.solve(whole, right), abs=1e-10)
