# SPDX-License-Identifier: GPL-3.0-or-later
"""A gait is a new action like any other: contacts as curves, generated keys, and a way back."""

from __future__ import annotations

import bpy
import numpy as np

from toehold.rig.curves.channels import keyed_frames
from toehold.rig.legs.find_legs import find_legs
from toehold.rig.sampling.sample import sample


def test_a_gait_is_made_and_leaves_the_action_that_was_there(walker: bpy.types.Object) -> None:
    source = walker.animation_data.action
    before = {(c.data_path, c.array_index): len(c.keyframe_points) for c in _curves(source)}
    assert bpy.ops.toehold.generate_gait(gait="WALK", speed=1.2) == {"FINISHED"}
    result = walker.animation_data.action
    assert result != source
    assert {(c.data_path, c.array_index): len(c.keyframe_points) for c in _curves(source)} == before
    limbs = find_legs(walker)
    clip = sample(walker, limbs)
    planted = [c for c in _curves(result) if c.data_path.endswith('["contact"]')]
    assert len(planted) == len(limbs)
    way = clip.clip.positions[-1, clip.limbs[0].root] - clip.clip.positions[0, clip.limbs[0].root]
    seconds = (len(clip.frames) - 1) / clip.clip.fps
    assert abs(np.linalg.norm(way[:2]) / seconds - 1.2) < 0.012
    kinds = {key.type for curve in _curves(result) if "rotation" in curve.data_path for key in curve.keyframe_points}
    assert kinds == {"GENERATED"}


def test_made_again_it_starts_from_the_pose_that_it_was_made_from(walker: bpy.types.Object) -> None:
    assert bpy.ops.toehold.generate_gait(gait="WALK", speed=1.2) == {"FINISHED"}
    first = sample(walker, find_legs(walker)).clip
    bpy.context.scene.frame_set(int(keyed_frames(walker)[17]))
    assert bpy.ops.toehold.generate_gait(gait="WALK", speed=1.2) == {"FINISHED"}
    second = sample(walker, find_legs(walker)).clip
    assert np.abs(first.positions - second.positions).max() < 1e-4


def _curves(action: bpy.types.Action) -> list[bpy.types.FCurve]:
    return [c for layer in action.layers for s in layer.strips for bag in s.channelbags for c in bag.fcurves]
