# SPDX-License-Identifier: GPL-3.0-or-later
"""An animator's own cycle goes along a path in its own poses, and its feet stand still."""

from __future__ import annotations

import numpy as np
import pytest

from support.path_grounds import hills
from support.walker import Walk, walk
from toehold.solver import rotations
from toehold.solver.arrays import FloatArray
from toehold.solver.clip import Clip
from toehold.solver.gait.plan import PlanError
from toehold.solver.metrics import measure
from toehold.solver.path.line import drawn_line
from toehold.solver.path.own_cycle import along_line, own_cycle, unrolled

HEIGHT = 0.96
SHARE = np.linspace(0.0, 1.0, 41)
STRAIGHT = np.stack([0.0 * SHARE, -5.0 * SHARE, 0.0 * SHARE], axis=-1)
WINDING = np.stack([np.sin(2.0 * np.pi * SHARE), -8.0 * SHARE, 0.0 * SHARE], axis=-1)
OVER_A_HUMP = np.stack([0.0 * SHARE, -8.0 * SHARE, 0.4 * np.sin(np.pi * SHARE)], axis=-1)


def cycle_of(kind: str) -> tuple[Clip, Walk]:
    made = walk(strides=1.0)
    clip = made.clip
    if kind == "travelling":
        return clip, made
    step = (clip.positions[-1, 0] - clip.positions[0, 0]) / (clip.frame_count - 1)
    located = clip.local_locations.copy()
    located[:, 0] -= np.arange(clip.frame_count)[:, None] * step * [1.0, 1.0, 0.0]
    return clip.moved(local_locations=located), made


@pytest.mark.parametrize("kind", ["travelling", "in place"])
@pytest.mark.parametrize("points", [STRAIGHT, WINDING, OVER_A_HUMP], ids=["straight", "winding", "over a hump"])
def test_feet_slide_less_than_a_millimetre_a_second(kind: str, points: FloatArray) -> None:
    clip, made = cycle_of(kind)
    cycle = own_cycle(clip, made.limbs)
    went, contacts, ground = along_line(cycle, made.limbs, drawn_line(points, HEIGHT), HEIGHT, cycle.speed)
    report = measure(went, made.limbs, contacts, ground)
    assert report.slide_mm_s < 0.1
    assert report.slide_max_mm_s < 1.0
    assert report.penetration_mm < 1.0
    assert np.abs(went.positions[-1, 0, :2] - points[-1, :2]).max() < 0.1


@pytest.mark.parametrize("kind", ["travelling", "in place"])
def test_on_a_straight_way_each_pose_is_the_cycle_s_own(kind: str) -> None:
    clip, made = cycle_of(kind)
    cycle = own_cycle(clip, made.limbs)
    assert cycle.speed == pytest.approx(1.2 / 1.1, rel=0.01)
    went, _, _ = along_line(cycle, made.limbs, drawn_line(STRAIGHT, HEIGHT), HEIGHT, cycle.speed)
    for frame in range(0, went.frame_count, 7):
        phase = frame / went.fps * cycle.speed / cycle.stride * cycle.period % cycle.period
        nearest = clip.local_rotations[round(phase) % cycle.period]
        turned = np.degrees(rotations.angle_between(went.local_rotations[frame, 1:], nearest[1:]))
        assert turned.max() < 5.0


def test_at_twice_the_speed_the_cycle_is_played_twice_as_fast() -> None:
    clip, made = cycle_of("in place")
    cycle = own_cycle(clip, made.limbs)
    line = drawn_line(STRAIGHT, HEIGHT)
    once, _ = unrolled(cycle, made.limbs, line, HEIGHT, cycle.speed)
    twice, _ = unrolled(cycle, made.limbs, line, HEIGHT, 2.0 * cycle.speed)
    assert np.abs(once.positions[::2][: twice.frame_count - 1] - twice.positions[:-1]).max() < 1e-3


def test_over_hills_toes_stay_out_of_the_ground() -> None:
    clip, made = cycle_of("travelling")
    cycle = own_cycle(clip, made.limbs)
    ground = hills(HEIGHT)
    line = drawn_line(STRAIGHT, HEIGHT)
    went, contacts, over = along_line(cycle, made.limbs, line, HEIGHT, cycle.speed, ground)
    report = measure(went, made.limbs, contacts, over)
    assert report.slide_max_mm_s < 1.0
    assert report.penetration_mm < 2.0


def test_a_clip_that_is_no_cycle_or_goes_nowhere_is_refused() -> None:
    clip, made = cycle_of("travelling")
    with pytest.raises(PlanError, match="no cycle"):
        own_cycle(clip.during(slice(0, 40)), made.limbs)
    still = clip.during(slice(0, 1))
    count = 30
    stands = clip.moved(
        np.repeat(still.local_rotations, count, axis=0), np.repeat(still.local_locations, count, axis=0)
    )
    with pytest.raises(PlanError, match=r"no cycle|goes nowhere"):
        own_cycle(stands, made.limbs)
