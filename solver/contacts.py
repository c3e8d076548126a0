# SPDX-License-Identifier: GPL-3.0-or-later
"""When each foot is planted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .rotations import FloatArray

BoolArray = NDArray[np.bool_]

# A contact signal runs from 0 (lifted) to 1 (planted); a foot counts as planted above this.
PLANTED = 0.5


@dataclass(frozen=True)
class Contacts:
    """How firmly toe and heel of each limb are planted, 0 to 1. Both are (F, L)."""

    toe: FloatArray
    heel: FloatArray

    @property
    def toe_planted(self) -> BoolArray:
        return self.toe > PLANTED

    @property
    def heel_planted(self) -> BoolArray:
        return self.heel > PLANTED

    @property
    def foot_down(self) -> BoolArray:
        """Heel or toe: what a force plate under the foot sees."""
        return self.toe_planted | self.heel_planted


def runs(planted: BoolArray) -> list[tuple[int, int]]:
    """Return the first and last frame, inclusive, of each unbroken run of True in ``(F,)``."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], planted, [False]]).astype(np.int8)))
    return [(int(start), int(end) - 1) for start, end in edges.reshape(-1, 2)]
