# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet that stand with their tip, or their heel, inside the riser of a stair: moved along the tread until it is out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from . import rotations, signals
from .arrays import FloatArray
from .clip import Clip
from .contacts import Contacts, runs
from .ground import Ground
from .limb import Limb

# A face that rises by more than this (degrees) under a foot is no ground that the foot can lie on.
STEEP = 60.0

# The number of places from the toe on that are looked at for such a face, and over how many of them its rise is taken.
PLACES, WINDOW = 33, 4

# A foot that has to move keeps this far from the face, and stays where it is if its tread is further off than that,
# up or down (metres, 0.9 m leg).
MARGIN = 0.005
SAME_TREAD = 0.02

# A toe that a clean-up has bent by more than this (degrees) against its foot had an obstacle before it.
BENT = 30.0


def moves_out(clip: Clip, limbs: Sequence[Limb], contacts: Contacts, ground: Ground, toes: FloatArray) -> FloatArray:
    """Return by how much (F, L, 3), metres and level, planted feet move so that no tip or heel is in a steep face.

    Between contacts it goes smoothly from one to the next. A foot stays where there is no room on the tread: its
    toes bend there.

    toes : (F, L, 3) where the toes are to stand.
    """
    moves = np.zeros_like(toes)
    for at, limb in enumerate(limbs):
        down = contacts.planted[:, at]
        for first, last in runs(down):
            span = np.arange(first, last + 1)
            # Where heel and toe are down, else where one of them is.
            down_joints = contacts.toe_planted[span, at].astype(int) + contacts.heel_planted[span, at]
            standing = span[down_joints == down_joints.max()]
            # A foot that strikes with its heel has its tip further on than when it is flat.
            frames = [int(frame) for frame in (standing[len(standing) // 2], first, last)]
            moves[span, at] = _move_out(clip, limb, frames, ground, toes[:, at])
        if np.any(moves[:, at]):
            moves[:, at] = signals.between_spans(moves[:, at], down)
    return moves


def held_back(clip: Clip, limbs: Sequence[Limb], contacts: Contacts, ground: Ground, toes: FloatArray) -> FloatArray:
    """Return ``toes`` (F, L, 3), metres, with those of swinging feet kept back whose tip would be in a steep face.

    A foot that stands close before a riser is lifted first, and then goes on.
    """
    held = toes.copy()
    for at, limb in enumerate(limbs):
        if limb.toe_end is None:
            continue
        ends = clip.positions[:, limb.toe_end] - clip.positions[:, limb.toe]
        tips = toes[:, at] + ends
        sunk = tips[:, 2] < ground.height(tips[:, None])[:, 0]
        for frame in np.flatnonzero(sunk & ~contacts.planted[:, at]).tolist():
            inside = _inside(ground.during(slice(frame, frame + 1)), toes[frame, at], ends[frame])
            held[frame, at] -= inside * rotations.normalized(ends[frame] * [1.0, 1.0, 0.0])
    return held


def bent_toes(before: Clip, after: Clip, limbs: Sequence[Limb], contacts: Contacts) -> int:
    """Return how many contacts have their toes bent since ``before``, since there was no room for them."""
    count = 0
    for at, limb in enumerate(limbs):
        if limb.toe_end is None:
            continue
        turned = rotations.angle_between(before.local_rotations[:, limb.toe], after.local_rotations[:, limb.toe])
        spans = runs(contacts.toe_planted[:, at] & contacts.heel_planted[:, at])
        count += sum(bool(np.median(turned[first : last + 1]) > np.radians(BENT)) for first, last in spans)
    return count


def _move_out(clip: Clip, limb: Limb, frames: Sequence[int], ground: Ground, toes: FloatArray) -> FloatArray:
    """Return by how much (3,) a foot has to move that stands with its toe at ``toes`` (F, 3), looked at in some frames.

    In the first of them most of it is down.
    """
    scale = limb.scale(clip) or 1.0
    for joint in (limb.toe_end, limb.heel):
        if joint is None:
            continue
        ends = clip.positions[:, joint] - clip.positions[:, limb.toe]
        inside = [_inside(ground.during(slice(at, at + 1)), toes[at], ends[at]) for at in frames]
        if max(inside) == 0.0:
            continue
        toe = toes[frames[0]]
        move = -(max(inside) + MARGIN * scale) * rotations.normalized(ends[frames[0]] * [1.0, 1.0, 0.0])
        here = ground.during(slice(frames[0], frames[0] + 1))
        there = here.height(np.stack([toe, toe + move])[None])[0]
        return move if abs(there[1] - there[0]) < SAME_TREAD * scale else np.zeros(3)
    return np.zeros(3)


def _inside(here: Ground, toe: FloatArray, end: FloatArray) -> float:
    """Return how far, level, a point ``end`` (3,) metres from a toe is inside a steep face, 0 if it is not."""
    level = float(np.linalg.norm(end[:2]))
    along = np.linspace(0.0, 1.0, PLACES)
    points = toe + along[:, None] * end * [1.0, 1.0, 0.0]
    heights = here.height(points[None])[0]
    if heights[-1] <= toe[2] + end[2]:
        return 0.0
    rises = heights[WINDOW:] - heights[:-WINDOW]
    steep = np.flatnonzero(rises > np.tan(np.radians(STEEP)) * level * WINDOW / (PLACES - 1))
    if len(steep) == 0:
        return 0.0
    first = int(steep[0])
    below = heights[first : first + WINDOW + 1] < heights[first] + 0.5 * rises[first]
    return level * (1.0 - float(along[first + np.flatnonzero(below)[-1]]))
