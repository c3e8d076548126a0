# SPDX-License-Identifier: GPL-3.0-or-later
"""Clips that repeat are told from those that do not, and still repeat when they have been cleaned."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from support import walker
from support.clips import bvh_clip
from support.legs import legs_of
from toehold.solver import cleanup, looped_cleanup, loops, rotations
from toehold.solver.clip import Clip
from toehold.solver.contacts import ContactSettings
from toehold.solver.ground import FlatGround

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
    contacts = looped_cleanup.find_contacts(clip, limbs, ground, ContactSettings())
    np.testing.assert_array_equal(contacts.toe_planted[0], contacts.toe_planted[-1])
    np.testing.assert_array_equal(contacts.heel_planted[0], contacts.heel_planted[-1])
    result, solution = looped_cleanup.clean(clip, limbs, contacts, ground)
    assert solution.toe_targets.shape == (clip.frame_count, 2, 3)
    assert _gap_deg(result) < 0.2
    assert _gap_deg(cleanup.clean(clip, limbs, contacts, ground)[0]) > 5.0 * _gap_deg(result)
    steps = np.diff(result.positions - result.positions[:, :1], axis=0)
    speed_change = np.linalg.norm(steps[0] - steps[-1], axis=-1).max()
    assert speed_change < 1.5 * np.linalg.norm(np.diff(steps, axis=0), axis=-1).max()


def test_a_clip_of_which_a_part_is_pinned_is_cleaned_as_it_is() -> None:
    clip, limbs, ground = one_stride(), walker.limbs(), FlatGround()
    contacts = looped_cleanup.find_contacts(clip, limbs, ground, ContactSettings())
    pinned = np.arange(clip.frame_count) < 10
    ours, theirs = (each.clean(clip, limbs, contacts, ground, None, pinned)[0] for each in (looped_cleanup, cleanup))
    np.testing.assert_array_equal(ours.local_rotations, theirs.local_rotations)


def _gap_deg(clip: Clip) -> float:
    """Return by how much the last pose differs from the first, worst joint, in its parent's frame."""
    return float(np.degrees(rotations.angle_between(clip.local_rotations[0], clip.local_rotations[-1]).max()))
