# SPDX-License-Identifier: GPL-3.0-or-later
"""Where feet are on each step of a way: footholds on the terrain; toe, heel and pressure as a foot rolls over it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .. import rotations
from ..gait.template import Template
from ..rotations import FloatArray
from ..signals import BoolArray, IntArray
from .law import Law
from .pace import Pace
from .steps import Steps

if TYPE_CHECKING:
    from .plan import Way

# Feet longer than this (hip heights) roll over heel and ball. As in ``gait.plan``: shares of the stance, degrees.
_ROLLING_FOOT = 0.08
_ROLL = {
    True: ((0.0, -15.0), (0.2, 0.0), (0.52, 0.0), (0.8, 18.0), (1.0, 42.0)),
    False: ((0.0, 0.0), (0.45, 0.0), (0.75, 20.0), (1.0, 45.0)),
}
_SWING_ROLL = {True: ((0.45, 10.0), (0.85, -15.0)), False: ((0.4, 30.0), (0.85, 0.0))}
_PRESSURE = ((0.0, 0.15), (0.15, 0.2), (0.35, 0.45), (0.6, 0.75), (1.0, 0.85))
# The share of the stance that a foot is at which stands before the first step, or after the last.
_STANDS = 0.35
# How far a foothold is moved along the way to lie on one tread, and how uneven it may be there, hip heights.
_SEARCHED, _EVEN = np.linspace(-0.3, 0.3, 25), 0.03


@dataclass(frozen=True)
class Feet:
    """Feet of a way of G moments and S steps, hip heights, the world's axes.

    footholds (S, 3) : of the toe joint on the terrain. tangents (S, 3, 2) : along which it may be moved. normal (S, 3).
    turn (S, 4) : of the foot, from how it stands unturned. yaw (S,).
    stance (G, L) : share of the stance, 0 to 1. pitch (G, L) : of the foot, radians, heel up positive.
    toe, heel, pressure (G, L, 3) : from the foothold.
    starts, ends (2,) : by how much the body is moved so that it stands over its feet.
    """

    footholds: FloatArray
    tangents: FloatArray
    normal: FloatArray
    turn: FloatArray
    yaw: FloatArray
    stance: FloatArray
    pitch: FloatArray
    toe: FloatArray
    heel: FloatArray
    pressure: FloatArray
    starts: FloatArray
    ends: FloatArray

    def place(self, step: IntArray) -> FloatArray:
        return self.footholds[step]

    def stand_shift(self, pace: Pace) -> FloatArray:
        """Return (G, 2): the body over its feet at both ends, over the line between."""
        time = pace.time
        out = np.clip(time / pace.begins - 0.6, 0.0, 1.0)
        back = np.clip((time - pace.ends) / (0.9 * pace.begins), 0.0, 1.0)
        out, back = (share * share * (3.0 - 2.0 * share) for share in (out, back))
        return (1.0 - out)[:, None] * self.starts + back[:, None] * self.ends


def feet_of(
    body: Template,
    way: Way,
    pace: Pace,
    law: Law,
    steps: Steps,
    motion: tuple[FloatArray, FloatArray],
    step: IntArray,
) -> Feet:
    """Return the feet. motion : where the body is (G, 2), and its acceleration (G, 2) ahead and to the left."""
    time = pace.time
    one = rolled(body, law, steps, pace, (time[:, None], step))
    offsets = rolled_offsets(body, one.pitch, one.pressed)
    yaw = np.interp(steps.middle, time, pace.heading)
    where = _footholds(body, way, pace, law, steps, motion, yaw)
    along = np.interp(steps.middle, time, pace.way) + way.ahead
    leg = steps.leg
    to_heel = (body.heels - body.toes)[leg]
    rolls = _rolling(body)[leg]
    stands = steps.first | steps.last
    moved = np.where(stands, 0.0, _treads(way, where, along, yaw, np.where(rolls, to_heel[:, 0], 0.0)))
    where = where + moved[:, None] * np.stack([np.cos(yaw), np.sin(yaw)], axis=-1)
    height = way.terrain.height(where, along)
    normal = way.terrain.normal(where, along)
    upright = rotations.from_axis_angle(np.array([0.0, 0.0, 1.0]), yaw)
    turn = rotations.multiply(rotations.between(np.array([0.0, 0.0, 1.0]) + 0.0 * normal, normal), upright)
    tangents = rotations.rotate(turn[:, None], np.broadcast_to(np.eye(3)[:2], (len(turn), 2, 3)))
    toe, heel, pressure = (rotations.rotate(turn[step], offset) for offset in offsets)
    footholds = np.concatenate([where, height[:, None]], axis=-1)
    stand = [
        _over(body, footholds, pressure[at], step[at], centre)
        for at, centre in ((0, motion[0][0]), (-1, motion[0][-1]))
    ]
    return Feet(
        footholds, np.swapaxes(tangents, 1, 2), normal, turn, yaw, one.stance, one.pitch, toe, heel, pressure,
        stand[0] - motion[0][0], stand[1] - motion[0][-1],
    )  # fmt: skip


def _rolling(body: Template) -> BoolArray:
    to_heel = body.heels - body.toes
    return np.asarray((np.linalg.norm(to_heel[:, :2], axis=-1) > _ROLLING_FOOT) & (len(to_heel) <= 4))


@dataclass(frozen=True)
class Rolled:
    """Feet (N, K) that roll over their steps: share of the stance, what presses from toe (0) to heel (1), pitch.

    walks, strength (S,) : how much of a walk's roll rather than of a run's each step has, and how much of it.
    """

    stance: FloatArray
    pressed: FloatArray
    pitch: FloatArray
    walks: FloatArray
    strength: FloatArray


def rolled(body: Template, law: Law, steps: Steps, pace: Pace, at: tuple[FloatArray, IntArray]) -> Rolled:
    """Return how feet stand. at : times (N, 1) and steps (N, K)."""
    time, step = at
    usual = steps.usual[step]
    since, until = (time - steps.down[step]) / usual, (steps.off[step] - time) / usual
    first, last = steps.first[step], steps.last[step]
    whole = (time - steps.down[step]) / np.where(first | last, 1.0, steps.off[step] - steps.down[step])
    stance = np.where(first, np.maximum(1.0 - until, _STANDS), np.where(last, np.minimum(since, _STANDS), whole))
    stance = np.clip(np.where(first & last, _STANDS, stance), 0.0, 1.0)
    froude = np.maximum(pace.speed, 0.0) ** 2
    middle = np.clip(steps.middle, pace.begins + 1.0, max(pace.ends - 1.0, pace.begins + 1.0))
    walks = np.interp(middle, pace.time, np.clip((law.duty - 0.47) / 0.06, 0.0, 1.0))
    strength = np.interp(middle, pace.time, np.clip(froude / 0.15, 0.2, 1.0))
    rolls = _rolling(body)[steps.leg]
    degrees = walks[step] * eased(_ROLL[True], stance) + (1.0 - walks[step]) * eased(_ROLL[False], stance)
    pitch = np.radians(degrees) * (strength * rolls)[step]
    pressed = np.where(rolls[step], 1.0 - eased(_PRESSURE, stance), 0.0)
    return Rolled(stance, pressed, pitch, walks, strength * rolls)


def swing_pitch(body: Template, feet: Rolled, before: IntArray, step: IntArray, share: FloatArray) -> FloatArray:
    """Return the pitch (N,) of feet a ``share`` (N,) of the way from one step to the next, radians."""
    total = np.zeros_like(share)
    for walks in (True, False):
        knots = ((0.0, _ROLL[walks][-1][1]), *_SWING_ROLL[walks], (1.0, _ROLL[walks][0][1]))
        curve = eased(knots, share)
        left, landed = (feet.walks[at] if walks else 1.0 - feet.walks[at] for at in (before, step))
        total += curve * ((1.0 - share) * left * feet.strength[before] + share * landed * feet.strength[step])
    return np.asarray(np.radians(total))


def eased(knots: tuple[tuple[float, float], ...], at: FloatArray) -> FloatArray:
    """Return the curve through ``knots``, level at each of them."""
    places, values = np.array(knots).T
    after = np.clip(np.searchsorted(places, at, side="right"), 1, len(places) - 1)
    share = np.clip((at - places[after - 1]) / (places[after] - places[after - 1]), 0.0, 1.0)
    share = share * share * (3.0 - 2.0 * share)
    return np.asarray(values[after - 1] + share * (values[after] - values[after - 1]))


def rolled_offsets(
    body: Template, pitch: FloatArray, pressed: FloatArray, leg: IntArray | None = None
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return toe, heel and pressure (N, K, 3) in the frame of the foot, from the foothold; of legs (N, K), else all."""
    which = np.broadcast_to(np.arange(len(body.toes)), pitch.shape) if leg is None else leg
    to_heel = (body.heels - body.toes)[which]
    cosine, sine = np.cos(pitch), np.sin(pitch)
    turned = np.stack(
        [cosine * to_heel[..., 0] + sine * to_heel[..., 2], to_heel[..., 1],
         cosine * to_heel[..., 2] - sine * to_heel[..., 0]], axis=-1
    )  # fmt: skip
    toe = np.zeros((*pitch.shape, 3))
    toe[..., 2] = body.toes[which, 2]
    # The heel stands still while the foot comes down, the ball while the heel rises.
    toe = toe + np.where((pitch < 0.0)[..., None], to_heel - turned, 0.0)
    return toe, toe + turned, pressed[..., None] * (to_heel * np.array([1.0, 1.0, 0.0]))


def _footholds(
    body: Template,
    way: Way,
    pace: Pace,
    law: Law,
    steps: Steps,
    motion: tuple[FloatArray, FloatArray],
    yaw: FloatArray,
) -> FloatArray:
    """Return (S, 2): under the body at mid-stance, set out where it leans; as it stands at both ends."""
    leg, time = steps.leg, pace.time
    stands = steps.first | steps.last
    legs = len(body.toes)
    places = body.toes[:, :2].copy()
    places[:, 1] *= (0.6 if legs == 2 else 1.0) * way.share("spread")
    pressed = np.where(_rolling(body), 0.45, 0.0)
    under = places + pressed[:, None] * (body.heels - body.toes)[:, :2]
    low, high = under.min(axis=0), under.max(axis=0)
    middle, half = 0.5 * (low + high), 0.5 * (high - low)
    middle[1], half[1] = under[:, 1].mean(), 0.0
    places -= np.sign(middle) * np.maximum(np.abs(middle) - 0.5 * half, 0.0)
    own = places[leg]
    wide = np.interp(steps.middle, time, np.clip(1.0 - law.pitch, 0.0, 1.0) > 0.0)
    if legs == 4:
        behind = np.array(body.rows)[leg] == max(body.rows)
        own[:, 1] += 0.12 * wide * behind * np.where(body.left[leg], 1.0, -1.0)
    for axis in range(2):
        own[:, axis] -= body.com_height * np.interp(steps.middle, time, motion[1][:, axis])
    own = np.where(stands[:, None], body.toes[leg, :2], own)
    cosine, sine = np.cos(yaw), np.sin(yaw)
    centre = np.stack([np.interp(steps.middle, time, axis) for axis in motion[0].T], axis=-1)
    return centre + np.stack([cosine * own[:, 0] - sine * own[:, 1], sine * own[:, 0] + cosine * own[:, 1]], axis=-1)


def _treads(way: Way, where: FloatArray, along: FloatArray, yaw: FloatArray, to_heel: FloatArray) -> FloatArray:
    """Return by how much (S,) each foothold is moved along its foot, to lie on one face and not over an edge."""
    out = np.stack([np.cos(yaw), np.sin(yaw)], axis=-1)
    # Along the foot: behind its heel, its middle, and before its toes.
    spots = np.stack([to_heel - 0.04, 0.5 * to_heel, 0.0 * to_heel + 0.06], axis=-1)
    shifts = _SEARCHED[:, None, None] + spots
    points = where[:, None, None] + np.swapaxes(shifts, 0, 1)[..., None] * out[:, None, None]
    heights = way.terrain.height(points, np.broadcast_to(along[:, None, None], points.shape[:-1]))
    span = spots - spots.mean(axis=-1, keepdims=True)
    tilt = (heights * span[:, None]).sum(axis=-1) / np.maximum((span**2).sum(axis=-1), 1e-9)[:, None]
    off = heights - heights.mean(axis=-1, keepdims=True) - tilt[..., None] * span[:, None]
    uneven = np.abs(off).max(axis=-1) + np.maximum(np.abs(tilt) - 0.8, 0.0)
    bad = uneven > _EVEN
    cost = np.abs(_SEARCHED) + 10.0 * bad
    chosen = cost.argmin(axis=1)
    return np.where(bad.all(axis=1), 0.0, _SEARCHED[chosen])


def _over(
    body: Template, footholds: FloatArray, pressure: FloatArray, step: IntArray, centre: FloatArray
) -> FloatArray:
    """Return (2,) where a body that stands is carried: its own place, else the nearest that its feet can."""
    places = (footholds[step] + pressure)[:, :2]
    if len(places) > 2:
        return centre
    if len(places) == 1:
        return np.asarray(places[0])
    along = places[1] - places[0]
    share = np.clip(((centre - places[0]) @ along) / max(float(along @ along), 1e-12), 0.1, 0.9)
    return np.asarray(places[0] + share * along)
