# SPDX-License-Identifier: GPL-3.0-or-later
"""Long clips are cut into pieces that know of each other."""

from __future__ import annotations

import numpy as np
import pytest

from toehold.solver.pieces import pieces


@pytest.mark.parametrize("frame_count", [0, 1, 99, 100, 101, 1000, 1001])
def test_each_frame_is_in_one_piece_and_sees_its_neighbours(frame_count: int) -> None:
    frames, owned = np.arange(frame_count), []
    for around, own in pieces(frame_count, longest=100, overlap=20):
        seen = frames[around]
        mine = seen[own]
        assert len(mine) <= 100
        if mine.size:
            assert seen[0] == max(mine[0] - 20, 0)
            assert seen[-1] == min(mine[-1] + 20, frame_count - 1)
        owned.append(mine)
    np.testing.assert_array_equal(np.concatenate(owned), frames)


def test_a_short_clip_is_one_piece() -> None:
    assert pieces(80, longest=100, overlap=20) == [(slice(0, 80), slice(0, 80))]
