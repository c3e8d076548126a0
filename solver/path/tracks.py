# SPDX-License-Identifier: GPL-3.0-or-later
"""A solved way in the file's frames: the body, and where each toe and heel is, standing or swung to its next foothold.

Hip heights, √(h/g), the world's axes. A swing is made from the hip as a stride's is (gait/swing.py), and over what is
under it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .. import rotations, signals
from ..gait.swing import PASSING, Leg, away, leg_of, lifted, swung_leg
from ..rotations import FloatArray
from ..signals import BoolArray, IntArray
from .feet import Rolled, rolled, rolled_offsets, swing_pitch
from .plan import PathPlan, frame_of, standing
from .solve import PathSolution

# Seconds, in √(h/g), by which a foot is up before an edge under it, and the least that it clears, share of its lift.
_RAISE, _CLEAR = 0.35, 0.5


@dataclass(frozen=True)
class Tracks:
    """F frames of the file, L legs.

    com (F, 3), turned (F, 3) : of the trunk, after its heading (F,). foot (F, L, 4) : turns of feet that lie flat.
    pitch (F, L) : of the feet, heel up positive. toes, heels (F, L, 3). contact (F, L). phase (F, L) : strides.
    speed, duty, period (F,). forces (F, L, 3) : body weights.
    """

    com: FloatArray
    turned: FloatArray
    heading: FloatArray
    foot: FloatArray
    pitch: FloatArray
    toes: FloatArray
    heels: FloatArray
    contact: BoolArray
    phase: FloatArray
    speed: FloatArray
    duty: FloatArray
    period: FloatArray
    forces: FloatArray


class _Way:
    """What a solution says of any moment: of times (N,) and the leg or step that each is asked for."""

    def __init__(self, solution: PathSolution) -> None:
        self.solution, self.plan = solution, solution.plan
        plan = self.plan
        self.time = plan.pace.time
        body = plan.body
        level = frame_of(plan.pace.heading)
        hips = np.einsum("gij,lj->gli", level, body.hips - np.array([0.0, 0.0, body.com_height]))
        turn = rotations.from_vector(solution.state.turned)[:, None]
        self.hips = solution.com[:, None] + rotations.rotate(turn, hips)
        self.before = np.arange(len(plan.steps.leg)) - 1
        self.reach = body.reach

    def hip(self, time: FloatArray, leg: IntArray) -> FloatArray:
        """Return (N, 3)."""
        at = np.clip(time / self.plan.dt, 0.0, len(self.time) - 1.0)
        first = np.clip(np.floor(at).astype(np.int64), 1, len(self.time) - 3)
        part = (at - first)[:, None]
        p = [self.hips[first + step, leg] for step in (-1, 0, 1, 2)]
        slope, after = 0.5 * (p[2] - p[0]), 0.5 * (p[3] - p[1])
        bow = 3.0 * (p[2] - p[1]) - 2.0 * slope - after
        twist = slope + after - 2.0 * (p[2] - p[1])
        return np.asarray(p[1] + part * (slope + part * (bow + part * twist)))

    def heading(self, time: FloatArray) -> FloatArray:
        return np.interp(time, self.time, self.plan.pace.heading)

    def heel(self, time: FloatArray, step: IntArray) -> FloatArray:
        """Return heels (N, 3) of feet that stand on ``step`` at ``time``."""
        one = rolled(self.plan.body, self.plan.law, self.plan.steps, self.plan.pace, (time[:, None], step[:, None]))
        leg = self.plan.steps.leg[step]
        _, heel, _ = rolled_offsets(self.plan.body, one.pitch, one.pressed, leg[:, None])
        return self.solution.footholds[step] + rotations.rotate(self.plan.feet.turn[step], heel[:, 0])

    def leg_at(self, time: FloatArray, step: IntArray) -> Leg:
        """Return the legs (N,) that stand on ``step``, seen from the heading."""
        leg = self.plan.steps.leg[step]
        way = self.heel(time, step) - self.hip(time, leg)
        turned = np.einsum("nji,nj->ni", frame_of(self.heading(time)), way)
        return leg_of(turned, self.reach[leg])

    def edges(self) -> list[tuple[Leg, Leg]]:
        """Return legs and their speeds (S,) as each step's swing begins and ends; a leg's first step has none."""
        steps, near = self.plan.steps, 0.25 * self.plan.dt
        step = np.arange(len(steps.leg))
        before = np.where(steps.first, step, self.before)
        ends = []
        for times, on, sign in (
            (np.where(steps.first, 0.0, steps.off[before]), before, -1.0),
            (np.where(steps.first, 0.0, steps.down), step, 1.0),
        ):
            here, beside = self.leg_at(times, on), self.leg_at(times + sign * near, on)
            speed = Leg((beside.slopes - here.slopes) * sign / near, (beside.bend - here.bend) * sign / near)
            ends.append((here, speed))
        return ends


def _of(leg: Leg, step: IntArray) -> Leg:
    return Leg(leg.slopes[step], leg.bend[step])


def tracks_of(solution: PathSolution) -> Tracks:
    """Return the way in the file's frames."""
    way, plan = _Way(solution), solution.plan
    times = plan.frame_times
    step, contact = standing(plan.steps, times, len(plan.body.hips))
    pace, law, at = plan.pace, plan.law, times / plan.dt
    moments = np.arange(len(plan.com), dtype=np.float64)
    com, turned = (signals.drawn_through(moments, values, at) for values in (solution.com, solution.state.turned))
    one = rolled(plan.body, law, plan.steps, pace, (times[:, None], step))
    toe, heel, _ = rolled_offsets(plan.body, one.pitch, one.pressed)
    turn = plan.feet.turn[step]
    toes = solution.footholds[step] + rotations.rotate(turn, toe)
    heels = solution.footholds[step] + rotations.rotate(turn, heel)
    swing = _swung(way, times, step, contact, one)
    flying = ~contact[..., None]
    forces = np.stack(
        [[np.interp(times, pace.time, solution.state.forces[:, leg, axis] * plan.contact[:, leg]) for axis in range(3)]
         for leg in range(len(plan.body.hips))]
    ).transpose(2, 0, 1)  # fmt: skip
    return Tracks(
        com, turned, np.interp(times, pace.time, pace.heading), np.where(flying, swing.foot, turn),
        np.where(contact, one.pitch, swing.pitch), np.where(flying, swing.toes, toes),
        np.where(flying, swing.heels, heels), contact,
        np.stack([np.interp(times, pace.time, leg) for leg in plan.turned_phase.T], axis=-1),
        np.interp(times, pace.time, pace.speed), np.interp(times, pace.time, law.duty),
        1.0 / np.interp(times, pace.time, law.rate), forces * contact[..., None],
    )  # fmt: skip


@dataclass(frozen=True)
class _Swing:
    toes: FloatArray
    heels: FloatArray
    foot: FloatArray
    pitch: FloatArray


def _swung(way: _Way, times: FloatArray, step: IntArray, contact: BoolArray, one: Rolled) -> _Swing:
    """Return where feet (F, L) are on their way to ``step``; where they stand it says nothing."""
    plan, steps = way.plan, way.plan.steps
    frames, legs = step.shape
    flat, when = step.ravel(), np.repeat(times, legs)
    ends = way.edges()
    before = np.where(steps.first, np.arange(len(steps.leg)), way.before)
    begin = np.where(steps.first, 0.0, steps.off[before])
    length = np.where(steps.first, 1.0, steps.down - begin)

    def swung(time: FloatArray, on: IntArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        share = np.clip((time - begin[on]) / length[on], 0.0, 1.0)
        leg = swung_leg([(_of(here, on), _of(speed, on)) for here, speed in ends], share, length[on])
        own = np.einsum("nij,nj->ni", frame_of(way.heading(time)), away(leg, way.reach[steps.leg[on]]))
        heel = way.hip(time, steps.leg[on]) + own
        pitch = swing_pitch(plan.body, one, before[on], on, share)
        _, to_heel, _ = rolled_offsets(plan.body, pitch[:, None], 0.0 * pitch[:, None], steps.leg[on][:, None])
        to_toe, _, _ = rolled_offsets(plan.body, pitch[:, None], 0.0 * pitch[:, None], steps.leg[on][:, None])
        eased = share**3 * (10.0 - 15.0 * share + 6.0 * share**2)
        foot = _halfway(plan.feet.turn[before[on]], plan.feet.turn[on], eased)
        return heel, heel + rotations.rotate(foot, (to_toe - to_heel)[:, 0]), foot, pitch

    heel, toe, foot, pitch = swung(when, flat)
    middle = begin + PASSING * length
    lift = np.interp(middle, plan.pace.time, plan.law.lift) * plan.way.share("lift")
    # Small steps at a start or a stop are lower.
    away_by = np.linalg.norm(way.solution.footholds - way.solution.footholds[before], axis=-1)
    lift = lift * np.clip(away_by / 0.5, 0.35, 1.0)
    _, passing, _, _ = swung(middle, np.arange(len(steps.leg)))
    stands = plan.body.toes[steps.leg, 2]
    raised = np.maximum(stands + lift + _floor(plan, middle, passing) - passing[:, 2], 0.0)
    share = np.clip((when - begin[flat]) / length[flat], 0.0, 1.0)
    high = lifted(share) * raised[flat]
    needed = stands[flat] + _CLEAR * lift[flat] * lifted(share) - toe[:, 2] - high
    flying = ~contact
    floor = np.zeros(len(flat))
    floor[flying.ravel()] = _floor(plan, when[flying.ravel()], toe[flying.ravel()])
    high = high + _cleared(np.where(flying.ravel(), needed + floor, 0.0).reshape(frames, legs), contact, times).ravel()
    for path in (toe, heel):
        path[:, 2] += high
    shape = (frames, legs)
    return _Swing(toe.reshape(*shape, 3), heel.reshape(*shape, 3), foot.reshape(*shape, 4), pitch.reshape(shape))


def _halfway(start: FloatArray, end: FloatArray, share: FloatArray) -> FloatArray:
    """Return rotations (N, 4) a ``share`` (N,) of the way."""
    near = np.where((start * end).sum(axis=-1, keepdims=True) < 0.0, -end, end)
    mixed = start + share[:, None] * (near - start)
    return np.asarray(mixed / np.linalg.norm(mixed, axis=-1, keepdims=True))


def _floor(plan: PathPlan, time: FloatArray, points: FloatArray) -> FloatArray:
    """Return the height (N,) under points (N, 3) of the way at ``time`` (N,)."""
    along = np.interp(time, plan.pace.time, plan.pace.way) + plan.way.ahead
    return plan.way.terrain.height(points[:, :2], along)


def _cleared(lacking: FloatArray, contact: BoolArray, times: FloatArray) -> FloatArray:
    """Return by how much feet (F, L) are raised over what is under them: before it is, and not at once."""
    step = times[1] - times[0] if len(times) > 1 else 1.0
    wide = max(1, round(_RAISE / step))
    raised = np.zeros_like(lacking)
    for leg in range(lacking.shape[1]):
        if not (lacking[:, leg] > 1e-6).any():
            continue
        high = signals.mirrored_windows(np.maximum(lacking[:, leg], 0.0), 2 * wide + 1).max(axis=-1)
        high = np.asarray(signals.smoothed(high, 0.5 * wide)) * signals.away_from(contact[:, leg], wide)
        raised[:, leg] = np.where(contact[:, leg], 0.0, np.maximum(high, lacking[:, leg]))
    return raised
