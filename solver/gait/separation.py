# SPDX-License-Identifier: GPL-3.0-or-later
"""How near limbs come to each other: the shortest distance between what hangs below their knees."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, pairwise

import numpy as np

from ..arrays import FloatArray
from ..clip import Clip
from ..limb import Limb

_POINTS = 7


def separation(clip: Clip, limbs: Sequence[Limb]) -> float:
    """Return the metres between the nearest two points of different limbs, knee to heel to toe; inf for one limb."""
    points = [_points(clip, limb) for limb in limbs]
    nearest = np.inf
    for one, other in combinations(points, 2):
        apart = np.linalg.norm(one[:, :, None] - other[:, None], axis=-1)
        nearest = min(nearest, float(apart.min()))
    return float(nearest)


def _points(clip: Clip, limb: Limb) -> FloatArray:
    share = np.linspace(0.0, 1.0, _POINTS)[None, :, None]
    chain = [clip.positions[:, None, joint] for joint in (*limb.joints[1:], limb.toe)]
    parts = [upper + share * (lower - upper) for upper, lower in pairwise(chain)]
    return np.concatenate(parts, axis=1)
