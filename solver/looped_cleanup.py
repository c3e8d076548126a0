# SPDX-License-Identifier: GPL-3.0-or-later
"""The clean-up of clips that repeat, so that they still do: each is solved as the middle one of several laps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from . import cleanup
from .cleanup_settings import CleanupSettings
from .clip import Clip
from .contacts import Contacts
from .ground import Ground
from .laps import laps_on
from .limb import Limb, joint_positions
from .rotations import FloatArray
from .signals import BoolArray
from .solution import Solution, applied
from .standing import set_down

# Seconds before the last pose over which roots move to where the next lap begins, if that pose is not quite the first.
SEAM_TIME = 0.15


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
    solution = _carried_over_the_seam(clip, lap, held, solution)
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


def _carried_over_the_seam(clip: Clip, lap: Clip, held: FloatArray, solution: Solution) -> Solution:
    """Return a solution whose roots come to where the next lap begins, as far as feet are ``held`` (F, L) there.

    A foot that stands where it stood in the lap cannot be reached from a root that is elsewhere. The gap g at the last
    frame is closed over the time T before it, by ``g s^2 (3 - 2 s)`` with s from 0 to 1; or in that frame
    alone, where that is calmer, since it alone is off.
    """
    roots = list(solution.roots)
    gap = (lap.positions[-1, roots] - clip.positions[-1, roots]) * held[-1].max(initial=0.0)
    before_end = clip.frame_count - 1.0 - np.arange(clip.frame_count)
    found = []
    for reach in (1.0, min(max(1.0, SEAM_TIME * clip.fps), 0.5 * (clip.frame_count - 1))):
        share = np.clip(1.0 - before_end / reach, 0.0, 1.0)
        eased = (share * share * (3.0 - 2.0 * share))[:, None, None]
        found.append(solution.root_displacements + eased * gap)
    sharpness = [float(np.abs(np.diff(clip.positions[:, roots] + each, 2, axis=0)).max(initial=0.0)) for each in found]
    return replace(solution, root_displacements=found[int(np.argmin(sharpness))])
