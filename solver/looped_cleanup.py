# SPDX-License-Identifier: GPL-3.0-or-later
"""The clean-up of clips that repeat, so that they still do: each is solved as the middle one of several laps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from . import cleanup
from .bad_frames import find_breaks, without_bad
from .cleanup import CleanupSettings
from .clip import Clip
from .contacts import PLANTED, Contacts, ContactSettings, annotate
from .ground import Ground
from .laps import laps_on
from .limb import Limb, joint_positions
from .rotations import FloatArray
from .signals import BoolArray
from .solution import Solution, applied
from .standing import set_down


def clean(
    clip: Clip,
    limbs: Sequence[Limb],
    contacts: Contacts,
    ground: Ground,
    settings: CleanupSettings | None = None,
    pinned: BoolArray | None = None,
) -> tuple[Clip, Solution]:
    """Return what ``cleanup.clean`` does; a clip that repeats is cleaned so that its end still leads to its start.

    A clip with ``pinned`` (F,) frames is no loop, since what is asked for is part of it only.
    """
    settings = settings or CleanupSettings()
    laps = laps_on(clip, limbs, ground) if pinned is None else None
    if laps is None:
        standing = set_down(clip, limbs, contacts, ground, settings, pinned)
        return cleanup.clean(standing, limbs, contacts, ground, settings, pinned)
    _, solution = cleanup.clean(laps.clip, limbs, laps.contacts(contacts), laps.ground, settings)
    lap, solution = laps.clip.during(laps.middle), solution.during(laps.middle)
    held = settings.strength * (contacts.toe_planted | contacts.heel_planted).astype(np.float64)
    solution = _where_the_clip_has_them(clip, lap, limbs, held, solution)
    return applied(clip, limbs, solution, ground, settings.softening), solution


def _where_the_clip_has_them(
    clip: Clip, lap: Clip, limbs: Sequence[Limb], held: FloatArray, solution: Solution
) -> Solution:
    """Return a lap's solution for the clip itself, whose last frame may not be wholly the first one again.

    held : (F, L) from 0 to 1, how much of such a gap a foot closes: one that is planted goes where it was planted,
        another is moved as it was in the lap.
    """
    toe_gap, heel_gap = (
        joint_positions(clip, limbs, joint) - joint_positions(lap, limbs, joint) for joint in ("toe", "heel")
    )
    closed = held[..., None] * toe_gap
    return replace(
        solution,
        toe_targets=solution.toe_targets + toe_gap - closed,
        heel_targets=solution.heel_targets + heel_gap - closed,
    )


def find_contacts(clip: Clip, limbs: Sequence[Limb], ground: Ground, settings: ContactSettings) -> Contacts:
    """Return what ``contacts.annotate`` does; in a clip that repeats, contacts go on over its end.

    ground : with the velocity of the clip's treadmill where it has one.

    Where the motion breaks off (see bad_frames.py) its parts are looked at by themselves; a bad frame has no contacts.
    """
    breaks = find_breaks(clip)
    if not breaks.any:
        return _contacts_of_one_motion(clip, limbs, ground, settings)
    whole = without_bad(clip, breaks.bad)
    parts = [
        _contacts_of_one_motion(whole.during(part), limbs, ground.during(part), settings) for part in breaks.stretches()
    ]
    good = ~breaks.bad[:, None]
    # Whatever stands on both sides of a cut, nothing is planted across it.
    good[[frame - side for frame in breaks.cuts for side in (0, 1)]] = False
    return Contacts(
        toe=np.concatenate([part.toe for part in parts]) * good,
        heel=np.concatenate([part.heel for part in parts]) * good,
        touching=np.concatenate([part.foot_down for part in parts]) & good,
    )


def _contacts_of_one_motion(clip: Clip, limbs: Sequence[Limb], ground: Ground, settings: ContactSettings) -> Contacts:
    laps = laps_on(clip, limbs, ground)
    if laps is None:
        return annotate(clip, limbs, ground, settings, belt_known=True)
    found = annotate(laps.clip, limbs, laps.ground, settings).during(laps.middle)
    # What is planted at the clip's end is so fully: a curve that ends there has no room to ease.
    for signal in (found.toe, found.heel):
        signal[[0, -1]] = np.where(signal[[0, -1]] > PLANTED, 1.0, signal[[0, -1]])
    return found
