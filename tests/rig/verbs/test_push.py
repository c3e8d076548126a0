# SPDX-License-Identifier: GPL-3.0-or-later
"""A push makes a new action: before it all is as it was, after it the body stands on its feet or lies on the floor."""

from __future__ import annotations

from dataclasses import replace

import bpy
import numpy as np
import pytest

from support.walker import walk
from support.walker_armature import walking_armature
from toehold.rig.common.wording import RigError
from toehold.rig.curves.channels import active_action
from toehold.rig.legs.find_legs import find_legs
from toehold.rig.sampling.sample import sample
from toehold.rig.verbs.journey import Options
from toehold.rig.verbs.push import PushOptions, PushResult, push

FRAME = 40
SHOVE = PushOptions("Hips", FRAME, (20.0, 0.0, 0.0), 70.0)
BLOW = replace(SHOVE, impulse=(250.0, 0.0, 0.0))


@pytest.fixture
def walker() -> bpy.types.Object:
    # It ends in the middle of a stride, and so is no loop.
    return walking_armature(walk(strides=2.6))


def pushed(armature: bpy.types.Object, hit: PushOptions) -> PushResult:
    return push(armature, find_legs(armature), Options(), hit)


def keys_before(action: bpy.types.Action, frame: int) -> dict[tuple[str, int], list[tuple[float, float]]]:
    curves = [c for layer in action.layers for s in layer.strips for bag in s.channelbags for c in bag.fcurves]
    return {
        (curve.data_path, curve.array_index): [(k.co[0], k.co[1]) for k in curve.keyframe_points if k.co[0] < frame]
        for curve in curves
        if "contact" not in curve.data_path
    }


def test_a_shove_is_caught_and_no_key_before_it_is_another(walker: bpy.types.Object) -> None:
    source = active_action(walker)
    made = pushed(walker, SHOVE)
    result = active_action(walker)
    assert result not in (source, None)
    assert result.name == f"{source.name} Push"
    assert not made.falls
    assert made.delta_v == pytest.approx(20.0 / 70.0)
    assert made.threshold is not None
    assert made.threshold > made.delta_v
    before = keys_before(source, FRAME)
    assert before
    assert {name: keys for name, keys in keys_before(result, FRAME).items() if name in before} == before
    clip = sample(walker, find_legs(walker)).clip
    hips = clip.positions[:, 0]
    assert np.abs(hips[FRAME:] - made.cleaned.sample.clip.positions[FRAME:, 0]).max() > 0.03
    assert made.cleaned.after.drift_mm < 1.0


def test_a_blow_knocks_it_down_with_its_bones_as_long_as_they_were_and_nothing_in_the_floor(
    walker: bpy.types.Object,
) -> None:
    limbs = find_legs(walker)
    before = sample(walker, limbs, whole=True).clip
    made = pushed(walker, BLOW)
    assert made.falls
    assert made.gape < 1e-3
    after = made.cleaned.clip
    at = after.skeleton.index("Hips")
    assert after.positions[-1, at, 2] < 0.5 * before.positions[0, at, 2]
    assert after.positions[..., 2].min() > -1e-3
    parents = np.array(after.skeleton.parents)
    bones = np.flatnonzero(parents >= 0)
    long, were = (
        np.linalg.norm(clip.positions[:, bones] - clip.positions[:, parents[bones]], axis=-1)
        for clip in (after, before)
    )
    assert np.abs(long - were[0]).max() < 1e-5
    # It comes to rest, and what was made is what Blender shows.
    assert np.abs(np.diff(after.positions[-2:], axis=0)).max() < 1e-3
    shown = sample(walker, limbs, whole=True).clip
    assert np.abs(shown.positions - after.positions[: shown.frame_count]).max() < 1e-3


def test_in_a_loop_it_gets_up_and_walks_on_from_where_it_lay() -> None:
    made = pushed(walking_armature(walk(strides=2.0)), BLOW)
    assert made.falls
    assert made.gets_up
    clip, limbs = made.cleaned.clip, made.cleaned.sample.limbs
    height = clip.positions[:, clip.skeleton.index("Hips"), 2]
    assert height[FRAME:].min() < 0.5 * height[0]
    assert height[-1] > 0.95 * height[0]
    toes = clip.positions[:, [limb.toe for limb in limbs]]
    assert toes[..., 2].min() > toes[:FRAME, :, 2].min() - 1e-3
    # Nothing jumps on the way up: joints have no steps of more than 2 m/s from frame to frame once it lies.
    lowest = int(np.argmin(height))
    steps = np.linalg.norm(np.diff(clip.positions[lowest:], n=2, axis=0), axis=-1) * clip.fps
    assert steps.max() < 2.0


def test_the_speed_of_the_body_has_no_step_where_it_is_let_go(walker: bpy.types.Object) -> None:
    made = pushed(walker, replace(BLOW, impulse=(140.0, 0.0, 0.0), fall="ALWAYS"))
    clip = made.cleaned.clip
    hips = clip.positions[:, clip.skeleton.index("Hips")]
    speed = np.diff(hips, axis=0) * clip.fps
    steps = np.linalg.norm(np.diff(speed, axis=0), axis=-1)[FRAME - 3 : FRAME + 12]
    # Pushed for 0.1 s, six frames, by 2 m/s: at most twice the mean of that in a frame, and nothing at the hand-over.
    assert steps.max() < 2.0 * made.delta_v / 6.0 * 1.2


def test_the_users_scene_handlers_and_physics_are_as_they_were(walker: bpy.types.Object) -> None:
    scene = bpy.context.scene
    bpy.ops.rigidbody.world_add()
    world = scene.rigidbody_world
    world.solver_iterations = 17
    calls: list[str] = []

    def listener(*arguments: object) -> None:
        calls.append(arguments[0].name if isinstance(arguments[0], bpy.types.Scene) else "")

    bpy.app.handlers.frame_change_post.append(listener)
    handlers = {name: list(getattr(bpy.app.handlers, name)) for name in ("frame_change_pre", "frame_change_post")}
    kinds = ("scenes", "objects", "meshes", "collections", "worlds", "armatures")
    blocks = {kind: list(getattr(bpy.data, kind)) for kind in kinds}
    actions = set(bpy.data.actions)
    frame = scene.frame_current, scene.frame_start, scene.frame_end
    try:
        pushed(walker, BLOW)
        assert {kind: list(getattr(bpy.data, kind)) for kind in kinds} == blocks
        assert set(bpy.data.actions) - actions == {active_action(walker)}
        assert {name: list(getattr(bpy.app.handlers, name)) for name in handlers} == handlers
        assert set(calls) <= {scene.name}
        assert scene.rigidbody_world == world
        assert world.solver_iterations == 17
        assert (scene.frame_current, scene.frame_start, scene.frame_end) == frame
    finally:
        bpy.app.handlers.frame_change_post.remove(listener)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"bone": "Nose"}, 'has no bone "Nose"'),
        ({"frame": 4000}, "frame 4000 is not in the action"),
        ({"impulse": (0.0, 0.0, 0.0)}, "the impulse is zero"),
        ({"impulse": (float("nan"), 0.0, 0.0)}, "finite"),
        ({"mass": -3.0}, "the mass is -3 kg"),
        ({"frame": 168}, "too soon to see what comes of it"),
    ],
)
def test_what_is_no_push_is_refused_with_a_way_out_and_changes_nothing(
    walker: bpy.types.Object, change: dict[str, object], reason: str
) -> None:
    source, count = active_action(walker), len(bpy.data.actions)
    with pytest.raises(RigError, match=reason):
        pushed(walker, replace(SHOVE, **change))  # type: ignore[arg-type]
    assert active_action(walker) == source
    assert len(bpy.data.actions) == count
