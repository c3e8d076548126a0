# SPDX-License-Identifier: GPL-3.0-or-later
"""Where toes and heels are in every frame: on their foothold in stance, swung from the hip to the next in the swing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .. import rotations
from ..rotations import FloatArray
from .solve import GaitSolution

# Powers of the foot's height over the swing: early highest, the hind foot's; the peak is one.
_LIFT = (2.0, 2.5)
# Where the foot is as high as asked.
PASSING = _LIFT[0] / (_LIFT[0] + _LIFT[1])
# Share of the swing, at most and at least, in which a leg gives up the speed with which it left the ground.
_BRAKES = 0.9
_LEAST_BRAKE = 0.06
# Share of the reach to which a leg may extend in the swing.
_STRAIGHT = 0.99


@dataclass(frozen=True)
class Leg:
    """A leg from its hip: slopes (..., 2) of its way down, forward and to the left, and ``bend`` (...), of what a knee
    between two equal bones would be half the angle (radians)."""

    slopes: FloatArray
    bend: FloatArray


def foot_paths(solution: GaitSolution) -> tuple[FloatArray, FloatArray]:
    """Return toe and heel joints (T, L, 3) in the heading frame of each grid frame, in hip heights.

    A swing is made from the hip, of the leg's direction and its bend: it leaves and lands with the speeds that the
    leg has in the stance, so the knee's own speed has no steps, and the leg is never straighter than it may be. A way
    from foothold to foothold that starts from rest lets the hip run out of the leg's reach before the foot follows.
    """
    plan = solution.plan
    frames = len(plan.com)
    time = np.arange(frames)[:, None] / frames + np.zeros_like(plan.stance)
    off = plan.phases + plan.duty
    toe, heel = _standing(solution, time)
    share = np.clip((plan.stance - 1.0) / (1.0 / plan.duty - 1.0), 0.0, 1.0)
    hips = _hips(solution, time)
    ends = [_edge(solution, edge) for edge in (off, plan.phases + 1.0)]
    lift = plan.wish.gait.clearance * plan.wish.share("lift")
    swung = swung_leg(ends, share, 1.0 - plan.duty)
    heights = lifted(share) * _raised(solution, ends, lift)
    swung_heel = hips + away(swung, plan.template.reach)
    swung_toe = swung_heel + plan.toe - plan.heel
    heights += np.maximum(plan.toe[..., 2] + 0.5 * lift * lifted(share) - swung_toe[..., 2] - heights, 0.0)
    for path in (swung_toe, swung_heel):
        path[..., 2] += heights
    flying = (plan.stance > 1.0)[..., None]
    return np.where(flying, swung_toe, toe), np.where(flying, swung_heel, heel)


def lifted(share: FloatArray) -> FloatArray:
    rise, fall = _LIFT
    return np.asarray(share**rise * (1.0 - share) ** fall / (PASSING**rise * (1.0 - PASSING) ** fall))


def _at(values: FloatArray, time: FloatArray) -> FloatArray:
    """Return (..., L, k): periodic ``values`` (T, L, k) at ``time`` (..., L) in strides, by cubic interpolation."""
    frames = len(values)
    legs = np.arange(values.shape[1])
    whole = np.floor(time * frames + 1e-9)
    part = (time * frames - whole)[..., None]
    p = [values[(whole.astype(np.int64) + step) % frames, legs] for step in (-1, 0, 1, 2)]
    slope = 0.5 * (p[2] - p[0])
    after = 0.5 * (p[3] - p[1])
    bow = 3.0 * (p[2] - p[1]) - 2.0 * slope - after
    twist = slope + after - 2.0 * (p[2] - p[1])
    return np.asarray(p[1] + part * (slope + part * (bow + part * twist)))


def _hips(solution: GaitSolution, time: FloatArray) -> FloatArray:
    body = solution.plan.template
    arms = body.hips - np.array([0.0, 0.0, body.com_height])
    turned = rotations.from_vector(solution.state.turned)[:, None]
    hips = solution.com[:, None] + rotations.rotate(np.broadcast_to(turned, (len(turned), len(arms), 4)), arms)
    return _at(hips, time)


def _standing(solution: GaitSolution, time: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return toe and heel (..., L, 3) at ``time`` (..., L) in strides, as they are while the foot stands."""
    plan = solution.plan
    elapsed = (
        (time - plan.phases + 0.25 * (1.0 - plan.duty)) % 1.0 - 0.25 * (1.0 - plan.duty) - 0.5 * plan.duty
    ) * plan.period
    level = plan.seen(elapsed, solution.state.footholds)
    toe, heel = _at(plan.toe, time), _at(plan.heel, time)
    toe[..., :2] += level
    heel[..., :2] += level
    return toe, heel


def _edge(solution: GaitSolution, edge: FloatArray) -> tuple[Leg, Leg]:
    """Return the leg at a time (L,) in strides, and its speeds a stride, as standing has it."""
    near = 0.5 / len(solution.plan.com)
    before, here, after = (
        leg_of(_standing(solution, time)[1] - _hips(solution, time), solution.plan.template.reach)
        for time in (edge - near, edge, edge + near)
    )
    return here, Leg((after.slopes - before.slopes) / (2.0 * near), (after.bend - before.bend) / (2.0 * near))


def leg_of(way: FloatArray, reach: FloatArray) -> Leg:
    long = np.minimum(np.linalg.norm(way, axis=-1) / reach, 1.0)
    return Leg(way[..., :2] / np.maximum(-way[..., 2:], 0.05), np.arcsin(long))


def away(leg: Leg, reach: FloatArray) -> FloatArray:
    """Return (..., 3), from the hip."""
    down = np.concatenate([leg.slopes, np.full((*leg.slopes.shape[:-1], 1), -1.0)], axis=-1)
    down /= np.linalg.norm(down, axis=-1, keepdims=True)
    return np.asarray(down * (np.sin(leg.bend) * reach)[..., None])


def swung_leg(ends: list[tuple[Leg, Leg]], share: FloatArray, length: FloatArray) -> Leg:
    (left, leaving), (landed, landing) = ends
    straight = np.arcsin(_STRAIGHT)
    slopes = np.stack(
        [
            _between(left.slopes[..., k], leaving.slopes[..., k], landed.slopes[..., k], landing.slopes[..., k],
                     share, length, _BRAKES + np.zeros((2, *np.shape(length))))
            for k in range(2)
        ],
        axis=-1,
    )  # fmt: skip
    # Of t (1 - t/b)² at most 4 b / 27 are gone: this keeps a third of the room, the foot's rise takes more.
    room = [np.maximum(straight - end.bend, 1e-3) for end in (left, landed)]
    fast = [np.maximum(leaving.bend * length, 1e-9), np.maximum(-landing.bend * length, 1e-9)]
    brakes = np.clip([2.0 * a / b for a, b in zip(room, fast, strict=True)], _LEAST_BRAKE, _BRAKES)
    return Leg(slopes, _between(left.bend, leaving.bend, landed.bend, landing.bend, share, length, brakes))


def _between(
    start: FloatArray, leaving: FloatArray, end: FloatArray, landing: FloatArray,
    share: FloatArray, length: FloatArray, brakes: FloatArray,
) -> FloatArray:  # fmt: skip
    """Return what goes from ``start`` to ``end`` (L,), with the given speeds a stride until ``brakes`` (2, L)."""
    eased = share**3 * (10.0 - 15.0 * share + 6.0 * share**2)
    left = share * np.maximum(1.0 - share / brakes[0], 0.0) ** 2
    right = (1.0 - share) * np.maximum(1.0 - (1.0 - share) / brakes[1], 0.0) ** 2
    return np.asarray(start + eased * (end - start) + length * (leaving * left - landing * right))


def _raised(solution: GaitSolution, ends: list[tuple[Leg, Leg]], lift: float) -> FloatArray:
    """Return (L,) by how much a foot is raised in the passing so that its toe is ``lift`` above where it stands."""
    plan = solution.plan
    length = 1.0 - plan.duty
    time = plan.phases + plan.duty + PASSING * length
    leg = swung_leg(ends, np.full_like(length, PASSING), length)
    heel = _hips(solution, time) + away(leg, plan.template.reach)
    toe = heel[..., 2] - _at(plan.heel - plan.toe, time)[..., 2]
    return np.maximum(plan.template.toes[:, 2] + lift - toe, 0.0)
