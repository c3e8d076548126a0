# SPDX-License-Identifier: GPL-3.0-or-later
"""The lock of clips that repeat: as it plays once the clip has been round, so that its end still leads to its start."""

from __future__ import annotations

from collections.abc import Sequence

from . import locking
from .clip import Clip
from .contacts import Contacts
from .ground import Ground
from .laps import laps_on
from .limb import Limb, joint_positions
from .locking import LockRun, LockSettings


def run(
    clip: Clip, limbs: Sequence[Limb], contacts: Contacts, ground: Ground, settings: LockSettings | None = None
) -> LockRun:
    """Return what ``locking.run`` does; in a clip that repeats, from a lap to the next."""
    laps = laps_on(clip, limbs, ground)
    if laps is None:
        return locking.run(clip, limbs, contacts, ground, settings)
    # Contacts that are masked, since only some frames are asked for, repeat with the rest.
    played = locking.run(laps.clip, limbs, laps.contacts(contacts), laps.ground, settings)
    kept = laps.middle
    # A last frame may not be wholly the first one again: it is moved as that is.
    own = joint_positions(clip, limbs, "toe") - joint_positions(laps.clip, limbs, "toe")[kept]
    return LockRun(played.toe_targets[kept] + own, played.locked[kept], played.points[kept] + own)


def lock(
    clip: Clip, limbs: Sequence[Limb], contacts: Contacts, ground: Ground, settings: LockSettings | None = None
) -> tuple[Clip, LockRun]:
    """Return what ``locking.lock`` does; a clip that repeats still does."""
    locked = run(clip, limbs, contacts, ground, settings)
    return locking.shown(clip, limbs, contacts, ground, locked), locked
