# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames in a row with unknowns that come and go are solved as the whole matrix would be."""

from __future__ import annotations

import numpy as np

from toehold.solver.moving_front import HEAD, Frames, solve_frames
from toehold.solver.rotations import FloatArray

# Of each place: the first and last frame of what lives there, one after the other.
LIVES = {0: [(0, 3), (5, 11)], 1: [(0, 6), (8, 11)], 2: [(0, 11)], 3: [(0, 2), (4, 7), (9, 11)]}


FRAMES, SIZE = 12, 9
SPANS = [(place, span) for place, spans in LIVES.items() for span in spans]


def test_it_finds_what_the_whole_matrix_does() -> None:
    random = np.random.default_rng(15)
    rows = [a_row(frame, random) for frame in range(1, FRAMES - 1) for _ in range(SIZE)]
    whole = np.array(rows).T @ np.array(rows) + np.eye(FRAMES * SIZE + len(SPANS))
    right = random.normal(size=len(whole))
    expected = np.linalg.solve(whole, right)
    found, left = solve_frames(in_frames(whole, right))
    assert np.abs(found.ravel() - expected[: FRAMES * SIZE]).max() < 1e-10
    for at, (place, (_, last)) in enumerate(SPANS):
        assert abs(left[last, place] - expected[FRAMES * SIZE + at]) < 1e-10


def a_row(frame: int, random: np.random.Generator) -> FloatArray:
    """Return a residual's derivatives: all of its own frame, the heads of those beside it, and of what lives then."""
    row = np.zeros(FRAMES * SIZE + len(SPANS))
    for beside in (frame - 1, frame + 1):
        row[beside * SIZE : beside * SIZE + HEAD] = random.normal(size=HEAD)
    row[frame * SIZE : (frame + 1) * SIZE] = random.normal(size=SIZE)
    for at, (_, (first, last)) in enumerate(SPANS):
        if max(first, 1) + (first > 0) <= frame <= last - 1:
            row[FRAMES * SIZE + at] = random.normal()
    return row


def in_frames(whole: FloatArray, right: FloatArray) -> Frames:
    leaves = np.zeros((FRAMES, len(LIVES)), dtype=np.bool_)
    for place, (_, last) in SPANS:
        leaves[last, place] = True
    system = Frames.empty(FRAMES, SIZE, leaves)
    for frame in range(FRAMES):
        own = slice(frame * SIZE, (frame + 1) * SIZE)
        system.own[frame], system.right[frame] = whole[own, own], right[own]
        if frame + 1 < FRAMES:
            system.next[frame] = whole[own, own.stop : own.stop + SIZE]
        if frame + 2 < FRAMES:
            system.second[frame] = whole[own, own.stop + SIZE : own.stop + SIZE + HEAD]
        for at, (place, _) in enumerate(SPANS):
            system.border[frame, :, place] += whole[own, FRAMES * SIZE + at]
    for at, (place, (first, _)) in enumerate(SPANS):
        system.shared[first, place] += right[FRAMES * SIZE + at]
        for other, (beside, (later, _)) in enumerate(SPANS):
            system.corner[max(first, later), place, beside] += whole[FRAMES * SIZE + at, FRAMES * SIZE + other]
    return system
