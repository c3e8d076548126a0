# SPDX-License-Identifier: GPL-3.0-or-later
"""The clean-up of clips that repeat, so that they still do: each is solved as the middle of three laps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from . import cleanup, loops
from .cleanup import CleanupSettings
from .clip import Clip
from .contacts import PLANTED, Contacts, ContactSettings, annotate
from .ground import FlatGround, Ground
from .limb import Limb, joint_positions
from .loops import Loop
from .rotations import FloatArray
from .signals import BoolArray
from .solution import Solution, applied
from .standing import set_down
from .treadmill import Treadmill

# What is changed at the far ends of the laps has faded out after so many seconds, before the lap that is kept.
FADED_TIME = 1.5


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
    loop = loop_on(clip, limbs, ground) if pinned is None else None
    if loop is None:
        settings = settings or CleanupSettings()
        standing = set_down(clip, limbs, contacts, ground, settings, pinned)
        return cleanup.clean(standing, limbs, contacts, ground, settings, pinned)
    times = times_round(clip, loop)
    order, _ = loops.laps(loop, clip.frame_count, times)
    # A foot that is planted over the seam is planted there in both of its frames.
    all_laps = Contacts(contacts.toe[order], contacts.heel[order])
    laps = loops.repeated(clip, loop, times)
    settings = settings or CleanupSettings()
    _, solution = cleanup.clean(laps, limbs, all_laps, lap_after_lap(ground, loop, clip), settings)
    kept = loops.middle(loop, clip.frame_count, times)
    held = settings.strength * (contacts.toe_planted | contacts.heel_planted).astype(np.float64)
    solution = _where_the_clip_has_them(clip, laps.during(kept), limbs, held, solution.during(kept))
    return applied(clip, limbs, solution, ground, settings.softening), solution


def loop_on(clip: Clip, limbs: Sequence[Limb], ground: Ground) -> Loop | None:
    """Return how a clip repeats; None where it does not, or its ground would not be the same on the next lap."""
    base = ground.ground if isinstance(ground, Treadmill) and not ground.varies else ground
    return loops.find_loop(clip, limbs[0].root) if limbs and isinstance(base, FlatGround) else None


def times_round(clip: Clip, loop: Loop) -> int:
    """Return how many laps are looked at, the one in the middle of which is kept."""
    return 1 + 2 * max(1, int(np.ceil(FADED_TIME * clip.fps / loop.period)))


def lap_after_lap(ground: Ground, loop: Loop, clip: Clip) -> Ground:
    """Return the ground of all laps: a belt that waits where the pose is held does so in each."""
    if not isinstance(ground, Treadmill) or ground.pace is None:
        return ground
    order, _ = loops.laps(loop, clip.frame_count, times_round(clip, loop))
    return replace(ground, pace=ground.pace[order])


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
    """
    loop = loop_on(clip, limbs, ground)
    if loop is None:
        return annotate(clip, limbs, ground, settings, belt_known=True)
    times = times_round(clip, loop)
    laps = loops.repeated(clip, loop, times)
    found = annotate(laps, limbs, lap_after_lap(ground, loop, clip), settings).during(
        loops.middle(loop, clip.frame_count, times)
    )
    # What is planted at the clip's end is so fully: a curve that ends there has no room to ease.
    for signal in (found.toe, found.heel):
        signal[[0, -1]] = np.where(signal[[0, -1]] > PLANTED, 1.0, signal[[0, -1]])
    return found
