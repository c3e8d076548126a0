# SPDX-License-Identifier: GPL-3.0-or-later
"""The controls that were found last, so that the same rig is not searched again for the same work.

Which controls move what is the rig's: its bones, constraints, drivers and settings, what is keyed and what is locked.
All of that is in the key, and what comes of the controls is measured anyway.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import bpy
import numpy as np

from ...solver.rotations import FloatArray
from ..contacts.properties import ALL as CONTACT_PROPERTIES
from ..curves.channels import TRANSFORMS, Channels, custom_property, evaluate

Found = TypeVar("Found")

# So many rigs, or kinds of work on one rig, are remembered.
_MOST = 8


@dataclass
class Memory(Generic[Found]):
    """What was found for the keys that were asked for last."""

    _found: dict[Hashable, Found] = field(default_factory=dict)

    def recall(self, key: Hashable) -> Found | None:
        return self._found.get(key)

    def keep(self, key: Hashable, found: Found) -> None:
        self._found[key] = found
        while len(self._found) > _MOST:
            del self._found[next(iter(self._found))]

    def forget(self) -> None:
        self._found.clear()


def rig_key(armature: bpy.types.Object, channels: Channels, frames: FloatArray) -> Hashable:
    """Return what tells a rig, as an action animates its settings on ``frames`` ``(F,)``, from all others.

    The frames are a part of it: which controls a limb follows may change from one to the next.
    """
    bones = tuple(_bone_key(bone) for bone in armature.pose.bones)
    drivers = tuple((driver.data_path, driver.array_index, driver.mute) for driver in armature.animation_data.drivers)
    return armature.session_uid, bones, drivers, frames.tobytes(), tuple(_curve_keys(channels, frames))


def _bone_key(bone: bpy.types.PoseBone) -> Hashable:
    settings = tuple((name, str(value)) for name, value in bone.items() if name not in CONTACT_PROPERTIES)
    constraints = tuple(
        (one.type, one.mute, round(one.influence, 4), str(getattr(one, "target", "")), getattr(one, "subtarget", ""))
        for one in bone.constraints
    )
    locks = np.array(bone.lock_location).tobytes(), np.array(bone.lock_rotation).tobytes()
    parent = "" if bone.parent is None else bone.parent.name
    return bone.name, parent, bone.rotation_mode, bone.custom_shape is None, locks, constraints, settings


def _curve_keys(channels: Channels, frames: FloatArray) -> Iterator[Hashable]:
    """Yield what is keyed and locked; of settings also their values."""
    contacts = {custom_property(name) for name in CONTACT_PROPERTIES}
    of_all = {**channels.of_bones, **{("", name): curves for name, curves in channels.of_object.items()}}
    for (bone, name), curves in of_all.items():
        if name in contacts:
            continue
        for index, curve in curves.items():
            locked = curve.lock or (curve.group is not None and curve.group.lock)
            values = b"" if name in TRANSFORMS else evaluate(curve, frames).tobytes()
            yield bone, name, index, locked, curve.mute, values
