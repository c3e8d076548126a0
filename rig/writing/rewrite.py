# SPDX-License-Identifier: GPL-3.0-or-later
"""Another clip into a result that is there already: only what was baked into it is replaced."""

from __future__ import annotations

import bpy

from ...solver.clip import Clip
from ..common import versions
from ..curves import actions, baked, keys
from ..curves.baked import BakedChannel
from ..curves.channels import Channels, channels_in, channels_of, evaluate
from ..sampling.sample import Sample
from .write import Change, planned_changes, shaping_modifiers, still_value, write_changes


def rewrite(armature: bpy.types.Object, result: bpy.types.Action, sample: Sample, clip: Clip) -> None:
    """Let ``result`` be what ``write`` would make of ``clip``, but for the keys that a person has set in it since.

    The source, of which ``sample`` is, has to be assigned, and is left as it is. Keys of type GENERATED get new values;
    a channel that need not change any more gets its source's keys back.

    Raises
    ------
    RigError
        Where a channel that has to change cannot. Nothing has been changed then.
    """
    actions.refuse_uneditable(result)
    channels = channels_of(armature)
    changes = planned_changes(armature, sample, clip, channels)
    slot = armature.animation_data.action_slot.identifier
    channelbag = versions.channelbag_of(result, result.slots[slot])
    assert channelbag is not None
    before = baked.channels_of_result(result)
    there = channels_in(channelbag)
    anew: list[Change] = []
    for change in changes:
        curve = _curve(there, change.channel())
        if change.channel() in before and curve is not None and not curve.is_empty:
            keys.replace_generated(curve, sample.key_frames, change.values)
        else:
            anew.append(change)
    keyed = channels.key_range(armature.pose.bones.keys())
    write_changes(armature, channelbag, anew, sample.key_frames, keyed)
    stills = {change.channel(): still_value(armature, channels, change.channel()) for change in changes}
    for channel in before.keys() - stills.keys():
        _give_back(channelbag, there, channels, channel, sample)
    baked.remember(result, stills)
    result.update_tag()


def _give_back(
    channelbag: bpy.types.ActionChannelbag, there: Channels, source: Channels, channel: BakedChannel, sample: Sample
) -> None:
    """Let a channel of the result be as its source has it."""
    curve, own = _curve(there, channel), _curve(source, channel)
    if curve is None:
        return
    if own is None or own.is_empty:
        channelbag.fcurves.remove(curve)
    elif shaping_modifiers(own):
        keys.replace_generated(curve, sample.key_frames, evaluate(own, sample.frames))
    else:
        keys.copy(own, curve)
        curve.mute = own.mute


def _curve(channels: Channels, channel: BakedChannel) -> bpy.types.FCurve | None:
    bone, name, index = channel
    return channels.of_bones.get((bone, name), {}).get(index)
