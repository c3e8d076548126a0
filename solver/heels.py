# SPDX-License-Identifier: GPL-3.0-or-later
"""Where heels go when their toes are held: smoothly, whatever noise the toes had."""

from __future__ import annotations

import numpy as np

from .least_squares import BandedSystem
from .rotations import FloatArray

# Seconds: of what is taken from a toe, its heel follows what is slower than 1 / (2 pi 0.015 s), some 10 Hz. Walking and
# running are slower (filters for gait cut at 6 to 10 Hz), the shaking of a captured foot is faster.
HEEL_SMOOTHING = 0.015

# Weight of the displacement of a heel that stands alone, against 1 for any other.
STANDS_ALONE = 1e4


def heel_displacements(toe_displacements: FloatArray, standing: FloatArray, fps: float) -> FloatArray:
    """Return the displacement of each heel (F, L, 3) in metres, for that of its toe.

    Holding a toe removes its jitter. Moving the heel rigidly along would put that jitter into the knee, and a nearly
    straight knee turns a millimetre into a degree. So the heel takes the low-frequency part and the foot turns by the
    rest: the curve with the least of (own - toe's)^2 + (smoothing * fps)^4 * (second difference)^2 (Whittaker's
    smoother; docs/mathematics.md, 5.9).

    Parameters
    ----------
    toe_displacements : (F, L, 3) metres, linear in the result.
    standing : (F, L) from 0 to 1, the weight of a heel that stands while its toe is still up: it is then what is held.
    """
    frames, limbs, _ = toe_displacements.shape
    system = BandedSystem(frames, 3 * limbs)
    weights = np.repeat(1.0 + STANDS_ALONE * standing, 3, axis=1)
    system.add_values(weights, toe_displacements.reshape(frames, 3 * limbs))
    system.add_differences(2, (HEEL_SMOOTHING * fps) ** 4)
    return system.solve().reshape(toe_displacements.shape)
