# SPDX-License-Identifier: GPL-3.0-or-later
"""What is selected and hidden of an armature, by name: changed for a review of its contacts, and put back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import bpy

from .. import versions
from ..contacts.contact_properties import CONTACT, STATE
from ..curves import stack
from ..curves.channels import bone_path, custom_property
from ..limb_bones import LimbBones


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
