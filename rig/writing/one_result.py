# SPDX-License-Identifier: GPL-3.0-or-later
"""One result a verb: pressing a button again replaces what it made before, unless a person has worked on that since.

A result remembers which verb made it and a digest of its motion. The next result of the same verb, source and slot
takes the place and the name of one that is still as it was made; one that was edited, renamed, kept as a version, or
is used anywhere else stays.
"""

from __future__ import annotations

import bpy

from ..common import versions
from ..curves.actions import RESULT_PROPERTY, named_after, source_of
from ..curves.channels import channels_in
from ..curves.digest import digest_in

# What a result remembers: the verb that made it, a digest of the motion that it was given, and whether it is to stay.
VERB, MADE, VERSION = "toehold_verb", "toehold_made", "toehold_version"


def remember_made(result: bpy.types.Action, slot: str, verb: str) -> None:
    """Make ``result`` remember that ``verb`` has made it as it is now; ``slot`` is the identifier of its slot."""
    result[VERB], result[MADE] = verb, _digest(result, slot)
    for name in (VERSION, RESULT_PROPERTY):  # a copy has its source's properties
        if result.get(name) is not None:
            del result[name]


def is_as_made(action: bpy.types.Action, slot: str) -> bool:
    """Whether a result moves as its verb has made it."""
    return bool(action.get(MADE) == _digest(action, slot))


def keep_as_version(result: bpy.types.Action) -> None:
    """Let ``result`` stay when its verb is pressed again."""
    result[VERSION] = True


def is_version(action: bpy.types.Action) -> bool:
    """Whether a result stays when its verb is pressed again. Cheap enough to ask at every redraw."""
    return bool(action.get(VERSION, False))


def replace_previous(armature: bpy.types.Object, result: bpy.types.Action) -> None:
    """Let ``result``, which ``armature`` plays and which remembers its verb, take the place of those before it."""
    slot = armature.animation_data.action_slot.identifier
    previous = [action for action in bpy.data.actions if action != result and _can_go(action, result, slot)]
    names = sorted((action.name for action in previous), key=lambda name: (len(name), name))
    for action in previous:
        action.user_remap(result)
        bpy.data.actions.remove(action)
    if names:
        result.name = names[0]


def _can_go(action: bpy.types.Action, result: bpy.types.Action, slot: str) -> bool:
    """Whether an action is an earlier result of the same verb that nothing would be lost with."""
    source = source_of(result)
    if source is None or source_of(action) != source or action.get(VERB) != result[VERB]:
        return False
    if not action.is_editable or is_version(action) or not is_as_made(action, slot):
        return False
    if not action.name.startswith(named_after(source, result[VERB])):
        return False
    # What actions of the same motion note of each other is no use; an NLA strip, or another object, is.
    users = bpy.data.user_map(subset={action})[action]
    own = {source, *(other for other in bpy.data.actions if source_of(other) == source)}
    return users <= own and action.asset_data is None


def _digest(action: bpy.types.Action, slot: str) -> str:
    """Return a digest of all that an action moves in one of its slots; contacts are not of the motion."""
    return digest_in(channels_in(versions.channelbag_named(action, slot))).hex()
