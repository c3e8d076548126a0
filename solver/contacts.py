# SPDX-License-Identifier: GPL-3.0-or-later
"""When each foot is planted: plain data. How it is found is in detection.py; what a user has set is in forced.py."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .limb import Limb
from .rotations import FloatArray
from .signals import BoolArray, runs

__all__ = ["PLANTED", "Contacts", "idle_hands", "runs"]

# A contact signal runs from 0 (lifted) to 1 (planted); a foot counts as planted above this.
PLANTED = 0.5


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
    def foot_down(self) -> BoolArray:
        """Heel or toe, moving or not: what a force plate under the foot sees."""
        planted = self.toe_planted | self.heel_planted
        return planted if self.touching is None else planted | self.touching

    @property
    def planted_ever(self) -> bool:
        """Whether any point is planted in any frame."""
        return bool(self.toe_planted.any() or self.heel_planted.any())

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
    """Return which of ``limbs`` are hands that are planted nowhere; none where that would leave no limb."""
    idle = [index for index, limb in enumerate(limbs) if limb.hand and not contacts.of([index]).planted_ever]
    return idle if len(idle) < len(limbs) else []
