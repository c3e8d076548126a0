# SPDX-License-Identifier: GPL-3.0-or-later
"""The preview of a control rig: played when it is switched on, and again when a slider rests or a key has moved."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import bpy
from gui.inside import DRAWN, Steps, inside, open_file

FRAMES = (5, 9, 13)

# Seconds in which the lock is played anew, and goes on being played if it never rests.
SETTLED = 2.0


def steps(folder: Path, seen: dict[str, Any]) -> Steps:
    yield from open_file(folder / "walker.blend")
    armature = bpy.data.objects["Control Rig"]
    bpy.context.view_layer.objects.active = armature
    plays = count_plays()
    seen["animation"] = poses(armature)
    with inside():
        bpy.ops.toehold.find_legs()
        bpy.ops.toehold.annotate_contacts()
        bpy.ops.toehold.preview_lock()
    yield SETTLED
    seen["shown"], seen["plays when on"] = poses(armature), len(plays)
    for value in (0.1, 0.01, 0.003):
        armature.toehold.lock.unlock_distance = value
    yield SETTLED
    seen["slid"], seen["plays after slider"] = poses(armature), len(plays)
    animation = armature.animation_data
    for curve in animation.action.layers[0].strips[0].channelbag(animation.action_slot).fcurves:
        for key in curve.keyframe_points if "target.L" in curve.data_path else ():
            key.co.y *= 1.3
        curve.update()
    animation.action.update_tag()
    yield SETTLED
    seen["edited"], seen["plays after edit"] = poses(armature), len(plays)
    with inside():
        bpy.ops.screen.animation_play()
        yield SETTLED
        bpy.ops.screen.animation_cancel()
    bpy.ops.toehold.preview_lock()
    yield DRAWN
    seen["plays at the end"] = len(plays)
    bpy.ops.toehold.bake_lock()
    seen["baked"], seen["actions"] = poses(armature), len(bpy.data.actions)


def count_plays() -> list[None]:
    """Return a list that grows with every time that the lock is played through the controls."""
    lock_play = importlib.import_module("bl_ext.user_default.toehold.rig.shown.lock_play")
    plays: list[None] = []
    play = lock_play.controlled_channels

    def counted(*arguments: Any) -> Any:
        plays.append(None)
        return play(*arguments)

    lock_play.controlled_channels = counted
    return plays


def poses(armature: bpy.types.Object) -> list[float]:
    """Return the matrices of all bones on some frames, as numbers."""
    found: list[float] = []
    for frame in FRAMES:
        bpy.context.scene.frame_set(frame)
        found += [value for bone in armature.pose.bones for row in bone.matrix for value in row]
    return found
