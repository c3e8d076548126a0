# SPDX-License-Identifier: GPL-3.0-or-later
"""Weighted linear least squares over the frames of a clip, each frame coupled to the three after it at most.

The unknowns are ``x[f]``, a vector of ``size`` numbers a frame. Residuals are added term by term to the normal
equations ``A x = b``; ``A`` is symmetric and banded by frames, and is solved as a block-tridiagonal matrix of a few
frames a block (see block_tridiagonal.py).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from . import block_tridiagonal
from .rotations import FloatArray

# Coefficients of the first, second and third difference of consecutive frames.
DIFFERENCES = {1: (-1.0, 1.0), 2: (1.0, -2.0, 1.0), 3: (-1.0, 3.0, -3.0, 1.0)}

# The linear form of one residual: points (three unknowns each) with their coefficients (F, 3).
Terms = Sequence[tuple[int, FloatArray]]


class BandedSystem:
    """The normal equations of residuals over ``frames`` x ``size`` unknowns.

    ``bands[d]`` (F, size, size) couples each frame to the one ``d`` frames later; it exists once something does.
    """

    def __init__(self, frames: int, size: int) -> None:
        self.frames = frames
        self.size = size
        self.bands: dict[int, FloatArray] = {0: np.zeros((frames, size, size))}
        self.right = np.zeros((frames, size))

    def copy(self) -> BandedSystem:
        """Return an independent copy, to add more residuals to."""
        other = BandedSystem.__new__(BandedSystem)
        other.frames, other.size = self.frames, self.size
        other.bands = {distance: band.copy() for distance, band in self.bands.items()}
        other.right = self.right.copy()
        return other

    def add_values(self, weights: FloatArray, values: FloatArray) -> None:
        """Add ``weights * (x - values)**2``, all (F, size)."""
        self._diagonal(0)[...] += weights
        self.right += weights * values

    def add_steps(self, weights: FloatArray, steps: FloatArray) -> None:
        """Add ``weights * (x[f + 1] - x[f] - steps[f])**2``, both (F - 1, size)."""
        diagonal = self._diagonal(0)
        diagonal[:-1] += weights
        diagonal[1:] += weights
        self._diagonal(1)[:-1] -= weights
        self.right[:-1] -= weights * steps
        self.right[1:] += weights * steps

    def add_differences(self, order: int, weights: FloatArray | float) -> None:
        """Add ``weights * (difference of x of that order, 1 to 3)**2``; ``weights`` is one number or one an unknown."""
        coefficients = DIFFERENCES[order]
        count = self.frames - order
        if count < 1 or not np.any(weights):
            return
        for first, one in enumerate(coefficients):
            for second in range(first, order + 1):
                self._diagonal(second - first)[first : first + count] += weights * (one * coefficients[second])

    def add_rows(self, terms: Terms, weights: FloatArray, values: FloatArray) -> None:
        """Add ``weights * (sum of coefficients . x[point] - values)**2``, one residual a frame.

        ``weights`` and ``values`` are (F,).
        """
        self._add_products(0, slice(0, self.frames), slice(0, self.frames), terms, weights)
        for point, coefficients in terms:
            self.right[:, _rows(point)] += (weights * values)[:, None] * coefficients

    def add_second_differences_of_rows(self, terms: Terms, weight: float, values: FloatArray) -> None:
        """Add ``weight * (second difference over frames of (sum of coefficients . x[point] - values))**2``.

        ``values`` is (F,).
        """
        count = self.frames - 2
        if count < 1 or weight == 0.0:
            return
        coefficients = DIFFERENCES[2]
        wanted = np.diff(values, n=2)
        for first, one in enumerate(coefficients):
            rows = slice(first, first + count)
            for point, own in terms:
                self.right[rows, _rows(point)] += (weight * one * wanted)[:, None] * own[rows]
            for second in range(first, 3):
                columns = slice(second, second + count)
                product = np.full(count, weight * one * coefficients[second])
                self._add_products(second - first, rows, columns, terms, product)

    def solve(self) -> FloatArray:
        """Return the unknowns (F, size) with the least sum of squares."""
        size, together = self.size, max(max(self.bands), 1)  # as many frames a block as a frame reaches over
        count = -(-self.frames // together)
        diagonal = np.zeros((count, together, size, together, size))
        upper = np.zeros((count, together, size, together, size))
        right = np.zeros((count * together, size))
        right[: self.frames] = self.right
        # Frames that fill up the last block are zero, and coupled to nothing.
        for extra in range(self.frames, count * together):
            diagonal[extra // together, extra % together, :, extra % together] = np.eye(size)
        for distance, band in self.bands.items():
            for row in range(together):
                blocks = band[row : max(self.frames - distance, 0) : together]
                column = (row + distance) % together
                if row + distance < together:
                    diagonal[: len(blocks), row, :, column] += blocks
                    if distance:
                        diagonal[: len(blocks), column, :, row] += np.swapaxes(blocks, -1, -2)
                else:
                    upper[: len(blocks), row, :, column] += blocks
        shape = (count, together * size, together * size)
        solved = block_tridiagonal.solve(
            diagonal.reshape(shape), upper.reshape(shape)[:-1], right.reshape(count, together * size)
        )
        return solved.reshape(count * together, size)[: self.frames]

    def _band(self, distance: int) -> FloatArray:
        """Return the blocks (F, size, size) between frames that are ``distance`` apart."""
        if distance not in self.bands:
            self.bands[distance] = np.zeros((self.frames, self.size, self.size))
        return self.bands[distance]

    def _diagonal(self, distance: int) -> FloatArray:
        """Return a writable view (F, size) of those blocks' diagonals."""
        return np.einsum("fii->fi", self._band(distance))

    def _add_products(self, distance: int, rows: slice, columns: slice, terms: Terms, weights: FloatArray) -> None:
        """Add what couples the terms of the frames ``rows`` to those of ``columns``, which are ``distance`` later."""
        band = self._band(distance)[rows]
        for point, coefficients in terms:
            weighted = weights[:, None] * coefficients[rows]
            for other, others in terms:
                band[:, _rows(point), _rows(other)] += weighted[:, :, None] * others[columns, None, :]


def _rows(point: int) -> slice:
    return slice(3 * point, 3 * point + 3)
