# SPDX-License-Identifier: GPL-3.0-or-later
"""Where feet stand, as it is drawn: steps at the walker's known places, drift as the figures have it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from support.walker import Walk, walk
from toehold.solver import metrics
from toehold.solver.feet import HEEL, TOE, feet_of, steps_of
from toehold.solver.ground import FlatGround, Treadmill

LIFT_MM = 3.0


@pytest.fixture(scope="module")
def sliding() -> Walk:
    return walk(strides=3.0, slide_mm_s=200.0)


@pytest.fixture(scope="module")
def still() -> Walk:
    return walk(strides=3.0)


def test_every_contact_of_the_figures_is_a_step_with_the_same_drift(sliding: Walk) -> None:
    ground = FlatGround()
    feet = feet_of(sliding.clip, sliding.limbs, sliding.contacts, ground)
    report = metrics.measure(sliding.clip, sliding.limbs, sliding.contacts, ground)
    steps = {(s.limb, "heel" if s.joint == HEEL else "toe", s.first, s.last): s for s in steps_of(feet)}
    figures = {(c.limb, c.kind, c.start, c.end): c for c in report.contacts}
    assert steps.keys() == figures.keys()
    for key, step in steps.items():
        assert step.drift_mm.max() == pytest.approx(figures[key].drift_mm, abs=1e-6)


def test_feet_that_stand_still_are_where_they_stand_to_a_micrometre(still: Walk) -> None:
    feet = feet_of(still.clip, still.limbs, still.contacts, FlatGround())
    for step in steps_of(feet):
        limb = still.limbs[step.limb]
        joint = limb.heel if step.joint == HEEL else limb.toe
        middle = still.clip.positions[(step.first + step.last) // 2, joint]
        assert step.anchor[:2] == pytest.approx(middle[:2], abs=1e-6)
        assert step.drift_mm.max() < 0.001


def test_a_sole_lies_on_the_floor_with_a_lift_that_scales_with_the_leg(still: Walk) -> None:
    feet = feet_of(still.clip, still.limbs, still.contacts, FlatGround())
    for step in steps_of(feet):
        assert step.anchor[2] * 1000.0 == pytest.approx(LIFT_MM * feet.scales[step.limb])


def test_a_sole_lies_on_a_box_where_the_foot_stands_on_one(still: Walk) -> None:
    feet = feet_of(still.clip, still.limbs, still.contacts, FlatGround())
    on_box = replace(feet, points=feet.points + np.array([0.0, 0.0, 0.4]))
    toe_steps = [step for step in steps_of(on_box) if step.joint == TOE]
    assert toe_steps
    assert all(0.38 < step.anchor[2] < 0.45 for step in toe_steps)


def test_the_walker_points_where_it_walks(still: Walk) -> None:
    for step in steps_of(feet_of(still.clip, still.limbs, still.contacts, FlatGround())):
        assert step.direction == pytest.approx([0.0, -1.0], abs=0.02)


def test_on_a_treadmill_feet_are_seen_from_the_belt(still: Walk) -> None:
    belt = np.array([0.0, 1.3, 0.0])
    clip, limbs = still.clip, still.limbs
    locations = clip.local_locations.copy()
    locations[:, limbs[0].root] += np.arange(clip.frame_count)[:, None] / clip.fps * belt
    carried = clip.moved(local_locations=locations)
    on_floor = feet_of(clip, limbs, still.contacts, FlatGround())
    on_belt = feet_of(carried, limbs, still.contacts, Treadmill(FlatGround(), np.array((0.0, 1.3, 0.0))))
    assert np.abs(on_belt.points - on_floor.points).max() < 1e-9
    assert on_belt.ridden[-1] == pytest.approx((clip.frame_count - 1) / clip.fps * belt)


def test_a_foot_whose_joints_coincide_still_has_a_direction(still: Walk) -> None:
    feet = feet_of(still.clip, still.limbs, still.contacts, FlatGround())
    point = replace(feet, points=np.repeat(feet.points[:, :, TOE : TOE + 1], 3, axis=2))
    assert all(np.isfinite(step.direction).all() and np.linalg.norm(step.direction) == 1.0 for step in steps_of(point))
