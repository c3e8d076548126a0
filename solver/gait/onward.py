# SPDX-License-Identifier: GPL-3.0-or-later
"""A clip that goes on after its end: loops in laps, all else as it stands there."""

from __future__ import annotations

import numpy as np

from ..clip import Clip
from ..contacts import Contacts
from ..loops import find_loop
from ..signals import IntArray


def onward(clip: Clip, contacts: Contacts, count: int, root: int) -> tuple[Clip, Contacts]:
    """Return clip and contacts with at least ``count`` frames; those that there are stay as they are.

    root : the joint that carries the body, by which a loop is told.
    """
    frames = clip.frame_count
    if count <= frames:
        return clip, contacts
    loop = find_loop(clip, root)
    order = np.arange(count)
    lap: IntArray = np.zeros(count, dtype=np.intp)
    travel = np.zeros(3)
    if loop is None:
        order = np.minimum(order, frames - 1)
    else:
        beyond = order >= frames
        lap[beyond] = order[beyond] // loop.period
        order[beyond] %= loop.period
        travel = loop.travel
    located = clip.local_locations[order].copy()
    for joint, parent in enumerate(clip.skeleton.parents):
        if parent < 0:
            located[:, joint] += lap[:, None] * travel
    touching = None if contacts.touching is None else contacts.touching[order]
    longer = Contacts(contacts.toe[order], contacts.heel[order], touching)
    return clip.moved(clip.local_rotations[order], located), longer
