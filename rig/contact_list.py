# SPDX-License-Identifier: GPL-3.0-or-later
"""The contacts of a report by the names of their legs and in scene frames, worst first, as an action remembers them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields

import bpy

from ..solver.metrics import Report
from . import actions
from .flip import result_of
from .sample import Sample

# JSON: {"before": [contact, …], "after": [contact, …]}; "after" is missing where nothing was made from a source.
CONTACTS = "toehold_contact_figures"


@dataclass(frozen=True)
class ListedContact:
    """One contact as a person reads it.

    kind : "toe", or "heel" where the heel alone is planted.
    first, last : scene frames.
    drift_mm, slide_mm_s, unreached_mm : as in ContactFigures; slide is the largest.
    """

    limb: str
    kind: str
    first: int
    last: int
    drift_mm: float
    slide_mm_s: float
    unreached_mm: float


def listed(report: Report, sample: Sample) -> list[ListedContact]:
    """Return the contacts of a report over a sample, the one that drifts most first."""
    found = [
        ListedContact(
            limb=sample.limbs[contact.limb].name,
            kind=contact.kind,
            first=round(float(sample.frames[contact.start])),
            last=round(float(sample.frames[contact.end])),
            drift_mm=contact.drift_mm,
            slide_mm_s=contact.slide_max_mm_s,
            unreached_mm=contact.unreached_mm,
        )
        for contact in report.contacts
    ]
    return sorted(found, key=lambda contact: (-contact.drift_mm, contact.first, contact.limb))


def remember_contacts(
    action: bpy.types.Action, before: Sequence[ListedContact], after: Sequence[ListedContact] | None = None
) -> None:
    """Make ``action`` remember the contacts of its source ``before`` and of itself ``after``; of a source, its own."""
    told = {"before": [asdict(contact) for contact in before]}
    if after is not None:
        told["after"] = [asdict(contact) for contact in after]
    action[CONTACTS] = json.dumps(told)


def remember_new_contacts(action: bpy.types.Action, contacts: Sequence[ListedContact]) -> None:
    """Put contacts measured now in place of those that ``action`` remembers of itself; its source's stay."""
    if actions.source_of(action) is None:
        remember_contacts(action, contacts)
    else:
        remember_contacts(action, _remembered(action, "before"), contacts)


def contacts_of(action: bpy.types.Action) -> list[ListedContact]:
    """Return the contacts remembered of ``action``: by itself or, of a source, by its result."""
    if actions.source_of(action) is not None:
        return _remembered(action, "after")
    own = _remembered(action, "before")
    result = result_of(action)
    return own or ([] if result is None else _remembered(result, "before"))


def _remembered(action: bpy.types.Action, moment: str) -> list[ListedContact]:
    """Return what of the property is contacts: anybody can edit a property by hand."""
    text = action.get(CONTACTS)
    try:
        told = json.loads(text) if isinstance(text, str) else {}
    except ValueError:
        return []
    entries = told.get(moment) if isinstance(told, Mapping) else None
    return [ListedContact(**entry) for entry in entries if _is_contact(entry)] if isinstance(entries, list) else []


def _is_contact(entry: object) -> bool:
    kinds = {"str": str, "int": int, "float": int | float}
    return (
        isinstance(entry, dict)
        and entry.keys() == {field.name for field in fields(ListedContact)}
        and all(isinstance(entry[field.name], kinds[str(field.type)]) for field in fields(ListedContact))
    )
