# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything that strips and the action over them show together, as one action with a key on every frame."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np

from ..common import versions
from ..common.steps import Steps
from ..contacts.properties import ALL as CONTACT_PROPERTIES
from ..contacts.summary import SUMMARY
from ..curves import keys, stack
from ..curves.channels import custom_property

_CONTACT_PATHS = tuple(custom_property(name) for name in CONTACT_PROPERTIES)


def is_of_contacts(data_path: str) -> bool:
    """Whether a curve is one of contacts or of what was set for them."""
    return data_path.endswith(_CONTACT_PATHS)


def new_action(
    armature: bpy.types.Object, name: str
) -> tuple[bpy.types.Action, bpy.types.ActionSlot, bpy.types.ActionChannelbag]:
    """Return a new action with a slot for the armature, and what holds that slot's curves."""
    action = bpy.data.actions.new(name)
    slot = action.slots.new(armature.id_type, armature.name)
    # Any, since the stubs know nothing of what keyframe strips have.
    strip: Any = action.layers.new("Layer").strips.new(type="KEYFRAME")
    return action, slot, strip.channelbag(slot, ensure=True)


def flattened(
    armature: bpy.types.Object, span: tuple[int, int], contacts: tuple[bpy.types.Action, bpy.types.ActionSlot] | None
) -> Steps[bpy.types.Action]:
    """Return an action that shows on the frames of ``span``, first and last, what is seen now.

    Values are Blender's own, read off while it steps through the frames: whatever strips do to each other is in them.

    contacts : an action and its slot, of which contact curves are taken over as they are.
    """
    scene = bpy.context.scene
    frame, subframe = scene.frame_current, scene.frame_subframe
    frames = np.arange(span[0], span[1] + 1)
    channels = _animated_channels(armature)
    rows: dict[str, list[Any]] = {path: [] for path, _ in channels if _value(armature, path) is not None}
    try:
        for at, number in enumerate(frames.tolist()):
            scene.frame_set(number)
            for path, row in rows.items():
                row.append(_value(armature, path))
            yield at / len(frames)
    finally:
        scene.frame_set(frame, subframe=subframe)
    action, _, channelbag = new_action(armature, f"{armature.name} Strips")
    if contacts is not None:
        _take_contacts(action, channelbag, *contacts)
    arrays = {path: np.array(row).reshape(len(frames), -1) for path, row in rows.items()}
    for (path, index), group in channels.items():
        values = arrays.get(path)
        if values is None or index >= values.shape[1] or channelbag.fcurves.find(path, index=index) is not None:
            continue
        curve = versions.ensure_curve(channelbag, path, index, group)
        # Between its values there is none of a choice, a switch or a count.
        interpolation = "LINEAR" if values.dtype.kind == "f" else "CONSTANT"
        keys.set_keys(curve, frames.astype(float), values[:, index].astype(float), interpolation=interpolation)
    return action


def _animated_channels(armature: bpy.types.Object) -> dict[tuple[str, int], str]:
    """Return what is animated of the armature, by data path and index, each with the name of a group for it."""
    found: dict[tuple[str, int], str] = {}
    for action, slot in stack.played_actions(armature):
        channelbag = None if slot is None else versions.channelbag_of(action, slot)
        for curve in () if channelbag is None else channelbag.fcurves:
            if not curve.mute and not curve.is_empty:
                group = "Object Transforms" if curve.group is None else curve.group.name
                found.setdefault((curve.data_path, curve.array_index), group)
    return found


def _value(armature: bpy.types.Object, path: str) -> Any:
    """Return a number or a tuple of them, what a property has now; None where there is no such property."""
    try:
        value: Any = armature.path_resolve(path)
    except ValueError:
        return None  # curves may be of bones that are not there
    if isinstance(value, str):
        return _number_of_choice(armature, path, value)
    return value if isinstance(value, int | float) else tuple(value)


def _number_of_choice(armature: bpy.types.Object, path: str, value: str) -> int:
    """Return the number that stands for one of the choices of a property, as a curve has it."""
    owner_path, _, name = path.rpartition("[" if path.endswith("]") else ".")
    owner: Any = armature.path_resolve(owner_path) if owner_path else armature
    if path.endswith("]"):
        return int(owner[bpy.utils.unescape_identifier(name[1:-2])])
    return int(owner.bl_rna.properties[name].enum_items[value].value)


def _take_contacts(
    action: bpy.types.Action,
    channelbag: bpy.types.ActionChannelbag,
    source: bpy.types.Action,
    slot: bpy.types.ActionSlot,
) -> None:
    """Give ``action`` the contacts of ``source``, as they can be edited there."""
    there = versions.channelbag_of(source, slot)
    for curve in () if there is None else there.fcurves:
        if is_of_contacts(curve.data_path) and not curve.is_empty:
            group = "" if curve.group is None else curve.group.name
            taken = versions.ensure_curve(channelbag, curve.data_path, curve.array_index, group)
            taken.auto_smoothing = curve.auto_smoothing
            keys.copy(curve, taken)
            taken.mute = curve.mute
    if source.get(SUMMARY) is not None:
        action[SUMMARY] = source[SUMMARY]
