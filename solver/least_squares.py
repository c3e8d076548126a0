# SPDX-License-Identifier: GPL-3.0-or-later
"""Weighted least squares over the frames of a clip, each frame tied to the two after it at most."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from . import block_tridiagonal
from .rotations import FloatArray


@dataclass
class BandedSystem:
    """Normal equations of residuals over ``frames`` x ``size`` unknowns.

    Differences between frames tie each unknown only to itself, so what couples a frame to the next two is diagonal.
    """

    frames: int
    size: int
    blocks: FloatArray = field(init=False)  # (F, size, size) within each frame
    next: FloatArray = field(init=False)  # (F, size) to the next frame
    second: FloatArray = field(init=False)  # (F, size) to the one after it
    right: FloatArray = field(init=False)  # (F, size)

    def __post_init__(self) -> None:
        self.blocks = np.zeros((self.frames, self.size, self.size))
        self.next, self.second, self.right = (np.zeros((self.frames, self.size)) for _ in range(3))

    def copy(self) -> BandedSystem:
        """Return an independent copy, to add more residuals to."""
        other = BandedSystem.__new__(BandedSystem)
        other.frames, other.size = self.frames, self.size
        other.blocks, other.right = self.blocks.copy(), self.right.copy()
        other.next, other.second = self.next, self.second
        return other

    @property
    def _diagonal(self) -> FloatArray:
        """A writable view (F, size) of the blocks' diagonals."""
        return np.einsum("fii->fi", self.blocks)

    def add_values(self, weights: FloatArray, values: FloatArray) -> None:
        """Add ``weights * (x - values)**2``, all (F, size)."""
        self._diagonal[...] += weights
        self.right += weights * values

    def add_differences(self, weights: FloatArray | float, steps: FloatArray) -> None:
        """Add ``weights * (x[f + 1] - x[f] - steps[f])**2``, ``steps`` (F - 1, size)."""
        weights = np.broadcast_to(np.asarray(weights, dtype=np.float64), steps.shape)
        diagonal = self._diagonal
        diagonal[:-1] += weights
        diagonal[1:] += weights
        self.next = self.next.copy()
        self.next[:-1] -= weights
        self.right[:-1] -= weights * steps
        self.right[1:] += weights * steps

    def add_second_differences(self, weight: float) -> None:
        """Add ``weight * (x[f] - 2 x[f + 1] + x[f + 2])**2``."""
        if self.frames < 3:
            return
        diagonal = self._diagonal
        diagonal[:-2] += weight
        diagonal[1:-1] += 4.0 * weight
        diagonal[2:] += weight
        self.next = self.next.copy()
        self.next[:-2] -= 2.0 * weight
        self.next[1:-1] -= 2.0 * weight
        self.second = self.second.copy()
        self.second[:-2] += weight

    def add_rows(self, terms: Sequence[tuple[int, FloatArray]], weights: FloatArray, values: FloatArray) -> None:
        """Add ``weights * (sum of coefficients . x[point] - values)**2``, one residual a frame.

        ``terms`` are points, three unknowns each, with their coefficients (F, 3); ``weights`` and ``values`` are (F,).
        """
        for point, coefficients in terms:
            rows = slice(3 * point, 3 * point + 3)
            weighted = weights[:, None] * coefficients
            self.right[:, rows] += weighted * values[:, None]
            for other, others in terms:
                self.blocks[:, rows, 3 * other : 3 * other + 3] += weighted[:, :, None] * others[:, None, :]

    def solve(self) -> FloatArray:
        """Return the unknowns (F, size) with the least sum of squares.

        Two frames make one block, so that ties over two frames reach from one block to the next only.
        """
        frames, size = self.frames, self.size
        pairs = (frames + 1) // 2
        # Where the last block's second frame does not exist, its unknowns are zero and nothing is tied to them.
        diagonal = np.zeros((pairs, 2 * size, 2 * size))
        diagonal[:, :size, :size] = self.blocks[0::2]
        diagonal[: frames // 2, size:, size:] = self.blocks[1::2]
        within = np.arange(size)
        if frames % 2:
            diagonal[-1, size + within, size + within] = 1.0
        diagonal[:, within, size + within] = self.next[0::2]
        diagonal[:, size + within, within] = self.next[0::2]
        upper = np.zeros((pairs - 1, 2 * size, 2 * size))
        upper[:, within, within] = self.second[0 : 2 * (pairs - 1) : 2, :]
        upper[:, size + within, within] = self.next[1 : 2 * (pairs - 1) : 2]
        upper[:, size + within, size + within] = self.second[1 : 2 * (pairs - 1) : 2]
        right = np.zeros((pairs, 2 * size))
        right[:, :size] = self.right[0::2]
        right[: frames // 2, size:] = self.right[1::2]
        return block_tridiagonal.solve(diagonal, upper, right).reshape(2 * pairs, size)[:frames]
