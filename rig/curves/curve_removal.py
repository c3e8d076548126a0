# SPDX-License-Identifier: GPL-3.0-or-later
"""Taking custom properties and their curves away again."""

from __future__ import annotations

from collections.abc import Iterable

import bpy

from .. import versions
from . import stack
from .channels import bone_path, custom_property


def remove(
    armature: bpy.types.Object, properties: Iterable[tuple[str, str]], action: bpy.types.Action | None = None
) -> int:
    """Remove custom properties (bone, name) of bones with their curves; return how many curves there were.

    They are removed from all slots of ``action``; without one, from the assigned slot of the armature's own. A
    property that another action has a curve for stays.
    """
    assigned = stack.channelbag_in_hand(armature)
    channelbags = list(versions.channelbags_of(action)) if action else [] if assigned is None else [assigned]
    removed = 0
    for bone_name, name in properties:
        path = bone_path(bone_name, custom_property(name))
        removed += sum(_remove_curve(channelbag, path) for channelbag in channelbags)
        bone = armature.pose.bones.get(bone_name)
        if bone is not None and bone.get(name) is not None and not _is_keyed_anywhere(path):
            del bone[name]
    return removed


def _remove_curve(channelbag: bpy.types.ActionChannelbag, path: str) -> bool:
    curve = channelbag.fcurves.find(path)
    if curve is None:
        return False
    # Blender removes a group that is left empty by itself.
    channelbag.fcurves.remove(curve)
    return True


def _is_keyed_anywhere(path: str) -> bool:
    return any(
        channelbag.fcurves.find(path) is not None
        for action in bpy.data.actions
        for channelbag in versions.channelbags_of(action)
    )
