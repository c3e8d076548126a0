# SPDX-License-Identifier: GPL-3.0-or-later
"""From a push that cannot be caught to the clip of a fall: struck, let go, at rest, and up again if there is time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...solver.clip import Clip
from ...solver.contacts import Contacts
from ...solver.gait.falling import (
    above_ground,
    at_rest,
    contacts_after,
    joined,
    lying,
    onward_lying,
    risen,
    rising,
    struck,
)
from ...solver.gait.push_horizon import Pushed, Subject
from ...solver.gait.push_pose import carriers_of
from ...solver.gait.ragdoll import fallen_clip, parts_of_body, placed, stiffened
from .simulate import Led, fall

# A fall is looked at for this long (√(h/g)).
_LONGEST = 12.0


@dataclass(frozen=True)
class Fallen:
    """A fall, over the subject's frames and more where it takes longer.

    up : the frame in which it is in its clip again, the last where it lies. gape : metres, as ``fall`` has it.
    carriers : the joints that carry the body, by which it is placed.
    """

    clip: Clip
    contacts: Contacts
    rises: bool
    up: int
    gape: float
    carriers: list[int]


def fall_down(subject: Subject, push: Pushed, mass: float, *, stays_down: bool = False) -> Fallen:
    """Return how the body falls from a push, and gets up where its clip goes on for long enough and it may."""
    body = subject.template
    begun, last = struck(subject, push)
    parts = parts_of_body(subject.clip, begun, subject.limbs, body, mass, subject.ground)
    frames = int(np.ceil(_LONGEST * body.time * subject.clip.fps))
    centres, turned = placed(stiffened(begun, parts), parts)
    centres, turned, gape = fall(parts, Led(centres, turned), frames, subject.clip.fps, subject.ground)
    rest = at_rest(centres, subject.clip.fps, body)
    fallen = fallen_clip(begun, parts, centres[: rest + 1], turned[: rest + 1], last)
    carriers = carriers_of(subject.clip, body.masses)
    lowest = min(subject.ground, float(subject.clip.positions[..., 2].min()))
    down = above_ground(joined([begun, lying(fallen)]), carriers, lowest)
    when = None if stays_down else rising(subject, down.frame_count - 1)
    if when is None:
        down = onward_lying(down, subject.clip.frame_count)
        return Fallen(
            down, contacts_after(subject, last, down.frame_count, None), False, down.frame_count - 1, gape, carriers
        )
    up = above_ground(risen(subject, down, when), carriers, lowest)
    whole = joined([down, up])
    return Fallen(whole, contacts_after(subject, last, whole.frame_count, when), True, when.last, gape, carriers)
