# SPDX-License-Identifier: GPL-3.0-or-later
"""What is planned of a way before anything is optimized: steps, footholds on the terrain, height, lean, foot roll.

The world's axes, hip heights and √(h/g). The trunk's turn is its heading, and then ``turned``, a rotation vector of the
world (LOCOMOTION 5; docs/mathematics.md, 12).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from .. import rotations, signals
from ..gait.gaits import Gait
from ..gait.plan import PlanError
from ..gait.template import Template
from ..rotations import FloatArray
from ..signals import BoolArray, IntArray
from .feet import Feet, feet_of
from .law import Law, law_of
from .line import Line
from .pace import HOLD, Pace, paced
from .steps import Steps, make_steps, phases
from .terrain import Terrain, smooth_height

# Grid frames a stride, at least; and strides a √(h/g) in which a body starts and stops, at least.
_GRID, _STARTING = 28, 0.25
_PLANNED_REACH = 0.965
_VAULT = 0.55
_LEEWAY = 1.25
# Lowest that a body may go to reach its footholds, share of its height, before strides are shortened there.
_LOWEST, _SHORTER, _PASSES = 0.86, 0.85, 6


@dataclass(frozen=True)
class Way:
    """What is asked for: a line, what is under it, gaits by speed, speeds (M,) at even shares of the line (m/s).

    borders : Froude numbers between the gaits. style : shares, 1 is natural.
    ahead : how long the body is before the joint that is led along the line, hip heights.
    """

    line: Line
    terrain: Terrain
    gaits: Sequence[Gait]
    borders: Sequence[float]
    speed: FloatArray
    fps: float
    ahead: float = 0.0
    style: Mapping[str, float] = field(default_factory=dict)

    def share(self, name: str) -> float:
        return float(self.style.get(name, 1.0))


@dataclass(frozen=True)
class PathPlan:
    """A way on a grid of G moments ``dt`` apart; S steps.

    turned_phase (G, L) : strides that each leg has gone. step (G, L) : the step that a leg stands on, or comes to.
    contact (G, L). feet : where feet are on each step. com, turned (G, 3) : wanted. share (G, L) : wanted forces.
    heights, pitch (G,) : how firmly height and pitch are kept.
    """

    way: Way
    body: Template
    dt: float
    pace: Pace
    law: Law
    steps: Steps
    turned_phase: FloatArray
    step: IntArray
    contact: BoolArray
    feet: Feet
    com: FloatArray
    turned: FloatArray
    share: FloatArray
    heights: FloatArray
    pitch: FloatArray

    @property
    def frames(self) -> int:
        """How many frames of the file there are."""
        return int(np.floor((len(self.com) - 1) * self.dt * self.body.time * self.way.fps + 1e-6)) + 1

    @property
    def frame_times(self) -> FloatArray:
        return np.arange(self.frames) / (self.way.fps * self.body.time)


def make_path_plan(body: Template, way: Way) -> PathPlan:
    """Return the plan of a way; PlanError where it cannot be met, with the number that would do.

    Where legs are too short for the usual strides, uphill or in turns, strides are shortened there.
    """
    speed = way.speed * body.time / body.height
    _check_speed(body, way, speed)
    dt = _grid_step(body, way, float(speed.max()))
    pace = paced(way.line, speed, way.ahead, dt, 1.0 / _STARTING)
    stride = np.full(len(pace.way), way.share("stride"))
    for _ in range(_PASSES):
        plan, low = _planned(body, way, pace, stride)
        if not low.any():
            break
        wide = signals.smoothed(signals.envelope(low.astype(np.float64), 0.5 * dt)[:, None], 0.5 / dt)[:, 0]
        stride[: len(wide)] *= 1.0 - (1.0 - _SHORTER) * np.clip(1.5 * wide, 0.0, 1.0)
    return plan


def _check_speed(body: Template, way: Way, speed: FloatArray) -> None:
    if not np.isfinite(speed).all() or speed.min() <= 0.0:
        raise PlanError(f"a speed along the path is {way.speed.min():g} m/s: make it a number above 0")
    fastest, gait = max((gait.froude[1], gait.name) for gait in way.gaits)
    if speed.max() ** 2 > fastest * _LEEWAY:
        limit = np.sqrt(fastest * body.height * 9.81)
        raise PlanError(f"{way.speed.max():.2f} m/s is too fast for {gait} on these legs: at most {limit:.2f} m/s")
    seconds = way.line.length * body.height / float(way.speed.mean())
    if seconds > 1800.0:
        raise PlanError(f"the path takes {seconds / 60.0:.0f} minutes at this speed, at most 30: go faster, or cut it")


def _grid_step(body: Template, way: Way, fastest: float) -> float:
    """Return the time between two moments: as many to a stride, or a whole share of the file's frames."""
    froude = max(fastest**2, 0.01)
    gait = way.gaits[int(np.searchsorted(way.borders, froude))]
    stride = min(gait.stride_at(froude) / np.sqrt(froude) * way.share("stride"), 4.5)
    frames = stride * body.time * way.fps
    ratio = frames / _GRID
    frame = 1.0 / (way.fps * body.time)
    return float(frame * ratio if ratio >= 1.0 else frame / np.ceil(1.0 / ratio))


def _planned(body: Template, way: Way, pace: Pace, stride: FloatArray) -> tuple[PathPlan, BoolArray]:
    """Return a plan for these shares of strides (G,), and where they are too long for the legs (G,)."""
    time = pace.time
    near = np.clip(np.minimum(time - pace.begins, pace.ends - time) / 2.0, 0.0, 1.0)
    floor = _STARTING * (1.0 - near * near * (3.0 - 2.0 * near))
    law = law_of(body, way.gaits, way.borders, (pace.speed, pace.turn), pace.dt, stride, floor)
    steps = make_steps(body, law, pace, way.line, way.ahead)
    pace, law = _ended(pace, law, steps)
    grid = len(pace.way)
    step, contact = standing(steps, pace.time, len(body.hips))
    speed, heading = pace.speed, pace.heading
    level = frame_of(heading)
    middle = way.line.at(pace.way)[:, :2] + way.ahead * level[:, :2, 0]
    acceleration = np.gradient(np.gradient(middle, pace.dt, axis=0), pace.dt, axis=0)
    acceleration = signals.smoothed(acceleration, 0.4 / pace.dt)
    leaning = np.einsum("gji,gj->gi", level[:, :2, :2], acceleration)
    feet = feet_of(body, way, pace, law, steps, (middle, leaning), step)
    theta = phases(law, pace)
    vault, nod = _vault(body, law, theta, speed, way.share("bounce"))
    ground, slope = _under(body, way, pace, middle, level)
    turned = np.zeros((grid, 3))
    turned[:, 0] = -np.arctan(leaning[:, 1])
    turned[:, 1] = nod - slope + np.radians(3.0) * (way.share("lean") - 1.0)
    if max(body.rows) == 0:
        turned[:, 1] += 0.4 * np.arctan(leaning[:, 0])
    com = np.zeros((grid, 3))
    com[:, :2] = middle + feet.stand_shift(pace)
    low, height = _height(body, way, pace, feet, step, contact, (com, turned, level, vault, ground))
    com[:, 2] = height + vault
    vaulting = np.clip((law.duty - 0.5) / 0.06, 0.0, 1.0)
    plan = PathPlan(
        way, body, pace.dt, pace, law, steps, theta, step, contact, feet, com, np.einsum("gij,gj->gi", level, turned),
        _shares(body, feet, step, contact, com, level), 1.5 + 18.5 * vaulting, law.pitch,
    )  # fmt: skip
    return plan, low


def _ended(pace: Pace, law: Law, steps: Steps) -> tuple[Pace, Law]:
    """Return both without what comes after the last foot has stood for a while; the grid's count stays even."""
    last = max(float(steps.down[np.isfinite(steps.down)].max(initial=pace.begins)), pace.ends)
    count = min(int(np.ceil((last + HOLD) / pace.dt)) + 1, len(pace.way))
    kept = slice(0, count)
    shorter = Pace(
        pace.dt, pace.way[kept], pace.speed[kept], pace.heading[kept], pace.turn[kept], pace.begins, pace.ends
    )
    return shorter, Law(
        law.gaits, law.shares[kept], law.rate[kept], law.duty[kept], law.offsets[kept], law.lift[kept], law.pitch[kept]
    )


def frame_of(heading: FloatArray) -> FloatArray:
    """Return (..., 3, 3), the turns about the upright."""
    turns = np.zeros((*heading.shape, 3, 3))
    turns[..., 0, 0] = turns[..., 1, 1] = np.cos(heading)
    turns[..., 1, 0] = np.sin(heading)
    turns[..., 0, 1] = -turns[..., 1, 0]
    turns[..., 2, 2] = 1.0
    return turns


def standing(steps: Steps, time: FloatArray, legs: int) -> tuple[IntArray, BoolArray]:
    """Return the step (G, L) that each leg stands on, else comes to, and whether it stands."""
    step, contact = np.zeros((len(time), legs), dtype=np.intp), np.zeros((len(time), legs), dtype=np.bool_)
    for leg in range(legs):
        own = np.flatnonzero(steps.leg == leg)
        at = np.searchsorted(steps.off[own], time, side="right")
        step[:, leg] = own[np.minimum(at, len(own) - 1)]
        contact[:, leg] = time >= steps.down[step[:, leg]]
    return step, contact


def _vault(
    body: Template, law: Law, theta: FloatArray, speed: FloatArray, share: float
) -> tuple[FloatArray, FloatArray]:
    """Return height and pitch (G,) of a trunk that rises over each standing leg where the feet of a pair overlap."""
    rows = np.array(body.rows)
    count = int(rows.max()) + 1
    if count > 2:
        return np.zeros(len(theta)), np.zeros(len(theta))
    stride = speed / law.rate
    size = _VAULT * (0.5 * stride) ** 2 / 8.0 * share * np.clip((law.duty - 0.5) / 0.06, 0.0, 1.0)
    rises = [0.5 * size * np.cos(4.0 * np.pi * (theta[:, rows == row][:, 0] - 0.5 * law.duty)) for row in range(count)]
    if count == 1:
        return rises[0], np.zeros(len(theta))
    apart = body.hips[rows == 0, 0].mean() - body.hips[rows == 1, 0].mean()
    return 0.5 * (rises[0] + rises[1]), -(rises[0] - rises[1]) / max(apart, 0.3)


def _under(
    body: Template, way: Way, pace: Pace, middle: FloatArray, level: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the smoothed height of the terrain under the body (G,), and its slope along it, 0 on one pair of legs."""
    rows = np.array(body.rows)
    out = level[:, :2, 0]
    wide = 0.5 / pace.dt
    places = [body.hips[rows == row, 0].mean() for row in range(int(rows.max()) + 1)]
    heights = [smooth_height(way.terrain, middle + place * out, pace.way + way.ahead, wide) for place in places]
    if len(places) == 1:
        return heights[0], np.zeros(len(middle))
    slope = np.arctan((heights[0] - heights[-1]) / max(places[0] - places[-1], 0.3))
    at = places[0] / max(places[0] - places[-1], 0.3)
    return heights[0] * (1.0 - at) + heights[-1] * at, slope


def _height(
    body: Template,
    way: Way,
    pace: Pace,
    feet: Feet,
    step: IntArray,
    contact: BoolArray,
    wanted: tuple[FloatArray, FloatArray, FloatArray, FloatArray, FloatArray],
) -> tuple[BoolArray, FloatArray]:
    """Return where a foothold is out of reach (G,), and the height (G,) at which every standing foot is within it."""
    com, turned, level, vault, ground = wanted
    hips = body.hips - np.array([0.0, 0.0, body.com_height])
    own = rotations.rotate(rotations.from_vector(turned)[:, None], np.broadcast_to(hips, (*step.shape, 3)))
    own = np.einsum("gij,glj->gli", level, own)
    heel = feet.place(step) + feet.heel
    far = np.linalg.norm(heel[..., :2] - com[:, None, :2] - own[..., :2], axis=-1)
    limit = _PLANNED_REACH * body.reach
    room = np.sqrt(np.maximum(limit**2 - far**2, 0.0)) + heel[..., 2] - own[..., 2] - vault[:, None]
    highest = np.where(contact, room, np.inf).min(axis=1)
    natural = ground + body.com_height * np.cos(turned[:, 0]) - 0.12 * (way.share("crouch") - 1.0)
    highest = np.minimum(np.where(np.isfinite(highest), highest, natural), natural)
    wide = max(1, round(0.5 / pace.dt))
    height = signals.mirrored_windows(highest, 2 * wide + 1).min(axis=-1)
    height = signals.smoothed(height[:, None], 0.5 * wide)[:, 0]
    low = (highest - ground < _LOWEST * body.com_height) | ((far > 0.95 * limit) & contact).any(axis=1)
    return low, height


def _shares(
    body: Template, feet: Feet, step: IntArray, contact: BoolArray, com: FloatArray, level: FloatArray
) -> FloatArray:
    """Return (G, L) vertical forces that carry the body: half sines, flat while a foot only stands."""
    bumps = np.where(contact, np.sin(np.pi * np.clip(feet.stance, 0.0, 1.0)) + 0.05, 0.0)
    return np.asarray(bumps / np.maximum(bumps.sum(axis=1, keepdims=True), 0.5))
