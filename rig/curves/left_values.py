# SPDX-License-Identifier: GPL-3.0-or-later
"""Values that a result left on channels which its source does not animate, where the source was assigned by hand.

Blender keeps on such a channel what it had last, and a source that is read then is not what it was.
"""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np

from ..common import versions
from . import baked
from .actions import source_of
from .channels import active_action, all_channels_of, channels_in, key_coordinates

# A value this near to a key's is that key's: Blender keeps float32.
_SAME = 1e-6


def put_left_values_to_rest(armature: bpy.types.Object) -> None:
    """Put channels that only results of the assigned action animate back to what they were before, where they have a
    value that such a result left on them; what a person has set since stays."""
    source = active_action(armature)
    animated = all_channels_of(armature).of_bones
    slot_name = armature.animation_data.action_slot.identifier if armature.animation_data.action_slot else ""
    for result in bpy.data.actions:
        if source_of(result) != source or result == source or slot_name not in result.slots.keys():  # noqa: SIM118
            continue
        slot = result.slots[slot_name]
        curves = channels_in(versions.channelbag_of(result, slot)).of_bones
        for (bone_name, name, index), still in baked.channels_of_result(result).items():
            curve = curves.get((bone_name, name), {}).get(index)
            bone: Any = armature.pose.bones.get(bone_name)
            if still is None or curve is None or bone is None or index in animated.get((bone_name, name), {}):
                continue
            values = getattr(bone, name)
            left = np.abs(key_coordinates(curve)[:, 1] - values[index]).min(initial=np.inf) <= _SAME
            if left and values[index] != still:
                values[index] = still
