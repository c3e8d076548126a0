# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet that are deep in the ground keep the way that they are turned: no toe flips or snaps to get out of it."""

from __future__ import annotations

import numpy as np
import pytest

from support import walker
from toehold.solver import rotations
from toehold.solver.cleanup import clean
from toehold.solver.ground import FlatGround


@pytest.mark.parametrize("metres", [0.2, 0.3, 1.0])
def test_feet_and_toes_of_a_lowered_walk_turn_by_less_than_five_degrees(metres: float) -> None:
    walk = walker.walk(slide_mm_s=100.0)
    locations = walk.clip.local_locations.copy()
    locations[:, 0, 2] -= metres
    lowered = walk.clip.moved(local_locations=locations)
    result, _ = clean(lowered, walk.limbs, walk.contacts, FlatGround())
    feet = [joint for limb in walk.limbs for joint in (limb.heel, limb.toe)]
    turned = rotations.angle_between(lowered.rotations[:, feet], result.rotations[:, feet])
    assert np.degrees(turned.max()) < 5.0
