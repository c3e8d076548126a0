# SPDX-License-Identifier: GPL-3.0-or-later
"""What is selected of an armature: which contacts by bones or keys, and all of it changed for a review and put back."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import bpy
import numpy as np

from ...solver.contacts import PLANTED
from ..common import versions
from ..contacts.properties import CONTACT, STATE, curve_of
from ..controls.owners import limbs_of_controls
from ..curves import stack
from ..curves.channels import Channels, all_channels_of, bone_path, custom_property, key_coordinates
from ..legs.limb_bones import LimbBones


def selected_bones(armature: bpy.types.Object) -> set[str]:
    """Return the names of the bones that are selected in the pose."""
    return {bone.name for bone in armature.pose.bones if versions.is_selected(bone)}


def limbs_of_selected_bones(armature: bpy.types.Object, limbs: Sequence[LimbBones]) -> list[int]:
    """Return the limbs, by index, of which a bone from hip to toes is selected, or a control that moves that limb."""
    selected = selected_bones(armature)
    return limbs_of_controls(armature, limbs, selected) if selected else []


def selected_spans(
    armature: bpy.types.Object, limbs: Sequence[LimbBones], points: Collection[str]
) -> dict[int, tuple[int, int]]:
    """Return first and last frame of the selected contact keys of each limb that has any, by the limb's index.

    Where both keys of an edge are selected, the edge itself bounds the span: what was selected is one contact.
    """
    channels = all_channels_of(armature)
    spans = {}
    for at, limb in enumerate(limbs):
        bounds = [
            bound
            for point in points
            for name in (CONTACT[point], STATE[point])
            if (bound := _selected_bounds(channels, limb, name)) is not None
        ]
        if bounds:
            spans[at] = min(first for first, _ in bounds), max(last for _, last in bounds)
    return spans


def _selected_bounds(channels: Channels, limb: LimbBones, name: str) -> tuple[int, int] | None:
    curve = curve_of(channels, limb, name)
    if curve is None or curve.hide:
        return None
    points = curve.keyframe_points
    flags = np.zeros(len(points), dtype=np.bool_)
    points.foreach_get("select_control_point", flags)
    chosen = np.flatnonzero(flags)
    if len(chosen) == 0:
        return None
    keys = key_coordinates(curve)
    first, last = keys[chosen[0], 0], keys[chosen[-1], 0]
    planted = keys[:, 1] > PLANTED
    if len(chosen) > 2 and name in CONTACT.values():
        if chosen[1] == chosen[0] + 1 and planted[chosen[0]] != planted[chosen[1]]:
            first = keys[chosen[:2], 0].mean()
        if chosen[-1] == chosen[-2] + 1 and planted[chosen[-1]] != planted[chosen[-2]]:
            last = keys[chosen[-2:], 0].mean()
    # Frames that a key is a thousandth beside are meant all the same.
    return int(np.ceil(first - 1e-3)), int(np.floor(last + 1e-3))


@dataclass(frozen=True)
class Selection:
    """Names of what is selected: objects of the view layer, bones, and curves by their data path and index."""

    objects: frozenset[str]
    bones: frozenset[str]
    active_bone: str
    selected_curves: frozenset[tuple[str, int]]
    hidden_curves: frozenset[tuple[str, int]]


def selection_of(view_layer: bpy.types.ViewLayer, armature: bpy.types.Object) -> Selection:
    """Return what is selected now."""
    channelbag = stack.channelbag_in_hand(armature)
    curves = [] if channelbag is None else list(channelbag.fcurves)
    active = armature.data.bones.active
    return Selection(
        objects=frozenset(item.name for item in view_layer.objects if item.select_get(view_layer=view_layer)),
        bones=frozenset(bone.name for bone in armature.pose.bones if versions.is_selected(bone)),
        active_bone="" if active is None else active.name,
        selected_curves=frozenset((curve.data_path, curve.array_index) for curve in curves if curve.select),
        hidden_curves=frozenset((curve.data_path, curve.array_index) for curve in curves if curve.hide),
    )


def select_contacts(view_layer: bpy.types.ViewLayer, armature: bpy.types.Object, limbs: Sequence[LimbBones]) -> None:
    """Select the armature alone, and of its bones those that carry the contacts of ``limbs``, with their curves.

    What was set by hand is hidden: these curves are steps to 3, next to signals from 0 to 1.
    """
    bones = frozenset(limb.contact_bone for limb in limbs)
    signals, states = (
        frozenset((bone_path(bone, custom_property(name)), 0) for bone in bones for name in names.values())
        for names in (CONTACT, STATE)
    )
    hidden = (selection_of(view_layer, armature).hidden_curves - signals) | states
    put_back(view_layer, armature, Selection(frozenset((armature.name,)), bones, min(bones), signals, hidden))


def put_back(view_layer: bpy.types.ViewLayer, armature: bpy.types.Object, selection: Selection) -> None:
    """Select what was selected; what is gone by now is left out."""
    for item in view_layer.objects:
        if item.select_get(view_layer=view_layer) != (item.name in selection.objects):
            item.select_set(item.name in selection.objects, view_layer=view_layer)
    for bone in armature.pose.bones:
        if versions.is_selected(bone) != (bone.name in selection.bones):
            versions.select(bone, bone.name in selection.bones)
    armature.data.bones.active = armature.data.bones.get(selection.active_bone)
    channelbag = stack.channelbag_in_hand(armature)
    for curve in () if channelbag is None else channelbag.fcurves:
        key = curve.data_path, curve.array_index
        if curve.select != (key in selection.selected_curves):
            curve.select = key in selection.selected_curves
        if curve.hide != (key in selection.hidden_curves):
            curve.hide = key in selection.hidden_curves


def select_only(armature: bpy.types.Object, bone_name: str) -> None:
    """Select one bone of the armature's pose and make it the active one; nothing changes where it has none such."""
    chosen = armature.pose.bones.get(bone_name)
    if chosen is None:
        return
    for bone in armature.pose.bones:
        if versions.is_selected(bone) != (bone == chosen):
            versions.select(bone, bone == chosen)
    armature.data.bones.active = chosen.bone
