# SPDX-License-Identifier: GPL-3.0-or-later
"""The custom properties that hold contacts: on a limb's toe or foot bone, plain, so that they outlive the add-on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import bpy
from bpy.app.handlers import persistent

from ...solver.forced import State
from ..common import versions
from ..common.wording import RigError
from ..curves.channels import Channels, all_channels_of, custom_property
from ..legs.limb_bones import LimbBones

# The points of a foot that can be planted.
TOE, HEEL = "toe", "heel"

# The properties that hold a point's contact signal, and what a person has set for it.
CONTACT = {TOE: "contact", HEEL: "heel_contact"}
STATE = {TOE: "contact_state", HEEL: "heel_contact_state"}

_SIGNALS = {
    CONTACT[TOE]: "How firmly the toes are planted: 0 lifted, 1 planted, planted above one half",
    CONTACT[HEEL]: "How firmly the heel is planted: 0 lifted, 1 planted, planted above one half",
}
_CHOICES = {
    STATE[TOE]: "What was set by hand for the toes; Annotate Contacts keeps to it",
    STATE[HEEL]: "What was set by hand for the heel; Annotate Contacts keeps to it",
}
_ITEMS = [
    ("AUTO", "Automatic", "Annotate Contacts decides", State.AUTO),
    ("PLANTED", "Planted", "The point stands still on the ground", State.PLANTED),
    ("LIFTED", "Lifted", "The point is not held to the ground", State.LIFTED),
    ("SLIDING", "Sliding", "The point is on the ground and moves on purpose, as in a pivot", State.SLIDING),
]
ALL = (*_SIGNALS, *_CHOICES)


def range_without_contacts(action: bpy.types.Action) -> tuple[float, float]:
    """Return the frames over which an action has keys, or is said to go; contacts are keyed on to whole frames."""
    contacts = tuple(custom_property(name) for name in ALL)
    ranges = [
        curve.range()
        for bag in versions.channelbags_of(action)
        for curve in bag.fcurves
        if not curve.is_empty and not curve.data_path.endswith(contacts)
    ]
    if action.use_frame_range or not ranges:
        return float(action.frame_range[0]), float(action.frame_range[1])
    return min(float(span[0]) for span in ranges), max(float(span[1]) for span in ranges)


def ensure_property(bone: bpy.types.PoseBone, name: str) -> None:
    """Give the bone one of ``ALL`` if it has not got it, and let it say what it is."""
    if name in _CHOICES:
        if bone.get(name) is None:
            bone[name] = int(State.AUTO)
        items = [(identifier, label, tooltip, int(number)) for identifier, label, tooltip, number in _ITEMS]
        bone.id_properties_ui(name).update(min=0, max=len(items) - 1, items=items, description=_CHOICES[name])
        return
    if bone.get(name) is None:
        bone[name] = 0.0
    bone.id_properties_ui(name).update(
        min=0.0, max=1.0, soft_min=0.0, soft_max=1.0, default=0.0, description=_SIGNALS[name]
    )


def restore_properties(armature: bpy.types.Object) -> None:
    """Make contact properties again whose curves are still there."""
    for bone_name, path in all_channels_of(armature).of_bones:
        bone = armature.pose.bones.get(bone_name)
        for name in ALL:
            if bone is not None and path == custom_property(name) and bone.get(name) is None:
                ensure_property(bone, name)


def values_of(armature: bpy.types.Object, limbs: Sequence[LimbBones]) -> dict[tuple[str, str], float]:
    """Return the contact properties that the bones of ``limbs`` have now, by bone and name."""
    bones = [armature.pose.bones[limb.contact_bone] for limb in limbs if limb.contact_bone in armature.pose.bones]
    return {(bone.name, name): bone[name] for bone in bones for name in ALL if bone.get(name) is not None}


def put_values_back(
    armature: bpy.types.Object, limbs: Sequence[LimbBones], values: Mapping[tuple[str, str], float]
) -> None:
    """Give the bones of ``limbs`` the contact properties that ``values_of`` returned, and no others."""
    for bone_name, name in values_of(armature, limbs).keys() - values.keys():
        del armature.pose.bones[bone_name][name]
    for (bone_name, name), value in values.items():
        armature.pose.bones[bone_name][name] = value
    armature.update_tag(refresh={"TIME"})


def curve_of(channels: Channels, limb: LimbBones, name: str) -> bpy.types.FCurve | None:
    """Return the curve of one of the limb's contact properties; None where there is none with keys."""
    curve = channels.of_bones.get((limb.contact_bone, custom_property(name)), {}).get(0)
    return None if curve is None or curve.is_empty else curve


def refuse_unwritable(armature: bpy.types.Object, channels: Channels, limb: LimbBones) -> None:
    """Raise RigError where the contact bone of a limb is missing or one of its contact curves is locked."""
    bone = limb.contact_bone
    if bone not in armature.pose.bones:
        raise RigError(
            '"{armature}" has no bone "{bone}" (limb "{limb}"): find the legs again',
            armature=armature.name,
            bone=bone,
            limb=limb.name,
        )
    for name in ALL:
        curve = channels.of_bones.get((bone, custom_property(name)), {}).get(0)
        if curve is not None and (curve.lock or (curve.group is not None and curve.group.lock)):
            raise RigError('the contact curve of bone "{bone}" is locked: unlock it in the Graph Editor', bone=bone)


def register() -> None:
    """Look after files that are loaded."""
    if _after_loading not in bpy.app.handlers.load_post:
        bpy.app.handlers.load_post.append(_after_loading)


def unregister() -> None:
    """Look after them no more."""
    if _after_loading in bpy.app.handlers.load_post:
        bpy.app.handlers.load_post.remove(_after_loading)


@persistent
def _after_loading(*_: Any) -> None:
    for armature in bpy.data.objects:
        if armature.type == "ARMATURE" and armature.is_editable:
            restore_properties(armature)
