# SPDX-License-Identifier: GPL-3.0-or-later
"""Weighted linear least squares over the frames of a clip, each frame coupled to the three after it at most.

The unknowns are ``x[f]``, a vector of ``size`` numbers a frame. Residuals are added term by term to the normal
equations ``A x = b``; ``A`` is symmetric and banded by frames, and is solved as a block-tridiagonal matrix of a few
frames a block (see block_tridiagonal.py).
"""

from __future__ import annotations

import numpy as np

from . import block_tridiagonal
from .arrays import FloatArray

# Coefficients of the first, second and third difference of consecutive frames.
DIFFERENCES = {1: (-1.0, 1.0), 2: (1.0, -2.0, 1.0), 3: (-1.0, 3.0, -3.0, 1.0)}


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

    def add_rows(self, rows: FloatArray, weights: FloatArray, values: FloatArray) -> None:
        """Add ``weights * (rows . x - values)**2``: residuals that are linear in the unknowns of one frame.

        rows : (F, R, size) coefficients of R residuals a frame.
        weights, values : (F, R).
        """
        self._add_products(0, rows, weights[..., None] * rows)
        self.right += np.einsum("fri,fr->fi", rows, weights * values)

    def add_second_differences_of_rows(self, rows: FloatArray, weight: float, values: FloatArray) -> None:
        """Add ``weight * (second difference over frames of (rows . x - values))**2``; shapes as in ``add_rows``."""
        count = self.frames - 2
        if count < 1 or weight == 0.0:
            return
        coefficients = np.array(DIFFERENCES[2])
        wanted = np.diff(values, n=2, axis=0)
        together = np.zeros_like(values)  # the transposed second difference of what is wanted
        for first, one in enumerate(coefficients):
            together[first : first + count] += weight * one * wanted
        self.right += np.einsum("fri,fr->fi", rows, together)
        for distance in range(3):
            coupled = np.zeros(self.frames - distance)
            for first in range(3 - distance):
                product = coefficients[first] * coefficients[first + distance]
                coupled[first : first + count] += weight * product
            later = rows[distance:]
            self._add_products(distance, rows[: len(later)], coupled[:, None, None] * later)

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
            diagonal.reshape(shape), upper.reshape(shape)[:-1], right.reshape(count, together * size, 1)
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

    def _add_products(self, distance: int, rows: FloatArray, later: FloatArray) -> None:
        """Add what couples ``rows`` (N, R, size) of the first frames to those of the frames ``distance`` later."""
        self._band(distance)[: len(rows)] += np.swapaxes(rows, -1, -2) @ later
