# SPDX-License-Identifier: GPL-3.0-or-later
"""The stances of a clip from a push on: which may be elsewhere, when feet can be there, and steps that are put in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..arrays import BoolArray, FloatArray, IntArray
from ..contacts import Contacts, runs

# Of a foot that stands shorter than this (√(h/g)) it is not known whether it stands.
_LEAST_STANCE = 0.12
# Steps that are put in where a foot would stand on: when the first begins after the push and how long it takes, and
# when that of the other side begins (√(h/g)). A foot that stands longer than _STANDS after the push is stepped with.
_FIRST, _SWING, _SECOND = 0.45, 1.1, 1.75
_STANDS = 2.2
# How high such a step is lifted (hip heights).
STEP_LIFT = 0.09


@dataclass(frozen=True)
class Stance:
    """A foot on one place: frames ``first`` to ``last``; it left the place before after frame ``left``."""

    limb: int
    first: int
    last: int
    left: int


@dataclass(frozen=True)
class Footfall:
    """The contacts that a push is answered with, and the frames (first, last) of swings that were put in, by limb."""

    contacts: Contacts
    lifts: tuple[tuple[int, int, int], ...] = ()


def stances_of(footfall: Footfall, least: int) -> list[Stance]:
    """Return all stances by limb and time; feet that stand again within ``least`` frames have not left."""
    found = []
    lifted = footfall.lifts
    down = footfall.contacts.foot_down
    for limb in range(down.shape[1]):
        cut = down[:, limb].copy()
        spans = [(first, last) for first, last in runs(cut)]
        joined: list[list[int]] = []
        for first, last in spans:
            stepped = any(one == limb and first - 1 == end for one, _, end in lifted)
            if joined and first - joined[-1][1] <= least and not stepped:
                joined[-1][1] = last
            else:
                joined.append([first, last])
        for at, (first, last) in enumerate(joined):
            found.append(Stance(limb, first, last, joined[at - 1][1] if at else -1))
    return found


def least_frames(unit: float, fps: float) -> int:
    """Return how many frames a foot is off the ground at least where it has left it; ``unit`` seconds for √(h/g)."""
    return max(1, round(_LEAST_STANCE * unit * fps))


def with_steps(footfall: Footfall, push: int, unit: float, fps: float, order: Sequence[Sequence[int]]) -> Footfall:
    """Return the footfall with a step of each limb that stands on, those of ``order[0]`` first.

    push : frame. unit : seconds of √(h/g).
    """
    down = footfall.contacts.foot_down
    lifts = list(footfall.lifts)
    toe, heel, touching = footfall.contacts.toe.copy(), footfall.contacts.heel.copy(), down.copy()
    for start, limbs in zip((_FIRST, _SECOND), order, strict=True):
        for limb in limbs:
            first = push + max(1, round(start * unit * fps))
            last = first + max(2, round(_SWING * unit * fps))
            until = push + round(_STANDS * unit * fps)
            if until >= len(down) or not down[push : until + 1, limb].all():
                continue
            for values in (toe, heel):
                values[first : last + 1, limb] = 0.0
            touching[first : last + 1, limb] = False
            lifts.append((limb, first, last))
    return replace(footfall, contacts=Contacts(toe, heel, touching), lifts=tuple(lifts))


def stands_on(contacts: Contacts, push: int, unit: float, fps: float) -> BoolArray:
    """Return which feet (L,) stand where they are for long after the push."""
    until = push + round(_STANDS * unit * fps)
    down = contacts.foot_down
    return down[push : until + 1].all(axis=0) & (until < len(down))


def choices(stances: Sequence[Stance], push: int, end: int, count: int) -> tuple[IntArray, list[Stance]]:
    """Return (F, L) which shift a foot has, and the stances with one of their own; -1 is none.

    What stands at the push has none; what still stands at frame ``end``, or comes later, has the final one, the last.
    """
    own = sorted((s for s in stances if s.first > push and s.last < end), key=lambda s: (s.first, s.limb))
    chosen = np.full((end + 1, count), -1)
    for at, stance in enumerate(own):
        chosen[stance.first : stance.last + 1, stance.limb] = at
    for stance in stances:
        if stance.last >= end and stance.first > push:
            chosen[stance.first :, stance.limb] = len(own)
    return chosen, own


def eased(share: FloatArray) -> FloatArray:
    """Return the minimum-jerk way from 0 to 1."""
    share = np.clip(share, 0.0, 1.0)
    return np.asarray(share**3 * (10.0 - 15.0 * share + 6.0 * share**2))


def foot_shifts(stances: Sequence[Stance], chosen: IntArray, shifts: FloatArray, push: int, count: int) -> FloatArray:
    """Return (count, L, 2): by how much each foot is shifted in every frame, its swings eased from place to place."""
    end, legs = chosen.shape
    result = np.zeros((count, legs, 2))
    frames = np.arange(count)
    for limb in range(legs):
        mine = sorted((s for s in stances if s.limb == limb), key=lambda s: s.first)
        before = np.zeros(2)
        for stance in mine:
            if stance.first <= push:
                continue
            at = int(chosen[stance.first, limb]) if stance.first < end else len(shifts) - 1
            place = shifts[at]
            start = max(stance.left, push)
            share = eased((frames - start) / max(stance.first - start, 1))
            swung = (frames > start) & (frames < stance.first)
            result[swung, limb] = before + share[swung, None] * (place - before)
            result[stance.first :, limb] = place
            before = place
        held = [s for s in mine if s.first <= push]
        last = mine[-1] if mine else None
        if last is not None and last.last < count - 1 and (last.first > push or held):
            # The swing after the last stance goes on to where the clip goes on.
            start = max(last.last, push)
            share = eased((frames - start) / max(min(count - 1 - start, 12), 1))
            tail = frames > start
            result[tail, limb] = before + share[tail, None] * (shifts[-1] - before)
    return result
