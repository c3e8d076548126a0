# SPDX-License-Identifier: GPL-3.0-or-later
"""Real clips for tests, without Blender."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from toehold.files import bvh as bvh_files
from toehold.files.bvh_motion import guess_metres_per_unit, to_clip
from toehold.solver.clip import Clip

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"


def bvh_clip(path: str | Path, metres_per_unit: float | None = None) -> Clip:
    """Return a BVH as a Clip: Z up, metres, End Sites as ``<joint>_end``; its unit guessed from the pelvis' height.

    path : absolute, or under the folder of shared data.
    """
    bvh = bvh_files.read(DATA / path)
    if metres_per_unit is None:
        # Joint 0 of a person stands a little higher over the lowest joint than a leg is long.
        positions = to_clip(bvh, 1.0).positions
        height = np.median(positions[:, 0, 2] - positions[:, :, 2].min(axis=1))
        metres_per_unit, _ = guess_metres_per_unit(0.9 * float(height))
    return to_clip(bvh, metres_per_unit)
