# SPDX-License-Identifier: GPL-3.0-or-later
"""What is set for contacts in an action, as spans that are easily held against others."""

from __future__ import annotations

from collections.abc import Sequence

import bpy

from toehold.rig.contacts.states import read_states
from toehold.rig.curves.channels import keyed_frames
from toehold.rig.legs.limb_bones import LimbBones
from toehold.solver.contacts import runs
from toehold.solver.forced import State

from .walker import limb_bones


def set_spans(
    armature: bpy.types.Object, point: str = "toe", limbs: Sequence[LimbBones] | None = None
) -> list[list[tuple[int, int, State]]]:
    """Return first and last scene frame and state of all that is set for a point of each limb; of the walker's if none
    are given."""
    frames = keyed_frames(armature)
    states = getattr(read_states(armature, limbs or limb_bones(), frames), point)
    return [
        sorted(
            (int(frames[first]), int(frames[last]), state)
            for state in State
            if state is not State.AUTO
            for first, last in runs(states[:, limb] == state)
        )
        for limb in range(states.shape[1])
    ]
