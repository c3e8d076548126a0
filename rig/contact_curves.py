# SPDX-License-Identifier: GPL-3.0-or-later
"""Contacts as custom properties of a limb's toe or foot bone, keyed in the action, for people to edit.

Only edges have keys: two for each, between which the curve eases from one state to the other, so that moving an edge
is moving two keys. The curve crosses one half midway between the last lifted and the first planted frame; reading
evaluates the curve at the frames, so that anybody's keys of any kind count.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

import bpy
import numpy as np

from ..solver.contacts import Contacts, runs
from ..solver.rotations import FloatArray
from ..solver.signals import BoolArray
from . import keys, versions
from .actions import refuse_uneditable
from .channels import Channels, all_channels_of, bone_path, channels_of, custom_property, evaluate
from .errors import RigError
from .limb_bones import LimbBones

# The properties on the contact bone, and what they say to a person.
TOE_CONTACT = "contact"
HEEL_CONTACT = "heel_contact"
_DESCRIPTIONS = {
    TOE_CONTACT: "How firmly the toes are planted: 0 lifted, 1 planted, planted above one half",
    HEEL_CONTACT: "How firmly the heel is planted: 0 lifted, 1 planted, planted above one half",
}

# The action's summary, that travels with it through glTF, in scene frames: {limb: {"toe": [[first, last], …], …}}.
SUMMARY = "toehold_contacts"

# How long an edge takes from lifted to planted, where there is room for it.
EASE_S = 0.1


def write_contacts(
    armature: bpy.types.Object,
    action: bpy.types.Action,
    limbs: Sequence[LimbBones],
    contacts: Contacts,
    frames: FloatArray,
) -> None:
    """Write the contacts of ``limbs`` into ``action``, in place of all contact keys that these limbs have there.

    action : the armature's, with its slot assigned.
    frames : (F,) scene frames of the contacts, whole and without gaps.

    Raises
    ------
    RigError
        Where the armature or the action cannot be changed, a contact bone is missing, or a contact curve is locked.
    """
    for owner in (armature, action):
        refuse_uneditable(owner)
    channels = channels_of(armature)
    for limb in limbs:
        _refuse_unwritable(armature, channels, limb)
    channelbag = versions.assigned_channelbag(armature)
    assert channelbag is not None
    render = bpy.context.scene.render
    ease = EASE_S * render.fps / render.fps_base
    summary: dict[str, dict[str, list[list[int]]]] = {}
    for at, limb in enumerate(limbs):
        bone = limb.contact_bone
        summary[limb.name] = {}
        for kind, name, planted in (
            ("toe", TOE_CONTACT, contacts.toe_planted[:, at]),
            ("heel", HEEL_CONTACT, contacts.heel_planted[:, at]),
        ):
            _ensure_property(armature.pose.bones[bone], name)
            curve = versions.ensure_curve(channelbag, bone_path(bone, custom_property(name)), 0, bone)
            times, values = edge_keys(planted, frames, ease)
            curve.mute = False
            # Without this, automatic handles lean on the next edge and the curve crosses one half elsewhere.
            curve.auto_smoothing = "NONE"
            keys.set_keys(
                curve,
                times,
                values,
                interpolation="BEZIER",
                handle_left_type="AUTO_CLAMPED",
                handle_right_type="AUTO_CLAMPED",
            )
            summary[limb.name][kind] = [[int(frames[a]), int(frames[b])] for a, b in runs(planted)]
    action[SUMMARY] = json.dumps(summary)
    action.update_tag()
    armature.update_tag(refresh={"TIME"})


def read_contacts(armature: bpy.types.Object, limbs: Sequence[LimbBones], frames: FloatArray) -> Contacts | None:
    """Return what the contact curves of the active action say at ``frames``; None where no limb has any.

    A contact without a curve, or whose curve is muted, counts as lifted.
    """
    channels = all_channels_of(armature)
    signals = {name: np.zeros((len(frames), len(limbs))) for name in _DESCRIPTIONS}
    found = False
    for at, limb in enumerate(limbs):
        for name, signal in signals.items():
            curve = channels.of_bones.get((limb.contact_bone, custom_property(name)), {}).get(0)
            if curve is not None and not curve.is_empty and not curve.mute:
                signal[:, at] = np.clip(evaluate(curve, frames), 0.0, 1.0)
                found = True
    return Contacts(signals[TOE_CONTACT], signals[HEEL_CONTACT]) if found else None


def restore_properties(armature: bpy.types.Object) -> None:
    """Make contact properties again whose curves are still there: saving library overrides loses new properties."""
    for bone_name, path in all_channels_of(armature).of_bones:
        bone = armature.pose.bones.get(bone_name)
        for name in _DESCRIPTIONS:
            if bone is not None and path == custom_property(name) and bone.get(name) is None:
                _ensure_property(bone, name)


def edge_keys(planted: BoolArray, frames: FloatArray, ease: float) -> tuple[FloatArray, FloatArray]:
    """Return frames and values of the keys that stand for ``planted`` ``(F,)``.

    ease : frames from one state to the other; at least one, and less where an edge's neighbours leave less room.
    """
    count = len(planted)
    state = planted.astype(np.float64)
    # An edge lies between frame `edge` and the one before.
    edges = np.flatnonzero(np.diff(state)) + 1
    # Runs of one state round the edges, in frames; an edge takes half of each at most.
    lengths = np.diff(np.concatenate([[0], edges, [count]]))
    room = np.minimum((lengths[:-1] - 1) // 2, (lengths[1:] - 1) // 2)
    half = np.clip(int((ease - 1.0) / 2.0), 0, room)
    at = np.concatenate([[0], edges - 1 - half, edges + half, [count - 1]])
    at = np.unique(at)
    return frames[at], state[at]


def _ensure_property(bone: bpy.types.PoseBone, name: str) -> None:
    if bone.get(name) is None:
        bone[name] = 0.0
    ui = bone.id_properties_ui(name)
    ui.update(min=0.0, max=1.0, soft_min=0.0, soft_max=1.0, default=0.0, description=_DESCRIPTIONS[name])


def _refuse_unwritable(armature: bpy.types.Object, channels: Channels, limb: LimbBones) -> None:
    bone = limb.contact_bone
    if bone not in armature.pose.bones:
        raise RigError(f'"{armature.name}" has no bone "{bone}" (limb "{limb.name}"): find the legs again')
    for name in _DESCRIPTIONS:
        curve = channels.of_bones.get((bone, custom_property(name)), {}).get(0)
        if curve is not None and (curve.lock or (curve.group is not None and curve.group.lock)):
            raise RigError(f'the contact curve of bone "{bone}" is locked: unlock it in the Graph Editor')
