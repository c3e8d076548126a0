# SPDX-License-Identifier: GPL-3.0-or-later
"""What contacts ask of the toes: heel, flat, push-off hand over; heights are those of the clip's own feet."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from support import walker
from toehold.solver.cleanup.constraints import find_constraints, planted_weight
from toehold.solver.contact_heights import clearances, toe_clearance
from toehold.solver.contacts import runs
from toehold.solver.ground import FlatGround, Treadmill


def _raised(metres: float) -> walker.Walk:
    """Return a walk whose every joint is raised."""
    walk = walker.walk()
    locations = walk.clip.local_locations.copy()
    locations[:, 0, 2] += metres
    return replace(walk, clip=walk.clip.moved(local_locations=locations))


def test_a_walk_without_slide_asks_for_nothing() -> None:
    walk = walker.walk()
    constraints = find_constraints(walk.clip, walker.limbs(), walk.contacts, FlatGround())
    held = constraints.step_weight > 0.0
    assert held.mean() > 0.5
    assert np.abs(constraints.step[held]).max() < 1e-9
    assert np.abs(constraints.rise[constraints.rise_planted]).max() < 1e-9
    found = clearances(walk.clip, walker.limbs(), walk.contacts, FlatGround())
    np.testing.assert_allclose(found, walker.TOE_HEIGHT, atol=1e-9)


def test_no_frame_step_is_left_to_slide_where_the_foot_rolls_from_heel_to_toe() -> None:
    walk = walker.walk()
    constraints = find_constraints(walk.clip, walker.limbs(), walk.contacts, FlatGround())
    heel, toe = walk.contacts.heel_planted, walk.contacts.toe_planted
    rolling = heel[:-1] & ~toe[:-1] & heel[1:] & toe[1:]
    assert rolling.any()
    assert (constraints.step_weight[rolling] > 0.0).all()


@pytest.mark.parametrize(("raised", "asked"), [(-0.05, 0.05), (-0.021, 0.0), (-0.01, 0.0), (0.03, 0.0)])
def test_sunk_feet_are_raised_to_the_floor_and_others_are_let_be(raised: float, asked: float) -> None:
    walk = _raised(raised)
    constraints = find_constraints(walk.clip, walker.limbs(), walk.contacts, FlatGround())
    rise = constraints.rise[constraints.rise_planted]
    sole = 0.0 if asked == 0.0 else walker.TOE_HEIGHT
    np.testing.assert_allclose(rise, max(asked - sole, 0.0), atol=1e-9)


def test_a_step_on_a_box_keeps_its_height() -> None:
    walk = walker.walk()
    half = walk.clip.frame_count // 2
    locations = walk.clip.local_locations.copy()
    locations[half:, 0, 2] += 0.25
    clip = walk.clip.moved(local_locations=locations)
    constraints = find_constraints(clip, walker.limbs(), walk.contacts, FlatGround())
    on_box = constraints.rise_planted.copy()
    on_box[: half + 1] = False
    whole = [run for run in runs(on_box[:, 0]) if run[0] > half + 1]
    assert whole
    for first, last in whole:
        assert np.abs(constraints.rise[first : last + 1, 0]).max() < 1e-9


def test_the_usual_height_of_a_toe_is_that_of_the_floor_not_of_a_box() -> None:
    above = np.where(np.arange(40) < 20, 0.02, 0.25)
    assert toe_clearance(above, np.ones(40, dtype=bool), 1.0) == pytest.approx(0.02)


def test_a_belt_carries_what_stands_on_it() -> None:
    walk = walker.walk()
    belt = Treadmill(FlatGround(), np.array((0.0, 1.2, 0.0)))
    constraints = find_constraints(walk.clip, walker.limbs(), walk.contacts, belt)
    carried = constraints.step[constraints.step_weight > 0.0]
    np.testing.assert_allclose(carried[:, 1], 1.2 / walk.clip.fps, atol=1e-9)


def test_a_contact_as_short_as_a_sprinters_is_held_in_its_middle_half() -> None:
    signal = np.zeros((100, 1))
    signal[40:52, 0] = 1.0
    signal[[40, 51], 0] = 0.7
    held = planted_weight(signal, 120.0)[:, 0]
    assert (held[43:49] == 1.0).all()
    assert 0.0 < held[40] < held[41] < held[42] <= 1.0
