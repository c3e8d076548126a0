# SPDX-License-Identifier: GPL-3.0-or-later
"""Taking custom properties and their curves away again."""

from __future__ import annotations

from collections.abc import Iterable

import bpy

from . import versions
from .channels import bone_path, custom_property


def remove(armature: bpy.types.Object, properties: Iterable[tuple[str, str]]) -> int:
    """Remove custom properties (bone, name) of bones with their curves in the active action; return how many curves.

    A group that is left empty goes too. A property that another action has a curve for stays.
    """
    channelbag = versions.assigned_channelbag(armature)
    removed = 0
    for bone_name, name in properties:
        path = bone_path(bone_name, custom_property(name))
        curve = None if channelbag is None else channelbag.fcurves.find(path)
        if channelbag is not None and curve is not None:
            group = curve.group
            channelbag.fcurves.remove(curve)
            if group is not None and len(group.channels) == 0:
                channelbag.groups.remove(group)
            removed += 1
        bone = armature.pose.bones.get(bone_name)
        if bone is not None and bone.get(name) is not None and not _is_keyed_anywhere(path):
            del bone[name]
    return removed


def _is_keyed_anywhere(path: str) -> bool:
    return any(
        channelbag.fcurves.find(path) is not None
        for action in bpy.data.actions
        for channelbag in versions.channelbags_of(action)
    )
