# SPDX-License-Identifier: GPL-3.0-or-later
"""One set of contacts for one motion: a source action and what was made of it have the same contact curves.

An edit made on a result is an edit of its source too, and the other way round, so that nothing is lost by going back
to the source and cleaning again.
"""

from __future__ import annotations

import bpy

from ..common import versions
from ..curves import keys, stack
from ..curves.actions import source_of, start_of
from ..curves.channels import channels_in, custom_property, keyed_frames
from . import summary
from .contact_curves import edited_states
from .properties import ALL


def hand_over(armature: bpy.types.Object) -> None:
    """Share the active action's contacts before another action of its motion is assigned.

    A source that has no contacts gets none, unless a person has edited those of its result.
    """
    action, _ = stack.action_in_hand(armature)
    if action is None:
        return
    limbs = summary.limbs_of(action)
    is_edited = bool(limbs) and not edited_states(armature, limbs, keyed_frames(armature)).is_empty
    share_contacts(armature, with_new=is_edited)


def share_contacts(armature: bpy.types.Object, *, with_new: bool = True, cleared: bool = False) -> None:
    """Give every editable action of the active one's motion the contact curves that the active one has.

    Nothing happens where the active action has none, unless they were ``cleared``; nor over NLA strips, where contacts
    have a home of their own.

    with_new : whether actions that have no contacts yet get them too.
    """
    action, slot = stack.action_in_hand(armature)
    if action is None or slot is None or stack.plays_strips(armature):
        return
    own = _contact_curves(versions.channelbag_of(action, slot))
    if not own and not cleared:
        return
    for other in of_the_same_motion(action):
        channelbag = versions.channelbag_named(other, slot.identifier)
        if channelbag is not None and (with_new or _contact_curves(channelbag)):
            _copy(own, channelbag)
            summary.copy(action, other)
            other.update_tag()


def of_the_same_motion(action: bpy.types.Action) -> list[bpy.types.Action]:
    """Return the source of an action and all results made of it, itself aside, that can be changed."""
    source = start_of(action)
    results = [other for other in bpy.data.actions if source_of(other) == source and start_of(other) == source]
    return [other for other in (source, *results) if other != action and other.is_editable]


def _contact_curves(channelbag: bpy.types.ActionChannelbag | None) -> dict[str, bpy.types.FCurve]:
    """Return the curves of contact properties by their data path."""
    names = {custom_property(name) for name in ALL}
    of_bones = channels_in(channelbag).of_bones
    return {
        curve.data_path: curve for (_, name), curves in of_bones.items() if name in names for curve in curves.values()
    }


def _copy(own: dict[str, bpy.types.FCurve], channelbag: bpy.types.ActionChannelbag) -> None:
    theirs = _contact_curves(channelbag)
    for path, curve in theirs.items():
        if path not in own:
            channelbag.fcurves.remove(curve)
    for path, curve in own.items():
        group = curve.group.name if curve.group is not None else ""
        other = theirs.get(path) or versions.ensure_curve(channelbag, path, 0, group)
        other.mute, other.auto_smoothing = curve.mute, curve.auto_smoothing
        keys.copy(curve, other)
