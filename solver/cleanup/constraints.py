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

from ..arrays import BoolArray, FloatArray
from ..clip import Clip
from ..contact_heights import DOWNHILL, LEVEL_GROUND, clearances, room_below, standing_heights
from ..contacts import PLANTED, Contacts, runs
from ..ground import Ground
from ..limb import Limb, joint_positions
from ..sole import heel_offsets, heel_points

# The weight of an eased contact takes this many seconds from its edge to become whole, and this fraction of the contact
# at most: a sprinter's contact lasts a tenth of a second. A higher power keeps knees calmer where a foot lands and
# leaves more slide there: on gait-lab walks 1.5 costs an eighth of a millimetre a second against 1, for a jump that is
# a twelfth smaller.
EASE_TIME = 0.05
EASE_SHARE = 0.25
EASE_POWER = 1.5

# No lower limit for a displacement (metres).
NO_LOWER_LIMIT = -1e6


@dataclass(frozen=True)
class Constraints:
    """Constraints on the displacement of each toe from where the clip has it.

    step : (F - 1, L, 3) metres by which the displacement has to change from a frame to the next.
    step_weight : (F - 1, L) from 0 (neither heel nor toe is planted) to 1, as a fraction of a hard constraint.
    heel_weight : (F, L) from 0 to 1, the same for a heel that stands while its toe is not planted.
    rise_planted : (F, L) whether the toe has a height to stand at.
    rise : (F, L) metres by which the toe has to be raised there.
    rise_weight : (F, L) from 0 to 1, the same for that height.
    lowest_displacement : (F, L) metres that the toe may be lowered by (negative) or has to be raised by at least.
    """

    step: FloatArray
    step_weight: FloatArray
    heel_weight: FloatArray
    rise_planted: BoolArray
    rise: FloatArray
    rise_weight: FloatArray
    lowest_displacement: FloatArray

    def during(self, window: slice) -> Constraints:
        """Return the constraints on the frames of ``window``, which has a start and a stop."""
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


def find_constraints(
    clip: Clip, limbs: Sequence[Limb], contacts: Contacts, ground: Ground, where: FloatArray | None = None
) -> Constraints:
    """Return the constraints that ``contacts`` (F, L) on ``ground`` put on the toes of ``limbs``.

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
    level = standing_heights(clip, limbs, contacts, ground, clearance)
    pulled = np.minimum(level - above, 0.0)
    under_heels = ground.height(heels)
    uneven = np.abs(under_heels - (toes[..., 2] - above)) > LEVEL_GROUND
    heel_room = _with_steady_pull(room_below(heels[..., 2] - under_heels), pulled, contacts.toe_planted, uneven)
    rise = level - above_there + np.maximum(heel_room - pulled, 0.0)
    # A swinging toe may come as low as where it stands, or as low as the clip has it if that is not in the floor.
    lowest = np.clip(np.percentile(above, 2.0, axis=0), np.minimum(clearance, 0.0), clearance)
    lowest = _between_contacts(lowest, level, contacts.toe_planted) - above_there
    lowest = np.maximum(lowest, _rest_of_foot(clip, limbs, ground, moved))
    return Constraints(
        step=step,
        step_weight=step_weight,
        heel_weight=np.where(contacts.toe_planted, 0.0, planted_weight(contacts.heel, clip.fps)),
        rise_planted=contacts.toe_planted,
        rise=rise,
        rise_weight=planted_weight(contacts.toe, clip.fps),
        lowest_displacement=_without_obstacles(lowest, contacts.toe_planted, DOWNHILL * scales),
    )


def _with_steady_pull(room: FloatArray, pulled: FloatArray, planted: BoolArray, uneven: BoolArray) -> FloatArray:
    """Return the room (F, L) that a heel has below it, at least as low as its toe's median pull in each contact.

    Only on uneven ground, where the heel may stand on a bump that it did not stand on in the clip.
    """
    room = room.copy()
    for limb in range(room.shape[1]):
        for first, last in runs(planted[:, limb] & uneven[:, limb]):
            span = slice(first, last + 1)
            room[span, limb] = np.minimum(room[span, limb], np.median(pulled[span, limb]))
    return room


def _rest_of_foot(clip: Clip, limbs: Sequence[Limb], ground: Ground, moved: FloatArray) -> FloatArray:
    """Return the lowest displacement (F, L) that keeps heel and toe end above ground that is not level.

    On level ground the toe's own limit is enough. A joint may stay as deep in the ground as its 2nd percentile is.
    """
    lowest = np.full(moved.shape[:2], NO_LOWER_LIMIT)
    for at, limb in enumerate(limbs):
        joints = [limb.toe, limb.heel] + ([] if limb.toe_end is None else [limb.toe_end])
        points = clip.positions[:, joints]
        under = ground.height(points + moved[:, [at]])
        above = points[..., 2] - under
        asked = np.minimum(np.percentile(above, 2.0, axis=0), 0.0) - above
        uneven = np.abs(under - under[:, :1]) > LEVEL_GROUND
        lowest[:, at] = np.where(uneven, asked, NO_LOWER_LIMIT).max(axis=1)
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

    What such a swing goes through is an obstacle such as a table or a bridge, or the swing goes downhill.

    most : (L,) metres.
    """
    lowest = lowest.copy()
    for limb in range(lowest.shape[1]):
        for first, last in runs(~planted[:, limb]):
            span = slice(first, last + 1)
            if lowest[span, limb].max() > most[limb]:
                lowest[span, limb] = NO_LOWER_LIMIT
    return lowest


def planted_weight(signal: FloatArray, fps: float) -> FloatArray:
    """Return the weight (F, L), 0 to 1, of holding a point where a contact signal (F, L) says that it is planted.

    A foot that lands has a speed. The weight rises over the first frames of an eased contact, because a point held at
    full weight at once would make the knee jump. An edge at which the signal is 1 at once has full weight at once, and
    so has a contact that the clip's own end cuts.
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
