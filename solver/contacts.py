# SPDX-License-Identifier: GPL-3.0-or-later
"""When each foot is planted: plain data, and what a person has set, which takes precedence over what is detected.

How contacts are found is in detection.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from .arrays import BoolArray, FloatArray
from .limb import Limb
from .signals import runs

__all__ = ["PLANTED", "Contacts", "ForcedStates", "State", "StateArray", "idle_hands", "nothing_forced", "runs"]

# A contact signal runs from 0 (lifted) to 1 (planted); a foot counts as planted above this.
PLANTED = 0.5


StateArray = NDArray[np.int8]


@dataclass(frozen=True)
class Contacts:
    """The contact signals of toe and heel of each limb, 0 (lifted) to 1 (planted). Both are (F, L).

    touching : (F, L) where heel or toe touches the ground, which begins before it is planted and ends after; None
        where only what is planted is known.
    """

    toe: FloatArray
    heel: FloatArray
    touching: BoolArray | None = None

    @property
    def toe_planted(self) -> BoolArray:
        return self.toe > PLANTED

    @property
    def heel_planted(self) -> BoolArray:
        return self.heel > PLANTED

    @property
    def planted(self) -> BoolArray:
        """Heel or toe, to be held."""
        return self.toe_planted | self.heel_planted

    @property
    def foot_down(self) -> BoolArray:
        """Heel or toe, moving or not: what a force plate under the foot sees."""
        return self.planted if self.touching is None else self.planted | self.touching

    @property
    def planted_ever(self) -> bool:
        """Whether any point is planted in any frame."""
        return bool(self.planted.any())

    def during(self, window: slice) -> Contacts:
        """Return the contacts of the frames in ``window`` only."""
        touching = None if self.touching is None else self.touching[window]
        return Contacts(self.toe[window], self.heel[window], touching)

    def of(self, limbs: Sequence[int]) -> Contacts:
        """Return the contacts of these limbs only, by their indices."""
        touching = None if self.touching is None else self.touching[:, limbs]
        return Contacts(self.toe[:, limbs], self.heel[:, limbs], touching)

    def replaced(self, window: slice, inside: Contacts) -> Contacts:
        """Return these contacts with those of ``inside``, which has the window's frames only, in ``window``."""
        toe, heel, touching = self.toe.copy(), self.heel.copy(), self.foot_down
        toe[window], heel[window], touching[window] = inside.toe, inside.heel, inside.foot_down
        return Contacts(toe, heel, touching)


def idle_hands(limbs: Sequence[Limb], contacts: Contacts) -> list[int]:
    """Return which of ``limbs`` are hands that are never planted; an empty list if that would leave no limb."""
    idle = [index for index, limb in enumerate(limbs) if limb.hand and not contacts.of([index]).planted_ever]
    return idle if len(idle) < len(limbs) else []


class State(IntEnum):
    """What is known of a point in a frame. SLIDING is down but moves on purpose (a pivot): it is not locked."""

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
        """Return these states with those that a person has edited in ``contacts`` where ``toe`` and ``heel`` (F, L)."""
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
