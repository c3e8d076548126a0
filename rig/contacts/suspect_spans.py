# SPDX-License-Identifier: GPL-3.0-or-later
"""Spans that look like stances and are not called contacts, in scene frames, less what a person has decided."""

from __future__ import annotations

from collections.abc import Sequence

import bpy

from ...solver.contacts import Contacts, runs
from ...solver.detection import ContactSettings
from ...solver.forced import State
from ...solver.ground import Ground
from ...solver.suspects import find_suspects
from ..limb_bones import LimbBones
from ..sampling.sample import Sample
from .contact_curves import edited_states

Spans = tuple[tuple[int, int], ...]


def suspect_spans(
    armature: bpy.types.Object,
    limbs: Sequence[LimbBones],
    sample: Sample,
    contacts: Contacts,
    ground: Ground,
    settings: ContactSettings | None = None,
) -> tuple[Spans, ...]:
    """Return for each limb the first and last scene frame of each of its suspects, see solver/suspects.py.

    ground : with the velocity of the clip's treadmill where it has one.
    """
    states = edited_states(armature, limbs, sample.frames)
    decided = (states.toe != State.AUTO) | (states.heel != State.AUTO)
    found = find_suspects(sample.clip, sample.limbs, ground, contacts, settings) & ~decided
    frames = [round(float(frame)) for frame in sample.frames]
    return tuple(tuple((frames[first], frames[last]) for first, last in runs(found[:, at])) for at in range(len(limbs)))
