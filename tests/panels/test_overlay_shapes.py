# SPDX-License-Identifier: GPL-3.0-or-later
"""The overlays' shapes: soles as long as feet, trails and bars where the frames are, colours that say what is bad."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from support.walker import HEEL_TO_TOE, TOE_LENGTH, Walk, walk
from toehold.panels import overlay_shapes as shapes
from toehold.panels.overlay_shapes import Bar
from toehold.solver.feet import HEEL, TOE, Feet, Step, feet_of, steps_of
from toehold.solver.ground import FlatGround
from toehold.solver.signals import runs

CALM, DOUBTFUL, BAD, SWING = (0.0, 0.0, 1.0, 1.0), (1.0, 1.0, 0.0, 1.0), (1.0, 0.0, 0.0, 1.0), (0.5, 0.5, 0.5, 0.4)


@pytest.fixture(scope="module")
def walker() -> Walk:
    return walk(strides=3.0, slide_mm_s=200.0)


@pytest.fixture(scope="module")
def feet(walker: Walk) -> Feet:
    return feet_of(walker.clip, walker.limbs, walker.contacts, FlatGround())


@pytest.fixture(scope="module")
def steps(feet: Feet) -> list[Step]:
    return steps_of(feet)


def test_a_sole_reaches_from_behind_the_ankle_to_the_tip_of_the_toes(feet: Feet, steps: list[Step]) -> None:
    step = next(step for step in steps if step.joint == TOE)
    sole = shapes.footprints(feet, [step]).triangles.reshape(-1, 3)
    along = (sole[:, :2] - step.anchor[:2]) @ step.direction
    across = (sole[:, :2] - step.anchor[:2]) @ np.array([-step.direction[1], step.direction[0]])
    assert along.max() == pytest.approx(TOE_LENGTH, abs=0.01)
    assert -1.5 * HEEL_TO_TOE < along.min() < -HEEL_TO_TOE
    assert 0.2 < np.ptp(across) / np.ptp(along) < 0.45
    assert np.ptp(sole[:, 2]) == 0.0


def test_a_heel_leaves_the_back_of_its_sole_round_where_it_stands(feet: Feet, steps: list[Step]) -> None:
    step = next(step for step in steps if step.joint == HEEL)
    heel = shapes.footprints(feet, [step]).triangles.reshape(-1, 3)
    along = (heel[:, :2] - step.anchor[:2]) @ step.direction
    assert along.min() < 0.0 < along.max()
    assert np.ptp(along) < HEEL_TO_TOE


def test_triangles_of_a_sole_cover_its_outline(feet: Feet, steps: list[Step]) -> None:
    prints = shapes.footprints(feet, steps[:1])
    a, b, c = (prints.triangles[:, corner, :2].astype(np.float64) for corner in range(3))
    covered = 0.5 * np.abs((b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0]).sum()
    ring = prints.outlines[:, 0, :2].astype(np.float64)
    x, y = (ring - ring[0]).T
    enclosed = 0.5 * abs(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)))
    assert covered == pytest.approx(enclosed, rel=1e-3)


def test_swings_lead_from_where_the_toe_stood_to_where_it_stands_next(feet: Feet, steps: list[Step]) -> None:
    swings = shapes.trails(feet, steps).swings
    for step in (step for step in steps if step.joint == TOE):
        for frame, ends in ((step.last, swings[:, 0]), (step.first, swings[:, 1])):
            if 0 < frame < len(feet.points) - 1:
                assert np.abs(ends - feet.points[frame, step.limb, TOE]).max(axis=-1).min() < 1e-5


def test_swings_go_with_the_toe_to_a_few_millimetres(feet: Feet, steps: list[Step]) -> None:
    swings = shapes.trails(feet, steps).swings.astype(np.float64)
    way = swings[:, 1] - swings[:, 0]
    for limb in range(2):
        for toe in feet.points[~feet.toe_planted[:, limb], limb, TOE]:
            share = np.clip(np.sum((toe - swings[:, 0]) * way, axis=-1) / np.sum(way**2, axis=-1), 0.0, 1.0)
            apart = np.linalg.norm(swings[:, 0] + share[:, None] * way - toe, axis=-1)
            assert apart.min() < 0.02


def test_a_slide_is_as_long_as_the_toe_slides_and_a_still_foot_leaves_none(walker: Walk, feet: Feet) -> None:
    step = next(step for step in steps_of(feet) if step.joint == TOE)
    trails = shapes.trails(feet, [step])
    ways = np.linalg.norm(np.diff(trails.slides, axis=1)[:, 0], axis=-1)
    gone = walker.slide_mm_s / 1000.0 * (step.last - step.first) / feet.fps
    assert ways.sum() == pytest.approx(gone, rel=0.01)
    assert trails.slide_drift_mm.max() == pytest.approx(step.drift_mm.max())
    still = walk(strides=3.0)
    standing = feet_of(still.clip, still.limbs, still.contacts, FlatGround())
    assert len(shapes.trails(standing, steps_of(standing)).slides) == 0


def test_places_say_how_far_each_foot_is_from_where_it_should_be(feet: Feet, steps: list[Step]) -> None:
    places = shapes.places(feet, steps)
    planted = feet.toe_planted | feet.heel_planted
    apart = np.linalg.norm(places.reached - places.target, axis=-1) * 1000.0
    assert np.array_equal(~np.isnan(places.miss_mm), planted)
    assert places.miss_mm[planted] == pytest.approx(apart[planted], abs=1e-6)
    assert np.nanmax(places.miss_mm) > shapes.SEEN_MM


def test_colours_go_from_calm_to_bad_and_no_further_than_what_is_seen() -> None:
    drift = np.array([0.0, 0.5 * shapes.SEEN_MM, shapes.SEEN_MM, 500.0, np.nan])
    colours = shapes.severity_colours(drift, CALM, DOUBTFUL, BAD, SWING)
    assert colours == pytest.approx(np.array([CALM, DOUBTFUL, BAD, BAD, SWING]))


def test_bars_span_the_frames_of_each_limb_in_scene_frames() -> None:
    planted = np.array([[True, False], [True, True], [False, True], [False, False], [True, False]])
    bars = shapes.bars(np.arange(10.0, 15.0), {"toe": planted})
    assert bars == [Bar(0, "toe", 10.0, 11.0), Bar(0, "toe", 14.0, 14.0), Bar(1, "toe", 11.0, 12.0)]


def test_a_bar_covers_its_frames_and_the_first_limb_is_on_top() -> None:
    corners = shapes.bar_triangles([Bar(0, "toe", 10.0, 11.0), Bar(1, "toe", 20.0, 20.0)], 2, 0.1, 0.9).reshape(2, 6, 2)
    assert corners[0].min(axis=0) == pytest.approx([9.5, 1.1])
    assert corners[0].max(axis=0) == pytest.approx([11.5, 1.9])
    assert corners[1].min(axis=0) == pytest.approx([19.5, 0.1])
    outline = shapes.bar_outlines([Bar(0, "toe", 10.0, 11.0)], 2, 0.1, 0.9)
    assert np.array_equal(outline[:, 1], np.roll(outline[:, 0], -1, axis=0))


def test_without_contacts_there_are_swings_and_nothing_else(feet: Feet) -> None:
    none = replace(feet, toe_planted=feet.toe_planted & False, heel_planted=feet.heel_planted & False)
    prints = shapes.footprints(none, steps_of(none))
    assert prints.triangles.shape == (0, 3, 3)
    assert prints.outlines.shape == (0, 2, 3)
    assert len(shapes.trails(none, []).swings) > 0
    assert len(shapes.trails(none, []).slides) == 0
    assert shapes.bar_triangles([], 2, 0.1, 0.9).shape == (0, 3, 2)
    assert shapes.bar_outlines([], 2, 0.1, 0.9).shape == (0, 2, 2)


def test_a_trail_fades_with_distance_in_time_and_never_quite_away() -> None:
    at = np.array([100, 130, 160, 400])
    kept = shapes.nearness(at, 100.0, 60.0)
    assert kept[0] == 1.0
    assert np.all(np.diff(kept) < 0.0)
    assert kept[-1] == shapes.FAINTEST > 0.0
    assert np.all(shapes.nearness(at, 100.0, 30.0) <= kept), "it is of seconds, not of frames"


def test_lifted_toes_have_a_tick_every_five_frames_and_an_arrow_a_swing(feet: Feet, steps: list[Step]) -> None:
    trails = shapes.trails(feet, steps)
    assert np.all(trails.tick_at % 5 == 0)
    for at, place in zip(trails.tick_at, trails.ticks, strict=True):
        lifted = np.flatnonzero(~feet.toe_planted[at])
        assert np.abs(feet.points[at, lifted, TOE] - place).max(axis=-1).min() < 1e-5
    assert len(trails.ticks) == np.count_nonzero(~feet.toe_planted[::5])
    swings = sum(len(runs(~feet.toe_planted[:, limb])) for limb in range(2))
    assert len(trails.arrows) == 2 * swings
    tips, tails = trails.arrows[:, 1], trails.arrows[:, 0]
    assert np.all((tips - tails)[:, 1] < 0.0), "the walk goes along -Y, and so do its arrows"


def test_a_heel_that_is_known_by_its_ankle_alone_lies_on_the_floor(walker: Walk) -> None:
    feet = feet_of(walker.clip, walker.limbs, walker.contacts, FlatGround())
    ankles = walker.clip.positions[:, [limb.heel for limb in walker.limbs]]
    points = feet.points.copy()
    points[:, :, HEEL] = ankles
    heels = [step for step in steps_of(replace(feet, points=points)) if step.joint == HEEL]
    assert heels
    assert max(step.anchor[2] for step in heels) < 0.01


def test_from_blue_to_amber_there_is_no_olive() -> None:
    from toehold.panels.preferences import Palette

    colours = Palette()
    mixed = shapes.severity_colours(np.linspace(0.0, 15.0, 61), colours.calm, colours.doubtful, colours.bad, SWING)
    # Straight from the one to the other, it is 0.64 at its darkest, a dull green.
    assert mixed[:31, :3].max(axis=-1).min() > 0.75
