# SPDX-License-Identifier: GPL-3.0-or-later
"""The runtime lock played over an action once, so that any frame of it can be shown at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import bpy
import numpy as np

from ...solver.clip import Clip
from ...solver.contacts import Contacts
from ...solver.rotations import FloatArray
from ...solver.signals import BoolArray
from ..controls.limb_controls import needs_controls
from ..curves import actions, baked
from ..curves.channels import active_action, bone_values, channels_of
from ..legs.limb_bones import LimbBones
from ..sampling.sample import Sample
from ..verbs.journey import Options, SampledAction, contacts_of, play_lock, sampled_action
from ..writing.write import changed_channels
from ..writing.write_controls import write_as_animated
from .preview_pose import Channel


@dataclass(frozen=True)
class LockPlay:
    """What the lock does over an action.

    frames : (F,) scene frames.
    options, contacts : the settings it was played with, and the contacts that it held on to.
    channels : all values (F, N) of each bone's property that the lock moves.
    through_controls : whether these are controls, which constraints and drivers hang the legs on.
    names : of the limbs.
    inputs, outputs : (F, L, 3) of each toe in the animation and as it is shown, metres in the world.
    locked : (F, L) whether it is held, and ``points`` (F, L, 3) where.
    release_distances : (L,) metres from there at which it is let go.
    """

    sampled: SampledAction
    options: Options
    contacts: Contacts
    channels: dict[Channel, FloatArray]
    through_controls: bool
    names: tuple[str, ...]
    inputs: FloatArray
    outputs: FloatArray
    locked: BoolArray
    points: FloatArray
    release_distances: FloatArray

    @property
    def frames(self) -> FloatArray:
        return self.sampled.sample.frames

    def values_at(self, frame: float) -> dict[Channel, list[float]]:
        """Return the values of each channel at a frame, whole or not; none outside of the action."""
        first, last = self.frames[0], self.frames[-1]
        if not first <= frame <= last:
            return {}
        before = min(int(frame - first), len(self.frames) - 1)
        after = min(before + 1, len(self.frames) - 1)
        share = frame - first - before
        return {
            channel: (values[before] + share * (values[after] - values[before])).tolist()
            for channel, values in self.channels.items()
        }


def same_ground(before: Options, now: Options) -> bool:
    """Whether two settings have feet stand on the same."""
    return (before.ground_height, before.ground_objects) == (now.ground_height, now.ground_objects)


def play(
    armature: bpy.types.Object,
    limbs: Sequence[LimbBones],
    options: Options,
    whole: Sample,
    before: LockPlay | None = None,
) -> LockPlay:
    """Play the lock over a sampled action. The armature has to show the action's own pose.

    Where its legs hang on controls, the frames are stepped through.

    before : what was played last of the same action; contacts that are still the same are taken from it.
    Raises RigError where a bone that has to move cannot.
    """
    if before is not None and before.sampled.sample is whole and same_ground(before.options, options):
        sampled = before.sampled
    else:
        sampled = sampled_action(armature, limbs, options, whole)
    if before is not None and sampled is before.sampled and before.options.contacts == options.contacts:
        contacts = before.contacts
    else:
        contacts = contacts_of(armature, limbs, sampled, options, None)
    clip, run = play_lock(sampled, contacts, options)
    toes = [limb.toe for limb in whole.limbs]
    through_controls = needs_controls(armature, whole)
    if through_controls:
        channels, seen = controlled_channels(armature, whole, clip)
        outputs = seen.positions[:, toes]
    else:
        channels, outputs = changed_channels(armature, whole, clip), run.toe_targets
    scales = [limb.scale(whole.clip) for limb in whole.limbs]
    return LockPlay(
        sampled=sampled,
        options=options,
        contacts=contacts,
        channels=channels,
        through_controls=through_controls,
        names=tuple(limb.name for limb in limbs),
        inputs=whole.clip.positions[:, toes],
        outputs=outputs,
        locked=run.locked,
        points=run.points,
        release_distances=np.array(scales) * options.lock.unlock_distance,
    )


def controlled_channels(
    armature: bpy.types.Object, sample: Sample, clip: Clip
) -> tuple[dict[Channel, FloatArray], Clip]:
    """Return all values (F, N) of each property that is keyed on the controls for ``clip``, and what is seen then.

    The frames are stepped through, several times over. Action and frame are as before in the end.

    Raises
    ------
    RigError
        As ``write_as_animated`` does.
    """
    source = active_action(armature)
    result, shown = write_as_animated(armature, sample, clip, source.name)
    try:
        channels, bones = channels_of(armature), armature.pose.bones
        keyed = dict.fromkeys((bone, name) for bone, name, _ in baked.channels_of_result(result))
        return {(bone, name): bone_values(channels, bones[bone], name, sample.frames) for bone, name in keyed}, shown
    finally:
        actions.assign(armature, source)
        bpy.data.actions.remove(result)
