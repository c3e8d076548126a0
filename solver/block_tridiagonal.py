# SPDX-License-Identifier: GPL-3.0-or-later
"""Solve a symmetric block-tridiagonal system by cyclic reduction.

Every other unknown is eliminated at once, in one batched call, until one is left: ``log2(N)`` numpy calls instead of a
Python loop over ``N`` blocks (Golub & Van Loan, *Matrix Computations*, 4.5.4).
"""

from __future__ import annotations

import numpy as np

from .rotations import FloatArray


def solve(diagonal: FloatArray, upper: FloatArray, right: FloatArray) -> FloatArray:
    """Return x (N, n) of ``upper[i-1].T x[i-1] + diagonal[i] x[i] + upper[i] x[i+1] = right[i]``.

    Parameters
    ----------
    diagonal : (N, n, n), symmetric; the whole matrix has to be positive definite.
    upper : (N - 1, n, n), the blocks to the right of the diagonal.
    right : (N, n).

    Raises
    ------
    numpy.linalg.LinAlgError
        If a block that has to be inverted is singular.
    """
    count, size = right.shape
    if count == 1:
        return np.linalg.solve(diagonal, right[..., None])[..., 0]
    lower = np.swapaxes(upper, -1, -2)
    # Eliminate the odd unknowns: x[i] = own - before x[i-1] - after x[i+1].
    odd_before = lower[0::2]
    odd_after = np.zeros_like(odd_before)
    odd_after[: len(upper[1::2])] = upper[1::2]
    solved = np.linalg.solve(diagonal[1::2], np.concatenate([odd_before, odd_after, right[1::2, :, None]], axis=-1))
    before, after, own = solved[..., :size], solved[..., size : 2 * size], solved[..., 2 * size]

    even_diagonal, even_right = diagonal[0::2].copy(), right[0::2].copy()
    to_odd_after = upper[0::2]
    even_diagonal[: len(to_odd_after)] -= to_odd_after @ before
    even_right[: len(to_odd_after)] -= _apply(to_odd_after, own)
    to_odd_before = lower[1::2]
    behind = len(to_odd_before)
    even_diagonal[1 : 1 + behind] -= to_odd_before @ after[:behind]
    even_right[1 : 1 + behind] -= _apply(to_odd_before, own[:behind])
    even_upper = -to_odd_after[:behind] @ after[:behind]

    even = solve(even_diagonal, even_upper, even_right)
    result = np.empty_like(right)
    result[0::2] = even
    odd = own - _apply(before, even[: len(own)])
    odd[:behind] -= _apply(after[:behind], even[1 : 1 + behind])
    result[1::2] = odd
    return result


def _apply(blocks: FloatArray, vectors: FloatArray) -> FloatArray:
    return (blocks @ vectors[..., None])[..., 0]
