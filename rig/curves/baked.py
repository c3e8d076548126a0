# SPDX-License-Identifier: GPL-3.0-or-later
"""Which channels of a result were baked into it, and what those had before that its source does not animate.

A channel that an action does not animate keeps the value it had last. So when a result gives way to another action,
such channels have to be put back, or the result's last pose stays in them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import bpy

# Bone, property and array index, for instance ("Hips", "location", 2).
BakedChannel = tuple[str, str, int]

# JSON: [[bone, property, array index, value without animation or null where the source animates it], ...]
BAKED = "toehold_baked"


def remember(result: bpy.types.Action, channels: Mapping[BakedChannel, float | None]) -> None:
    """Make ``result`` remember what was baked, each with its value without animation; None where it had a curve."""
    result[BAKED] = json.dumps([[*channel, still] for channel, still in channels.items()])


def channels_of_result(result: bpy.types.Action) -> dict[BakedChannel, float | None]:
    """Return what ``remember`` has noted, empty where nothing is."""
    text = result.get(BAKED)
    try:
        stored = json.loads(text) if isinstance(text, str) else []
    except ValueError:
        return {}
    found: dict[BakedChannel, float | None] = {}
    for entry in stored if isinstance(stored, list) else []:
        # A property can be edited by hand.
        match entry:
            case [str(bone), str(name), int(index), (int() | float() | None) as still]:
                found[bone, name, index] = still
    return found


def put_to_rest(armature: bpy.types.Object, result: bpy.types.Action) -> None:
    """Put channels that only ``result`` animates back to what they were before it was baked."""
    for (bone_name, name, index), still in channels_of_result(result).items():
        bone: Any = armature.pose.bones.get(bone_name)
        values = None if bone is None or still is None else getattr(bone, name, None)
        if values is not None and index < len(values) and values[index] != still:
            values[index] = still
