# SPDX-License-Identifier: GPL-3.0-or-later
"""What an action remembers of the contacts that were last written into it.

It travels with the action through glTF, tells what a person has edited since, and keeps what the curves do not hold:
when a foot that is not planted touches the ground. JSON, in whole scene frames, each span with its last frame::

    {limb: {"bone": name, "frames": [first, last], "toe": [[first, last], …], "heel": […], "foot_down": […]}}
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import bpy
import numpy as np

from ...solver.contacts import Contacts, runs
from ...solver.rotations import FloatArray
from ...solver.signals import BoolArray
from ..common import versions
from ..curves.channels import bone_path, custom_property, key_coordinates
from ..legs.limb_bones import LimbBones
from .properties import CONTACT

SUMMARY = "toehold_contacts"


@dataclass(frozen=True)
class Written:
    """What was last written, at the frames asked for.

    contacts : (F, L) of the limbs asked for, 0 or 1.
    known : (F, L) where there is a record.
    """

    contacts: Contacts
    known: BoolArray


def remember(action: bpy.types.Action, limbs: Sequence[LimbBones], contacts: Contacts, frames: FloatArray) -> None:
    """Make ``action`` remember the contacts (F, L) of ``limbs``; what it remembers of other limbs stays."""
    entries = without(_entries(action), limbs)
    points = {"toe": contacts.toe_planted, "heel": contacts.heel_planted, "foot_down": contacts.foot_down}
    for at, limb in enumerate(limbs):
        entries[limb.name] = {
            "bone": limb.contact_bone,
            "frames": [int(frames[0]), int(frames[-1])],
            **{
                name: [[int(frames[a]), int(frames[b])] for a, b in runs(planted[:, at])]
                for name, planted in points.items()
            },
        }
    action[SUMMARY] = json.dumps(entries)


def summary_of(action: bpy.types.Action) -> str | None:
    """Return what ``action`` remembers, as it is stored; None where that is nothing."""
    text = action.get(SUMMARY)
    return text if isinstance(text, str) else None


def forget(action: bpy.types.Action, limbs: Sequence[LimbBones]) -> None:
    """Make ``action`` remember nothing of ``limbs``."""
    left = without(_entries(action), limbs)
    if left:
        action[SUMMARY] = json.dumps(left)
    elif action.get(SUMMARY) is not None:
        del action[SUMMARY]


def copy(action: bpy.types.Action, other: bpy.types.Action) -> None:
    """Make ``other`` remember what ``action`` does."""
    text = action.get(SUMMARY)
    if text is not None:
        other[SUMMARY] = text
    elif other.get(SUMMARY) is not None:
        del other[SUMMARY]


def written(action: bpy.types.Action, limbs: Sequence[LimbBones], frames: FloatArray) -> Written:
    """Return what ``action`` remembers of ``limbs`` at whole scene ``frames`` (F,)."""
    entries = _entries(action)
    shape = len(frames), len(limbs)
    found = {name: np.zeros(shape, dtype=np.bool_) for name in ("toe", "heel", "foot_down", "frames")}
    for at, limb in enumerate(limbs):
        entry = _entry_of(entries, limb)
        if entry is None:
            continue
        for name, inside in found.items():
            for first, last in _spans([entry.get(name)] if name == "frames" else entry.get(name)):
                inside[:, at] |= (frames >= first) & (frames <= last)
    contacts = Contacts(found["toe"].astype(np.float64), found["heel"].astype(np.float64), found["foot_down"])
    return Written(contacts, found["frames"])


def limbs_of(action: bpy.types.Action) -> list[LimbBones]:
    """Return the limbs that ``action`` remembers contacts of; only their contact bone is known."""
    known = [(name, entry.get("bone")) for name, entry in _entries(action).items()]
    return [by_contact_bone(name, bone) for name, bone in known if isinstance(bone, str)]


def count_of(action: bpy.types.Action) -> int:
    """Return how many contacts ``action`` remembers, as reports count them. Cheap enough to ask at every redraw."""
    text = summary_of(action)
    return 0 if text is None else _counted(text)


@lru_cache(maxsize=16)
def _counted(text: str) -> int:
    """Return how many spans there are of toes, and of heels where they alone are planted."""
    count = 0
    for entry in _parsed(text).values():
        toe, heel = (
            {frame for first, last in _spans(entry.get(point)) for frame in range(int(first), int(last) + 1)}
            for point in ("toe", "heel")
        )
        for frames in (toe, heel - toe):
            count += sum(frame - 1 not in frames for frame in frames)
    return count


def digest_of_keys(action: bpy.types.Action) -> int:
    """Return a number that another one takes the place of when the contact curves of ``action`` are edited.

    Cheap enough to ask at every redraw: only the curves of limbs are looked at that the action remembers.
    """
    digest = 0
    for bag in versions.channelbags_of(action):
        for limb in limbs_of(action):
            for name in CONTACT.values():
                curve = bag.fcurves.find(bone_path(limb.contact_bone, custom_property(name)))
                if curve is not None:
                    told = repr((curve.data_path, curve.mute)).encode()
                    digest = zlib.crc32(told + key_coordinates(curve).astype(np.float32).tobytes(), digest)
    return digest


def by_contact_bone(name: str, bone: str) -> LimbBones:
    """Return a limb of which the bone is known that carries its contacts, which is all that writing them takes."""
    return LimbBones(name, root=bone, hip=bone, knee=bone, heel=bone, toe=bone)


def without(entries: dict[str, Any], limbs: Sequence[LimbBones]) -> dict[str, Any]:
    """Return the entries that are of none of ``limbs``, by name or by bone: limbs can be renamed."""
    names = {limb.name for limb in limbs}
    bones = {limb.contact_bone for limb in limbs}
    return {name: entry for name, entry in entries.items() if name not in names and entry.get("bone") not in bones}


def _entries(action: bpy.types.Action) -> dict[str, Any]:
    """Return what of the summary is one: a property can be edited by hand."""
    return dict(_parsed(summary_of(action) or ""))


@lru_cache(maxsize=16)
def _parsed(text: str) -> dict[str, Any]:
    try:
        stored = json.loads(text) if text else {}
    except ValueError:
        return {}
    if not isinstance(stored, dict):
        return {}
    return {name: entry for name, entry in stored.items() if isinstance(entry, dict)}


def _entry_of(entries: dict[str, Any], limb: LimbBones) -> dict[str, Any] | None:
    of_bone = [entry for entry in entries.values() if entry.get("bone") == limb.contact_bone]
    return of_bone[0] if of_bone else None


def _spans(stored: Any) -> list[tuple[float, float]]:
    return [
        (span[0], span[1])
        for span in (stored if isinstance(stored, list) else [])
        if isinstance(span, list) and len(span) == 2 and all(isinstance(number, int | float) for number in span)
    ]
