# SPDX-License-Identifier: GPL-3.0-or-later
"""The paths of compared toes as lines, each way in a style of its own: arrays in, arrays out, nothing of Blender.

The ways differ in how their lines are broken and how wide they are, not in colour alone. All of a path is broken into
pieces once; a frame only chooses which of them to draw.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ..solver.rotations import FloatArray
from .overlay_shapes import Colour, Single

# Seconds of a path that are drawn to either side of the current frame, and the last share of them in which it fades.
REACH, FADING = 1.0, 0.3


@dataclass(frozen=True)
class Style:
    """How a way is drawn.

    dash, gap : lengths of the line's pieces and of the gaps between, in legs; no gap is a whole line.
    width, dot : of the line and of the dot at the current frame, in pixels.
    """

    dash: float
    gap: float
    width: float
    dot: float


# The widest first: where paths meet, all of them are seen.
STYLES = {
    "clean": Style(dash=0.1, gap=0.0, width=5.0, dot=15.0),
    "lock": Style(dash=0.075, gap=0.04, width=2.5, dot=10.0),
    "source": Style(dash=0.012, gap=0.03, width=2.0, dot=5.5),
}


@dataclass(frozen=True)
class Pieces:
    """A path in pieces: their ends (N, 2, 3) in metres, and when each end is passed (N, 2), in frames from the first.

    The pieces are in the order in which they are passed.
    """

    ends: FloatArray
    times: FloatArray


def broken(path: FloatArray, dash: float, gap: float) -> Pieces:
    """Return a path (F, 3) in metres, broken along its length into dashes and gaps, in metres.

    Where it stands still there is nothing to break: no piece is left of it.
    """
    lengths = np.linalg.norm(np.diff(path, axis=0), axis=-1)
    moving = lengths > 0.0
    along = np.concatenate([[0.0], np.cumsum(lengths)])
    cuts = np.arange(0.0, along[-1], dash + gap)
    if gap > 0.0:
        cuts = np.union1d(cuts, cuts + dash)
        cuts = cuts[cuts < along[-1]]
    else:
        cuts = cuts[:0]
    steps = np.flatnonzero(moving)
    at_frames = np.union1d(along[steps], along[steps + 1])
    marks = np.union1d(at_frames, cuts)
    middles = (marks[:-1] + marks[1:]) / 2.0
    drawn = np.flatnonzero(middles % (dash + gap) < dash) if gap > 0.0 else np.arange(len(middles))
    starts, ends = marks[drawn], marks[drawn + 1]
    # A path may stand still for many frames at one length of it: the last of them for a start, the first for an end.
    step = np.clip(np.searchsorted(along, (starts + ends) / 2.0) - 1, 0, max(len(path) - 2, 0))
    shares = np.stack([starts - along[step], ends - along[step]], axis=1) / np.maximum(lengths[step], 1e-12)[:, None]
    shares = np.clip(shares, 0.0, 1.0)
    points = path[step][:, None] + shares[..., None] * (path[step + 1] - path[step])[:, None]
    return Pieces(points, step[:, None] + shares)


@dataclass(frozen=True)
class DrawnPath:
    """What is drawn of one way at one frame.

    lines : (N, 2, 3) metres, with a colour for each end, ``inks`` (N, 2, 4).
    dots : (L, 3) where the toes are, with their colours ``dot_inks`` (L, 4); none outside of the clip.
    """

    style: Style
    lines: Single
    inks: Single
    dots: Single
    dot_inks: Single


@dataclass(frozen=True, eq=False)
class Paths:
    """The toes' paths of a comparison in pieces, by way; each a list of L."""

    toes: Mapping[str, FloatArray]
    pieces: dict[str, list[Pieces]]
    fps: float


def paths_of(toes: Mapping[str, FloatArray], fps: float, leg: float) -> Paths:
    """Return the paths (F, L, 3) of each way in pieces; ``leg`` is how long a leg is, in metres."""
    pieces = {
        way: [broken(toes[way][:, limb], style.dash * leg, style.gap * leg) for limb in range(toes[way].shape[1])]
        for way, style in STYLES.items()
    }
    return Paths(toes, pieces, fps)


def drawn_at(paths: Paths, at: float, colours: Mapping[str, Colour], *, whole: bool) -> list[DrawnPath]:
    """Return what is drawn at a time, in frames from the first, the lowest first.

    whole : all of the paths, not only ``REACH`` seconds to either side.
    """
    reach = REACH * paths.fps
    drawn = []
    for way, style in STYLES.items():
        toes, ends, times = paths.toes[way], [np.zeros((0, 2, 3))], [np.zeros((0, 2))]
        for pieces in paths.pieces[way]:
            first, last = 0, len(pieces.times)
            if not whole:
                first = int(np.searchsorted(pieces.times[:, 0], at - reach))
                last = int(np.searchsorted(pieces.times[:, 1], at + reach))
            ends.append(pieces.ends[first:last])
            times.append(pieces.times[first:last])
        apart = np.abs(np.concatenate(times) - at) / reach
        inks = np.tile(np.array(colours[way], dtype=np.float32), (len(apart), 2, 1))
        if not whole:
            inks[..., 3] *= np.clip((1.0 - apart) / FADING, 0.0, 1.0)
        dots = toes[round(at)] if 0 <= round(at) < len(toes) else np.zeros((0, 3))
        dot_inks = np.tile(np.array(colours[way], dtype=np.float32), (len(dots), 1))
        lines = np.concatenate(ends).astype(np.float32)
        drawn.append(DrawnPath(style, lines, inks, dots.astype(np.float32), dot_inks))
    return drawn
