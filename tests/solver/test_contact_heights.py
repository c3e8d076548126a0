# SPDX-License-Identifier: GPL-3.0-or-later
"""Each contact keeps its own height: clips without slide come back, and what is in the ground is lifted straight up."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support import stepper, walker
from support.stepper import Stand
from toehold.solver import cleanup
from toehold.solver.contacts import Contacts
from toehold.solver.detection import ContactSettings, find_contacts
from toehold.solver.ground import FlatGround
from toehold.solver.metrics import measure

GROUND, LIMBS = FlatGround(), walker.limbs()

STANDS = {
    "flat": Stand(0.3),
    "tiptoe": Stand(0.3, 0.0, 35.0),
    "up 5 cm": Stand(0.3, 0.05),
    "up 12 cm": Stand(0.3, 0.12),
    "tiptoe on a box": Stand(0.3, 0.2, 30.0),
    "down 5 cm": Stand(0.3, -0.05),
    "down 12 cm": Stand(0.3, -0.12),
    "down 20 cm": Stand(0.3, -0.2),
}


@pytest.mark.parametrize("name", STANDS)
@pytest.mark.parametrize("seconds", [(0.7, 3.6), (3.6, 0.7)])
@pytest.mark.parametrize("fps", [24.0, 60.0])
def test_what_does_not_slide_comes_back_within_a_millimetre(
    name: str, seconds: tuple[float, float], fps: float
) -> None:
    clip, _ = stepper.step(Stand(), STANDS[name], seconds, fps)
    contacts = find_contacts(clip, LIMBS, GROUND, ContactSettings())
    assert contacts.toe_planted.all(axis=1).any()
    result, _ = cleanup.clean(clip, LIMBS, contacts, GROUND)
    assert np.linalg.norm(result.positions - clip.positions, axis=-1).max() < 1e-3


@settings(deadline=None, max_examples=20)
@given(
    ahead=st.floats(0.1, 0.4),
    floor=st.one_of(st.floats(-0.25, -0.04), st.floats(0.0, 0.25)),
    pitch_deg=st.floats(0.0, 45.0),
    first_s=st.floats(0.3, 2.0),
    fps=st.sampled_from([24.0, 30.0, 50.0]),
    size=st.floats(0.3, 3.0),
)
def test_true_contacts_of_any_still_stand_move_nothing(
    ahead: float, floor: float, pitch_deg: float, first_s: float, fps: float, size: float
) -> None:
    clip, contacts = stepper.step(Stand(), Stand(ahead, floor, pitch_deg), (first_s, 1.0), fps, size)
    result, _ = cleanup.clean(clip, LIMBS, contacts, GROUND)
    assert np.linalg.norm(result.positions - clip.positions, axis=-1).max() < 1e-3 * size


def test_a_foot_in_the_ground_is_lifted_straight_up() -> None:
    clip, contacts = stepper.step(Stand(), Stand(0.3, -0.024))
    result, _ = cleanup.clean(clip, LIMBS, contacts, GROUND)
    feet = [joint for limb in LIMBS for joint in (limb.heel, limb.toe)]
    moved = (result.positions - clip.positions)[:, feet]
    assert np.linalg.norm(moved[..., :2], axis=-1).max() < 1e-3
    assert moved[-1, 3, 2] == pytest.approx(0.024, abs=1e-3)


def test_a_sliding_step_in_the_air_comes_down_to_where_the_others_are() -> None:
    walk = walker.walk(slide_mm_s=200.0)
    first, last = [int(frame) for frame in np.flatnonzero(np.diff(walk.contacts.toe_planted[:, 0].astype(int)))[1:3]]
    locations = walk.clip.local_locations.copy()
    locations[first - 6 : last + 6, 0, 2] += 0.04
    clip = walk.clip.moved(local_locations=locations)
    result, _ = cleanup.clean(clip, LIMBS, walk.contacts, GROUND)
    assert measure(clip, LIMBS, walk.contacts, GROUND).float_mm > 35.0
    assert measure(result, LIMBS, walk.contacts, GROUND).float_mm < 5.0


@pytest.mark.parametrize("name", STANDS)
def test_hips_are_no_sharper_than_in_the_source(name: str) -> None:
    clip, contacts = stepper.step(Stand(), STANDS[name])
    result, _ = cleanup.clean(clip, LIMBS, contacts, GROUND)
    before, after = (measure(each, LIMBS, contacts, GROUND) for each in (clip, result))
    assert after.hips_m_s2 <= before.hips_m_s2 + 0.1


def test_heel_and_toe_of_one_step_stand_on_one_thing() -> None:
    """A toe contact that is broken in two within a step is lifted by one amount."""
    clip, contacts = stepper.step(Stand(), Stand(0.3, -0.024))
    toe = contacts.toe.copy()
    toe[-60:-50, 1] = 0.0
    result, _ = cleanup.clean(clip, LIMBS, Contacts(toe, contacts.heel), GROUND)
    hips = result.positions[:, 0]
    assert measure(result, LIMBS, contacts, GROUND).hips_m_s2 < measure(clip, LIMBS, contacts, GROUND).hips_m_s2 + 1.0
    assert np.abs(np.diff(hips[-80:, 2])).max() < 1e-3
