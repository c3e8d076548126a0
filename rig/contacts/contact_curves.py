# SPDX-License-Identifier: GPL-3.0-or-later
"""Contacts as custom properties of a limb's toe or foot bone, keyed in the action, for people to edit.

Only edges have keys: two for each, between which the curve eases from one state to the other, so that moving an edge
is moving two keys. The curve crosses one half midway between the last lifted and the first planted frame; reading
evaluates the curve at the frames, so that all keys count, of any kind and origin.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import bpy
import numpy as np

from ...solver.contacts import Contacts
from ...solver.detection import ContactSettings
from ...solver.forced import ForcedStates, State
from ...solver.rotations import FloatArray
from ...solver.signals import BoolArray
from ..common import versions
from ..common.scene import frames_per_second
from ..curves import keys, stack
from ..curves.actions import refuse_uneditable
from ..curves.channels import Channels, all_channels_of, bone_path, channels_of, custom_property, evaluate
from ..legs.limb_bones import LimbBones
from . import states as contact_states
from . import summary
from .properties import CONTACT, HEEL, TOE, curve_of, ensure_property, refuse_unwritable

# How long an edge takes from lifted to planted where no setting says so, in seconds.
EASE_TIME = ContactSettings.blend_time


def write_contacts(
    armature: bpy.types.Object,
    action: bpy.types.Action,
    limbs: Sequence[LimbBones],
    contacts: Contacts,
    frames: FloatArray,
    ease_time: float = EASE_TIME,
) -> None:
    """Write the contacts of ``limbs`` into ``action``, in place of all contact keys that these limbs have there.

    action : the armature's, with its slot assigned.
    frames : (F,) scene frames of the contacts, whole and without gaps.
    ease_time : seconds that an edge takes from lifted to planted, where there is room for it.

    Raises
    ------
    RigError
        Where the armature or the action cannot be changed, a contact bone is missing, or a contact curve is locked.
    """
    for owner in (armature, action):
        refuse_uneditable(owner)
    channels = channels_of(armature)
    for limb in limbs:
        refuse_unwritable(armature, channels, limb)
    channelbag = stack.channelbag_in_hand(armature)
    assert channelbag is not None
    ease = ease_time * frames_per_second()
    for at, limb in enumerate(limbs):
        bone = limb.contact_bone
        for point, planted in ((TOE, contacts.toe_planted[:, at]), (HEEL, contacts.heel_planted[:, at])):
            name = CONTACT[point]
            ensure_property(armature.pose.bones[bone], name)
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
    summary.remember(action, limbs, contacts, frames)
    action.update_tag()
    armature.update_tag(refresh={"TIME"})


def read_contacts(
    armature: bpy.types.Object, limbs: Sequence[LimbBones], frames: FloatArray, muted_too: bool = False
) -> Contacts | None:
    """Return what the contact curves of the active action say at ``frames``; None where no limb has any.

    A contact without a curve, or whose curve is muted, counts as lifted; not a muted one if ``muted_too``. When a foot
    that is not planted touches the ground is known where that was written with the contacts, and they were not edited
    since.
    """
    channels = all_channels_of(armature)
    contacts = _signals(channels, limbs, frames, muted_too)
    action, _ = stack.action_in_hand(armature)
    if contacts is None or action is None:
        return None
    written = summary.written(action, limbs, frames)
    if not written.known.any():
        return contacts
    before = written.contacts
    unedited = (contacts.toe_planted == before.toe_planted) & (contacts.heel_planted == before.heel_planted)
    states = contact_states.read_states(armature, limbs, frames)
    sliding = (states.toe == State.SLIDING) | (states.heel == State.SLIDING)
    return replace(contacts, touching=(before.foot_down & unedited) | sliding)


def edited_states(armature: bpy.types.Object, limbs: Sequence[LimbBones], frames: FloatArray) -> ForcedStates:
    """Return what a person has set for contacts at ``frames``: with the tools, or by editing the curves since.

    A curve that Toehold did not write is a person's wherever it has keys.
    """
    states = contact_states.read_states(armature, limbs, frames)
    channels = all_channels_of(armature)
    now = _signals(channels, limbs, frames, muted_too=True)
    action, _ = stack.action_in_hand(armature)
    if now is None or action is None:
        return states
    written = summary.written(action, limbs, frames)
    edited = {
        TOE: written.known & (now.toe_planted != written.contacts.toe_planted),
        HEEL: written.known & (now.heel_planted != written.contacts.heel_planted),
    }
    for at, limb in enumerate(limbs):
        for point, of_point in edited.items():
            curve = curve_of(channels, limb, CONTACT[point])
            if curve is None:
                # Who deletes a curve gives it back to detection.
                of_point[:, at] = False
            elif not written.known[:, at].any():
                first, last = np.array(curve.range())
                of_point[:, at] = (frames >= first) & (frames <= last)
    return states.edited(now, edited[TOE], edited[HEEL])


def _signals(channels: Channels, limbs: Sequence[LimbBones], frames: FloatArray, muted_too: bool) -> Contacts | None:
    """Return the values of the contact curves; None where no limb has any."""
    signals = {point: np.zeros((len(frames), len(limbs))) for point in CONTACT}
    found = False
    for at, limb in enumerate(limbs):
        for point, signal in signals.items():
            curve = curve_of(channels, limb, CONTACT[point])
            if curve is not None and (muted_too or not curve.mute):
                signal[:, at] = np.clip(evaluate(curve, frames), 0.0, 1.0)
                found = True
    return Contacts(signals[TOE], signals[HEEL]) if found else None


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
