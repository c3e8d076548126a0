# SPDX-License-Identifier: GPL-3.0-or-later
"""A clip that repeats, played several times in a row, for what has to go on over its end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from . import loops
from .clip import Clip
from .contacts import Contacts
from .ground import FlatGround, Ground
from .limb import Limb
from .signals import IntArray
from .treadmill import Treadmill

# Seconds after which the effect of the far ends of the laps has faded out, before the lap that is kept.
FADED_TIME = 3.0


@dataclass(frozen=True)
class Laps:
    """Laps of one clip, each moved on by its travel; the one in the middle is the clip itself.

    clip : all laps.
    ground : what they are on: a belt that waits where the pose is held does so in each.
    order : (N,) which frame of the clip each frame of the laps is.
    middle : the frames of the lap that is kept, as many as the clip has.
    """

    clip: Clip
    ground: Ground
    order: IntArray
    middle: slice

    def contacts(self, of_clip: Contacts) -> Contacts:
        """Return the clip's contacts in each lap: a foot planted over the seam is planted there in both its frames."""
        return Contacts(of_clip.toe[self.order], of_clip.heel[self.order])


def laps_on(clip: Clip, limbs: Sequence[Limb], ground: Ground) -> Laps | None:
    """Return the laps of a clip; None where it does not repeat, or its ground would not be the same on the next lap."""
    base = ground.ground if isinstance(ground, Treadmill) and not ground.varies else ground
    loop = loops.find_loop(clip, limbs[0].root) if limbs and isinstance(base, FlatGround) else None
    if loop is None:
        return None
    times = 1 + 2 * max(1, int(np.ceil(FADED_TIME * clip.fps / loop.period)))
    order, _ = loops.laps(loop, clip.frame_count, times)
    if isinstance(ground, Treadmill) and ground.pace is not None:
        ground = replace(ground, pace=ground.pace[order])
    return Laps(loops.repeated(clip, loop, times), ground, order, loops.middle(loop, clip.frame_count, times))
