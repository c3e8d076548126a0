# SPDX-License-Identifier: GPL-3.0-or-later
"""The article's own method does what it says, so that it can be compared with."""

from __future__ import annotations

import numpy as np

from support import sliding, sweeps, walker
from toehold.solver.cleanup.solution import displace_roots
from toehold.solver.ground import FlatGround
from toehold.solver.limb import solve_limbs

GROUND = FlatGround()


def test_a_walk_without_slide_is_left_as_it_is() -> None:
    walk = walker.walk(strides=2.0)
    solution = sweeps.solve_targets(walk.clip, walk.limbs, walk.contacts, GROUND, iterations=200)
    assert np.abs(solution.root_displacements).max() < 1e-6
    assert np.abs(solution.toe_targets - sliding.points(walk.clip, walk.limbs)).max() < 1e-6


def test_more_sweeps_leave_less_slide() -> None:
    walk = walker.walk(strides=2.0, slide_mm_s=200.0)
    planted = walk.contacts.toe_planted
    left = []
    for iterations in (20, 200, 2000):
        solution = sweeps.solve_targets(walk.clip, walk.limbs, walk.contacts, GROUND, iterations=iterations)
        moved = displace_roots(walk.clip, solution.roots, solution.root_displacements)
        result = solve_limbs(moved, walk.limbs, solution.toe_targets, GROUND)
        left.append(sliding.slide_mm_s(sliding.points(result, walk.limbs), planted, walk.clip.fps))
    assert 200.0 > left[0] > left[1] > left[2]
    assert left[2] < 20.0


def test_a_clip_of_one_frame_is_left_as_it_is() -> None:
    walk = walker.walk()
    one = walk.clip.during(slice(0, 1))
    solution = sweeps.solve_targets(one, walk.limbs, walk.contacts.during(slice(0, 1)), GROUND, iterations=3)
    np.testing.assert_allclose(solution.toe_targets, sliding.points(one, walk.limbs))
