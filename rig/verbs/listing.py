# SPDX-License-Identifier: GPL-3.0-or-later
"""What a verb found, as a person goes through it: contacts, worst first, and spans that may be contacts too.

Legs by their names, times in scene frames.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import bpy

from ...solver.contacts import Contacts, runs
from ...solver.detection import ContactSettings
from ...solver.forced import State
from ...solver.ground import Ground
from ...solver.metrics import Report
from ...solver.suspects import find_suspects
from ..common import versions
from ..contacts.contact_curves import edited_states
from ..contacts.properties import STATE
from ..curves.channels import bone_path, custom_property
from ..legs.limb_bones import LimbBones
from ..sampling.sample import Sample

Spans = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class ListedContact:
    """One contact as a person reads it.

    limb, bone : name of the leg, and of the bone of the point that is planted.
    kind : "toe", or "heel" where the heel alone is planted.
    first, last : scene frames.
    by_hand : whether a person has set it, and not detection found it.
    drift_mm, slide_mm_s, unreached_mm : as in ContactFigures; slide is the largest.
    """

    limb: str
    bone: str
    kind: str
    first: int
    last: int
    by_hand: bool
    drift_mm: float
    slide_mm_s: float
    unreached_mm: float


def listed(action: bpy.types.Action, report: Report, sample: Sample) -> list[ListedContact]:
    """Return the contacts of a report over a sample of ``action``, the one that drifts most first."""
    states = _state_curves(action)
    found = []
    for contact in report.contacts:
        limb = sample.limbs[contact.limb]
        joint = limb.toe if contact.kind == "toe" else limb.heel
        first, last = (round(float(sample.frames[at])) for at in (contact.start, contact.end))
        # Where a foot has no toe bone, its end is what is planted, and the foot bone carries the curves.
        carrier = sample.bones[limb.toe] or sample.bones[limb.heel] or ""
        state = states.get(bone_path(carrier, custom_property(STATE[contact.kind])))
        found.append(
            ListedContact(
                limb=limb.name,
                bone=sample.bones[joint] or carrier,
                kind=contact.kind,
                first=first,
                last=last,
                by_hand=state is not None
                and any(state.evaluate(at) > 0.5 for at in (first, (first + last) // 2, last)),
                drift_mm=contact.drift_mm,
                slide_mm_s=contact.slide_max_mm_s,
                unreached_mm=contact.unreached_mm,
            )
        )
    return sorted(found, key=lambda contact: (-contact.drift_mm, contact.first, contact.limb))


def _state_curves(action: bpy.types.Action) -> dict[str, bpy.types.FCurve]:
    """Return by their paths the curves of what a person has set, of whichever slot moves the armature."""
    endings = tuple(custom_property(name) for name in STATE.values())
    bags = [versions.channelbag_of(action, slot) for slot in action.slots]
    curves = [curve for bag in bags if bag is not None for curve in bag.fcurves]
    return {curve.data_path: curve for curve in curves if curve.data_path.endswith(endings)}


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
