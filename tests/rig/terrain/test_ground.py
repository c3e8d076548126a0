# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet stand on objects as Blender shows them: where they are, how they face, how they move, and where they end."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from support import grounds
from support.ground_objects import add_mesh, add_plate, add_stairs, add_terrain, key_location, key_turn
from support.walker import limb_bones, walk
from support.walker_armature import walking_armature
from toehold.rig.common.wording import RigError
from toehold.rig.sampling.sample import sample
from toehold.rig.shown.overlay_feed import feet_in
from toehold.rig.terrain.ground import ObjectGround, ground_of
from toehold.rig.verbs import journey
from toehold.rig.verbs.adapt import adapt
from toehold.rig.verbs.journey import Options
from toehold.solver import metrics
from toehold.solver.rotations import FloatArray

# Ends before a foot lands: a toe that has only just begun to come down is no contact to judge.
STRIDES = 2.9


def walker(slide_mm_s: float = 0.0) -> bpy.types.Object:
    return walking_armature(walk(strides=STRIDES, slide_mm_s=slide_mm_s))


def ground(*names: str, height: float = 0.0) -> ObjectGround:
    """Return the ground of objects for a walker that is added."""
    armature = walker()
    found = ground_of(names, height, sample(armature, limb_bones()))
    assert isinstance(found, ObjectGround)
    return found


def at(*places: tuple[float, float, float]) -> FloatArray:
    return np.array([places])


def test_height_and_facing_are_the_evaluated_meshs() -> None:
    plate = add_plate(height=0.1)
    plate.rotation_euler, plate.location = (np.radians(20.0), 0.0, 0.0), (0.0, 0.0, 0.2)
    plate.scale = (2.0, 2.0, 2.0)
    bpy.context.view_layer.update()
    surface = ground("Plate")
    slope = np.tan(np.radians(20.0))
    middle = 0.2 + 0.2 / np.cos(np.radians(20.0))
    points = at((0.0, 0.0, 0.5), (0.0, 0.5, 0.6), (0.0, 9.0, 0.5))
    np.testing.assert_allclose(surface.height(points)[0], [middle, middle + 0.5 * slope, 0.0], atol=1e-5)
    facing = [0.0, -np.sin(np.radians(20.0)), np.cos(np.radians(20.0))]
    np.testing.assert_allclose(surface.normal(points)[0], [facing, facing, [0.0, 0.0, 1.0]], atol=1e-5)
    assert surface.misses(points).tolist() == [[False, False, True]]


def test_modifiers_count() -> None:
    plate = add_plate()
    plate.modifiers.new("Thick", "SOLIDIFY").thickness = 0.2
    plate.modifiers["Thick"].offset = 1.0
    bpy.context.view_layer.update()
    assert ground("Plate").height(at((0.0, 0.0, 0.3)))[0, 0] == pytest.approx(0.2, abs=1e-5)


def test_what_is_higher_than_a_leg_climbs_is_no_ground() -> None:
    add_plate("Floor", height=0.1)
    add_plate("Table", half=0.5, height=0.8)
    both = ground("Floor", "Table")
    np.testing.assert_allclose(both.height(at((0.0, 0.0, 0.15), (0.0, 0.0, 0.75)))[0], [0.1, 0.8], atol=1e-5)


def test_collections_and_curves_can_be_stood_on() -> None:
    collection = bpy.data.collections.new("Stage")
    bpy.context.scene.collection.children.link(collection)
    for name, height in (("Low", 0.1), ("High", 0.2)):
        collection.objects.link(add_plate(name, height=height))
    assert ground("Stage").height(at((0.0, 0.0, 0.2)))[0, 0] == pytest.approx(0.2, abs=1e-5)


def test_a_toe_over_an_edge_or_a_gap_stands_on_what_is_beside_it() -> None:
    add_plate("Left", half=0.5, height=0.3).location.x = -0.51
    add_plate("Right", half=0.5, height=0.3).location.x = 0.51
    bpy.context.view_layer.update()
    both = ground("Left", "Right")
    heights = both.height(at((0.0, 0.0, 0.32), (1.025, 0.0, 0.32), (1.2, 0.0, 0.32), (1.025, 0.0, 0.02)))
    np.testing.assert_allclose(heights[0], [0.3, 0.3, 0.0, 0.0], atol=1e-5)


def test_walls_are_level_ground() -> None:
    add_mesh("Steep", [(-1, 0, 0), (1, 0, 0), (1, 0.1, 1), (-1, 0.1, 1)], [(0, 1, 2, 3)])
    np.testing.assert_allclose(ground("Steep").normal(at((0.0, 0.02, 0.3)))[0, 0], [0.0, 0.0, 1.0])


def test_a_lift_and_a_turntable_have_their_own_speed() -> None:
    lift, table = add_plate("Lift"), add_plate("Table", half=0.5, height=0.05)
    key_location(lift, {1: (3.0, 0.0, 0.0), 199: (3.0, 0.0, 1.98)})
    key_turn(table, {1: 0.0, 199: 3.3})
    for thing in (lift, table):
        for curve in thing.animation_data.action.layers[0].strips[0].channelbags[0].fcurves:
            for key in curve.keyframe_points:
                key.interpolation = "LINEAR"
    bpy.context.scene.frame_set(7)
    both = ground("Lift", "Table")
    now = bpy.context.scene.frame_current
    frames = walk(strides=STRIDES).clip.frame_count
    points = np.tile([(3.0, 0.0, 0.3), (0.3, 0.0, 0.3)], (frames, 1, 1))
    np.testing.assert_allclose(both.height(points)[10], [0.1, 0.05], atol=1e-4)
    velocities = both.velocity(points)
    np.testing.assert_allclose(velocities[10, 0], [0.0, 0.0, 0.6], atol=1e-3)
    np.testing.assert_allclose(velocities[10, 1], [0.0, 0.3, 0.0], atol=5e-3)
    np.testing.assert_array_equal(both.during(slice(5, 20)).height(points[5:20]), both.height(points)[5:20])
    assert bpy.context.scene.frame_current == now


@pytest.mark.parametrize("name", ["nobody", "Walker"])
def test_what_nobody_can_stand_on_is_refused(name: str) -> None:
    armature = walker()
    with pytest.raises(RigError, match=name):
        journey.measure(armature, limb_bones(), Options(ground_objects=(name,)))


def figures(armature: bpy.types.Object, name: str) -> tuple[float, float, float]:
    """Return drift, penetration and float in mm of the active action on an object."""
    measured = journey.measure(armature, limb_bones(), Options(ground_objects=(name,)))
    return measured.report.drift_mm, measured.report.penetration_mm, measured.report.float_mm


@pytest.mark.parametrize("slide_mm_s", [0.0, 150.0])
@pytest.mark.parametrize("kind", ["ramp", "stairs", "bumps"])
def test_a_flat_walk_is_adapted_to_objects(kind: str, slide_mm_s: float) -> None:
    thing = {
        "ramp": lambda: add_terrain(grounds.ramp(20.0)),
        "stairs": lambda: add_stairs(0.2),
        "bumps": lambda: add_terrain(grounds.bumps()),
    }[kind]()
    armature = walker(slide_mm_s)
    source = armature.animation_data.action
    adapted = adapt(armature, limb_bones(), Options(ground_objects=(thing.name,)))
    assert (adapted.source, armature.animation_data.action) == (source, adapted.result)
    shares = [float(warning.values["share"]) for warning in adapted.warnings if warning.code == "beside-ground"]
    assert max(shares, default=0.0) < 50.0
    drift, penetration, floating = figures(armature, thing.name)
    assert drift < 1.0
    assert penetration < 2.0
    assert floating < 5.0


def test_cleaning_on_a_turntable_makes_feet_ride_on_it() -> None:
    table = add_plate("Table", half=5.0)
    key_turn(table, {1: 0.0, 199: 0.6})
    armature = walker()
    options = Options(ground_objects=("Table",))
    cleaned = journey.clean(armature, limb_bones(), options)
    assert len(cleaned.after.contacts) >= 6
    assert cleaned.before.drift_mm > 20.0
    assert cleaned.after.drift_mm < 1.0
    window = journey.measure(armature, limb_bones(), Options(ground_objects=("Table",), frames=(40, 120)))
    assert window.report.drift_mm < 1.0


def test_an_adapted_action_is_cleaned_itself() -> None:
    add_stairs(0.15)
    armature = walker()
    options = Options(ground_objects=("Stairs",))
    adapted = adapt(armature, limb_bones(), options)
    cleaned = journey.clean(armature, limb_bones(), options)
    assert cleaned.source == adapted.result
    assert isinstance(cleaned.after, metrics.Report)
    assert cleaned.after.drift_mm < 1.0


def test_footprints_lie_on_the_stairs() -> None:
    add_stairs(0.15)
    armature = walker()
    options = Options(ground_objects=("Stairs",))
    adapt(armature, limb_bones(), options)
    seen = feet_in(armature, limb_bones(), sample(armature, limb_bones()), options)
    assert seen is not None
    assert np.allclose(np.unique(np.round(seen.feet.floor / 0.15, 3)) % 1.0, 0.0)
    assert seen.feet.floor.max() > 0.5


def test_without_ground_there_is_nothing_to_adapt_to() -> None:
    with pytest.raises(RigError, match="choose an object"):
        adapt(walker(), limb_bones(), Options())
