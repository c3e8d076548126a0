# SPDX-License-Identifier: GPL-3.0-or-later
"""Contacts across files that hold no curves of custom properties, as FBX and glTF do not.

The summary of the action's contacts goes along as a property of the armature; when the file is opened, the curves are
made again from it.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator

import bpy
import numpy as np

from ..curves import stack
from ..curves.channels import active_action, channels_of
from .contact_curves import read_contacts, write_contacts
from .summary import SUMMARY, by_contact_bone, written


@contextlib.contextmanager
def carried(armature: bpy.types.Object) -> Iterator[None]:
    """Let the armature carry its action's contacts while a file is written."""
    text = active_action(armature).get(SUMMARY)
    if not isinstance(text, str):
        yield
        return
    armature[SUMMARY] = text
    try:
        yield
    finally:
        del armature[SUMMARY]


def bring(action: bpy.types.Action, armature: str, text: str) -> None:
    """Let an action have contacts that a file notes for it and an armature, until they are unpacked."""
    action[f"{SUMMARY}:{armature}"] = text


def unpack(armature: bpy.types.Object) -> None:
    """Make contact curves of what an armature's action, or the armature, has carried through a file.

    Only where the action is still as long as it was.
    """
    if stack.action_in_hand(armature)[0] is None:
        return
    action = active_action(armature)
    on_armature = _taken(armature, SUMMARY)
    text = _taken(action, f"{SUMMARY}:{armature.name}") or on_armature
    if text is None:
        return
    keyed = channels_of(armature).key_range(armature.pose.bones.keys())
    try:
        entries = {name: dict(entry) for name, entry in json.loads(str(text)).items()}
        spans = [entry["frames"] for entry in entries.values()]
        limbs = [by_contact_bone(name, entry["bone"]) for name, entry in entries.items()]
        lengths = {last - first for first, last in spans}
    except (ValueError, KeyError, TypeError, AttributeError):
        return  # it was edited by hand: contacts are found anew
    known = [limb for limb in limbs if limb.toe in armature.pose.bones]
    if not known or keyed is None or lengths != {keyed[1] - keyed[0]}:
        return
    frames = np.arange(keyed[0], keyed[1] + 1, dtype=np.float64)
    if read_contacts(armature, known, frames) is not None:
        return
    # Files count from another frame than the scene did.
    as_they_were = frames - keyed[0] + spans[0][0]
    action[SUMMARY] = str(text)
    contacts = written(action, known, as_they_were).contacts
    write_contacts(armature, action, known, contacts, frames)


def _taken(owner: bpy.types.ID, name: str) -> object:
    """Return a property of something, which it has no more then; None where it has none."""
    value: object = owner.get(name)
    if value is not None:
        del owner[name]
    return value
