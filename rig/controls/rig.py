# SPDX-License-Identifier: GPL-3.0-or-later
"""A control rig with a sampled action, ready to be asked: what can be keyed, what moves what, where it is best seen."""

from __future__ import annotations

from collections.abc import Sequence

import bpy
import numpy as np

from ...solver.arrays import FloatArray
from ...solver.clip import Clip
from ...solver.limb import Limb
from ..curves.channels import channels_of
from ..curves.rotation_modes import property_of
from ..sampling.sample import Sample
from .candidates import can_be_moved, can_be_turned, candidates, mirror_name, unkeyed_targets
from .lengths import chain_of
from .owners import dependencies, follows_other_objects, movers_of
from .probe import Places, places
from .states import show, states_of

# A limb no longer than this, from end to end, is bent: in its own lengths.
_BENT = 0.99


class ControlRig:
    """One armature's candidates, and the frames that show each state of its switches.

    A leg that is stretched, or as long as it can be, does not show how it is moved: so each limb is looked at where it
    is bent the most.
    """

    def __init__(self, armature: bpy.types.Object, sample: Sample) -> None:
        self.armature = armature
        self.sample = sample
        self.channels = channels_of(armature)
        self.states = states_of(self.channels, sample.frames)
        self.by_location = candidates(armature, self.channels, lambda bone: "location", can_be_moved)
        self.by_rotation = candidates(
            armature, self.channels, lambda bone: property_of(bone.rotation_mode), can_be_turned
        )
        self.unkeyed_targets = unkeyed_targets(armature, self.by_location)
        self.chains = [chain_of(sample.clip, limb) for limb in sample.limbs]
        self.lengths = [limb.length(sample.clip) for limb in sample.limbs]
        self._reaches = np.stack([_reach(sample.clip, limb) for limb in sample.limbs], axis=1)
        above = None if follows_other_objects(armature) else dependencies(armature)
        self._movers = [None if above is None else movers_of(above, self._bones(chain)) for chain in self.chains]

    def _bones(self, joints: Sequence[int]) -> list[str]:
        parents = self.sample.clip.skeleton.parents
        return [str(self.sample.bones[joint] or self.sample.bones[parents[joint]]) for joint in joints]

    def can_move(self, bone: bpy.types.PoseBone, limb: int) -> bool:
        """Whether a bone may move a limb, as far as looking can tell."""
        movers = self._movers[limb]
        return movers is None or bone.name in movers

    def frames(self, state: int, limb: int | None = None) -> list[float]:
        """Return scene frames to learn from in a state, best first: for one limb, or all of them together."""
        return self.states.frames(state, self._reaches.max(axis=1) if limb is None else self._reaches[:, limb])

    def is_bent(self, limb: int, frame: float) -> bool:
        """Whether a limb is bent enough at a scene frame to follow a control that moves it."""
        at = np.searchsorted(self.sample.frames, frame)
        return bool(self._reaches[at, limb] < _BENT)

    def show(self, frame: float) -> Places:
        """Bring the scene to a frame and return where the bones are."""
        show(frame)
        return places(self.armature, self.sample)

    def pairs(self, limbs: Sequence[int]) -> list[tuple[int, int]]:
        """Return the limbs that mirror each other by their bones' names, each pair once."""
        hips = {self.sample.bones[self.sample.limbs[limb].hip]: limb for limb in limbs}
        twins = [(limb, hips.get(mirror_name(str(hip)), limb)) for hip, limb in hips.items()]
        return [(limb, twin) for limb, twin in twins if limb < twin]


def _reach(clip: Clip, limb: Limb) -> FloatArray:
    """Return ``(F,)`` how far a limb is straightened out: the way from its hip to its heel, in lengths of the limb."""
    way = clip.positions[:, limb.heel] - clip.positions[:, limb.hip]
    return np.asarray(np.linalg.norm(way, axis=-1) / limb.length(clip))
