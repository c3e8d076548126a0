# SPDX-License-Identifier: GPL-3.0-or-later
"""Clips that repeat are told from those that do not, and still repeat when they have been cleaned."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from support import walker
from support.clips import bvh_clip
from support.legs import legs_of
from toehold.solver import cleanup, locking, loops, root_motion, rotations
from toehold.solver.cleanup import CleanupSettings
from toehold.solver.clip import Clip
from toehold.solver.detection import ContactSettings, find_contacts
from toehold.solver.ground import FlatGround
from toehold.solver.metrics import measure
from toehold.solver.treadmill import on_treadmill

STRIDE_FRAMES = 66


def one_stride(slide_mm_s: float = 200.0, frames: int = STRIDE_FRAMES + 1) -> Clip:
    """Return a walk from one left heel strike to the next, sliding; 67 frames have the strike twice."""
    return walker.walk(strides=3.0, slide_mm_s=slide_mm_s).clip.during(slice(STRIDE_FRAMES, STRIDE_FRAMES + frames))


@pytest.mark.parametrize("frames", [STRIDE_FRAMES, STRIDE_FRAMES + 1])
def test_a_stride_is_a_loop_whether_its_first_frame_comes_twice_or_not(frames: int) -> None:
    loop = loops.find_loop(one_stride(0.0, frames), 0)
    assert loop is not None
    assert loop.period == STRIDE_FRAMES
    np.testing.assert_allclose(loop.travel, [0.0, -1.2, 0.0], atol=0.03)


def test_half_a_stride_and_one_that_stands_are_no_loops() -> None:
    assert loops.find_loop(one_stride(frames=STRIDE_FRAMES // 2), 0) is None
    still = one_stride()
    still = still.moved(*(np.repeat(each[:1], 60, axis=0) for each in (still.local_rotations, still.local_locations)))
    assert loops.find_loop(still, 0) is None


@pytest.mark.parametrize("closes", [True, False])
def test_a_body_that_sways_by_millimetres_is_a_loop_where_it_comes_back_to_where_it_began(closes: bool) -> None:
    still = one_stride()
    time = np.linspace(0.0, 2.0 * np.pi, 61)[:, None]
    turned = still.moved(*(np.repeat(each[:1], 61, axis=0) for each in (still.local_rotations, still.local_locations)))
    sway = 5e-3 * (np.sin(2.0 * time) + (0.0 if closes else 0.6 * time / (2.0 * np.pi)))
    rotations_of = turned.local_rotations.copy()
    rotations_of[:, 1] = rotations.multiply(rotations.from_vector(sway * [1.0, 0.0, 0.0]), rotations_of[:, 1])
    assert (loops.find_loop(turned.moved(local_rotations=rotations_of), 0) is not None) == closes


def test_no_recording_is_a_loop(data: Path) -> None:
    for path in sorted([*data.glob("contacts_truth/*.bvh"), *data.glob("cmu/*.bvh"), *data.glob("pymo/*.bvh")]):
        clip = bvh_clip(path)
        assert loops.find_loop(clip, legs_of(clip)[0].root) is None, path.name


def test_laps_in_a_row_are_the_walk_itself() -> None:
    whole = walker.walk(strides=3.0).clip
    stride = one_stride(0.0)
    loop = loops.find_loop(stride, 0)
    assert loop is not None
    laps = loops.repeated(stride, loop, 3)
    np.testing.assert_allclose(laps.positions, whole.positions, atol=1e-9)
    kept = laps.during(loops.middle(loop, stride.frame_count, 3))
    np.testing.assert_allclose(kept.positions, stride.positions, atol=1e-9)


@pytest.mark.parametrize("slide_mm_s", [-200.0, 200.0])
def test_a_cleaned_loop_goes_on_over_its_end_in_pose_speed_and_contacts(slide_mm_s: float) -> None:
    clip, limbs, ground = one_stride(slide_mm_s), walker.limbs(), FlatGround()
    contacts = find_contacts(clip, limbs, ground, ContactSettings())
    np.testing.assert_array_equal(contacts.toe_planted[0], contacts.toe_planted[-1])
    np.testing.assert_array_equal(contacts.heel_planted[0], contacts.heel_planted[-1])
    result, solution = cleanup.clean(clip, limbs, contacts, ground)
    assert solution.toe_targets.shape == (clip.frame_count, 2, 3)
    assert _gap_deg(result) < 0.2
    # With frames that may be pinned it is solved once, from its first frame to its last.
    once, _ = cleanup.clean(clip, limbs, contacts, ground, pinned=np.zeros(clip.frame_count, dtype=bool))
    assert _gap_deg(once) > 5.0 * _gap_deg(result)
    steps = np.diff(result.positions - result.positions[:, :1], axis=0)
    speed_change = np.linalg.norm(steps[0] - steps[-1], axis=-1).max()
    assert speed_change < 1.5 * np.linalg.norm(np.diff(steps, axis=0), axis=-1).max()


def test_a_planted_foot_stands_still_up_to_a_last_pose_that_is_not_wholly_the_first_one() -> None:
    clip, limbs, ground = one_stride(0.0, STRIDE_FRAMES + 1), walker.limbs(), FlatGround()
    contacts = find_contacts(clip, limbs, ground, ContactSettings())
    leg = int(np.flatnonzero(contacts.toe_planted[-3:].all(axis=0))[0])
    turned = clip.local_rotations.copy()
    turn = rotations.from_axis_angle(np.array([1.0, 0.0, 0.0]), np.radians(1.0))
    turned[-1, limbs[leg].hip] = rotations.multiply(turn, turned[-1, limbs[leg].hip])
    gaping = clip.moved(local_rotations=turned)
    assert loops.find_loop(gaping, limbs[0].root) is not None
    result, _ = cleanup.clean(gaping, limbs, contacts, ground)
    before_mm, after_mm = (
        1000.0 * np.linalg.norm(np.diff(each.positions[-2:, limbs[leg].toe], axis=0)) for each in (gaping, result)
    )
    assert before_mm > 10.0
    assert after_mm < 0.1
    untouched, _ = cleanup.clean(gaping, limbs, contacts, ground, CleanupSettings(strength=0.0))
    assert rotations.angle_between(untouched.local_rotations, gaping.local_rotations).max() < 1e-12


@pytest.mark.parametrize("off", [(0.012, -0.02, 0.009), (0.0, -0.02, 0.02)])
def test_a_planted_foot_is_reached_at_the_seam_where_the_root_is_not_wholly_back(off: tuple[float, ...]) -> None:
    clip, limbs = walker.walk(strides=1.0, fps=30.0).clip, walker.limbs()
    locations = clip.local_locations.copy()
    locations[:, 0, 1] -= np.linspace(0.0, locations[-1, 0, 1] - locations[0, 0, 1], clip.frame_count)
    locations[-1, 0] += off
    clip = clip.moved(local_locations=locations)
    assert loops.find_loop(clip, limbs[0].root) is not None
    ground = on_treadmill(clip, limbs, FlatGround())
    contacts = find_contacts(clip, limbs, ground, ContactSettings())
    assert (contacts.toe_planted | contacts.heel_planted)[-1].any()
    result, solution = cleanup.clean(clip, limbs, contacts, ground)
    report = measure(result, limbs, contacts, ground, clip, solution.toe_targets)
    assert report.unreached_mm < 0.5
    assert report.slide_max_mm_s < 10.0
    assert report.hips_m_s2 <= measure(clip, limbs, contacts, ground).hips_m_s2


def test_a_clip_of_which_a_part_is_pinned_keeps_that_part_though_it_repeats() -> None:
    clip, limbs, ground = one_stride(), walker.limbs(), FlatGround()
    contacts = find_contacts(clip, limbs, ground, ContactSettings())
    pinned = np.arange(clip.frame_count) < 10
    result, solution = cleanup.clean(clip, limbs, contacts, ground, None, pinned)
    np.testing.assert_array_equal(solution.root_displacements[pinned], 0.0)
    np.testing.assert_allclose(result.positions[pinned], clip.positions[pinned], atol=1e-9)
    assert np.abs(solution.root_displacements[-1]).max() > 0.01


def _gap_deg(clip: Clip) -> float:
    """Return by how much the last pose differs from the first, worst joint, in its parent's frame."""
    return float(np.degrees(rotations.angle_between(clip.local_rotations[0], clip.local_rotations[-1]).max()))


@pytest.mark.parametrize("starts", [0.0, 0.3, 0.8])
def test_a_cycle_whose_keys_lie_between_frames_is_a_loop_and_its_contacts_go_on_over_the_end(starts: float) -> None:
    # 24 frames a second of a cycle that lasts 26.4 of them: its first and last poses are held up to whole frames.
    clip, ground = between_frames(starts), FlatGround()
    loop = loops.find_loop(clip, 0)
    assert loop is not None
    assert loop.period == clip.frame_count - 1
    np.testing.assert_allclose(loop.travel, [0.0, -1.2, 0.0], atol=0.03)
    assert np.ptp(clip.frame_times) == pytest.approx(26.4)
    travel_taken_out = root_motion.apply(clip, 0, root_motion.travel_out(clip, 0))
    for each in (clip, travel_taken_out):
        contacts = find_contacts(each, walker.limbs(), ground, ContactSettings())
        np.testing.assert_array_equal(contacts.foot_down[0], contacts.foot_down[-1])
        # Each foot is down once in the cycle, for 0.6 of it; over the seam or not.
        assert np.all(np.sum(np.diff(contacts.foot_down.astype(int), axis=0) == 1, axis=0) <= 1)
        np.testing.assert_allclose(contacts.foot_down.mean(axis=0), 0.62, atol=0.12)
        result, _ = cleanup.clean(each, walker.limbs(), contacts, on_treadmill(each, walker.limbs(), ground))
        assert _gap_deg(result) < 0.5


def between_frames(starts: float) -> Clip:
    """Return a stride keyed from ``starts`` on, sampled on whole frames as Blender does."""
    fine = walker.walk(strides=3.0, fps=960.0).clip
    first = round(1.1 * 960.0)
    ends = starts + 26.4
    frames = np.clip(np.arange(0.0, np.ceil(ends) + 1.0), starts, ends)
    at = first + np.round((frames - starts) * 40.0).astype(np.intp)
    held = (starts, float(np.ceil(ends) - ends))
    return Clip(fine.skeleton, 24.0, fine.local_rotations[at], fine.local_locations[at], held)


@pytest.mark.parametrize("in_place", [False, True])
def test_a_locked_loop_goes_on_over_its_end(in_place: bool) -> None:
    clip, limbs = one_stride(150.0), walker.limbs()
    if in_place:
        clip = root_motion.apply(clip, 0, root_motion.travel_out(clip, 0))
    ground = on_treadmill(clip, limbs, FlatGround())
    contacts = find_contacts(clip, limbs, ground, ContactSettings())
    result, played = locking.lock(clip, limbs, contacts, ground)
    assert played.locked.any()
    np.testing.assert_array_equal(played.locked[0], played.locked[-1])
    assert _gap_deg(result) < 0.2
    # Played once only, it begins free and ends held.
    once, _ = locking.lock(clip, limbs, contacts, ground, repeats=False)
    assert _gap_deg(once) > 2.0 * _gap_deg(result)
