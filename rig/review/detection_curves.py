# SPDX-License-Identifier: GPL-3.0-or-later
"""What detection looked at, as curves to look at: the speed of each toe, its limit, and its height.

They are sampled, so that they are not taken for keys, and the action knows them by name, so that they can be removed.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

import bpy
import numpy as np

from ...solver.detection import toe_speed
from ...solver.rotations import FloatArray
from ..common import versions
from ..curves import keys, stack
from ..curves.actions import refuse_uneditable
from ..curves.channels import active_action, bone_path, custom_property
from ..curves.keys import remove_properties
from ..legs.limb_bones import LimbBones
from ..verbs.journey import Options, sampled_action

SPEED, SPEED_LIMIT, HEIGHT = "toe_speed", "toe_speed_limit", "toe_height"
_DESCRIPTIONS = {
    SPEED: "Speed of the toe over the ground in m/s, for review only",
    SPEED_LIMIT: "Speed in m/s under which Annotate Contacts takes the toe for planted, for review only",
    HEIGHT: "Height of the toe over the ground in m, for review only",
}

# JSON on the action: [[bone, property], …] of all review curves in it.
_MARK = "toehold_review"


def write_review_curves(armature: bpy.types.Object, limbs: Sequence[LimbBones], options: Options) -> None:
    """Write review curves of ``limbs`` into the active action. RigError where it cannot be changed."""
    action = active_action(armature)
    for owner in (armature, action):
        refuse_uneditable(owner)
    sampled = sampled_action(armature, limbs, options)
    clip = sampled.sample.clip
    channelbag = stack.channelbag_in_hand(armature)
    assert channelbag is not None
    marked = []
    for limb, bones in zip(sampled.sample.limbs, limbs, strict=True):
        toe = clip.positions[:, limb.toe]
        speed, limit = toe_speed(clip, limb, sampled.ground, options.contacts)
        height = toe[:, 2] - sampled.ground.height(toe)
        for name, values in ((SPEED, speed), (SPEED_LIMIT, limit), (HEIGHT, height)):
            bone = armature.pose.bones[bones.contact_bone]
            bone[name] = float(values[0])
            bone.id_properties_ui(name).update(description=_DESCRIPTIONS[name])
            curve = versions.ensure_curve(channelbag, bone_path(bone.name, custom_property(name)), 0, bone.name)
            _sample(curve, sampled.sample.frames, values)
            # What is not selected is drawn faintly.
            curve.select = True
            marked.append([bone.name, name])
    action[_MARK] = json.dumps(marked)
    armature.update_tag(refresh={"TIME"})


def remove_review_curves(armature: bpy.types.Object) -> None:
    """Remove all review curves of the armature's bones from the actions that have some: Clean copies them along."""
    for action in bpy.data.actions:
        text = action.get(_MARK)
        if isinstance(text, str) and action.is_editable:
            marked = [(str(bone), str(name)) for bone, name in json.loads(text) if name in _DESCRIPTIONS]
            remove_properties(armature, marked, action)
            del action[_MARK]
    armature.update_tag(refresh={"TIME"})


def _sample(curve: bpy.types.FCurve, frames: FloatArray, values: FloatArray) -> None:
    keys.set_keys(curve, frames, values, interpolation="LINEAR")
    # Blender samples up to the frame before the one that it is given.
    curve.convert_to_samples(int(frames[0]), int(np.ceil(frames[-1])) + 1)
