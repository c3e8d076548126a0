# SPDX-License-Identifier: GPL-3.0-or-later
"""The picture of a walk before and after: what the planted feet do, seen from the side, and how fast a toe moves."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from drawing import Paper, Points

from toehold.solver.arrays import FloatArray
from toehold.solver.clip import Clip
from toehold.solver.contacts import Contacts, runs
from toehold.solver.limb import Limb

WIDTH, HEIGHT = 1600, 960
PAPER, INK, FAINT, BODY = "#fbfbfa", "#2b3038", "#8a929c", "#c4cad1"
SLIDING, STILL = "#d7263d", "#0a8f7c"
LEFT_LEG, RIGHT_LEG = "#9fb4cc", "#4a6f9c"
MARGIN = 60.0
# Seconds from one figure to the next.
FIGURE_EVERY = 0.2
# The fastest that the diagram shows, in mm/s; a swinging toe is several times faster.
FASTEST = 750.0
# Below this a planted toe counts as still, in mm/s.
CALM = 15.0


def draw(path: Path, before: Clip, after: Clip, limbs: Sequence[Limb], contacts: Contacts) -> None:
    """Draw both clips of the walker, whose ``limbs`` were planted as ``contacts`` say, into the PNG ``path``."""
    paper = Paper(WIDTH, HEIGHT, PAPER)
    travel = -before.positions[..., 1]
    metre = (WIDTH - 2.0 * MARGIN) / np.ptp(travel)
    for clip, ground, title in ((before, 660.0, "Before"), (after, 340.0, "After")):
        _draw_walk(paper, _Side(metre, MARGIN - metre * travel.min(), ground), clip, limbs, contacts)
        slide = planted_speed(clip, limbs, contacts)
        colour, figure = (SLIDING, f"{slide:.0f}") if slide > CALM else (STILL, f"{slide:.1f}")
        paper.text(title, MARGIN, ground + 250.0, 34.0, INK)
        paper.text(f"planted toes move at {figure} mm/s", MARGIN + 130.0, ground + 250.0, 26.0, colour)
    _draw_speeds(paper, before, after, limbs[0], contacts.toe_planted[:, 0])
    paper.save(path)


def planted_speed(clip: Clip, limbs: Sequence[Limb], contacts: Contacts) -> float:
    """Return the mean speed over the ground, in mm/s, of toes between two frames in which they are planted."""
    toes = clip.positions[:, [limb.toe for limb in limbs], :2]
    speeds = np.linalg.norm(np.diff(toes, axis=0), axis=-1) * clip.fps * 1000.0
    return float(speeds[contacts.toe_planted[1:] & contacts.toe_planted[:-1]].mean())


class _Side:
    """Where points of the world are on the paper: seen from the walker's right, so that it walks to the right."""

    def __init__(self, metre: float, start: float, ground: float) -> None:
        self.metre, self.start, self.ground = metre, start, ground

    def __call__(self, points: FloatArray) -> Points:
        return np.stack([self.start - self.metre * points[..., 1], self.ground + self.metre * points[..., 2]], axis=-1)


def _draw_walk(paper: Paper, to_paper: _Side, clip: Clip, limbs: Sequence[Limb], contacts: Contacts) -> None:
    seen = to_paper(clip.positions)
    frames = range(0, clip.frame_count, max(1, round(FIGURE_EVERY * clip.fps)))
    paper.lines([np.array([[MARGIN, to_paper.ground], [WIDTH - MARGIN, to_paper.ground]])], BODY, 2.0)
    for limb, colour in zip(limbs, (LEFT_LEG, RIGHT_LEG), strict=True):
        paper.lines([seen[frame, _leg(limb)] for frame in frames], colour, 2.5)
    paper.dots(seen[frames, limbs[0].root], 7.0, RIGHT_LEG)
    for index, limb in enumerate(limbs):
        for start, end in runs(contacts.toe_planted[:, index]):
            toe = seen[start : end + 1, limb.toe]
            speed = np.linalg.norm(np.diff(clip.positions[start : end + 1, limb.toe, :2], axis=0), axis=-1)
            colour = SLIDING if speed.mean() * clip.fps * 1000.0 > CALM else STILL
            paper.lines([seen[frame, _leg(limb)[2:]] for frame in range(start, end + 1, 2)], colour, 1.5)
            paper.box(toe[:, 0].min() - 4.0, to_paper.ground - 28.0, np.ptp(toe[:, 0]) + 8.0, 8.0, colour)


def _leg(limb: Limb) -> list[int]:
    return [joint for joint in (limb.hip, limb.knee, limb.heel, limb.toe, limb.toe_end) if joint is not None]


def _draw_speeds(paper: Paper, before: Clip, after: Clip, limb: Limb, planted: np.ndarray) -> None:
    """Draw the speed of one toe over time, and when it is planted."""
    low, high, left, right = 50.0, 240.0, MARGIN + 70.0, WIDTH - MARGIN
    seconds = np.arange(1, before.frame_count) / before.fps
    across = left + (right - left) * seconds / seconds[-1]
    for start, end in runs(planted[1:]):
        paper.box(across[start], low, across[end] - across[start], high - low, "#eef1f3")
    for speed in (0.0, 250.0, 500.0, FASTEST):
        y = low + (high - low) * speed / FASTEST
        paper.lines([np.array([[left, y], [right, y]])], "#dfe3e7", 1.5)
        paper.text(f"{speed:.0f}", left - 12.0, y - 7.0, 20.0, FAINT, "RIGHT")
    for clip, colour in ((before, SLIDING), (after, STILL)):
        speeds = np.linalg.norm(np.diff(clip.positions[:, limb.toe], axis=0), axis=-1) * clip.fps * 1000.0
        points = np.stack([across, low + (high - low) * np.minimum(speeds, FASTEST) / FASTEST], axis=-1)
        slow = speeds < FASTEST
        paper.lines([points[start : end + 1] for start, end in runs(slow) if end > start], colour, 3.0)
    paper.text("Speed of the left toe, mm/s.  Shaded: planted", left, high + 14.0, 20.0, FAINT)
    paper.text("before", right - 90.0, high + 14.0, 20.0, SLIDING, "RIGHT")
    paper.text("after", right, high + 14.0, 20.0, STILL, "RIGHT")
