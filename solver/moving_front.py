# SPDX-License-Identifier: GPL-3.0-or-later
"""Solve a symmetric system of frames in a row, each tied to the next two, and of unknowns that live for some frames.

Frontal elimination (Irons 1970): frames are eliminated one after the other; what lives longer (a foothold) stays in the
front as long as it lives, and its place is then free for the next. One frame after the other takes a fifth of the
multiplications of cyclic reduction of pairs of frames, and no rows for footholds in frames that they do not concern: a
quadruped's frame takes 0.09 ms, a tenth of it calls.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .rotations import FloatArray
from .signals import BoolArray, IntArray

# Only as many unknowns of a frame, its first, are known to the frame two before it.
HEAD = 6


@dataclass(frozen=True)
class Frames:
    """A symmetric positive definite system of G frames of n unknowns, with P places of unknowns that come and go.

    own, next : (G, n, n), from a frame to itself and to the next. second : (G, n, 6), to the first of the one after.
    border : (G, n, P) and corner (G, P, P) of what lives then. right (G, n), shared (G, P) : the right sides.
    leaves : (G, P) which places are given up after a frame; all that live have to be, at the last frame at latest.
    """

    own: FloatArray
    next: FloatArray
    second: FloatArray
    border: FloatArray
    corner: FloatArray
    right: FloatArray
    shared: FloatArray
    leaves: BoolArray

    @staticmethod
    def empty(frames: int, size: int, leaves: BoolArray) -> Frames:
        places = leaves.shape[1]
        return Frames(
            np.zeros((frames, size, size)), np.zeros((frames, size, size)), np.zeros((frames, size, HEAD)),
            np.zeros((frames, size, places)), np.zeros((frames, places, places)), np.zeros((frames, size)),
            np.zeros((frames, places)), leaves,
        )  # fmt: skip


def solve_frames(system: Frames, damping: float = 0.0) -> tuple[FloatArray, FloatArray]:
    """Return the frames' unknowns (G, n), and what each place held (G, P) at the frames at which it was given up."""
    frames, size, places = system.border.shape
    after = size + HEAD
    width = after + places
    # Rows of the front: the frame's own, the next frame's, the heads of the one after, the places; last the right side.
    entries = np.concatenate([system.next, system.second, system.border, system.right[..., None]], axis=-1)
    diagonal = system.own + damping * np.eye(size)
    corner = np.concatenate([system.corner, system.shared[..., None]], axis=-1)
    front = np.zeros((size + width, size + width + 1))
    kept: list[tuple[FloatArray, FloatArray]] = []
    left: list[tuple[int, IntArray, FloatArray]] = []
    gives_up = system.leaves.any(axis=1)
    for at in range(frames):
        row = front[:size, size:] + entries[at]
        # By Cholesky's factor, so that what is left stays symmetric: rounding would grow from frame to frame.
        factor = np.linalg.inv(np.linalg.cholesky(front[:size, :size] + diagonal[at]))
        solved = factor @ row
        rest = front[size:, size:]
        rest[after:, after:] += corner[at]
        rest = rest - solved[:, :-1].T @ solved
        kept.append((factor, solved))
        if gives_up[at]:
            gone = after + np.flatnonzero(system.leaves[at])
            pivot = rest[np.ix_(gone, gone)] + damping * np.eye(len(gone))
            out = np.linalg.solve(pivot, rest[gone])
            rest = rest - rest[:, gone] @ out
            rest[gone], rest[:, gone] = 0.0, 0.0
            left.append((at, gone, out))
        # What was the next frame is now the frame itself, and of what was the one after only its head is known.
        front = np.zeros_like(front)
        for rows, old in ((slice(0, after), slice(0, after)), (slice(size + after, None), slice(after, None))):
            front[rows, :after] = rest[old, :after]
            front[rows, size + after :] = rest[old, after:]
    return _substituted(system, kept, left)


def _substituted(
    system: Frames, kept: list[tuple[FloatArray, FloatArray]], left: list[tuple[int, IntArray, FloatArray]]
) -> tuple[FloatArray, FloatArray]:
    frames, size, places = system.border.shape
    after = size + HEAD
    known = np.zeros(after + places)
    found, given_up = np.zeros((frames, size)), np.zeros((frames, places))
    for at in range(frames - 1, -1, -1):
        if left and left[-1][0] == at:
            _, gone, out = left.pop()
            known[gone] = 0.0
            known[gone] = out[:, -1] - out[:, :-1] @ known
            given_up[at, gone - after] = known[gone]
        factor, solved = kept[at]
        own = factor.T @ (solved[:, -1] - solved[:, :-1] @ known)
        found[at] = own
        known[size:after] = known[:HEAD]
        known[:size] = own
    return found, given_up
