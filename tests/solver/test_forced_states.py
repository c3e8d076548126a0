# SPDX-License-Identifier: GPL-3.0-or-later
"""What a person says of a contact goes before what is detected, point by point and frame by frame."""

from __future__ import annotations

import numpy as np

from toehold.solver.contacts import Contacts, ForcedStates, State, nothing_forced, runs

FRAMES = 100


def detected() -> Contacts:
    """One limb: heel down from 10 to 29, toe from 20 to 59, the foot touching from 8 to 62."""
    toe, heel = np.zeros((FRAMES, 1)), np.zeros((FRAMES, 1))
    toe[20:60], heel[10:30] = 1.0, 1.0
    touching = np.zeros((FRAMES, 1), dtype=bool)
    touching[8:63] = True
    return Contacts(toe, heel, touching)


def states(toe: dict[tuple[int, int], State], heel: dict[tuple[int, int], State] | None = None) -> ForcedStates:
    empty = nothing_forced(FRAMES, 1)
    both = empty.toe.copy(), empty.heel.copy()
    for array, given in zip(both, (toe, heel or {}), strict=True):
        for (start, stop), state in given.items():
            array[start:stop] = state
    return ForcedStates(*both)


def test_where_nothing_is_set_contacts_stay_as_they_are() -> None:
    contacts = detected()
    same = nothing_forced(FRAMES, 1).applied_to(contacts)
    assert np.array_equal(same.toe, contacts.toe)
    assert np.array_equal(same.heel, contacts.heel)
    assert np.array_equal(same.foot_down, contacts.foot_down)


def test_planted_frames_are_planted_and_lifted_frames_are_not() -> None:
    after = states({(55, 71): State.PLANTED, (20, 25): State.LIFTED}).applied_to(detected())
    assert runs(after.toe_planted[:, 0]) == [(25, 70)]
    assert runs(after.heel_planted[:, 0]) == [(10, 29)], "the heel was not spoken of"


def test_a_lifted_toe_leaves_the_foot_down_only_where_its_heel_is() -> None:
    after = states({(20, 60): State.LIFTED}).applied_to(detected())
    assert runs(after.foot_down[:, 0]) == [(8, 29), (60, 62)]


def test_a_sliding_foot_is_down_but_no_contact() -> None:
    span = {(10, 60): State.SLIDING}
    after = states(span, span).applied_to(detected())
    assert not after.toe_planted.any()
    assert not after.heel_planted.any()
    assert runs(after.foot_down[:, 0]) == [(8, 62)]


def test_a_swing_that_is_said_to_slide_is_down() -> None:
    after = states({(80, 90): State.SLIDING}).applied_to(detected())
    assert runs(after.foot_down[:, 0]) == [(8, 62), (80, 89)]


def test_an_edit_is_a_word_for_its_frames_and_goes_before_what_was_set() -> None:
    was_set = states({(50, 65): State.SLIDING})
    edited = np.zeros((FRAMES, 1), dtype=bool)
    edited[58:62] = True
    after = was_set.edited(detected(), edited, np.zeros_like(edited))
    assert (after.toe[50:58] == State.SLIDING).all()
    assert (after.toe[58:60] == State.PLANTED).all()
    assert (after.toe[60:62] == State.LIFTED).all()
    assert (after.toe[62:65] == State.SLIDING).all()
    assert not after.heel.any()
