# SPDX-License-Identifier: GPL-3.0-or-later
"""What a person has said about contacts, and that it goes before what is detected."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from .contacts import Contacts
from .rotations import FloatArray
from .signals import BoolArray

StateArray = NDArray[np.int8]


class State(IntEnum):
    """What is known of a point at a frame. SLIDING is down and moves on purpose: a pivot, a skid; it is not locked."""

    AUTO = 0
    PLANTED = 1
    LIFTED = 2
    SLIDING = 3


@dataclass(frozen=True)
class ForcedStates:
    """What a person has set for toe and heel of each limb. Both are (F, L), of State; AUTO where nothing is set."""

    toe: StateArray
    heel: StateArray

    @property
    def is_empty(self) -> bool:
        return not (self.toe.any() or self.heel.any())

    def applied_to(self, contacts: Contacts) -> Contacts:
        """Return contacts (F, L) with what was set in place of what they say."""
        toe, heel = _signal(contacts.toe, self.toe), _signal(contacts.heel, self.heel)
        lifted = (self.toe == State.LIFTED) | (self.heel == State.LIFTED)
        sliding = (self.toe == State.SLIDING) | (self.heel == State.SLIDING)
        return Contacts(toe, heel, (contacts.foot_down & ~lifted) | sliding)

    def edited(self, contacts: Contacts, toe: BoolArray, heel: BoolArray) -> ForcedStates:
        """Return these states with what a person said by editing ``contacts`` where ``toe`` and ``heel`` (F, L)."""
        return ForcedStates(
            np.where(toe, _as_states(contacts.toe_planted), self.toe),
            np.where(heel, _as_states(contacts.heel_planted), self.heel),
        )


def nothing_forced(frames: int, limbs: int) -> ForcedStates:
    """Return states for ``frames`` frames and ``limbs`` limbs in which nothing is set."""
    empty = np.zeros((frames, limbs), dtype=np.int8)
    return ForcedStates(empty, empty)


def _signal(detected: FloatArray, states: StateArray) -> FloatArray:
    return np.where(states == State.AUTO, detected, (states == State.PLANTED).astype(np.float64))


def _as_states(planted: BoolArray) -> StateArray:
    return np.where(planted, State.PLANTED, State.LIFTED).astype(np.int8)
