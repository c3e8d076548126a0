# SPDX-License-Identifier: GPL-3.0-or-later
"""Solve a symmetric block-tridiagonal system that closes upon itself, with a border of unknowns that all blocks know.

The last block and the border are taken out, the rest is an open chain that cyclic reduction solves for many right sides
at once, and the small system that is left couples the two (Golub & Van Loan, *Matrix Computations*, 4.5.4; the border
by its Schur complement).
"""

from __future__ import annotations

import numpy as np

from .rotations import FloatArray


def solve_open(diagonal: FloatArray, upper: FloatArray, right: FloatArray) -> FloatArray:
    """Return x (N, n, r) of ``upper[i-1].T x[i-1] + diagonal[i] x[i] + upper[i] x[i+1] = right[i]``.

    diagonal (N, n, n) symmetric, upper (N - 1, n, n), right (N, n, r). LinAlgError where a block is singular.
    """
    count, size, _ = right.shape
    if count == 1:
        return np.linalg.solve(diagonal, right)
    lower = np.swapaxes(upper, -1, -2)
    odd_before = lower[0::2]
    odd_after = np.zeros_like(odd_before)
    odd_after[: len(upper[1::2])] = upper[1::2]
    solved = np.linalg.solve(diagonal[1::2], np.concatenate([odd_before, odd_after, right[1::2]], axis=-1))
    before, after, own = solved[..., :size], solved[..., size : 2 * size], solved[..., 2 * size :]

    even_diagonal, even_right = diagonal[0::2].copy(), right[0::2].copy()
    to_odd_after = upper[0::2]
    even_diagonal[: len(to_odd_after)] -= to_odd_after @ before
    even_right[: len(to_odd_after)] -= to_odd_after @ own
    to_odd_before = lower[1::2]
    behind = len(to_odd_before)
    even_diagonal[1 : 1 + behind] -= to_odd_before @ after[:behind]
    even_right[1 : 1 + behind] -= to_odd_before @ own[:behind]

    even = solve_open(even_diagonal, -to_odd_after[:behind] @ after[:behind], even_right)
    result = np.empty_like(right)
    result[0::2] = even
    odd = own - before @ even[: len(own)]
    odd[:behind] -= after[:behind] @ even[1 : 1 + behind]
    result[1::2] = odd
    return result


def solve_cyclic(
    diagonal: FloatArray,
    upper: FloatArray,
    border: FloatArray,
    corner: FloatArray,
    right: tuple[FloatArray, FloatArray],
) -> tuple[FloatArray, FloatArray]:
    """Return x (N, n) and y (p,) of the cyclic system, ``upper[N-1]`` leading from the last block to the first.

    diagonal, upper : (N, n, n), at least 3 blocks; the whole matrix has to be positive definite.
    border : (N, n, p), the columns of y in the rows of x.
    corner : (p, p).
    right : (N, n) and (p,).
    """
    count, size, extra = border.shape
    head = count - 1
    to_last = np.zeros((head, size, size))
    to_last[0] += upper[count - 1].T
    to_last[head - 1] += upper[head - 1]
    sides = np.concatenate([to_last, border[:head]], axis=-1)
    solved = solve_open(diagonal[:head], upper[: head - 1], np.concatenate([sides, right[0][:head, :, None]], axis=-1))
    inner, own = solved[..., :-1], solved[..., -1]
    rest = np.zeros((size + extra, size + extra))
    rest[:size, :size], rest[size:, size:] = diagonal[head], corner
    rest[:size, size:], rest[size:, :size] = border[head], border[head].T
    flat = sides.reshape(head * size, size + extra)
    rest -= flat.T @ inner.reshape(head * size, size + extra)
    outer = np.linalg.solve(rest, np.concatenate([right[0][head], right[1]]) - flat.T @ own.reshape(-1))
    return np.concatenate([own - inner @ outer, outer[None, :size]]), outer[size:]
