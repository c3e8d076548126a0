# SPDX-License-Identifier: GPL-3.0-or-later
"""The constraints that contacts put on each toe: how it may move, how high it stands, how low it may come.

Feet roll. Where the foot keeps its orientation, the heel is the toe plus a known offset, so that "the heel stands
still" is a constraint on the toe's step as "the toe stands still" is, and both are written in the same terms
(docs/mathematics.md, 5.3 and 5.5).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from .clip import Clip
from .contact_heights import DOWNHILL, ON_SOMETHING_ELSE, ON_THE_FLOOR, step_shifts, usual_height
from .contacts import PLANTED, Contacts, runs
from .ground import Ground
from .limb import Limb, joint_positions
from .rotations import FloatArray
from .signals import BoolArray
from .sole import heel_offsets, heel_points

# A toe joint stands this high above the floor at most: more is a foot on its tips or a floor elsewhere.
HIGHEST_CLEARANCE = 0.1

# The weight of an eased contact takes this many seconds from its edge to become whole, and this fraction of the contact
# at most: a sprinter's contact lasts a tenth of a second. A higher power keeps knees calmer where a foot lands and
# leaves more slide there: on gait-lab walks 1.5 costs an eighth of a millimetre a second against 1, for a jump that is
# a twelfth smaller.
EASE_TIME = 0.05
EASE_SHARE = 0.25
EASE_POWER = 1.5

# No lower limit for a displacement (metres).
ANY_DEPTH = -1e6

# Contacts whose heights over uneven ground differ by less than this (metres, 0.9 m leg) follow it.
FOLLOWS_GROUND = 0.03

# Slopes below this (degrees) count as a floor or a tread; no bump is that flat over a whole foot.
FLOOR = 1.0

# Ground under a foot that differs by less than this (metres) is level.
LEVEL_GROUND = 1e-6


@dataclass(frozen=True)
class Footing:
    """Constraints on the displacement of each toe from where the clip has it.

    step : (F - 1, L, 3) metres by which the displacement has to change from a frame to the next.
    step_weight : (F - 1, L) from 0 (neither heel nor toe is planted) to 1, as a fraction of a hard constraint.
    heel_weight : (F, L) from 0 to 1, the same for a heel that stands while its toe is not planted.
    rise_planted : (F, L) whether the toe has a height to stand at.
    rise : (F, L) metres by which the toe has to be raised there.
    rise_weight : (F, L) from 0 to 1, the same for that height.
    lowest_displacement : (F, L) metres that the toe may be lowered by (negative) or has to be raised by at least.
    clearance : (L,) metres that each limb's toe stands above the ground.
    """

    step: FloatArray
    step_weight: FloatArray
    heel_weight: FloatArray
    rise_planted: BoolArray
    rise: FloatArray
    rise_weight: FloatArray
    lowest_displacement: FloatArray
    clearance: FloatArray

    def during(self, window: slice) -> Footing:
        """Return what is asked in the frames of ``window``, which has a start and a stop."""
        steps = slice(window.start, max(window.stop - 1, window.start))
        return replace(
            self,
            step=self.step[steps],
            step_weight=self.step_weight[steps],
            heel_weight=self.heel_weight[window],
            rise_planted=self.rise_planted[window],
            rise=self.rise[window],
            rise_weight=self.rise_weight[window],
            lowest_displacement=self.lowest_displacement[window],
        )


def find_footing(
    clip: Clip, limbs: Sequence[Limb], contacts: Contacts, ground: Ground, where: FloatArray | None = None
) -> Footing:
    """Return what ``contacts`` (F, L) on ``ground`` ask of the toes of ``limbs``.

    where : (F, L, 3) metres where the toes will come to be, whose ground counts; None for where they are.
    """
    toes = joint_positions(clip, limbs, "toe")
    heels = joint_positions(clip, limbs, "heel")
    moved = np.zeros_like(toes) if where is None else where - toes
    pivots = heel_points(clip, limbs, heel_offsets(clip, limbs, contacts, ground))
    step, step_weight = _steps((toes, pivots, moved), contacts, ground, clip.fps)
    above = toes[..., 2] - ground.height(toes)
    above_there = above if where is None else toes[..., 2] - ground.height(where)
    scales = np.array([limb.scale(clip) for limb in limbs])
    clearance = clearances(clip, limbs, contacts, ground)
    level = _levels(clip, limbs, contacts, ground, clearance)
    pulled = np.minimum(level - above, 0.0)
    under_heels = ground.height(heels)
    uneven = np.abs(under_heels - (toes[..., 2] - above)) > LEVEL_GROUND
    heel_room = _with_steady_pull(_room_below(heels[..., 2] - under_heels), pulled, contacts.toe_planted, uneven)
    rise = level - above_there + np.maximum(heel_room - pulled, 0.0)
    # A swinging toe may come as low as where it stands, or as low as the clip has it if that is not in the floor.
    lowest = np.clip(np.percentile(above, 2.0, axis=0), np.minimum(clearance, 0.0), clearance)
    lowest = _between_contacts(lowest, level, contacts.toe_planted) - above_there
    lowest = np.maximum(lowest, _rest_of_foot(clip, limbs, ground, moved))
    return Footing(
        step=step,
        step_weight=step_weight,
        heel_weight=np.where(contacts.toe_planted, 0.0, planted_weight(contacts.heel, clip.fps)),
        rise_planted=contacts.toe_planted,
        rise=rise,
        rise_weight=planted_weight(contacts.toe, clip.fps),
        lowest_displacement=_without_obstacles(lowest, contacts.toe_planted, DOWNHILL * scales),
        clearance=clearance,
    )


def held_up(clip: Clip, limbs: Sequence[Limb], contacts: Contacts, ground: Ground, heels: FloatArray) -> FloatArray:
    """Return how far (F, L) in metres each toe stays above where it stands, since its heel is down and the foot is not.

    heels : (F, L, 3) metres where the heels are.
    """
    toes = joint_positions(clip, limbs, "toe")
    above = toes[..., 2] - ground.height(toes)
    level = _levels(clip, limbs, contacts, ground, clearances(clip, limbs, contacts, ground))
    room = _room_below(heels[..., 2] - ground.height(heels))
    return np.where(contacts.toe_planted, np.maximum(room - np.minimum(level - above, 0.0), 0.0), 0.0)


def _levels(clip: Clip, limbs: Sequence[Limb], contacts: Contacts, ground: Ground, clearance: FloatArray) -> FloatArray:
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


def _room_below(heel_above: FloatArray) -> FloatArray:
    """Return how far down (F, L), as metres below 0, each heel may go that is so far above its ground (F, L).

    Where the toe is still landing the heel is down already, and the foot keeps the way it is turned: the toe is not
    pulled down further than its heel can go with it.
    """
    return np.minimum(np.percentile(heel_above, 5.0, axis=0) - heel_above, 0.0)


def _with_steady_pull(room: FloatArray, pulled: FloatArray, planted: BoolArray, uneven: BoolArray) -> FloatArray:
    """Return the room (F, L) that a heel has below it, with what its toe is ``pulled`` for most of each contact.

    On uneven ground, where the heel may stand on a bump that it did not stand on in the clip.
    """
    room = room.copy()
    for limb in range(room.shape[1]):
        for first, last in runs(planted[:, limb] & uneven[:, limb]):
            span = slice(first, last + 1)
            room[span, limb] = np.minimum(room[span, limb], np.median(pulled[span, limb]))
    return room


def _rest_of_foot(clip: Clip, limbs: Sequence[Limb], ground: Ground, moved: FloatArray) -> FloatArray:
    """Return the displacement (F, L) that heel and toe end ask for at least, to stay above ground that is not level.

    On level ground the toe tells enough, and any depth will do. What is sunk as deep in some of the clip may stay so.
    """
    lowest = np.full(moved.shape[:2], ANY_DEPTH)
    for at, limb in enumerate(limbs):
        joints = [limb.toe, limb.heel] + ([] if limb.toe_end is None else [limb.toe_end])
        points = clip.positions[:, joints]
        under = ground.height(points + moved[:, [at]])
        above = points[..., 2] - under
        asked = np.minimum(np.percentile(above, 2.0, axis=0), 0.0) - above
        uneven = np.abs(under - under[:, :1]) > LEVEL_GROUND
        lowest[:, at] = np.where(uneven, asked, ANY_DEPTH).max(axis=1)
    return lowest


def _between_contacts(lowest: FloatArray, level: FloatArray, planted: BoolArray) -> FloatArray:
    """Return how low (F, L) each toe may come: ``lowest`` (L,), or as low as it stands before or after its swing."""
    found = np.tile(lowest, (len(level), 1))
    for limb in range(level.shape[1]):
        for first, last in runs(~planted[:, limb]):
            ends = [level[at, limb] for at in (first - 1, last + 1) if 0 <= at < len(level)]
            found[first : last + 1, limb] = min([lowest[limb], *ends])
    return found


def _without_obstacles(lowest: FloatArray, planted: BoolArray, most: FloatArray) -> FloatArray:
    """Return lowest displacements (F, L) without those of swings in which a toe would be raised by more than ``most``.

    What such a swing (L,) goes through is no ground for it, but a table or a bridge over it, or it goes downhill.
    """
    lowest = lowest.copy()
    for limb in range(lowest.shape[1]):
        for first, last in runs(~planted[:, limb]):
            span = slice(first, last + 1)
            if lowest[span, limb].max() > most[limb]:
                lowest[span, limb] = ANY_DEPTH
    return lowest


def planted_weight(signal: FloatArray, fps: float) -> FloatArray:
    """Return the weight (F, L), 0 to 1, of holding a point where a contact signal (F, L) says that it is planted.

    A foot that lands has a speed, which the first frames of an eased contact take from it little by little: held at
    once the knee would jump. An edge at which the signal is full at once is held at once, and so is a contact that the
    clip's own end cuts.
    """
    planted = signal > PLANTED
    held = planted.astype(np.float64)
    for limb in range(signal.shape[1]):
        for first, last in runs(planted[:, limb]):
            span = np.arange(first, last + 1)
            eased, ease = np.ones(len(span)), min(EASE_TIME * fps, EASE_SHARE * len(span))
            for edge, since in ((first, span - first), (last, last - span)):
                if signal[edge, limb] < 1.0 and 0 < edge < len(signal) - 1:
                    eased = np.minimum(eased, (since + 0.5) / ease)
            held[span, limb] = eased**EASE_POWER
    return held


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
        found[span] = np.median(facing[span]) > np.cos(np.radians(FLOOR))
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


def _steps(
    points: tuple[FloatArray, FloatArray, FloatArray], contacts: Contacts, ground: Ground, fps: float
) -> tuple[FloatArray, FloatArray]:
    """Return by how much a foot's displacement has to change over a frame step where it is planted, and the weight.

    The toe's step counts where the toe is planted, else the heel's: where the foot rolls from one to the other, the
    step before the toe is down is still the heel's, so nothing jumps and no step is left to slide. A heel is held level
    only and comes down as it does in the clip: how high it stands is up to the toe that follows.

    points : toes and heel points (F, L, 3) where the clip has them, and by how much they will be moved.
    """
    toes, heels, displacement = points
    toe_steps = contacts.toe_planted[:-1] & contacts.toe_planted[1:]
    heel_steps = contacts.heel_planted[:-1] & contacts.heel_planted[1:] & ~toe_steps
    point = np.where(toe_steps[..., None], toes[:-1], heels[:-1]) + displacement[:-1]
    moved = np.where(toe_steps[..., None], np.diff(toes, axis=0), np.diff(heels, axis=0))
    ridden = ground.velocity(np.concatenate([point, point[-1:]]))[:-1] / fps if len(point) else moved
    toe, heel = planted_weight(contacts.toe, fps), planted_weight(contacts.heel, fps)
    held = np.where(toe_steps, np.minimum(toe[:-1], toe[1:]), 0.0)
    held = np.where(heel_steps, np.minimum(heel[:-1], heel[1:]), held)
    moved[heel_steps, 2] = 0.0
    return ridden - moved, held
