# SPDX-License-Identifier: GPL-3.0-or-later
"""From a clip and its contacts to the horizon that a push is answered on (docs/mathematics.md, 11.5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import BoolArray, FloatArray, IntArray
from ..clip import Clip
from ..limb import Limb
from ..rotations import cross, normalized, rotate
from ..signals import smoothed_along
from .footfall import Footfall, Stance, choices, least_frames, stances_of
from .plan import LARGEST_REACH
from .problem import FRICTION, skew
from .push_problem import Horizon
from .template import Template

# How long a push is answered, and the grid, in √(h/g); how long the push itself takes.
LENGTH, _GRID, PUSH_TIME = 8.0, 0.08, 0.34
# A foot shorter than this (hip heights) presses at one point.
_POINT_FOOT = 0.08
# A foot takes up its load over this time; the forces of the clip keep within this friction.
_LOADED, _GIVEN_FRICTION = 0.4, 0.9 * FRICTION
# How fast a foot can be brought elsewhere in a swing; how near feet of a pair may come to each other (sideways);
# where one lands well ahead of the other it may cross over, this far.
_FASTEST, _APART, _AHEAD, _CROSSED = 1.3, 0.06, 0.25, 0.15
# Body weights that a leg of two carries at most; and how much more than in the clip.
_STRONG, _STRONGER = 1.6, 1.25
# Half the width of a foot that rolls.
_HALF_WIDTH = 0.04
# Accelerations of a recording are averaged over this time.
_CALM = 0.12


@dataclass(frozen=True)
class Pushed:
    """A push in metres, newton seconds over kilograms and the world: where it hits, and by how much it is faster."""

    place: FloatArray
    delta_v: FloatArray


@dataclass(frozen=True)
class Subject:
    """A clip of the whole skeleton from a push on, and what is known of it. F frames, the first is the last that stays.

    com : (F, 3) metres. ground : metres.
    """

    clip: Clip
    limbs: Sequence[Limb]
    template: Template
    footfall: Footfall
    com: FloatArray
    ground: float


@dataclass(frozen=True)
class Laid:
    """A horizon and how it lies in the clip: at which frame (N,) each node is, and the stances with their shifts."""

    horizon: Horizon
    at: FloatArray
    stances: list[Stance]
    chosen: IntArray
    missed: float


def lay_out(subject: Subject, push: Pushed) -> Laid:
    """Return the horizon of a push on a subject."""
    clip, body = subject.clip, subject.template
    unit = body.time
    frame = 1.0 / (clip.fps * unit)
    dt = frame / np.ceil(frame / _GRID) if frame > _GRID else frame * np.floor(_GRID / frame)
    last = clip.frame_count - 1
    settled = last * frame > LENGTH
    nodes = int(min(LENGTH, last * frame) / dt)
    nodes -= nodes % 2
    at = np.arange(nodes) * (dt / frame)
    end = int(np.floor(at[-1]))
    stances = stances_of(subject.footfall, least_frames(unit, clip.fps))
    chosen, own = choices(stances, 0, end, len(subject.limbs))
    row = np.minimum(np.rint(at).astype(np.intp), end)
    places = _Places(subject, at, row)
    count = len(own) + 1
    of_node = chosen[row]
    one_hot = (of_node[..., None] == np.arange(count)).astype(np.float64)
    standing = places.standing & ((of_node >= 0) | _stood(stances, row, len(subject.limbs)))
    limits, bounds = _limits(subject, own, places.hips_left, frame)
    time = np.arange(nodes) * dt
    shape = np.where(time < PUSH_TIME, np.sin(np.pi * np.clip((time - dt) / PUSH_TIME, 0.0, 1.0)) ** 2, 0.0)
    speed = push.delta_v * unit / body.height
    impulse = (shape / max(shape.sum() * dt, 1e-9))[:, None] * speed
    arm = (push.place - subject.com[0]) / body.height
    inertia = places.inertia
    given, missed = _given_forces(places, subject, standing, dt)
    reach = np.linalg.norm(places.heels - places.hips, axis=-1)
    longest = np.maximum(LARGEST_REACH * body.reach, reach)
    shortest = np.minimum(0.5 * body.reach, reach)
    horizon = Horizon(
        dt=float(dt), inertia=inertia, hips=places.hips, heels=places.heels, standing=standing,
        longest=longest, shortest=shortest, points=places.points, limb=places.limb,
        pressed=places.pressed & standing[:, places.limb],
        strongest=_strongest(given, places.limb), forces=given, chosen=one_hot, places=limits, bounds=bounds,
        impulse=impulse, torque=cross(np.broadcast_to(arm, impulse.shape), impulse), settled=settled,
    )  # fmt: skip
    return Laid(horizon, at, stances, chosen, missed)


def _stood(stances: Sequence[Stance], row: IntArray, legs: int) -> BoolArray:
    """Return (N, L) where feet stand on the place that they stood on at the push."""
    stood = np.zeros((len(row), legs), dtype=bool)
    for stance in stances:
        if stance.first <= 0:
            stood[:, stance.limb] |= row <= stance.last
    return stood


class _Places:
    """Where everything is at the nodes, in hip heights from the centre of mass, world axes."""

    def __init__(self, subject: Subject, at: FloatArray, row: IntArray) -> None:
        clip, body, limbs = subject.clip, subject.template, subject.limbs
        before = np.minimum(np.floor(at).astype(np.intp), clip.frame_count - 2)
        share = (at - before)[:, None, None]

        def seen(values: FloatArray) -> FloatArray:
            values = (values - subject.com[:, None]) / body.height
            return np.asarray(values[before] * (1.0 - share) + values[before + 1] * share)

        position = clip.positions
        self.hips = seen(position[:, [limb.hip for limb in limbs]])
        self.heels = seen(position[:, [limb.heel for limb in limbs]])
        floor = position.copy()
        floor[..., 2] = subject.ground
        toes = seen(floor[:, [limb.toe for limb in limbs]])
        heels = seen(floor[:, [limb.heel for limb in limbs]])
        contacts = subject.footfall.contacts
        self.standing = contacts.foot_down[row]
        rolls = np.linalg.norm(body.heels - body.toes, axis=-1)[: len(limbs)] > _POINT_FOOT
        points: list[FloatArray] = []
        pressed: list[BoolArray] = []
        limb_of: list[int] = []
        aside = cross(np.array([0.0, 0.0, _HALF_WIDTH]), normalized(toes - heels))
        for limb in range(len(limbs)):
            heel = contacts.heel_planted[row, limb]
            down = self.standing[:, limb]
            if not rolls[limb]:
                points, limb_of, pressed = [*points, toes[:, limb]], [*limb_of, limb], [*pressed, down]
                continue
            toe = contacts.toe_planted[row, limb] | (down & ~heel)
            for place, planted in ((toes[:, limb], toe), (heels[:, limb], heel)):
                points += [place - aside[:, limb], place + aside[:, limb]]
                limb_of += [limb, limb]
                pressed += [planted, planted]
        self.points, self.pressed = np.stack(points, axis=1), np.stack(pressed, axis=1)
        self.limb: IntArray = np.array(limb_of)
        self.inertia = _inertia(clip, body, subject.com, row)
        across = position[:, [limb.hip for limb in limbs]]
        left = body.left
        middle = np.array([0.0, 0.0, 1.0])
        if left.any() and (~left).any():
            way = across[:, left].mean(axis=1) - across[:, ~left].mean(axis=1)
            way[:, 2] = 0.0
            self.hips_left = way / np.maximum(np.linalg.norm(way, axis=-1, keepdims=True), 1e-9)
        else:
            self.hips_left = np.broadcast_to(cross(middle, body.forward), (clip.frame_count, 3))


def _inertia(clip: Clip, body: Template, com: FloatArray, row: IntArray) -> FloatArray:
    heavy = body.masses > 0.0
    centres = clip.positions[row][:, heavy] + rotate(clip.rotations[row][:, heavy], body.coms[heavy])
    local = (centres - com[row][:, None]) / body.height
    spread = np.swapaxes(local * body.masses[heavy, None], 1, 2) @ local
    trace = np.trace(spread, axis1=1, axis2=2)
    return np.asarray(trace[:, None, None] * np.eye(3) - spread + 0.008 * np.eye(3))


def _given_forces(places: _Places, subject: Subject, standing: BoolArray, dt: float) -> tuple[FloatArray, float]:
    """Return forces (N, K, 3) that come near to what moves the clip, within friction, and the usual lack (weights)."""
    body, clip = subject.template, subject.clip
    frame = 1.0 / (clip.fps * body.time)
    com = smoothed_along(subject.com / body.height, _CALM / frame)
    acceleration = np.zeros_like(com)
    acceleration[1:-1] = (com[2:] + com[:-2] - 2.0 * com[1:-1]) / frame**2
    row = np.minimum(np.rint(np.arange(len(standing)) * dt / frame).astype(np.intp), len(com) - 1)
    wanted = acceleration[row] + np.array([0.0, 0.0, 1.0])
    wanted[:, 2] = np.clip(wanted[:, 2], 0.3, 2.5)
    pressed = places.pressed & standing[:, places.limb]
    load = _loads(pressed, dt)
    count = pressed.shape[1]
    nominal = np.zeros((*pressed.shape, 3))
    nominal[..., 2] = load / np.maximum(load.sum(axis=1, keepdims=True), 1e-9) * wanted[:, None, 2]
    rows = np.zeros((len(pressed), 6, 3 * count))
    rows[:, :3] = np.tile(np.eye(3), count)
    rows[:, 3:] = np.swapaxes(skew(places.points), 1, 2).reshape(len(pressed), 3, 3 * count)
    rows *= np.repeat(pressed, 3, axis=1)[:, None]
    lack = np.concatenate([wanted, np.zeros_like(wanted)], axis=1) - (rows @ nominal.reshape(len(rows), -1, 1))[..., 0]
    firm = 0.02 / np.maximum(np.repeat(load, 3, axis=1), 0.05)
    normal = np.swapaxes(rows, 1, 2) @ rows + firm[..., None] * np.eye(3 * count)
    change = np.linalg.solve(normal, np.swapaxes(rows, 1, 2) @ lack[..., None])
    forces = (nominal + change.reshape(nominal.shape)) * pressed[..., None]
    forces[..., 2] = np.maximum(forces[..., 2], 0.0)
    level = np.linalg.norm(forces[..., :2], axis=-1)
    forces[..., :2] *= np.minimum(1.0, _GIVEN_FRICTION * forces[..., 2] / np.maximum(level, 1e-9))[..., None]
    left = np.linalg.norm(forces.sum(axis=1) - wanted, axis=-1)[pressed.any(axis=1)]
    return forces, float(np.median(left)) if left.size else np.inf


def _strongest(forces: FloatArray, limb: IntArray) -> FloatArray:
    """Return (K,) how much each point carries at most: what a leg can, or a little more than it does in the clip."""
    legs = int(limb.max()) + 1
    vertical = np.stack([forces[:, limb == leg, 2].sum(axis=1).max() for leg in range(legs)])
    points = np.bincount(limb, minlength=legs)
    most = np.maximum(_STRONG * 2.0 / max(legs, 2), _STRONGER * vertical)
    # Heel and toe of a foot share it only in part.
    share = np.where(points > 1, 2.0, 1.0)
    return np.asarray((most / share)[limb])


def _loads(pressed: BoolArray, dt: float) -> FloatArray:
    """Return (N, K) how far each point has taken up its load, 0 to 1, from and to the ends of its stance."""
    load = np.zeros(pressed.shape)
    steps = _LOADED / dt
    for point in range(pressed.shape[1]):
        down = pressed[:, point]
        index = np.arange(len(pressed))
        off = np.where(~down, index, -len(pressed))
        since = index - np.maximum.accumulate(off)
        ahead = np.where(~down, index, 2 * len(pressed))
        until = np.minimum.accumulate(ahead[::-1])[::-1] - index
        load[:, point] = np.clip(np.minimum(since, until) / steps, 0.0, 1.0) * down
    return load


def _limits(subject: Subject, own: Sequence[Stance], left: FloatArray, frame: float) -> tuple[FloatArray, FloatArray]:
    """Return rows and bounds on the shifts: what a swing can reach in its time, and left feet left of right ones."""
    count = len(own) + 1
    rows: list[FloatArray] = []
    bounds: list[float] = []
    angles = np.arange(8) * (np.pi / 4.0)
    ways = np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    before: dict[int, int] = {}
    for at, stance in enumerate(own):
        time = (stance.first - max(stance.left, 0)) * frame
        for way in ways:
            row = np.zeros((count, 2))
            row[at] = way
            if stance.limb in before:
                row[before[stance.limb]] -= way
            rows.append(row.ravel())
            bounds.append(_FASTEST * time)
        before[stance.limb] = at
    _keep_apart(subject, own, left, rows, bounds)
    return np.array(rows).reshape(-1, 2 * count), np.array(bounds)


def _keep_apart(
    subject: Subject, own: Sequence[Stance], left: FloatArray, rows: list[FloatArray], bounds: list[float]
) -> None:
    body, clip = subject.template, subject.clip
    count = len(own) + 1
    toes = clip.positions[:, [limb.toe for limb in subject.limbs]] / body.height
    for at, stance in enumerate(own):
        for other in range(len(subject.limbs)):
            if body.rows[other] != body.rows[stance.limb] or body.left[other] == body.left[stance.limb]:
                continue
            earlier = [k for k, one in enumerate(own) if one.limb == other and one.first <= stance.first]
            way = left[stance.first] * (1.0 if body.left[stance.limb] else -1.0)
            apart = float((toes[stance.first, stance.limb] - toes[stance.first, other]) @ way)
            row = np.zeros((count, 2))
            row[at] = -way[:2]
            if earlier:
                row[earlier[-1]] += way[:2]
            rows.append(row.ravel())
            ahead = float(
                np.linalg.norm((toes[stance.first, stance.limb] - toes[stance.first, other])[:2] - apart * way[:2])
            )
            bounds.append(max(apart - _APART, 0.0) + (_CROSSED if ahead > _AHEAD else 0.0))
