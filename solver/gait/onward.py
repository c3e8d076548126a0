# SPDX-License-Identifier: GPL-3.0-or-later
"""A loop that goes on after its end, lap after lap."""

from __future__ import annotations

import numpy as np

from ..arrays import IntArray
from ..clip import Clip
from ..contacts import Contacts
from ..loops import find_loop


def onward(clip: Clip, contacts: Contacts, count: int, root: int) -> tuple[Clip, Contacts] | None:
    """Return a loop and its contacts with ``count`` frames at least; None of a clip that does not repeat.

    root : the joint that carries the body, by which a loop is told.
    """
    loop = find_loop(clip, root)
    if loop is None:
        return None
    frames = clip.frame_count
    order = np.arange(max(count, frames))
    lap: IntArray = np.where(order < frames, 0, order // loop.period)
    order = np.where(order < frames, order, order % loop.period)
    located = clip.local_locations[order].copy()
    for joint, parent in enumerate(clip.skeleton.parents):
        if parent < 0:
            located[:, joint] += lap[:, None] * loop.travel
    touching = None if contacts.touching is None else contacts.touching[order]
    return clip.moved(clip.local_rotations[order], located), Contacts(
        contacts.toe[order], contacts.heel[order], touching
    )
