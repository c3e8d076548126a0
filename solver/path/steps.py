# SPDX-License-Identifier: GPL-3.0-or-later
"""The steps of a way: when each foot comes down and lifts off, first from a stand, last to a stand."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..gait.template import Template
from ..rotations import FloatArray
from ..signals import BoolArray, IntArray
from .law import Law
from .line import Line
from .pace import Pace

# A step that would move its foot by less (hip heights) and turn it by less (radians) is left out.
_LEAST_STEP, _LEAST_TURN = 0.04, 0.06
# Time, √(h/g), for which a body goes ahead before its first foot follows.
_FALLS = 0.8
# The least time in the air, in grid frames.
_LEAST_SWING = 4


@dataclass(frozen=True)
class Steps:
    """Footholds of S steps, leg by leg, each in the order of time; the first and the last of each leg are stands.

    leg (S,). down, off (S,) : times at which the foot comes down and lifts off, √(h/g); infinite at stands' ends.
    middle (S,) : time at which the body is over it. usual (S,) : how long the stance would be in a steady gait.
    """

    leg: IntArray
    down: FloatArray
    off: FloatArray
    middle: FloatArray
    usual: FloatArray

    @property
    def first(self) -> BoolArray:
        return np.isinf(self.down)

    @property
    def last(self) -> BoolArray:
        return np.isinf(self.off)


def phases(law: Law, pace: Pace) -> FloatArray:
    """Return (G, L) strides that each leg has gone, whole where its foot comes down; all stand still before the start.

    At the start one leg is about to lift off, the one at which the fewest others would be in the air.
    """
    begins = round((pace.begins + _FALLS) / pace.dt)
    gone = np.concatenate([[0.0], np.cumsum(law.rate[:-1])]) * pace.dt
    gone = np.maximum(gone - gone[begins], 0.0)
    duty, offsets = law.duty[begins], law.offsets[begins]
    starts = offsets + duty
    shares = (starts[:, None] - offsets + 1e-9) % 1.0
    best = int((shares > duty + 1e-6).sum(axis=1).argmin())
    return gone[:, None] + starts[best] - law.offsets


def make_steps(body: Template, law: Law, pace: Pace, line: Line, ahead: float) -> Steps:
    """Return the steps. A foot whose next place is where it stands keeps standing there."""
    time, turned = pace.time, phases(law, pace)
    parts = [_of_leg(leg, turned[:, leg], law, pace) for leg in range(turned.shape[1])]
    kept = [_worth(part, body, pace, line, ahead, leg) for leg, part in enumerate(parts)]
    legs = np.concatenate([np.full(len(part), leg, dtype=np.intp) for leg, part in enumerate(kept)])
    down, off = np.concatenate(kept).T
    middle = 0.5 * (np.where(np.isinf(down), 0.0, down) + np.where(np.isinf(off), time[-1], off))
    middle = np.where(np.isinf(down), 0.0, np.where(np.isinf(off), time[-1], middle))
    inner = np.where(np.isinf(down), off, down)
    inner = np.where(np.isfinite(inner), inner, time[-1])
    usual = np.interp(inner, time, law.duty / law.rate)
    return Steps(legs, down, off, middle, usual)


def _of_leg(leg: int, turned: FloatArray, law: Law, pace: Pace) -> FloatArray:
    """Return (N, 2) touch-downs and lift-offs of a leg, from minus to plus infinity."""
    time = pace.time
    least = _LEAST_SWING * pace.dt
    begins = pace.begins + _FALLS
    start = np.floor(np.interp(begins, time, turned) + 1e-6)
    risen = np.maximum.accumulate(turned)
    lifted = np.maximum.accumulate(turned - law.duty)
    ends = np.floor(risen[-1])
    number = np.arange(start, ends + 1.0)
    # A strictly rising copy: where a phase stands still, the first moment counts.
    rising = risen + 1e-9 * np.arange(len(time))
    lifting = lifted + 1e-9 * np.arange(len(time))
    down = np.interp(number[1:], rising, time)
    off = np.interp(number[:-1], lifting, time)
    off = np.clip(off, begins, None)
    off = np.minimum(off, down - least)
    off[1:] = np.maximum(off[1:], down[:-1] + least)
    inner = off < down - 0.5 * least
    down, off = down[inner], off[inner]
    return np.stack([np.concatenate([[-np.inf], down]), np.concatenate([off, [np.inf]])], axis=-1)


def _worth(spans: FloatArray, body: Template, pace: Pace, line: Line, ahead: float, leg: int) -> FloatArray:
    """Return the spans (N, 2) without steps that lead nowhere."""
    time = pace.time
    middle = 0.5 * (spans[:, 0] + spans[:, 1])
    middle = np.where(np.isinf(spans[:, 0]), time[0], np.where(np.isinf(spans[:, 1]), time[-1], middle))
    # Once the body has come to rest, the first step that ends is the last.
    rests = np.flatnonzero(spans[:, 0] > pace.ends)
    if len(rests):
        spans, middle = spans[: rests[0] + 1].copy(), middle[: rests[0] + 1].copy()
        spans[-1, 1], middle[-1] = np.inf, time[-1]
    way = np.interp(middle, time, pace.way)
    heading = np.interp(middle, time, pace.heading)
    out = np.stack([np.cos(heading), np.sin(heading)], axis=-1)
    side = np.stack([-out[:, 1], out[:, 0]], axis=-1)
    places = line.at(way)[:, :2] + body.toes[leg, 0] * out + body.toes[leg, 1] * side
    kept = [0]
    for step in range(1, len(spans)):
        moved = np.linalg.norm(places[step] - places[kept[-1]])
        if moved > _LEAST_STEP or abs(heading[step] - heading[kept[-1]]) > _LEAST_TURN:
            kept.append(step)
    chosen = spans[kept].copy()
    # Where a step is left out, its foot stands from the one before until the next one that is made lifts it.
    for at, step in enumerate(kept[1:], 1):
        chosen[at - 1, 1] = spans[step - 1, 1]
    chosen[-1, 1] = np.inf
    return chosen
