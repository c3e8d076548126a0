# SPDX-License-Identifier: GPL-3.0-or-later
"""Long clips in pieces, each with some frames around it that it knows of but leaves to its neighbours."""

from __future__ import annotations

import itertools


def pieces(frame_count: int, longest: int, overlap: int) -> list[tuple[slice, slice]]:
    """Return for each piece the frames that it looks at, and which of these are its own.

    Own frames follow one another without a gap and are ``longest`` at most; ``overlap`` frames, where there are as
    many, are looked at on either side. A clip of no frames is one empty piece.
    """
    count = max(-(-frame_count // longest), 1)
    edges = [frame_count * piece // count for piece in range(count + 1)]
    found = []
    for first, end in itertools.pairwise(edges):
        around = slice(max(first - overlap, 0), min(end + overlap, frame_count))
        found.append((around, slice(first - around.start, end - around.start)))
    return found
