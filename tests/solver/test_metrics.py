# SPDX-License-Identifier: GPL-3.0-or-later
"""The figures are those that were put in."""

from __future__ import annotations

import numpy as np
import pytest

from support import walker
from toehold.solver import metrics
from toehold.solver.cleanup import clean
from toehold.solver.clip import Clip
from toehold.solver.contacts import Contacts
from toehold.solver.ground import FlatGround, Treadmill

GROUND = FlatGround()


def _raised(clip: Clip, metres: float) -> Clip:
    locations = clip.local_locations.copy()
    locations[:, 0, 2] += metres
    return clip.moved(local_locations=locations)


def test_a_known_slide_is_measured_to_a_tenth_of_a_millimetre_a_second() -> None:
    walk = walker.walk(slide_mm_s=150.0)
    report = metrics.measure(walk.clip, walk.limbs, walk.contacts, GROUND)
    assert report.slide_mm_s == pytest.approx(150.0, abs=0.1)
    assert report.slide_max_mm_s == pytest.approx(150.0, abs=0.1)
    longest = max(report.contacts, key=lambda figure: figure.end - figure.start)
    seconds = (longest.end - longest.start) / walk.clip.fps
    assert longest.drift_mm == pytest.approx(150.0 * seconds / 2.0, abs=0.1)


def test_a_walk_without_slide_has_none_and_nothing_sinks_or_floats() -> None:
    walk = walker.walk()
    report = metrics.measure(walk.clip, walk.limbs, walk.contacts, GROUND)
    for figure in ("slide_mm_s", "slide_max_mm_s", "drift_mm", "penetration_mm", "float_mm", "unreached_mm"):
        assert getattr(report, figure) == pytest.approx(0.0, abs=1e-6), figure


def test_heel_phases_and_toe_contacts_are_told_apart() -> None:
    walk = walker.walk()
    report = metrics.measure(walk.clip, walk.limbs, walk.contacts, GROUND)
    planted = np.zeros_like(walk.contacts.toe_planted)
    for figure in report.contacts:
        span = slice(figure.start, figure.end + 1)
        assert not planted[span, figure.limb].any()
        planted[span, figure.limb] = True
    np.testing.assert_array_equal(planted, walk.contacts.foot_down)
    assert {figure.kind for figure in report.contacts} == {"toe", "heel"}


def test_sunk_feet_are_measured_in_millimetres_below_the_floor() -> None:
    walk = walker.walk()
    report = metrics.measure(_raised(walk.clip, -0.07), walk.limbs, walk.contacts, GROUND)
    assert report.penetration_mm == pytest.approx(1000.0 * (0.07 - walker.TOE_HEIGHT), abs=0.5)


def test_on_a_belt_what_stands_on_it_does_not_slide() -> None:
    walk = walker.walk()
    locations = walk.clip.local_locations.copy()
    locations[:, 0, 1] += 1.3 * np.arange(len(locations)) / walk.clip.fps
    carried = walk.clip.moved(local_locations=locations)
    belt = Treadmill(FlatGround(), np.array((0.0, 1.3, 0.0)))
    assert metrics.measure(carried, walk.limbs, walk.contacts, belt).slide_mm_s == pytest.approx(0.0, abs=1e-6)
    assert metrics.measure(carried, walk.limbs, walk.contacts, GROUND).slide_mm_s == pytest.approx(1300.0, abs=0.1)


def test_change_is_that_of_the_result_from_its_source() -> None:
    walk = walker.walk(slide_mm_s=200.0)
    result, solution = clean(walk.clip, walk.limbs, walk.contacts, GROUND)
    report = metrics.measure(result, walk.limbs, walk.contacts, GROUND, walk.clip, solution.toe_targets)
    moved = np.linalg.norm(result.positions - walk.clip.positions, axis=-1) * 100.0
    assert report.pose_change_max_cm == pytest.approx(moved.max())
    assert report.pose_change_mean_deg > 0.0
    assert report.unreached_mm < 1.0
    same = metrics.measure(walk.clip, walk.limbs, walk.contacts, GROUND, walk.clip)
    assert same.pose_change_max_cm == same.travel_change_percent == 0.0
    assert same.pose_change_max_deg < 1e-9


def test_a_bent_knee_that_snaps_is_a_knee_pop() -> None:
    walk = walker.walk()
    knee = walk.limbs[0].knee
    rotations = walk.clip.local_rotations.copy()
    angle = np.radians(12.0)
    rotations[60, knee] = [np.cos(angle / 2.0), np.sin(angle / 2.0), 0.0, 0.0]
    before, after = (
        metrics.measure(clip, walk.limbs, walk.contacts, GROUND).knee_pop_deg_s
        for clip in (walk.clip, walk.clip.moved(local_rotations=rotations))
    )
    assert after > before + 500.0


@pytest.mark.parametrize("fps", [60.0, 120.0])
def test_toe_jerk_is_that_of_a_swing_of_known_acceleration(fps: float) -> None:
    """A toe on a circle of radius r at w rad/s has a jerk of r w^3; 10 cm at 5 rad/s are 12.5 m/s^3."""
    walk = walker.walk(strides=1.0, fps=fps)
    seconds = np.arange(walk.clip.frame_count) / fps
    circle = 0.1 * np.stack([0.0 * seconds, np.cos(5.0 * seconds), np.sin(5.0 * seconds)], axis=-1)
    locations = np.broadcast_to(walk.clip.local_locations[:1], walk.clip.local_locations.shape).copy()
    turns = np.broadcast_to(walk.clip.local_rotations[:1], walk.clip.local_rotations.shape)
    locations[:, 0] += circle
    clip = walk.clip.moved(local_locations=locations, local_rotations=turns)
    report = metrics.measure(clip, walk.limbs, walk.contacts, GROUND)
    assert report.toe_jerk_m_s3 == pytest.approx(12.5, rel=0.01)
    assert report.scaled(100.0).toe_jerk_m_s3 == pytest.approx(1250.0, rel=0.01)


def test_without_contacts_there_is_nothing_to_report_and_no_error() -> None:
    walk = walker.walk()
    nothing = np.zeros_like(walk.contacts.toe)
    report = metrics.measure(walk.clip, walk.limbs, Contacts(nothing, nothing), GROUND)
    assert report.contacts == ()
    assert report.slide_mm_s == 0.0


def test_skating_counts_frames_with_a_low_fast_toe() -> None:
    slid, still = (
        metrics.measure(walk.clip, walk.limbs, walk.contacts, GROUND)
        for walk in (walker.walk(slide_mm_s=400.0), walker.walk())
    )
    assert slid.skating_ratio > still.skating_ratio + 0.4
    assert slid.skate_mm_s > still.skate_mm_s


def test_figures_for_json_are_plain_numbers_under_their_names() -> None:
    walk = walker.walk()
    figures = metrics.measure(walk.clip, walk.limbs, walk.contacts, GROUND).as_dict()
    assert "contacts" not in figures
    assert all(type(value) in (int, float) for value in figures.values())
