# SPDX-License-Identifier: GPL-3.0-or-later
"""What the overlays show of an armature's active action, taken without disturbing what is being worked on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import bpy
import numpy as np
from numpy.typing import NDArray

from ...solver.detection import find_contacts
from ...solver.feet import Feet, feet_of
from ...solver.forced import StateArray
from ...solver.treadmill import on_treadmill
from ..contacts.contact_curves import edited_states, read_contacts
from ..curves import actions
from ..curves.channels import active_action, all_channels_of
from ..curves.digest import digest_of
from ..legs.limb_bones import LimbBones
from ..sampling.sample import Sample, sample, sample_by_looking
from ..terrain.ground import ground_of
from ..verbs.flip import result_of
from ..verbs.journey import Options
from .preview import preview


@dataclass(frozen=True)
class Motion:
    """A sampled action, and a digest of the curves that it was sampled from.

    stands_still : whether the action leaves the armature's object where it is.
    """

    sample: Sample
    digest: bytes
    stands_still: bool


@dataclass(frozen=True)
class Seen:
    """The feet at scene ``frames`` (F,), and what a person has set or edited of the toes: State (F, L)."""

    frames: NDArray[np.float64]
    feet: Feet
    states: StateArray


@dataclass(frozen=True)
class Ghost:
    """Another action's bones: their ends (F, B, 2, 3) in metres in the world, at scene ``frames`` (F,)."""

    frames: NDArray[np.float64]
    bones: NDArray[np.float32]


def motion_of(
    armature: bpy.types.Object, limbs: Sequence[LimbBones], known: Motion | None, may_step: bool
) -> Motion | None:
    """Return the motion of the active action: the one ``known`` where it still holds.

    may_step : whether Blender may step through the frames where the curves do not tell all. A pose that is being
        edited and has no keys yet would be lost by that. Without it, such a motion that is not known is None.

    Raises
    ------
    RigError
        As ``sample`` does.
    """
    digest = digest_of(armature)
    if known is not None and known.digest == digest:
        return known
    looked = sample_by_looking(armature, limbs)
    if looked is None and may_step:
        with preview.hidden():
            looked = sample(armature, limbs)
    return None if looked is None else Motion(looked, digest, not all_channels_of(armature).of_object)


def feet_in(armature: bpy.types.Object, limbs: Sequence[LimbBones], shown: Sample, options: Options) -> Seen | None:
    """Return the feet of a sampled action by its contact curves; None where it has none, and is no source either."""
    # What moves stays where it is now: nothing that draws may step through the scene's frames.
    floor = ground_of(options.ground_objects, options.ground_height, shown, may_step=False)
    ground = on_treadmill(shown.clip, shown.limbs, floor)
    contacts = read_contacts(armature, limbs, shown.frames)
    if contacts is None:
        # A source that was cleaned at once has its contacts in its result alone.
        if result_of(active_action(armature)) is None:
            return None
        contacts = find_contacts(shown.clip, shown.limbs, ground, options.contacts, belt_known=True)
    states = edited_states(armature, limbs, shown.frames).toe
    return Seen(shown.frames, feet_of(shown.clip, shown.limbs, contacts, ground), states)


def ghost_of(armature: bpy.types.Object, limbs: Sequence[LimbBones]) -> Ghost | None:
    """Return the bones as the source of the active result has them, of a source as its result has them.

    None where there is no other action, or its curves do not tell all of its motion.
    """
    active = active_action(armature)
    other = actions.source_of(active) or result_of(active)
    looked = None if other is None else sample_by_looking(armature, limbs, other)
    if looked is None:
        return None
    clip = looked.clip
    ends = [(parent, joint) for joint, parent in enumerate(clip.skeleton.parents) if parent >= 0]
    bones = clip.positions[:, np.array(ends, dtype=np.intp).reshape(-1, 2)]
    return Ghost(looked.frames, bones.astype(np.float32))
