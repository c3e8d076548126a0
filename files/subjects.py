# SPDX-License-Identifier: GPL-3.0-or-later
"""Which armatures of the open scene, and which of their actions, are worked on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

import bpy
import numpy as np

from ..rig.common.wording import RigError
from ..rig.contacts.carried import unpack
from ..rig.curves.actions import assign
from ..rig.curves.own_actions import own_actions, slot_for
from ..rig.curves.stack import action_in_hand, plays_strips
from ..rig.legs.limb_bones import LimbBones
from ..rig.sampling.sample import sample

# What a user writes for every armature that moves.
ALL = "all"

# A foot that moves less than this share of its leg over a whole action stands still (1 mm for a person).
_STILL_SHARE = 1e-3


@dataclass(frozen=True)
class Subject:
    """An armature and one action of it.

    action, slot : None where NLA strips are played, which then are the motion.
    name : what the action is called; of strips, the armature.
    """

    armature: bpy.types.Object
    action: bpy.types.Action | None
    slot: bpy.types.ActionSlot | None
    name: str

    def take_up(self) -> None:
        """Let the armature play the action, with the contacts that it has carried through a file."""
        if self.action is not None and self.slot is not None:
            assign(self.armature, self.action, self.slot)
        unpack(self.armature)

    def is_still(self, limbs: Sequence[LimbBones]) -> str:
        """Return why there is nothing to do in the action, which has to be taken up; empty where its feet move."""
        motion = sample(self.armature, limbs)
        if len(motion.frames) < 2:
            return "it is one pose"
        for limb in motion.limbs:
            chain = motion.clip.positions[:, [limb.hip, limb.knee, limb.heel, limb.toe]]
            segments = np.linalg.norm(np.diff(chain[0], axis=0), axis=-1).sum()
            if np.ptp(chain, axis=0).max() > _STILL_SHARE * segments:
                return ""
        return "its legs do not move"


def armatures_of(file_name: str, things: Iterable[bpy.types.Object], wanted: str | None) -> list[bpy.types.Object]:
    """Return the armatures that are meant: the one called ``wanted``, all that move, or the only one that does.

    Raises RigError, with those that there are, where that is not to be told.
    """
    armatures = [thing for thing in things if thing.type == "ARMATURE"]
    if not armatures:
        raise RigError(f"{file_name}: there is no armature in it; export the skeleton too")
    named = [armature for armature in armatures if armature.name == wanted]
    if named:
        return named
    if wanted is not None and wanted != ALL:
        raise RigError(f"{file_name}: there is no armature {wanted!r}; choose one of {listed(armatures)}")
    candidates = [
        armature for armature in armatures if plays_something(armature) or _has_stashed(armature)
    ] or armatures
    if len(candidates) > 1 and wanted != ALL:
        raise RigError(
            f"{file_name}: there are several armatures; choose with --armature: {listed(candidates)}, or {ALL} of them"
        )
    return candidates


def subjects_of(file_name: str, armature: bpy.types.Object, wanted: Sequence[str]) -> list[Subject]:
    """Return what is worked on of an armature: the actions called ``wanted``, names or patterns, or all that it has.

    Where it plays NLA strips, they are one motion. RigError where there is no such action, or none at all.
    """
    animation = armature.animation_data or armature.animation_data_create()
    assert animation is not None, "an object can always be animated"
    if not wanted and plays_strips(armature):
        return [Subject(armature, None, None, armature.name)]
    if animation.action is not None and animation.action_slot is None:
        assign(armature, animation.action)
    if wanted:
        names = [name for one in wanted for name in _matching(armature, one)]
        return [_named(file_name, armature, name) for name in dict.fromkeys(names)]
    found = [Subject(armature, action, slot, action.name) for action, slot in own_actions(armature)]
    if not found:
        there = listed(bpy.data.actions)
        hint = f"choose with --action: {there}" if there else "export the animation too"
        raise RigError(f"{file_name}: armature {armature.name!r} has no action; {hint}")
    return found


def _matching(armature: bpy.types.Object, wanted: str) -> list[str]:
    """Return the names of an armature's actions that a pattern matches; else what was wanted, which may be a name."""
    if wanted in bpy.data.actions:
        return [wanted]
    own = [action.name for action, _ in own_actions(armature) if fnmatchcase(action.name, wanted)]
    return own or [wanted]


def _named(file_name: str, armature: bpy.types.Object, name: str) -> Subject:
    if name not in bpy.data.actions:
        there = listed(bpy.data.actions) or "none"
        raise RigError(f"{file_name}: there is no action {name!r}; the file has {there}")
    action = bpy.data.actions[name]
    slot = slot_for(armature, action)
    if slot is None:
        assign(armature, action)  # tells why where it has none that suits
        _, slot = action_in_hand(armature)
    return Subject(armature, action, slot, name)


def plays_something(armature: bpy.types.Object) -> bool:
    animation = armature.animation_data
    return animation is not None and (animation.action is not None or plays_strips(armature))


def _has_stashed(armature: bpy.types.Object) -> bool:
    """Whether an armature has strips, muted or not, as importers leave them of all that it does not play at once."""
    animation = armature.animation_data
    return animation is not None and any(track.strips for track in animation.nla_tracks)


def listed(things: Iterable[bpy.types.ID], most: int = 12) -> str:
    """Return the names of things, for a person to choose from."""
    names = sorted(thing.name for thing in things)
    return ", ".join(repr(name) for name in names[:most]) + (", ..." if len(names) > most else "")
