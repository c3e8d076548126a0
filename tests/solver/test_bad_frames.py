# SPDX-License-Identifier: GPL-3.0-or-later
"""A frame that does not belong to the motion costs itself and nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from support import walker
from toehold.solver.bad_frames import find_breaks
from toehold.solver.clip import Clip
from toehold.solver.detection import ContactSettings, find_contacts
from toehold.solver.ground import FlatGround
from toehold.solver.metrics import measure

LIMBS, GROUND = walker.limbs(), FlatGround()


def _walk(fps: float) -> Clip:
    return walker.walk(strides=4.3, fps=fps, slide_mm_s=100.0).clip


def _spoiled(clip: Clip, frames: list[int], kind: str) -> Clip:
    """Return the clip with frames in the rest pose, or a metre and a half elsewhere."""
    turned, moved = clip.local_rotations.copy(), clip.local_locations.copy()
    if kind == "bind pose":
        turned[frames], moved[frames] = clip.skeleton.rest_rotations, clip.skeleton.rest_locations + [0.0, 3.0, 0.0]
    else:
        moved[frames, 0] += [1.5, 0.5, 0.1]
    return clip.moved(turned, moved)


@pytest.mark.parametrize("kind", ["bind pose", "teleport"])
@pytest.mark.parametrize("frames", [[0], [70], [70, 71], [-1]], ids=["in front", "one", "two", "at the end"])
@pytest.mark.parametrize("fps", [30.0, 60.0])
def test_a_bad_frame_costs_its_own_contacts_and_no_figure(kind: str, frames: list[int], fps: float) -> None:
    clip = _walk(fps)
    spoiled = _spoiled(clip, frames, kind)
    good = np.ones(clip.frame_count, dtype=bool)
    good[frames] = False
    assert (find_breaks(spoiled).bad == ~good).all()
    found, usual = (find_contacts(each, LIMBS, GROUND, ContactSettings()) for each in (spoiled, clip))
    assert not found.toe_planted[~good].any()
    near = np.convolve(~good, np.ones(7), "same") > 0.0
    np.testing.assert_array_equal(found.toe_planted[~near], usual.toe_planted[~near])
    np.testing.assert_array_equal(found.heel_planted[~near], usual.heel_planted[~near])
    before, with_bad = (measure(each, LIMBS, found, GROUND) for each in (clip, spoiled))
    assert with_bad.knee_pop_deg_s <= before.knee_pop_deg_s
    assert with_bad.slide_max_mm_s <= before.slide_max_mm_s + 1e-6


def test_nothing_is_planted_across_a_cut_and_all_else_is_as_before() -> None:
    clip = _walk(60.0)
    cut = _spoiled(clip, list(range(130, clip.frame_count)), "teleport")
    assert find_breaks(cut).cuts == (130,)
    found, usual = (find_contacts(each, LIMBS, GROUND, ContactSettings()) for each in (cut, clip))
    assert not found.toe_planted[[129, 130]].any()
    away = np.abs(np.arange(clip.frame_count) - 129.5) > 15.0
    assert (found.toe_planted == usual.toe_planted)[away].mean() > 0.98
    # The step over the cut itself is of 90,000 mm/s; a heel that is just coming down is no more than this.
    assert measure(cut, LIMBS, found, GROUND).slide_max_mm_s < 500.0


@pytest.mark.parametrize("fps", [12.0, 30.0, 120.0])
def test_no_frame_of_a_motion_is_bad(fps: float) -> None:
    assert not find_breaks(_walk(fps)).any


def test_poses_held_on_twos_are_no_breaks() -> None:
    clip = _walk(24.0)
    held = np.arange(clip.frame_count) // 2 * 2
    assert not find_breaks(clip.moved(clip.local_rotations[held], clip.local_locations[held])).any
