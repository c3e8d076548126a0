# SPDX-License-Identifier: GPL-3.0-or-later
"""What a preview is of: armature, scene and action, known by name and number, and whether they are still there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import bpy

from ..common.wording import say
from ..curves import stack
from ..legs.limb_bones import LimbBones
from ..verbs.journey import Options
from .lock_play import LockPlay
from .preview_pose import Pose

# What the legs and settings of an armature are at any time.
Ask = Callable[[bpy.types.Object], tuple[list[LimbBones], Options]]

# An action's session number, and the handle of the slot in it.
ActionNumber = tuple[int, int]


@dataclass
class Previewed:
    """What is shown on which armature.

    action : the preview ends where another one is assigned.
    in_renders : whether a render is to show it too, asked when one begins.
    curves : digest of the curves that ``play`` was played from.
    own_pose : what the bones have without the preview in the frame that is shown, ``given`` with it.
    keyed : which of these values the action sets by itself on every frame.
    hidden_at : the frame in which it made room for a render.
    """

    armature: str
    armature_number: int
    scene: str
    action: ActionNumber
    ask: Ask
    in_renders: Callable[[bpy.types.Object], bool]
    limbs: list[LimbBones]
    play: LockPlay
    curves: bytes
    own_pose: Pose
    given: Pose
    keyed: dict[tuple[str, str], list[bool]]
    hidden_at: float = 0.0


def find(shown: Previewed) -> bpy.types.Object | None:
    """Return the armature that is shown, whatever it is called now."""
    armature: bpy.types.Object | None = bpy.data.objects.get(shown.armature)
    if armature is None or armature.session_uid != shown.armature_number:
        armature = next((other for other in bpy.data.objects if other.session_uid == shown.armature_number), None)
        if armature is not None:
            shown.armature = armature.name
    return armature


def assigned(armature: bpy.types.Object) -> ActionNumber | None:
    """Return which action and slot the tools work on."""
    action, slot = stack.action_in_hand(armature)
    return None if action is None or slot is None else (action.session_uid, slot.handle)


def why_over(shown: Previewed, armature: bpy.types.Object | None) -> str:
    """Return what of all that is shown is not there any more; empty where it all is."""
    if armature is None:
        return say("the armature is gone")
    if assigned(armature) != shown.action:
        return say("another action is assigned")
    if any(bone not in armature.pose.bones for bone, _ in shown.own_pose):
        return say("a bone is gone")
    return "" if shown.scene in bpy.data.scenes else say("the scene is gone")


def frame_of(scene: bpy.types.Scene | None) -> float:
    """Return the frame that a scene shows, whole or not."""
    assert scene is not None, "there always is one"
    return float(scene.frame_current_final)
