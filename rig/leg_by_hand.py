# SPDX-License-Identifier: GPL-3.0-or-later
"""A leg by the bones that a person has selected."""

from __future__ import annotations

from itertools import pairwise

import bpy
from bpy.app.translations import pgettext_n as n_

from . import versions
from .errors import RigError
from .leg_names import is_body, read_name
from .limb_bones import LimbBones


def selected_leg(armature: bpy.types.Object, name: str) -> LimbBones:
    """Return the leg of the selected bones: hip, knee and heel, then toe and the tip of the toes if there are more.

    Raises
    ------
    RigError
        Where fewer than three or more than five are selected, or bones beside each other.
    """
    chosen = [bone for bone in armature.pose.bones if versions.is_selected(bone)]
    if not 3 <= len(chosen) <= 5:
        raise RigError("select the bones of one leg, from hip to foot or toes (three to five), and try again")
    chain = sorted(chosen, key=lambda bone: len(bone.parent_recursive))
    for above, below in pairwise(chain):
        if above not in below.parent_recursive:
            raise RigError(
                'bone "{below}" does not hang from bone "{above}": select the bones of one leg',
                below=below.name,
                above=above.name,
            )
    hip, knee, heel, toe, toe_end = ([bone.name for bone in chain] + ["", ""])[:5]
    return LimbBones(
        name=name,
        root=_root_above(chain[0]),
        hip=hip,
        knee=knee,
        heel=heel,
        toe=toe,
        toe_end=toe_end,
        reason=n_("by the bones that were selected"),
    )


def _root_above(hip: bpy.types.PoseBone) -> str:
    """Return the bone that carries the body: the nearest called hips or pelvis, else the parent, that can be moved."""
    above = list(hip.parent_recursive)
    bodies = [bone for bone in above if is_body(read_name(bone.name))]
    root = (bodies or above or [hip])[0]
    while root.parent is not None and root.bone.use_connect:
        root = root.parent
    return root.name
