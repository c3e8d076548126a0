# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames in a row with unknowns that come and go are solved as the whole matrix would be."""

from __future__ import annotations

import numpy as np

from toehold.solver.moving_front import HEAD, Frames, solve_frames

# Of each place: the first and last frame of what lives there, one after the other.
LIVES = {0: [(0, 3), (5, 11)], 1: [(0, 6), (8, 11)], 2: [(0, 11)], 3: [(0, 2), (4, 7), (9, 11)]}


def test_it_finds_what_the_whole_matrix_does() -> None:
    random = np.random.default_rng(15)
    frames, size = 12, 9
    lives = [(place, span) for place, spans in LIVES.items() for span in spans]
    count = frames * size + len(lives)
    rows = []
    for frame in range(1, frames - 1):
        for _ in range(size):
            row = np.zeros(count)
            for beside in (frame - 1, frame + 1):
                row[beside * size : beside * size + HEAD] = random.normal(size=HEAD)
            row[frame * size : (frame + 1) * size] = random.normal(size=size)
            for at, (_, (first, last)) in enumerate(lives):
                if max(first, 1) + (first > 0) <= frame <= last - 1:
                    row[frames * size + at] = random.normal()
            rows.append(row)
    whole = np.array(rows).T @ np.array(rows) + np.eye(count)
    right = random.normal(size=count)
    expected = np.linalg.solve(whole, right)

    leaves = np.zeros((frames, len(LIVES)), dtype=np.bool_)
    for place, (_, last) in lives:
        leaves[last, place] = True
    system = Frames.empty(frames, size, leaves)
    for frame in range(frames):
        own = slice(frame * size, (frame + 1) * size)
        system.own[frame], system.right[frame] = whole[own, own], right[own]
        if frame + 1 < frames:
            system.next[frame] = whole[own, own.stop : own.stop + size]
        if frame + 2 < frames:
            system.second[frame] = whole[own, own.stop + size : own.stop + size + HEAD]
        for at, (place, _) in enumerate(lives):
            system.border[frame, :, place] += whole[own, frames * size + at]
    for at, (place, (first, _)) in enumerate(lives):
        system.shared[first, place] += right[frames * size + at]
        for other, (beside, (later, _)) in enumerate(lives):
            system.corner[max(first, later), place, beside] += whole[frames * size + at, frames * size + other]
    found, left = solve_frames(system)
    assert np.abs(found.ravel() - expected[: frames * size]).max() < 1e-10
    for at, (place, (_, last)) in enumerate(lives):
        assert abs(left[last, place] - expected[frames * size + at]) < 1e-10
