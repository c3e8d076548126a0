# SPDX-License-Identifier: GPL-3.0-or-later
"""How high each contact stands: as high as the clip has it, unless that is in the ground or slides along above it.

One height for all contacts of a foot tears a clip apart in which it stands flat, on its toes, on a step and on a knee.
So each step (heel or toe down without a break) is judged by itself and moved as one, by

    shift = clearance - own                 where its toe is in the ground (own < 0) and it is no lower floor,
    shift = -min_j (own_j - usual_j)        where it slides along in the air, j being heel, toe and tip of the foot,
    shift = 0                               everywhere else,

where ``own_j`` is the median height of joint j over the ground in the step, ``usual_j`` the median of those over all
steps of the limb, and ``clearance`` their lower quartile for the toe: how high it stands when the foot is flat.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .clip import Clip
from .contacts import Contacts, runs
from .ground import Ground
from .limb import Limb, joint_positions
from .rotations import FloatArray
from .signals import BoolArray

# Metres for a 0.9 m leg. A foot that comes down this far below the ground is not sunk by mistake but goes downhill.
DOWNHILL = 0.15

# A contact further in the ground than this, which stands still while others stand on the ground, is on a lower floor.
LOWER_FLOOR = 0.025

# A contact this far above the ground stands on something else (a step, a box), whether it slides or not.
ON_SOMETHING_ELSE = 0.06

# A joint that is this little off the floor is on it, in what captures and keys are good for.
ON_THE_FLOOR = 0.002

# A contact that slides along this far above where the limb's steps usually are is in the air.
FLOATS = 0.02

# A contact stands still whose toe stays within this of its mean, level.
STILL = 0.01


def step_shifts(
    clip: Clip, limbs: Sequence[Limb], contacts: Contacts, ground: Ground, clearance: FloatArray
) -> FloatArray:
    """Return by how much (F, L), in metres, each step has to be raised (or lowered, below 0) to stand on level ground.

    clearance : (L,) metres that each limb's toe stands above the ground.
    """
    shifts = np.zeros(contacts.toe.shape)
    above = joint_positions(clip, limbs, "toe")[..., 2]
    above = above - ground.height(joint_positions(clip, limbs, "toe"))
    scales = np.array([limb.scale(clip) for limb in limbs])
    spans = [runs(contacts.toe_planted[:, at] | contacts.heel_planted[:, at]) for at in range(len(limbs))]
    depths = [_medians(above[:, at], contacts.toe_planted[:, at], spans[at]) for at in range(len(limbs))]
    known = [depth[np.isfinite(depth)] / scale for depth, scale in zip(depths, scales, strict=True)]
    every = np.concatenate(known) if known else np.zeros(0)
    on_ground, downhill = bool(np.any(every >= -LOWER_FLOOR)), bool(np.any(every <= -DOWNHILL))
    for at, limb in enumerate(limbs):
        still = _stand_still(clip, limb, contacts, at, spans[at], ground)
        floats = _floating(clip, limb, contacts.toe_planted[:, at], spans[at], ground)
        for (first, last), own, stands, high in zip(spans[at], depths[at], still, floats, strict=True):
            if not np.isfinite(own):
                continue
            depth, drop = own / scales[at], (own - max(clearance[at], 0.0)) / scales[at]
            lower_floor = depth <= -DOWNHILL or (drop < -LOWER_FLOOR and ((stands and on_ground) or downhill))
            if depth < -ON_THE_FLOOR and not lower_floor:
                shifts[first : last + 1, at] = max(clearance[at], 0.0) - own
            elif not stands and FLOATS < high / scales[at] < ON_SOMETHING_ELSE:
                shifts[first : last + 1, at] = -high
    return shifts


def usual_height(above: FloatArray, planted: BoolArray, lowest: float, highest: float) -> float | None:
    """Return how high a joint that is ``above`` (F,) its ground stands on it: the lower quartile of its contacts.

    lowest, highest : metres; contacts below and above these are in the ground, or on something else. None where no
        other is left.
    """
    medians = np.sort(_medians(above, planted, runs(planted)))
    medians = medians[(medians >= lowest) & (medians < highest)]
    return float(medians[(len(medians) - 1) // 4]) if len(medians) else None


def _medians(values: FloatArray, planted: BoolArray, spans: Sequence[tuple[int, int]]) -> FloatArray:
    """Return the median of ``values`` (F,) in each span where they are ``planted`` (F,), NaN where they never are."""
    found = np.full(len(spans), np.nan)
    for at, (first, last) in enumerate(spans):
        there = values[first : last + 1][planted[first : last + 1]]
        found[at] = np.median(there) if len(there) else np.nan
    return found


def _stand_still(
    clip: Clip, limb: Limb, contacts: Contacts, at: int, spans: Sequence[tuple[int, int]], ground: Ground
) -> BoolArray:
    """Return whether the toe stays where it is in each step, seen from its ground."""
    toe = clip.positions[:, limb.toe]
    ridden = ground.velocity(toe) / clip.fps
    seen = (toe - np.concatenate([np.zeros((1, 3)), np.cumsum(ridden[:-1], axis=0)]))[:, :2]
    still = np.zeros(len(spans), dtype=np.bool_)
    for index, (first, last) in enumerate(spans):
        where = seen[first : last + 1][contacts.toe_planted[first : last + 1, at]]
        off = np.linalg.norm(where - where.mean(axis=0), axis=-1) if len(where) else np.zeros(1)
        still[index] = off.max() < STILL * limb.scale(clip)
    return still


def _floating(
    clip: Clip, limb: Limb, planted: BoolArray, spans: Sequence[tuple[int, int]], ground: Ground
) -> FloatArray:
    """Return how far each step is from the floor at least, by the one of heel, toe and tip that is nearest to it."""
    nearest = np.full(len(spans), np.inf)
    for joint in [limb.heel, limb.toe] + ([] if limb.toe_end is None else [limb.toe_end]):
        above = clip.positions[:, joint, 2] - ground.height(clip.positions[:, joint])
        own = _medians(above, planted, spans)
        if np.isfinite(own).any():
            nearest = np.fmin(nearest, own - np.nanmedian(own))
    return np.where(np.isfinite(nearest), nearest, 0.0)
