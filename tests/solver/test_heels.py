# SPDX-License-Identifier: GPL-3.0-or-later
"""Heels take the slow part of what their toes are moved by."""

from __future__ import annotations

import numpy as np
import pytest

from support import walker
from toehold.solver import metrics
from toehold.solver.cleanup import clean
from toehold.solver.cleanup.cleanup import heel_displacements
from toehold.solver.ground import FlatGround
from toehold.solver.rotations import FloatArray

FPS = 60.0
NEVER = np.zeros((240, 1))


def _wave(hertz: float) -> FloatArray:
    """Return a toe's displacement (F, 1, 3): 10 mm up and down at a frequency."""
    wave = np.zeros((240, 1, 3))
    wave[:, 0, 2] = 0.01 * np.sin(2.0 * np.pi * hertz * np.arange(240) / FPS)
    return wave


def test_a_heel_whose_toe_is_not_moved_is_not_moved() -> None:
    assert not heel_displacements(np.zeros((50, 2, 3)), np.zeros((50, 2)), FPS).any()


@pytest.mark.parametrize("fps", [24.0, 30.0, 60.0, 120.0])
def test_a_heel_follows_a_step_at_walking_pace_to_a_tenth_of_a_millimetre(fps: float) -> None:
    slow = np.zeros((int(4.0 * fps), 1, 3))
    slow[:, 0, 0] = 0.05 * np.sin(2.0 * np.pi * np.arange(len(slow)) / fps)
    follows = heel_displacements(slow, np.zeros((len(slow), 1)), fps)
    assert np.abs(follows - slow)[5:-5].max() < 1e-4


def test_a_heel_takes_on_little_of_the_shaking_taken_from_its_toe() -> None:
    shaken = heel_displacements(_wave(25.0), NEVER, FPS)
    assert np.abs(shaken[20:-20]).max() < 0.001


def test_a_heel_that_stands_alone_does_what_was_found_for_it() -> None:
    standing = NEVER.copy()
    standing[100:140] = 1.0
    shaken = heel_displacements(_wave(25.0), standing, FPS)
    assert np.abs(shaken - _wave(25.0))[102:138].max() < 2e-5


def test_knees_do_not_take_on_the_shaking_of_a_foot_that_is_held() -> None:
    walk = walker.walk()
    rng = np.random.default_rng(1)
    feet = [limb.heel for limb in walk.limbs]
    turned = walk.clip.local_rotations.copy()
    shake = np.radians(0.5) * rng.standard_normal((walk.clip.frame_count, len(feet)))
    turned[:, feet, 1] += 0.5 * shake
    turned /= np.linalg.norm(turned, axis=-1, keepdims=True)
    shaky = walk.clip.moved(local_rotations=turned)
    cleaned, _ = clean(shaky, walk.limbs, walk.contacts, FlatGround())
    before = metrics.measure(shaky, walk.limbs, walk.contacts, FlatGround(), shaky)
    after = metrics.measure(cleaned, walk.limbs, walk.contacts, FlatGround(), shaky)
    assert before.slide_mm_s > 20.0
    assert after.slide_mm_s < 2.0
    assert after.knee_pop_deg_s < 1.2 * before.knee_pop_deg_s
