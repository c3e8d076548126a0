# SPDX-License-Identifier: GPL-3.0-or-later
"""Find the limbs of an armature with all that it can tell of them: names, shape, and what its clip shows."""

from __future__ import annotations

import bpy

from .legs.find_legs import FoundLimbs, find_limbs
from .sampling.limb_motion import limb_motion


def search_limbs(armature: bpy.types.Object, hands: bool = False) -> FoundLimbs:
    """Return the limbs of an armature, with what is not sure of them; a clip decides where there is one.

    hands : whether hands are looked for that carry no weight.

    Raises
    ------
    RigError
        Where no leg can be found.
    """
    # A transform that was just set is in `matrix_world` only after this.
    bpy.context.view_layer.update()
    return find_limbs(armature, hands, limb_motion(armature))
