# SPDX-License-Identifier: GPL-3.0-or-later
"""Symmetric block-tridiagonal systems, open and cyclic, by cyclic reduction (docs/mathematics.md, 10).

Every other block is eliminated at once, in batched calls, until one is left: ``log2(N)`` rounds of numpy calls instead
of a Python loop over ``N`` blocks (Golub & Van Loan, *Matrix Computations*, 4.5.4). A cyclic system has its last block
and its border taken out; the rest is an open chain, and the small system that is left couples the two.
"""

from __future__ import annotations

import numpy as np

from .arrays import FloatArray

# Triangular blocks of at most this size are inverted by LAPACK, larger ones by their quarters: products are faster.
SMALL = 7


def solve(diagonal: FloatArray, upper: FloatArray, right: FloatArray) -> FloatArray:
    """Return x (N, n, r) of ``upper[i-1].T x[i-1] + diagonal[i] x[i] + upper[i] x[i+1] = right[i]``.

    Parameters
    ----------
    diagonal : (N, n, n), symmetric; the whole matrix has to be positive definite.
    upper : (N - 1, n, n), the blocks to the right of the diagonal.
    right : (N, n, r).

    Raises
    ------
    numpy.linalg.LinAlgError
        If a block is not positive definite.
    """
    if len(right) == 1:
        return np.linalg.solve(diagonal, right)
    # Odd blocks L L^T are x[i] = L^-T (own - before x[i-1] - after x[i+1]). The last may have none after it.
    inverse, behind = _inverse_factors(diagonal[1::2]), len(upper[1::2])
    own, before, after = inverse @ right[1::2], inverse @ _transposed(upper[0::2]), inverse[:behind] @ upper[1::2]
    ahead = len(before)
    even_diagonal, even_right = diagonal[0::2].copy(), right[0::2].copy()
    even_diagonal[:ahead] -= _transposed(before) @ before
    even_right[:ahead] -= _transposed(before) @ own
    even_diagonal[1 : 1 + behind] -= _transposed(after) @ after
    even_right[1 : 1 + behind] -= _transposed(after) @ own[:behind]
    even = solve(even_diagonal, -_transposed(before[:behind]) @ after, even_right)
    own -= before @ even[:ahead]
    own[:behind] -= after @ even[1 : 1 + behind]
    result = np.empty_like(right)
    result[0::2], result[1::2] = even, _transposed(inverse) @ own
    return result


def _inverse_factors(matrices: FloatArray) -> FloatArray:
    """Return the inverses of the Cholesky factors of matrices (N, n, n).

    Products with them are faster than LAPACK's batched solve and nearly as accurate, which products with the inverses
    of the matrices themselves are not: weights here differ by ten powers of ten.
    """
    return _lower_inverse(np.linalg.cholesky(matrices))


def _lower_inverse(factors: FloatArray) -> FloatArray:
    """Return the inverses of lower triangular matrices (N, n, n)."""
    size = factors.shape[-1]
    if size <= SMALL:
        return np.linalg.inv(factors)
    half = (size + 1) // 2
    inverse = np.zeros(factors.shape)
    first, last = _lower_inverse(factors[:, :half, :half]), _lower_inverse(factors[:, half:, half:])
    inverse[:, :half, :half], inverse[:, half:, half:] = first, last
    inverse[:, half:, :half] = -last @ factors[:, half:, :half] @ first
    return inverse


def _transposed(blocks: FloatArray) -> FloatArray:
    return np.swapaxes(blocks, -1, -2)


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
    solved = solve(diagonal[:head], upper[: head - 1], np.concatenate([sides, right[0][:head, :, None]], axis=-1))
    inner, own = solved[..., :-1], solved[..., -1]
    rest = np.zeros((size + extra, size + extra))
    rest[:size, :size], rest[size:, size:] = diagonal[head], corner
    rest[:size, size:], rest[size:, :size] = border[head], border[head].T
    flat = sides.reshape(head * size, size + extra)
    rest -= flat.T @ inner.reshape(head * size, size + extra)
    outer = np.linalg.solve(rest, np.concatenate([right[0][head], right[1]]) - flat.T @ own.reshape(-1))
    return np.concatenate([own - inner @ outer, outer[None, :size]]), outer[size:]
