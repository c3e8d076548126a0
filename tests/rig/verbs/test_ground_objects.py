# SPDX-License-Identifier: GPL-3.0-or-later
"""What can be ground and what can not: the user's word, storeys, instances, odd scales, what is hidden or changes."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from support.ground_objects import add_mesh, add_plate, key_location
from support.walker import limb_bones, walk
from support.walker_armature import walking_armature
from toehold.rig.common.wording import RigError
from toehold.rig.sampling.sample import Sample, sample
from toehold.rig.terrain.ground import ObjectGround, ground_of, off_the_ground
from toehold.rig.terrain.surface import WALK_ON, set_walk_on, walk_on
from toehold.solver.contacts import Contacts
from toehold.solver.rotations import FloatArray


def motion() -> Sample:
    return sample(walking_armature(walk(strides=1.0)), limb_bones())


def ground(*names: str) -> ObjectGround:
    found = ground_of(names, 0.0, motion())
    assert isinstance(found, ObjectGround)
    return found


def heights(of: ObjectGround, *places: tuple[float, float, float]) -> FloatArray:
    return of.height(np.array([places]))[0]


def test_what_the_user_says_is_ground_is_stood_on_however_high_it_is() -> None:
    table = add_plate("Table", height=0.8)
    assert heights(ground("Table"), (0.0, 0.0, 0.05)).tolist() == [0.0]
    set_walk_on(table, "GROUND")
    np.testing.assert_allclose(heights(ground("Table"), (0.0, 0.0, 0.05)), [0.8], atol=1e-6)


def test_nobody_stands_on_what_the_user_says_is_an_obstacle() -> None:
    add_plate("Floor", height=0.1)
    set_walk_on(add_plate("Box", half=0.3, height=0.3), "OBSTACLE")
    np.testing.assert_allclose(heights(ground("Floor", "Box"), (0.0, 0.0, 0.12)), [0.1], atol=1e-6)


def test_a_ground_of_obstacles_only_is_refused() -> None:
    set_walk_on(add_plate("Box"), "OBSTACLE")
    with pytest.raises(RigError, match="all of Box is an obstacle"):
        ground("Box")


def test_the_users_word_is_a_plain_property_and_leaves_no_trace_when_it_is_taken_back() -> None:
    box = add_plate("Box")
    assert walk_on(box) == "AUTOMATIC"
    set_walk_on(box, "GROUND")
    assert (box[WALK_ON], walk_on(box)) == ("GROUND", "GROUND")
    set_walk_on(box, "AUTOMATIC")
    assert WALK_ON not in box
    box[WALK_ON] = 7
    assert walk_on(box) == "AUTOMATIC"


def test_each_foot_stands_on_its_own_storey() -> None:
    for name, height in (("Ground", 0.0), ("Bridge", 0.9), ("Roof", 3.0)):
        add_plate(name, height=height)
    of = ground("Ground", "Bridge", "Roof")
    found = heights(of, (0.0, 0.0, 0.02), (0.0, 0.0, 0.45), (0.0, 0.0, 0.92), (0.0, 0.0, 2.97))
    np.testing.assert_allclose(found, [0.0, 0.0, 0.9, 3.0], atol=1e-6)


def test_a_hole_is_missed_and_a_narrow_gap_is_not() -> None:
    for name, side in (("Left", -1.0), ("Right", 1.0)):
        add_plate(name, half=0.5, height=0.2).location = (side * 0.52, 0.0, 0.0)
        add_plate(f"Far {name}", half=0.5, height=0.2).location = (side * 0.7, 3.0, 0.0)
    bpy.context.view_layer.update()
    of = ground("Left", "Right", "Far Left", "Far Right")
    np.testing.assert_allclose(heights(of, (0.0, 0.0, 0.22), (0.0, 3.0, 0.22)), [0.2, 0.0], atol=1e-6)


def test_feet_beside_the_ground_and_on_steep_faces_are_told() -> None:
    whole = motion()
    planted = walk(strides=1.0).contacts
    left = Contacts(planted.toe * [1.0, 0.0], planted.heel * [1.0, 0.0])
    toe = np.median(whole.clip.positions[left.toe_planted[:, 0], whole.limbs[0].toe], axis=0)
    wall = add_mesh("Wall", [(-1, 0, -0.4), (1, 0, -0.4), (1, -0.2, 0.4), (-1, -0.2, 0.4)], [(0, 1, 2, 3)])
    wall.location = (0.0, toe[1] + 0.1, 0.0)
    bpy.context.view_layer.update()
    of = ground("Wall")
    assert of.steep(np.array([[toe, toe + [0.0, 0.5, 0.0]]]))[0].tolist() == [True, False]
    np.testing.assert_array_equal(of.normal(toe[None, None])[0, 0], [0.0, 0.0, 1.0])
    off = off_the_ground(of, whole.clip, whole.limbs, left)
    assert off.steep > 0.5
    assert off.beside == pytest.approx(1.0 - off.steep, abs=1e-9)


def test_instances_and_a_collection_that_is_placed_by_an_empty_can_be_stood_on() -> None:
    collection = bpy.data.collections.new("Kit")
    part = add_plate("Part", half=0.2, height=0.1)
    bpy.context.scene.collection.objects.unlink(part)
    collection.objects.link(part)
    placed = bpy.data.objects.new("Placed", None)
    placed.instance_type, placed.instance_collection, placed.location = "COLLECTION", collection, (0.0, 2.0, 0.15)
    bpy.context.scene.collection.objects.link(placed)
    bpy.context.view_layer.update()
    found = heights(ground("Placed"), (0.1, 2.1, 0.3), (0.0, 0.0, 0.3))
    np.testing.assert_allclose(found, [0.25, 0.0], atol=1e-6)


def test_geometry_nodes_that_only_make_instances_can_be_stood_on() -> None:
    slab, carrier = add_plate("Slab", half=0.3, height=0.2), add_plate("Carrier", half=0.01)
    slab.location.x = 50.0
    tree = bpy.data.node_groups.new("Instances", "GeometryNodeTree")
    tree.interface.new_socket("Geometry", in_out="INPUT", socket_type="NodeSocketGeometry")
    tree.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    start, end = tree.nodes.new("NodeGroupInput"), tree.nodes.new("NodeGroupOutput")
    points, thing = tree.nodes.new("GeometryNodeInstanceOnPoints"), tree.nodes.new("GeometryNodeObjectInfo")
    thing.inputs["Object"].default_value = slab
    thing.inputs["As Instance"].default_value = True
    tree.links.new(start.outputs[0], points.inputs["Points"])
    tree.links.new(thing.outputs["Geometry"], points.inputs["Instance"])
    tree.links.new(points.outputs[0], end.inputs[0])
    carrier.modifiers.new("Instances", "NODES").node_group = tree
    bpy.context.view_layer.update()
    np.testing.assert_allclose(heights(ground("Carrier"), (0.1, 0.1, 0.25)), [0.2], atol=1e-6)


@pytest.mark.parametrize("scale", [(2.0, 0.5, 3.0), (1.0, 1.0, 0.0), (-1.0, 1.0, 1.0)])
def test_odd_scales_count_as_blender_shows_them(scale: tuple[float, float, float]) -> None:
    corners = [(-1.0, -1.0, 0.1), (1.0, -1.0, 0.1), (1.0, 1.0, 0.1), (-1.0, 1.0, 0.1)]
    thing = add_mesh("Odd", corners, [(0, 1, 2, 3)])
    thing.scale, thing.location = scale, (0.0, 0.0, 0.05)
    bpy.context.view_layer.update()
    of = ground("Odd")
    np.testing.assert_allclose(heights(of, (0.4, 0.3, 0.4)), [0.05 + 0.1 * scale[2]], atol=1e-6)
    np.testing.assert_allclose(of.normal(np.array([[(0.4, 0.3, 0.4)]]))[0, 0], [0.0, 0.0, 1.0], atol=1e-6)


def test_what_moves_and_is_scaled_to_nothing_is_refused() -> None:
    lift = add_plate("Lift")
    key_location(lift, {1: (0.0, 0.0, 0.0), 50: (0.0, 0.0, 1.0)})
    lift.scale.z = 0.0
    bpy.context.view_layer.update()
    with pytest.raises(RigError, match=r"Lift.*scaled to nothing"):
        ground("Lift")


def test_what_the_eye_hides_is_ground_and_what_is_switched_off_is_refused() -> None:
    thing = add_plate("Collider", height=0.1)
    thing.hide_set(True)
    bpy.context.view_layer.update()
    np.testing.assert_allclose(heights(ground("Collider"), (0.0, 0.0, 0.2)), [0.1], atol=1e-6)
    thing.hide_viewport = True
    bpy.context.view_layer.update()
    with pytest.raises(RigError, match='"Collider" is switched off'):
        ground("Collider")


@pytest.mark.parametrize("kind", ["empty mesh", "wire", "bare empty"])
def test_what_has_no_face_is_refused(kind: str) -> None:
    if kind == "bare empty":
        bpy.context.scene.collection.objects.link(bpy.data.objects.new("Nothing", None))
    else:
        add_mesh("Nothing", [] if kind == "empty mesh" else [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0)], [])
    with pytest.raises(RigError, match="no face in Nothing"):
        ground("Nothing")


def test_a_shape_that_changes_is_refused_and_one_that_is_only_modified_is_not() -> None:
    thing = add_plate("Water", height=0.1)
    thing.modifiers.new("Fine", "SUBSURF").levels = 1
    thing.shape_key_add(name="Basis")
    high = thing.shape_key_add(name="High")
    for point in high.data:
        point.co.z += 0.2
    high.value = 0.5
    bpy.context.view_layer.update()
    np.testing.assert_allclose(heights(ground("Water"), (0.0, 0.0, 0.3)), [0.2], atol=1e-6)
    for frame, value in ((1, 0.0), (60, 1.0)):
        high.value = value
        high.keyframe_insert("value", frame=frame)
    now = bpy.context.scene.frame_current
    with pytest.raises(RigError, match='"Water" changes its shape'):
        ground("Water")
    assert bpy.context.scene.frame_current == now


def test_metaballs_and_bevelled_curves_can_be_stood_on() -> None:
    curve = bpy.data.curves.new("Rail", "CURVE")
    curve.dimensions, curve.bevel_depth = "3D", 0.2
    spline = curve.splines.new("POLY")
    spline.points.add(1)
    spline.points[1].co = (0.0, 5.0, 0.0, 1.0)
    ball = bpy.data.metaballs.new("Ball")
    ball.elements.new()
    for data in (curve, ball):
        bpy.context.scene.collection.objects.link(bpy.data.objects.new(data.name, data))
    bpy.data.objects["Ball"].location = (5.0, 0.0, 0.0)
    bpy.context.view_layer.update()
    both = heights(ground("Rail", "Ball"), (0.0, 2.0, 0.3), (5.0, 0.0, 2.0))
    assert both[0] == pytest.approx(0.2, abs=0.03)
    assert 0.5 < both[1] < 1.5


def test_a_ground_is_built_once_while_it_stays_as_it_is() -> None:
    thing = add_plate("Plate", height=0.1)
    first = ground("Plate").surfaces[0].tree
    thing.location.z = 1.0
    bpy.context.view_layer.update()
    again = ground("Plate")
    assert again.surfaces[0].tree is first
    np.testing.assert_allclose(heights(again, (0.0, 0.0, 1.2)), [1.1], atol=1e-6)
    thing.data.vertices[0].co.z = 0.3
    thing.data.update()
    bpy.context.view_layer.update()
    assert ground("Plate").surfaces[0].tree is not first
