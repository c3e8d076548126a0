# SPDX-License-Identifier: GPL-3.0-or-later
"""The floor that a clip itself stands on: found where all contacts agree, and cleaned on as on the ground."""

from __future__ import annotations

import numpy as np
import pytest

from support import walker
from toehold.solver import cleanup, rotations
from toehold.solver.clip import Clip
from toehold.solver.detection import ContactSettings, find_contacts
from toehold.solver.ground import FlatGround
from toehold.solver.metrics import measure
from toehold.solver.own_floor import on_own_floor

LIMBS, SETTINGS = walker.limbs(), ContactSettings()


def _raised(clip: Clip, metres: float) -> Clip:
    locations = clip.local_locations.copy()
    locations[:, 0, 2] += metres
    return clip.moved(local_locations=locations)


def _cleaned(clip: Clip) -> Clip:
    ground, _ = on_own_floor(clip, LIMBS, FlatGround(), SETTINGS)
    contacts = find_contacts(clip, LIMBS, ground, SETTINGS)
    return cleanup.clean(clip, LIMBS, contacts, ground)[0]


@pytest.mark.parametrize("height", [-0.9, -0.3, 0.7, 2.0])
def test_a_walk_at_another_height_is_cleaned_as_on_the_floor(height: float) -> None:
    clip = walker.walk(slide_mm_s=200.0).clip
    on_floor, elsewhere = _cleaned(clip), _cleaned(_raised(clip, height))
    assert np.degrees(rotations.angle_between(on_floor.rotations, elsewhere.rotations)).max() < 1.0


@pytest.mark.parametrize("height", [-0.3, 0.7])
def test_the_floor_found_is_told_and_feet_are_as_far_off_the_ground_as_they_are(height: float) -> None:
    walk = walker.walk()
    clip = _raised(walk.clip, height)
    ground, floor = on_own_floor(clip, LIMBS, FlatGround(), SETTINGS)
    assert floor == pytest.approx(height + walker.TOE_HEIGHT, abs=0.01)
    report = measure(clip, LIMBS, walk.contacts, ground, off_ground=floor)
    assert report.off_ground_mm == pytest.approx(1000.0 * height, abs=25.0)
    assert report.float_mm == pytest.approx(max(1000.0 * height, 0.0), abs=25.0)
    assert report.penetration_mm == pytest.approx(max(-1000.0 * height, 0.0), abs=25.0)


@pytest.mark.parametrize("height", [-0.02, 0.0, 0.03])
def test_feet_a_little_off_the_ground_stand_on_it(height: float) -> None:
    assert on_own_floor(_raised(walker.walk().clip, height), LIMBS, FlatGround(), SETTINGS)[1] is None


def test_contacts_that_do_not_agree_leave_the_ground_where_it_is() -> None:
    clip = walker.walk().clip
    locations = clip.local_locations.copy()
    locations[clip.frame_count // 2 :, 0, 2] += 0.25
    clip = clip.moved(local_locations=locations)
    assert on_own_floor(_raised(clip, -0.3), LIMBS, FlatGround(), SETTINGS)[1] is None
