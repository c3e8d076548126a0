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

from . import signals
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


# A toe joint stands this high above the floor at most: more is a foot on its tips or a floor elsewhere.
HIGHEST_CLEARANCE = 0.1

# Contacts whose heights over uneven ground differ by less than this (metres, 0.9 m leg) follow it.
FOLLOWS_GROUND = 0.03

# Slopes below this (degrees) count as a floor or a tread; no bump is that flat over a whole foot.
LEVEL_DEGREES = 1.0

# Ground under a foot that differs by less than this (metres) is level.
LEVEL_GROUND = 1e-6


def room_below(heel_above: FloatArray) -> FloatArray:
    """Return how far down (F, L), as metres below 0, each heel may go that is so far above its ground (F, L).

    Where the toe is still landing the heel is down already, and the foot keeps the way it is turned: the toe is not
    pulled down further than its heel can go with it.
    """
    return np.minimum(np.percentile(heel_above, 5.0, axis=0) - heel_above, 0.0)


def clearances(clip: Clip, limbs: Sequence[Limb], contacts: Contacts, ground: Ground) -> FloatArray:
    """Return how high (L,) in metres each limb's toe stands above the ground."""
    toes = joint_positions(clip, limbs, "toe")
    heights, planted = ground.height(toes), contacts.toe_planted
    above, found, is_level = toes[..., 2] - heights, list[float](), stands_on_level(heights, planted)
    for at, limb in enumerate(limbs):
        scale, telling = limb.scale(clip), planted[:, at]
        if is_level:
            highest = (ON_SOMETHING_ELSE + HIGHEST_CLEARANCE) * scale
            usual = usual_height(above[:, at], telling, -ON_THE_FLOOR * scale, highest)
            found.append(min(usual or 0.0, HIGHEST_CLEARANCE * scale))
            continue
        if telling.any() and np.ptp(heights[telling, at]) > LEVEL_GROUND:
            telling = _on_floors(clip, limb, telling, ground)
            telling = _telling(above[:, at], telling, scale)
        found.append(toe_clearance(above[:, at], telling, scale))
    return np.array(found)


def _on_floors(clip: Clip, limb: Limb, planted: BoolArray, ground: Ground) -> BoolArray:
    """Return the contacts among ``planted`` (F,) that stand on a floor or a tread; all of them where none does.

    A foot that slides there stays as high over its ground as it stood, which it does not on a slope. So the floor has
    to go on for the length of a foot before and behind it.
    """
    heels, toes = clip.positions[:, [limb.heel]], clip.positions[:, [limb.toe]]
    foot = (toes - heels) * [1.0, 1.0, 0.0]
    facing = ground.normal(heels + foot * np.array([-1.0, 0.0, 1.0, 2.0])[:, None])[..., 2].min(axis=1)
    found = np.zeros_like(planted)
    for first, last in runs(planted):
        span = slice(first, last + 1)
        found[span] = np.median(facing[span]) > np.cos(np.radians(LEVEL_DEGREES))
    return found if found.any() else planted


def _telling(above: FloatArray, planted: BoolArray, scale: float) -> BoolArray:
    """Return the part of ``planted`` (F,) that tells how high a toe stands on ground that is not level.

    It is all, unless the clip does not follow its ground, and is now over it and now in it: then it is the contact at
    the lower quartile of those over it.
    """
    spans = runs(planted)
    medians = np.array([np.median(above[first : last + 1]) for first, last in spans])
    over = np.flatnonzero(medians >= -ON_THE_FLOOR * scale)
    if np.ptp(medians) < FOLLOWS_GROUND * scale or len(over) == 0:
        return planted
    first, last = spans[over[np.argsort(medians[over])[(len(over) - 1) // 4]]]
    telling = np.zeros_like(planted)
    telling[first : last + 1] = True
    return telling


def toe_clearance(above: FloatArray, planted: BoolArray, scale: float) -> float:
    """Return how high in metres a toe joint stands when its foot is on the floor.

    ``above`` (F,) is its height above the ground, ``scale`` the limb's length over 0.9 m. It is what the clip itself
    does in its contacts, since rest poses of captured skeletons stand anywhere; kept to what a foot can be.
    """
    standing = above[planted & (above < (ON_SOMETHING_ELSE + HIGHEST_CLEARANCE) * scale)]
    if standing.size == 0:
        return 0.0
    usual = float(np.median(standing))
    if usual < -ON_THE_FLOOR * scale:
        return 0.0
    return min(usual, HIGHEST_CLEARANCE * scale)


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
    seen = (toe - signals.carried(ground.velocity(toe), clip.fps))[:, :2]
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


def standing_heights(
    clip: Clip, limbs: Sequence[Limb], contacts: Contacts, ground: Ground, clearance: FloatArray
) -> FloatArray:
    """Return how high (F, L) in metres each toe is to stand over its ground.

    On level ground each contact keeps its own height (see contact_heights.py). On ground that is not, which has been
    put under the clip, it is ``clearance`` (L,) unless it stands on something else.
    """
    toes = joint_positions(clip, limbs, "toe")
    heights = ground.height(toes)
    above = toes[..., 2] - heights
    planted = contacts.toe_planted
    even = stands_on_level(heights, planted)
    shifts = step_shifts(clip, limbs, contacts, ground, clearance) if even else np.zeros_like(above)
    level = above.copy()
    for at, limb in enumerate(limbs):
        scale = limb.scale(clip)
        for first, last in runs(planted[:, at]):
            span = slice(first, last + 1)
            own = float(np.median(above[span, at]))
            on_floor = not even and -DOWNHILL * scale < own - clearance[at] < ON_SOMETHING_ELSE * scale
            level[span, at] = clearance[at] if on_floor else own + shifts[first, at]
    return level


def stands_on_level(heights: FloatArray, planted: BoolArray) -> bool:
    """Whether the ground has one height (of ``heights``, (F, L)) wherever a toe is ``planted`` (F, L)."""
    return not planted.any() or float(np.ptp(heights[planted])) < LEVEL_GROUND


def height_kept_by_heel(
    clip: Clip, limbs: Sequence[Limb], contacts: Contacts, ground: Ground, heels: FloatArray
) -> FloatArray:
    """Return how far (F, L) in metres each toe stays above where it stands, since its heel is down and the foot is not.

    heels : (F, L, 3) metres where the heels are.
    """
    toes = joint_positions(clip, limbs, "toe")
    above = toes[..., 2] - ground.height(toes)
    level = standing_heights(clip, limbs, contacts, ground, clearances(clip, limbs, contacts, ground))
    room = room_below(heels[..., 2] - ground.height(heels))
    return np.where(contacts.toe_planted, np.maximum(room - np.minimum(level - above, 0.0), 0.0), 0.0)
