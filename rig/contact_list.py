# SPDX-License-Identifier: GPL-3.0-or-later
"""The contacts of a report by the names of their legs and in scene frames, worst first; and how to go to one."""

from __future__ import annotations

from dataclasses import dataclass

import bpy

from ..solver.metrics import Report
from . import versions
from .sample import Sample


@dataclass(frozen=True)
class ListedContact:
    """One contact as a person reads it.

    limb, bone : name of the leg, and of the bone of the point that is planted.
    kind : "toe", or "heel" where the heel alone is planted.
    first, last : scene frames.
    drift_mm, slide_mm_s, unreached_mm : as in ContactFigures; slide is the largest.
    """

    limb: str
    bone: str
    kind: str
    first: int
    last: int
    drift_mm: float
    slide_mm_s: float
    unreached_mm: float


def listed(report: Report, sample: Sample) -> list[ListedContact]:
    """Return the contacts of a report over a sample, the one that drifts most first."""
    found = []
    for contact in report.contacts:
        limb = sample.limbs[contact.limb]
        joint = limb.toe if contact.kind == "toe" else limb.heel
        found.append(
            ListedContact(
                limb=limb.name,
                # Where a foot has no toe bone, its end is what is planted.
                bone=sample.bones[joint] or sample.bones[limb.heel] or "",
                kind=contact.kind,
                first=round(float(sample.frames[contact.start])),
                last=round(float(sample.frames[contact.end])),
                drift_mm=contact.drift_mm,
                slide_mm_s=contact.slide_max_mm_s,
                unreached_mm=contact.unreached_mm,
            )
        )
    return sorted(found, key=lambda contact: (-contact.drift_mm, contact.first, contact.limb))


def select_only(armature: bpy.types.Object, bone_name: str) -> None:
    """Select one bone of the armature's pose and make it the active one; nothing changes where it has none such."""
    chosen = armature.pose.bones.get(bone_name)
    if chosen is None:
        return
    for bone in armature.pose.bones:
        if versions.is_selected(bone) != (bone == chosen):
            versions.select(bone, bone == chosen)
    armature.data.bones.active = chosen.bone
