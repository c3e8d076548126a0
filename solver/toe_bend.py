# SPDX-License-Identifier: GPL-3.0-or-later
"""Toes bent up where their tip would be in the ground.

A tip whose unit direction is t is turned by the least angle that raises it to rho (its height over its joint, over its
length), on the great circle from t towards h:

    d = level part of (t + u), at length one          h = cos(a) d + sin(a) up,  a = max(asin(rho), 0)
    e = h - (h . t) t, at length one                  t_z cos(angle) + e_z sin(angle) = rho

u being the direction of the toe's frame that tips go when they bend up. For a tip that lies level u points up, and d is
its direction; for one that points straight down, which has no level part, d is u. Near the only direction
in which t + u has no level part (down and backwards by 45 degrees) the turn fades out, so that no two poses that are
near each other are turned far apart.
"""

from __future__ import annotations

import numpy as np

from . import rotations
from .arrays import FloatArray
from .clip import Clip
from .ground import Ground

# The turn is whole where the level part of the sum is at least this long, and fades out below.
WHOLE = 0.5


def toe_bend(
    clip: Clip, toe: int, toe_end: int, toe_positions: FloatArray, ground: Ground, leave_sunk: bool
) -> FloatArray:
    """Return the rotations in the world (F, 4) that bend a clip's toes out of the ground.

    toe_positions : (F, 3) metres where the toe joint comes to be.
    leave_sunk : whether a tip that is in the ground in the clip may stay so where its toe is not moved.
    """
    start, end = clip.positions[:, toe], clip.positions[:, toe_end]
    tip = end - start
    length = np.linalg.norm(tip, axis=-1)
    # A tip that sinks in the clip may stay sunk where the toe was not moved: a pose that nothing asks to change stays.
    moved = np.linalg.norm(toe_positions - start, axis=-1)
    sunk = np.maximum(ground.height(end) - end[:, 2], 0.0) * leave_sunk
    under_tip = ground.height(toe_positions + tip)
    lowest = under_tip - np.maximum(sunk - moved, 0.0)
    # Toes of a foot that is in the ground itself lie along it at most, and less the deeper it is: to point out of the
    # ground they would have to stand up, and what is far below it stands on something else.
    under_toe = ground.height(toe_positions)
    depth = np.maximum(under_toe - toe_positions[:, 2], 0.0)
    rise = np.minimum(lowest - toe_positions[:, 2], np.maximum(under_tip - under_toe, 0.0) - depth)
    rise = np.clip(rise, -length, length)
    return _raised(rotations.normalized(tip), _up_of_toe(clip, toe, toe_end), rise / np.maximum(length, rotations.TINY))


def _raised(tip: FloatArray, up: FloatArray, height: FloatArray) -> FloatArray:
    """Return the rotations (F, 4) that raise unit directions ``tip`` (F, 3) which are lower to ``height`` (F,)."""
    level = (tip + up) * np.array([1.0, 1.0, 0.0])
    highest = np.maximum(height, 0.0)
    towards = rotations.normalized(level) * np.sqrt(1.0 - highest**2)[:, None]
    towards[:, 2] = highest
    along = rotations.normalized(towards - np.sum(towards * tip, axis=-1, keepdims=True) * tip)
    reached = np.hypot(tip[:, 2], along[:, 2])
    highest_at = np.arctan2(along[:, 2], tip[:, 2]) % (2.0 * np.pi)
    before = np.arccos(np.clip(height / np.maximum(reached, rotations.TINY), -1.0, 1.0))
    share = np.clip(np.linalg.norm(level, axis=-1) / WHOLE, 0.0, 1.0)
    angle = (highest_at - before) * share * share * (3.0 - 2.0 * share)
    turned = np.where(tip[:, 2] < height, angle, 0.0)
    return rotations.from_vector(turned[:, None] * rotations.cross(tip, along))


def _up_of_toe(clip: Clip, toe: int, toe_end: int) -> FloatArray:
    """Return the direction (F, 3) square to the tip that is up when the toe lies on the ground, fixed to the toe."""
    turned = clip.rotations[:, toe]
    back = rotations.inverse(turned)
    up = rotations.rotate(back, np.broadcast_to(np.array([0.0, 0.0, 1.0]), (len(turned), 3))).mean(axis=0)
    tips = rotations.rotate(back, clip.positions[:, toe_end] - clip.positions[:, toe])
    along = rotations.normalized(tips.mean(axis=0))
    return rotations.rotate(turned, rotations.normalized(up - np.dot(up, along) * along))
