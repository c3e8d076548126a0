# SPDX-License-Identifier: GPL-3.0-or-later
"""Hands are planted where they carry a body, and nowhere else; their clean-up leaves legs alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from support import acrobat, walker
from support.acrobat import cartwheel, climb, crawl
from support.grounds import ramp
from support.walker import Walk
from toehold.solver.cleanup import CleanupSettings, clean
from toehold.solver.clip import Clip
from toehold.solver.contacts import Contacts
from toehold.solver.detection import find_contacts
from toehold.solver.ground import FlatGround
from toehold.solver.metrics import measure
from toehold.solver.rotations import FloatArray
from toehold.solver.terrain import adapted

FLOOR = FlatGround()
LEGS, HANDS = [0, 1], [2, 3]
ON_HANDS = pytest.mark.parametrize("made", [crawl, cartwheel])


@ON_HANDS
@pytest.mark.parametrize("slide", [0.0, 150.0])
def test_hands_are_planted_while_they_carry_the_body(made: Callable[..., Walk], slide: float) -> None:
    clip = made(slide_mm_s=slide)
    found = find_contacts(clip.clip, clip.limbs, FLOOR)
    truth = clip.contacts.toe_planted
    right = found.toe_planted & truth
    for limb in HANDS:
        assert 2.0 * right[:, limb].sum() / (found.toe_planted[:, limb].sum() + truth[:, limb].sum()) > 0.97


def test_hands_that_swing_or_hang_are_planted_nowhere() -> None:
    walk = walker.walk(strides=3.0)
    hands = _walkers_hands()
    standing = walk.clip.during(slice(0, 1))
    still = replace(
        walk.clip,
        local_rotations=np.repeat(standing.local_rotations, 120, axis=0),
        local_locations=np.repeat(standing.local_locations, 120, axis=0),
        _derived={},
    )
    for clip in (walk.clip, still):
        found = find_contacts(clip, [*walk.limbs, *hands], FLOOR)
        assert not found.toe_planted[:, HANDS].any()
        assert not found.heel_planted[:, HANDS].any()
        alone = find_contacts(clip, walk.limbs, FLOOR)
        np.testing.assert_array_equal(found.toe[:, LEGS], alone.toe)


def test_hands_on_a_wall_are_planted_by_hand_only() -> None:
    assert not find_contacts(climb().clip, acrobat.limbs(), FLOOR).toe_planted[:, HANDS].any()


@pytest.mark.parametrize("made", [crawl, cartwheel, climb])
def test_planted_hands_and_feet_stand_still(made: Callable[..., Walk]) -> None:
    sliding = made(slide_mm_s=150.0)
    contacts = _contacts(sliding)
    cleaned, _ = clean(sliding.clip, sliding.limbs, contacts, FLOOR)
    report = measure(cleaned, sliding.limbs, contacts, FLOOR)
    assert max(contact.drift_mm for contact in report.contacts) < 1.0
    assert max(contact.slide_mm_s for contact in report.contacts) < 2.0
    assert {contact.limb for contact in report.contacts} == {0, 1, 2, 3}


def test_hands_on_a_wall_do_not_slide_down_it() -> None:
    sliding = climb(slide_mm_s=150.0)
    cleaned, _ = clean(sliding.clip, sliding.limbs, sliding.contacts, FLOOR)
    for index, limb in enumerate(sliding.limbs):
        held = sliding.contacts.toe_planted[:, index]
        steps = np.diff(cleaned.positions[:, limb.toe], axis=0)[held[1:] & held[:-1]]
        # Feet go up and down softly, so that knees do not jump where they land.
        most = 2.0 if limb.hand else 6.0
        assert np.linalg.norm(steps, axis=-1).mean() * sliding.clip.fps * 1000.0 < most, "mm/s"


@pytest.mark.parametrize("made", [crawl, cartwheel, climb])
def test_hands_that_stand_still_already_stay_as_they_are(made: Callable[..., Walk]) -> None:
    still = made()
    cleaned, _ = clean(still.clip, still.limbs, still.contacts, FLOOR)
    np.testing.assert_allclose(cleaned.local_rotations, still.clip.local_rotations, atol=1e-6)
    np.testing.assert_allclose(cleaned.local_locations, still.clip.local_locations, atol=1e-6)


@pytest.mark.parametrize("strength", [1.0, 0.5])
def test_hands_that_are_planted_nowhere_change_nothing_to_the_bit(strength: float) -> None:
    walk = walker.walk(strides=3.0, slide_mm_s=200.0)
    limbs = [*walk.limbs, *_walkers_hands()]
    nothing = np.zeros_like(walk.contacts.toe)
    contacts = Contacts(
        np.concatenate([walk.contacts.toe, nothing], axis=1), np.concatenate([walk.contacts.heel, nothing], axis=1)
    )
    settings = CleanupSettings(strength=strength)
    with_hands, solution = clean(walk.clip, limbs, contacts, FLOOR, settings)
    without, _ = clean(walk.clip, walk.limbs, walk.contacts, FLOOR, settings)
    np.testing.assert_array_equal(with_hands.local_rotations, without.local_rotations)
    np.testing.assert_array_equal(with_hands.local_locations, without.local_locations)
    assert solution.toe_targets.shape[1] == len(limbs)


def test_figures_of_a_walk_are_the_same_with_its_hands() -> None:
    walk = walker.walk(strides=3.0, slide_mm_s=200.0)
    limbs = [*walk.limbs, *_walkers_hands()]
    with_hands = measure(walk.clip, limbs, find_contacts(walk.clip, limbs, FLOOR), FLOOR).as_dict()
    without = measure(walk.clip, walk.limbs, find_contacts(walk.clip, walk.limbs, FLOOR), FLOOR).as_dict()
    assert with_hands == without


def test_hands_do_not_drag_the_legs() -> None:
    sliding = crawl(slide_mm_s=150.0)
    contacts = _contacts(sliding)
    both, _ = clean(sliding.clip, sliding.limbs, contacts, FLOOR)
    legs, _ = clean(sliding.clip, sliding.limbs[:2], contacts.of(LEGS), FLOOR)
    assert _knees_turned(both, sliding) < _knees_turned(legs, sliding) + 1.0, "degrees"


def test_a_hand_that_is_not_planted_goes_along_with_the_body() -> None:
    sliding = cartwheel(slide_mm_s=150.0)
    cleaned, _ = clean(sliding.clip, sliding.limbs, _contacts(sliding), FLOOR)
    for limb in (sliding.limbs[hand] for hand in HANDS):
        moved = np.linalg.norm(_from_root(cleaned, limb.toe) - _from_root(sliding.clip, limb.toe), axis=-1)
        standing = slice(0, 50)
        assert moved[standing].max() < 2e-3, "metres, long before the hands come down"


def _contacts(made: Walk) -> Contacts:
    """Return what is found where it can be, else what is known."""
    found = find_contacts(made.clip, made.limbs, FLOOR)
    return found if found.of(HANDS).planted_ever else made.contacts


def _walkers_hands() -> list[walker.Limb]:
    index = walker.NAMES.index
    return [
        walker.Limb(
            side, 0, *(index(f"{side}{part}") for part in ("Arm", "ForeArm", "ForeArm_end", "ForeArm_end")), hand=True
        )
        for side in ("Left", "Right")
    ]


def _knees_turned(cleaned: Clip, source: Walk) -> float:
    """Return how far in degrees the knees turn at most."""
    knees = [limb.knee for limb in source.limbs[:2]]
    same = np.sum(cleaned.local_rotations[:, knees] * source.clip.local_rotations[:, knees], axis=-1)
    return float(np.degrees(2.0 * np.arccos(np.clip(np.abs(same), 0.0, 1.0))).max())


def _from_root(clip: Clip, joint: int) -> FloatArray:
    return clip.positions[:, joint] - clip.positions[:, 0]


def test_hands_that_are_planted_nowhere_go_uphill_with_the_body() -> None:
    walk = walker.walk(strides=3.0)
    limbs = [*walk.limbs, *_walkers_hands()]
    nothing = np.zeros_like(walk.contacts.toe)
    contacts = Contacts(
        np.concatenate([walk.contacts.toe, nothing], axis=1), np.concatenate([walk.contacts.heel, nothing], axis=1)
    )
    slope = ramp(10.0)
    with_hands = adapted(walk.clip, limbs, contacts, slope)
    without = adapted(walk.clip, walk.limbs, walk.contacts, slope)
    np.testing.assert_array_equal(with_hands.local_rotations, without.local_rotations)
