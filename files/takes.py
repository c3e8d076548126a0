# SPDX-License-Identifier: GPL-3.0-or-later
"""What is animated in the open scene, as takes of a file: one of each action that was there, or of what was made of it.

The scene is changed for the exporters: it has to be thrown away afterwards.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import bpy
import numpy as np

from ..rig.contacts.properties import range_without_contacts
from ..rig.curves.actions import sources_of
from ..rig.curves.own_actions import own_actions
from ..rig.curves.stack import action_in_hand
from ..rig.writing.nla import remembers_strips

# How the name of a take stands in a binary FBX.
_STACK = re.compile(rb"([^\x00-\x1f]+)\x00\x01AnimStack")


@dataclass(frozen=True)
class Part:
    """An object, and the action, in a slot of it, that it plays in a take."""

    thing: bpy.types.Object
    action: bpy.types.Action
    slot: bpy.types.ActionSlot


@dataclass(frozen=True)
class Take:
    """What is played together. ``start`` and ``end`` are scene frames, with fractions where keys are between frames."""

    name: str
    start: float
    end: float
    parts: tuple[Part, ...]


def stack_names(path: Path) -> list[str]:
    """Return the names of the takes in a binary FBX, the longest first."""
    found = {match[1].decode(errors="replace") for match in _STACK.finditer(path.read_bytes())}
    # What stands before a name is its length, which may look like letters.
    return sorted(found | {name[at:] for name in found for at in range(1, 5)}, key=len, reverse=True)


def name_slots(things: Iterable[bpy.types.Object]) -> None:
    """Let each action of an imported FBX be meant for the object that it was made for, by whose name it begins."""
    names = sorted((thing.name for thing in things), key=len, reverse=True)
    for action in bpy.data.actions:
        owner = next((name for name in names if action.name.startswith(f"{name}|")), None)
        if owner is not None and len(action.slots) == 1 and action.slots[0].target_id_type == "OBJECT":
            action.slots[0].name_display = owner


def takes_of(things: Iterable[bpy.types.Object], stacks: Iterable[str] = ()) -> list[Take]:
    """Return the takes of a scene. Results have the names of what they were made from, which is no more.

    stacks : names of the takes of the FBX that the scene is of; parts of one take are played together.
    """
    parts: dict[str, list[tuple[Part, float, float]]] = {}
    replaced: set[bpy.types.Action] = set()
    known = list(stacks)
    for thing in things:
        for action, slot in _actions_of(thing):
            start, end = _range_of(action)
            name = original_of(action).name
            own = name.removeprefix(f"{thing.name}|")
            stack = next((one for one in known if own == one or own.startswith(f"{one}|")), None)
            parts.setdefault(stack or name, []).append((Part(thing, action, slot), start, end))
            replaced |= set(sources_of(action))
    for action in replaced:
        name = action.name
        results = [part.action for found in parts.values() for part, _, _ in found if action in sources_of(part.action)]
        if original_of(action) == action and results:
            action.name = f"{name} before"
            results[0].name = name
    takes = [
        Take(
            name,
            min(start for _, start, _ in found),
            max(end for _, _, end in found),
            tuple(part for part, _, _ in found),
        )
        for name, found in parts.items()
    ]
    for action in replaced - {part.action for take in takes for part in take.parts}:
        bpy.data.actions.remove(action)
    return takes


def stash(takes: Iterable[Take]) -> None:
    """Put each take on muted NLA tracks, by which an exporter of glTF knows whose it is."""
    for take in takes:
        for part in take.parts:
            animation = part.thing.animation_data
            assert animation is not None, "it plays an action"
            track = animation.nla_tracks.new()
            track.name, track.mute = take.name, True
            strip = track.strips.new(part.action.name, max(int(take.start), 0), part.action)
            strip.action_slot = part.slot


def original_of(action: bpy.types.Action) -> bpy.types.Action:
    """Return the action that all that was made of it goes back to."""
    made_from = sources_of(action)
    return made_from[-1] if made_from else action


def _actions_of(thing: bpy.types.Object) -> list[tuple[bpy.types.Action, bpy.types.ActionSlot]]:
    animation = thing.animation_data
    if animation is None:
        return []
    in_hand, slot = action_in_hand(thing)
    has_one = in_hand is not None and slot is not None
    if thing.type != "ARMATURE" or (has_one and remembers_strips(in_hand)):
        return [(in_hand, slot)] if in_hand is not None and slot is not None else []
    # Of several results of one action, the one in hand, which is the first.
    first: dict[bpy.types.Action, tuple[bpy.types.Action, bpy.types.ActionSlot]] = {}
    for action, slot in own_actions(thing):
        first.setdefault(original_of(action), (action, slot))
    return list(first.values())


def _range_of(action: bpy.types.Action) -> tuple[float, float]:
    """Return the frames of an action: those of what it was made from, where it was not retimed."""
    original, own = range_without_contacts(original_of(action)), range_without_contacts(action)
    same = np.floor(original[0] + 1e-3) == np.floor(own[0] + 1e-3) and np.ceil(original[1] - 1e-3) == np.ceil(
        own[1] - 1e-3
    )
    return original if same else own
