# SPDX-License-Identifier: GPL-3.0-or-later
"""Follow Path goes along a curve as Blender shows it, over ground objects, in a new action that can be taken back."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from toehold.rig.contacts.contact_curves import read_contacts
from toehold.rig.gait.path_points import path_points
from toehold.rig.legs.find_legs import find_legs
from toehold.rig.sampling.sample import sample
from toehold.solver.contacts import runs


def curve(kind: str, points: list[tuple[float, float, float]]) -> bpy.types.Object:
    """Return a curve object through, or guided by, points."""
    data = bpy.data.curves.new("Way", "CURVE")
    data.dimensions = "3D"
    spline = data.splines.new(kind)
    if kind == "BEZIER":
        spline.bezier_points.add(len(points) - 1)
        for point, place in zip(spline.bezier_points, points, strict=True):
            point.co = place
            point.handle_left_type = point.handle_right_type = "AUTO"
    else:
        spline.points.add(len(points) - 1)
        for point, place in zip(spline.points, points, strict=True):
            point.co = (*place, 1.0)
        spline.use_endpoint_u = True
    way = bpy.data.objects.new("Way", data)
    bpy.context.collection.objects.link(way)
    return way


def test_it_goes_along_the_selected_curve_and_leaves_the_action_that_was_there(walker: bpy.types.Object) -> None:
    source = walker.animation_data.action
    way = curve("BEZIER", [(0, 0, 0), (0.5, -2, 0), (0, -4, 0)])
    way.select_set(True)
    assert bpy.ops.toehold.follow_path(speed=1.2) == {"FINISHED"}
    result = walker.animation_data.action
    assert result != source
    limbs = find_legs(walker)
    moved = sample(walker, limbs)
    root = moved.clip.positions[:, moved.limbs[0].root]
    assert np.abs(root[[0, -1], :2] - [[0.0, 0.0], [0.0, -4.0]]).max() < 0.1
    assert root[:, 0].max() > 0.4
    curves = [c for layer in result.layers for s in layer.strips for bag in s.channelbags for c in bag.fcurves]
    assert len([c for c in curves if c.data_path.endswith('["contact"]')]) == len(limbs)
    kinds = {key.type for c in curves if "rotation" in c.data_path for key in c.keyframe_points}
    assert kinds == {"GENERATED"}
    assert bpy.ops.toehold.restore_source() == {"FINISHED"}
    assert walker.animation_data.action == source


def test_feet_stand_on_the_ground_objects_of_the_panel(walker: bpy.types.Object) -> None:
    bpy.ops.mesh.primitive_cube_add(size=1.0, location=(0.0, -3.0, 0.0))
    block = bpy.context.object
    block.scale = (4.0, 2.0, 0.3)
    bpy.context.view_layer.objects.active = walker
    walker.toehold.ground.object = block
    walker.toehold.path = curve("POLY", [(0, 0, 0), (0, -6, 0)])
    assert bpy.ops.toehold.follow_path(speed=1.0) == {"FINISHED"}
    moved = sample(walker, find_legs(walker))
    toes = moved.clip.positions[:, [limb.toe for limb in moved.limbs]]
    on_top = (toes[..., 1] < -2.1) & (toes[..., 1] > -3.9)
    assert on_top.any()
    rest = toes[0, :, 2].min()
    assert toes[on_top][:, 2].min() > 0.15 + rest - 1e-3


@pytest.mark.parametrize("kind", ["POLY", "BEZIER", "NURBS"])
def test_a_curve_is_followed_as_blender_shows_it_without_its_thickness(walker: bpy.types.Object, kind: str) -> None:
    way = curve(kind, [(0, 0, 0), (1, -1, 0), (-1, -2, 0.2), (0, -3, 0.2)])
    way.data.bevel_depth, way.data.extrude = 0.1, 0.05
    way.location = (3.0, 0.0, 0.0)
    bpy.context.view_layer.update()
    before = len(bpy.data.curves), len(bpy.data.objects), len(bpy.data.meshes)
    points = path_points("Way")
    assert np.abs(points[[0, -1]] - [[3.0, 0.0, 0.0], [3.0, -3.0, 0.2]]).max() < 1e-5
    assert np.linalg.norm(np.diff(points, axis=0), axis=-1).max() < (3.0 if kind == "POLY" else 0.6)
    assert (len(bpy.data.curves), len(bpy.data.objects), len(bpy.data.meshes)) == before


def test_a_closed_curve_comes_back_to_where_it_begins(walker: bpy.types.Object) -> None:
    way = curve("POLY", [(0, 0, 0), (0, -2, 0), (2, -2, 0)])
    way.data.splines[0].use_cyclic_u = True
    bpy.context.view_layer.update()
    points = path_points("Way")
    assert np.abs(points[0] - points[-1]).max() < 1e-6
    assert len(points) == 4


def test_a_keyed_evaluation_time_says_how_fast(walker: bpy.types.Object) -> None:
    way = curve("POLY", [(0, 0, 0), (0, -6, 0)])
    way.data.path_duration = 100
    fps = bpy.context.scene.render.fps
    for time, frame in ((0.0, 1), (100.0, 1 + 6 * fps)):
        way.data.eval_time = time
        way.data.keyframe_insert("eval_time", frame=frame)
    for point in way.data.animation_data.action.layers[0].strips[0].channelbags[0].fcurves[0].keyframe_points:
        point.interpolation = "LINEAR"
    walker.toehold.path = way
    assert bpy.ops.toehold.follow_path() == {"FINISHED"}
    moved = sample(walker, find_legs(walker))
    root = moved.clip.positions[:, moved.limbs[0].root, :2]
    speed = np.linalg.norm(np.diff(root, axis=0), axis=-1) * fps
    middle = len(speed) // 2
    assert speed[middle - fps : middle + fps].mean() == pytest.approx(1.0, rel=0.06)


def test_without_a_path_the_button_says_what_is_missing(walker: bpy.types.Object) -> None:
    action = walker.animation_data.action
    with pytest.raises(RuntimeError, match="Choose a path first"):
        bpy.ops.toehold.follow_path()
    assert walker.animation_data.action == action


def test_a_path_that_cannot_be_followed_leaves_everything_as_it_was(walker: bpy.types.Object) -> None:
    action = walker.animation_data.action
    actions = len(bpy.data.actions)
    walker.toehold.path = curve("POLY", [(0, 0, 0), (0, 0, 0)])
    with pytest.raises(RuntimeError, match="mm long"):
        bpy.ops.toehold.follow_path(speed=1.0)
    assert walker.animation_data.action == action
    assert len(bpy.data.actions) == actions


def test_the_animator_s_own_cycle_goes_along_the_curve_and_its_feet_stand_still(walker: bpy.types.Object) -> None:
    source = walker.animation_data.action
    walker.toehold.path = curve("BEZIER", [(0, 0, 0), (0.6, -2.5, 0), (0, -5, 0)])
    assert bpy.ops.toehold.follow_path(own_cycle=True) == {"FINISHED"}
    assert walker.animation_data.action != source
    limbs = find_legs(walker)
    moved = sample(walker, limbs)
    root = moved.clip.positions[:, moved.limbs[0].root]
    assert np.abs(root[[0, -1], 1] - [0.0, -5.0]).max() < 0.15
    frames = moved.frames
    contacts = read_contacts(walker, limbs, frames)
    assert contacts is not None
    for at, limb in enumerate(moved.limbs):
        toe = moved.clip.positions[:, limb.toe]
        for first, last in runs(contacts.toe_planted[:, at]):
            speed = np.linalg.norm(np.diff(toe[first : last + 1, :2], axis=0), axis=-1) * moved.clip.fps
            assert speed.mean() < 1e-3
