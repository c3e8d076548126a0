# SPDX-License-Identifier: GPL-3.0-or-later
"""A walk made for a flat floor goes over slopes, stairs and bumps, and feet ride on what moves."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pytest
from _pytest.mark.structures import ParameterSet

from support import grounds, walker
from support.grounds import Carried, Terrain
from toehold.solver import cleanup, contact_heights, locking, metrics, rotations, terrain
from toehold.solver.clip import Clip
from toehold.solver.contacts import Contacts, runs
from toehold.solver.detection import find_contacts
from toehold.solver.ground import FlatGround, Ground
from toehold.solver.limb import Limb, joint_positions
from toehold.solver.metrics import Report
from toehold.solver.rotations import FloatArray
from toehold.solver.terrain import TerrainSettings

ROWS = {"two legs": 1, "four legs": 2, "eight legs": 4}

GROUNDS = {
    "10° up": grounds.ramp(10.0),
    "20° up": grounds.ramp(20.0),
    "35° up": grounds.ramp(35.0),
    "25° down": grounds.ramp(-25.0),
    "0.1 m stairs": grounds.stairs(0.1),
    "0.2 m stairs": grounds.stairs(0.2),
    "0.15 m stairs down": grounds.stairs(-0.15),
    "0.1 m stairs, short treads": grounds.stairs(0.1, tread=0.3, steps=12),
    "0.18 m stairs, short treads": grounds.stairs(0.18, tread=0.3, begin=0.47, steps=12),
    "0.15 m stairs down, short treads": grounds.stairs(-0.15, tread=0.3, begin=0.55, steps=12),
    "bumps": grounds.bumps(),
    "heightfield": grounds.heightfield(),
}


# By so much (metres, x and y) a clip slides from its start to its end; ahead is -Y.
SLIDES = {"sideways": [0.1, -0.025], "back": [-0.03, 0.1], "ahead": [0.03, -0.1]}


def slid(clip: Clip, way: list[float]) -> Clip:
    """Return a clip whose root slides, steadily, ``way`` further than it did."""
    locations = clip.local_locations.copy()
    locations[:, 0, :2] += np.linspace(0.0, 1.0, clip.frame_count)[:, None] * way
    return clip.moved(local_locations=locations)


@functools.cache
def many_legged(rows: int) -> tuple[Clip, tuple[Limb, ...], Contacts]:
    """Return ``rows`` walkers one behind the other, joined to one body at the first one's hips."""
    walk = walker.walk(strides=3.0)
    clip, count = walk.clip, len(walk.clip.skeleton.names)
    skeleton = clip.skeleton
    parents = list(skeleton.parents)
    names, rests, locations, turns = list(skeleton.names), [skeleton.rest_locations], [clip.local_locations], []
    for row in range(1, rows):
        behind = np.array([0.0, 0.7 * row, 0.0])
        rest, own = skeleton.rest_locations.copy(), clip.local_locations.copy()
        rest[0], own[:, 0] = behind, behind
        names += [f"{name}{row}" for name in skeleton.names]
        parents += [0 if parent < 0 else parent + row * count for parent in skeleton.parents]
        rests.append(rest)
        locations.append(own)
        turns.append(clip.local_rotations)
    limbs = tuple(
        Limb(f"{limb.name}{row}", 0, *(joint + row * count for joint in joints))
        for row in range(rows)
        for limb in walker.limbs()
        for joints in [(limb.hip, limb.knee, limb.heel, limb.toe, limb.toe_end or 0)]
    )
    whole = type(skeleton)(
        tuple(names), tuple(parents), np.tile(skeleton.rest_rotations, (rows, 1)), np.concatenate(rests)
    )
    local_rotations = np.concatenate([clip.local_rotations, *turns], axis=1)
    joined = Clip(whole, clip.fps, local_rotations, np.concatenate(locations, axis=1))
    contacts = Contacts(np.tile(walk.contacts.toe, (1, rows)), np.tile(walk.contacts.heel, (1, rows)))
    return joined, limbs, contacts


def brought_onto(clip: Clip, limbs: Sequence[Limb], contacts: Contacts, ground: Ground) -> tuple[Clip, Report]:
    """Return the clip adapted to a ground and cleaned there, and the figures of the result."""
    adapted = terrain.adapted(clip, limbs, contacts, ground)
    result, solution = cleanup.clean(adapted, limbs, contacts, ground)
    return result, metrics.measure(result, limbs, contacts, ground, adapted, solution.toe_targets)


@functools.cache
def many_legged_on(name: str, rows: int) -> tuple[Clip, Report]:
    """Return ``rows`` walkers brought onto one of the grounds, and the figures."""
    return brought_onto(*many_legged(rows), GROUNDS[name])


def stands_still(report: Report) -> None:
    """Hold that no toe drifts by a millimetre, nor a heel by four: feet turn a little about it on steep ground."""
    for kind, most in (("toe", 1.0), ("heel", 4.0)):
        drifts = [one.drift_mm for one in report.contacts if one.kind == kind and one.unreached_mm < 1.0]
        assert max(drifts, default=0.0) < most, kind


@pytest.mark.parametrize("name", GROUNDS)
@pytest.mark.parametrize("rows", ROWS.values(), ids=ROWS)
def test_feet_stand_on_the_ground_and_do_not_move_on_it(name: str, rows: int) -> None:
    _, report = many_legged_on(name, rows)
    assert report.penetration_mm < 2.0
    assert report.float_mm < 5.0
    stands_still(report)
    if rows == 1:
        assert report.unreached_mm < 1.0


@pytest.mark.parametrize("ground", GROUNDS.values(), ids=GROUNDS.keys())
def test_no_part_of_a_foot_goes_through_the_ground_in_its_swing(ground: Terrain) -> None:
    walk = walker.walk(strides=3.0)
    result, _ = brought_onto(walk.clip, walk.limbs, walk.contacts, ground)
    for limb in walk.limbs:
        for joint in (limb.heel, limb.toe, limb.toe_end):
            assert joint is not None
            points = result.positions[:, joint]
            assert np.min(points[:, 2] - ground.height(points)) > -1e-6


@pytest.mark.parametrize("degrees", [-25.0, 20.0, 35.0])
def test_a_standing_foot_lies_along_the_slope(degrees: float) -> None:
    walk, ground = walker.walk(strides=3.0), grounds.ramp(degrees)
    result, _ = brought_onto(walk.clip, walk.limbs, walk.contacts, ground)
    for at, limb in enumerate(walk.limbs):
        flat = walk.contacts.toe_planted[:, at] & walk.contacts.heel_planted[:, at]
        on_slope = flat & (result.positions[:, limb.toe, 1] < -1.2)
        foot = result.positions[:, limb.toe] - result.positions[:, limb.heel]
        before = walk.clip.positions[:, limb.toe] - walk.clip.positions[:, limb.heel]
        pitches = [np.degrees(np.arctan2(way[:, 2], -way[:, 1]))[on_slope] for way in (foot, before)]
        # The heel comes off a little earlier uphill, where the leg is stretched out.
        assert np.mean(np.abs(pitches[0] - pitches[1] - degrees) < 0.5) > 0.8


def test_turn_of_feet_can_be_left_out() -> None:
    walk, ground = walker.walk(strides=2.0), grounds.ramp(20.0)
    clip = terrain.adapted(walk.clip, walk.limbs, walk.contacts, ground, TerrainSettings(foot_pitch=0.0))
    for at, limb in enumerate(walk.limbs):
        flat = walk.contacts.toe_planted[:, at] & walk.contacts.heel_planted[:, at]
        turned = rotations.angle_between(clip.rotations[flat, limb.heel], walk.clip.rotations[flat, limb.heel])
        assert np.degrees(np.percentile(turned, 80.0)) < 0.5


@pytest.mark.parametrize("degrees", [-20.0, 35.0])
def test_feet_of_a_body_that_tilts_with_the_ground_turn_with_it_once(degrees: float) -> None:
    clip, limbs, contacts = many_legged(2)
    ground = grounds.ramp(degrees, begin=-9.0)
    result = terrain.adapted(clip, limbs, contacts, ground)
    for at, limb in enumerate(limbs):
        flat = contacts.toe_planted[:, at] & contacts.heel_planted[:, at]
        turned = rotations.angle_between(result.rotations[flat, limb.heel], clip.rotations[flat, limb.heel])
        assert np.degrees(np.median(turned)) == pytest.approx(abs(degrees), abs=0.5)


def test_a_floor_leaves_the_walk_as_it_is() -> None:
    walk = walker.walk(strides=2.0)
    adapted = terrain.adapted(walk.clip, walk.limbs, walk.contacts, FlatGround())
    np.testing.assert_allclose(adapted.positions, walk.clip.positions, atol=1e-6)


def test_the_body_goes_smoothly_up_stairs() -> None:
    walk = walker.walk(strides=3.0)
    result, _ = brought_onto(walk.clip, walk.limbs, walk.contacts, grounds.stairs(0.2))
    root = result.positions[:, 0, 2]
    assert root[-1] - root[0] > 0.8
    assert np.abs(np.diff(root, 2)).max() * walk.clip.fps**2 < 12.0


def test_what_is_higher_than_a_leg_climbs_is_known_from_where_it_is_met() -> None:
    hill = grounds.ramp(30.0, begin=0.0)

    class Climbed(Terrain):
        """The hill, of which nothing is met that is more than 0.4 m above."""

        def height(self, points: FloatArray) -> FloatArray:
            there = super().height(points)
            return np.where(there > points[..., 2] + 0.4, 0.0, there)

    points = np.zeros((200, 1, 3))
    points[:, 0, 1] = -np.linspace(0.0, 4.0, 200)
    found = terrain.tracked_height(Climbed(hill.height_at), points, 0.0, 10)
    np.testing.assert_allclose(found, hill.height(points), atol=1e-9)
    wall = Climbed(lambda x, y: np.where(y < -2.0, 1.5, 0.0))
    assert np.array_equal(terrain.tracked_height(wall, points, 0.0, 10), np.zeros((200, 1)))


def carried_walk(ground: Carried) -> tuple[Clip, tuple[Limb, ...], Contacts]:
    """Return a walk whose root goes up and down with a ground."""
    walk = walker.walk(strides=3.0)
    locations = walk.clip.local_locations.copy()
    locations[:, 0, 2] += ground.placed[:, 2, 3]
    return walk.clip.moved(local_locations=locations), walk.limbs, walk.contacts


@pytest.mark.parametrize("kind", [grounds.lift, grounds.turntable, grounds.shuttle])
def test_feet_ride_on_a_ground_that_moves(kind: type) -> None:
    frames = walker.walk(strides=3.0).clip.frame_count
    ground = kind(frames, 60.0)
    clip, limbs, contacts = carried_walk(ground)
    result, solution = cleanup.clean(clip, limbs, contacts, ground)
    report = metrics.measure(result, limbs, contacts, ground, clip, solution.toe_targets)
    assert report.drift_mm < 1.0
    assert report.penetration_mm < 2.0
    assert report.float_mm < 5.0


# A foot that slid ahead into these stairs is in the riser of a step further up than a clean-up raises it.
TOO_DEEP = {
    ("0.2 m stairs", 4),
    ("0.1 m stairs, short treads", 4),
    *(("0.18 m stairs, short treads", rows) for rows in (1, 2, 4)),
}

# Here a foot comes to the edge of a narrow tread, and rounding decides on which side of it: 0 or some 40 mm.
DEEP_MM = {("sideways", "0.18 m stairs, short treads", 4): 60.0}


def slid_cases() -> Iterator[ParameterSet]:
    """Yield each ground with each number of legs and each slide; by day only so that each pair of them is met."""
    for at, name in enumerate(GROUNDS):
        for row, legs in enumerate(ROWS):
            for slide, way in enumerate(SLIDES):
                by_day = (at + row + slide) % len(SLIDES) == 0
                marks = () if by_day else pytest.mark.nightly
                yield pytest.param(name, ROWS[legs], way, id=f"{way}-{legs}-{name}", marks=marks)


@pytest.mark.parametrize(("name", "rows", "way"), list(slid_cases()))
def test_what_slides_by_10_cm_on_the_ground_is_cleaned_on_it(name: str, rows: int, way: str) -> None:
    _, limbs, contacts = many_legged(rows)
    ground = GROUNDS[name]
    given, _ = many_legged_on(name, rows)
    source = slid(given, SLIDES[way])
    result, solution = cleanup.clean(source, limbs, contacts, ground)
    report = metrics.measure(result, limbs, contacts, ground, source, solution.toe_targets)
    assert report.penetration_mm < DEEP_MM.get((way, name, rows), 2.0) or (way == "ahead" and (name, rows) in TOO_DEEP)
    assert report.float_mm < 5.0
    stands_still(report)


def test_the_toe_of_a_foot_that_slid_off_a_ramp_comes_down_and_its_heel_does_not_sink() -> None:
    clip, limbs, contacts = many_legged(2)
    ground = GROUNDS["35° up"]
    given, _ = brought_onto(clip, limbs, contacts, ground)
    before = slid(given, SLIDES["back"])
    result, _ = cleanup.clean(before, limbs, contacts, ground)
    lowered = 0
    for at, limb in enumerate(limbs):
        ends, ends_before = (c.positions[:, [limb.heel, limb.toe]] for c in (result, before))
        for first, last in runs(contacts.toe_planted[:, at] & contacts.heel_planted[:, at]):
            span = slice(first, last + 1)
            if np.any(ground.height(ends[span]) > 0.0):
                continue
            heel, toe = np.median(ends[span, :, 2], axis=0)
            heel_before, toe_before = np.median(ends_before[span, :, 2], axis=0)
            assert abs(toe - 0.02) < 0.005
            assert heel > heel_before - 0.005
            lowered += bool(toe_before > 0.035)
    assert lowered > 0


def test_feet_on_the_floor_before_a_ramp_keep_their_height_though_others_are_in_it() -> None:
    walk, ground = walker.walk(strides=3.0), GROUNDS["35° up"]
    given, _ = brought_onto(walk.clip, walk.limbs, walk.contacts, ground)
    found = contact_heights.clearances(slid(given, SLIDES["sideways"]), walk.limbs, walk.contacts, ground)
    np.testing.assert_allclose(found, 0.02, atol=1e-3)


@pytest.mark.parametrize("kind", [grounds.lift, grounds.turntable, grounds.shuttle])
@pytest.mark.parametrize("rows", ROWS.values(), ids=ROWS)
def test_a_walk_is_brought_onto_ground_that_moves(kind: Callable[[int, float], Carried], rows: int) -> None:
    clip, limbs, contacts = many_legged(rows)
    ground = kind(clip.frame_count, clip.fps)
    result, report = brought_onto(clip, limbs, contacts, ground)
    assert report.penetration_mm < 2.0
    assert report.float_mm < 5.0
    stands_still(report)
    tips = joint_positions(result, limbs, "toe_end")
    assert np.min(tips[..., 2] - ground.height(tips)) > -1e-3


def test_contacts_are_found_on_stairs_at_their_heights() -> None:
    walk, ground = walker.walk(strides=3.0), grounds.stairs(0.15)
    result, _ = brought_onto(walk.clip, walk.limbs, walk.contacts, ground)
    found = find_contacts(result, walk.limbs, ground)
    assert np.mean(found.toe_planted == walk.contacts.toe_planted) > 0.9


@pytest.mark.parametrize("kind", [grounds.lift, grounds.turntable, grounds.shuttle])
def test_the_runtime_lock_rides_on_a_ground_that_moves(kind: type) -> None:
    frames = walker.walk(strides=3.0).clip.frame_count
    ground = kind(frames, 60.0)
    clip, limbs, contacts = carried_walk(ground)
    run = locking.run(clip, limbs, contacts, ground)
    held = run.locked[1:] & run.locked[:-1]
    steps = np.diff(run.points, axis=0) - ground.velocity(run.points)[:-1] / clip.fps
    assert held.sum() > 100
    assert np.linalg.norm(steps, axis=-1)[held].max() < 1e-5
