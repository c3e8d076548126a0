# SPDX-License-Identifier: GPL-3.0-or-later
"""What is planned before anything is optimized: timing, way, height, lean, nominal footholds and the roll of the foot.

The plan is periodic in the frame that goes and turns along with it (the heading frame: x forward, y left, z up, origin
on the ground), so a straight line, an arc and a turn on the spot are one problem (LOCOMOTION 2.2 and 3.2).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from ..arrays import BoolArray, FloatArray
from .gaits import Gait, touch_downs
from .template import Template

# A grid has at least this many frames a stride; fewer are too coarse for forces that come and go.
_LEAST_GRID = 40
# Shares of the reach that the plan uses, and that the optimization may use.
_PLANNED_REACH, LARGEST_REACH = 0.965, 0.98
_LARGEST_LEAN = 0.6
_LARGEST_STANCE_TURN = np.radians(35.0)
# How far beyond the speeds of a gait one may go (share).
_LEEWAY = 1.25
# Height of the vault: 0.55 of the arc of a stiff leg, step² / (8 h). LOCOMOTION 3.2.
_VAULT = 0.55
# Feet longer than this (hip heights) roll over heel and ball.
_ROLLING_FOOT = 0.08
# Share of the stance, and pitch of the foot in degrees, heel up positive: of a walk, of a run; then the swing's.
_ROLL = {
    True: ((0.0, -15.0), (0.2, 0.0), (0.52, 0.0), (0.8, 18.0), (1.0, 42.0)),
    False: ((0.0, 0.0), (0.45, 0.0), (0.75, 20.0), (1.0, 45.0)),
}
_SWING_ROLL = {True: ((0.45, 10.0), (0.85, -15.0)), False: ((0.4, 30.0), (0.85, 0.0))}
# Where the foot presses from heel (0) to ball (1), by share of the stance.
_PRESSURE = ((0.0, 0.15), (0.15, 0.2), (0.35, 0.45), (0.6, 0.75), (1.0, 0.85))


# Shares of a gait's usual stride that are tried in turn.
_SHORTER_STRIDES = (1.0, 0.93, 0.86, 0.8, 0.74, 0.68, 0.62, 0.56)


class PlanError(ValueError):
    """A plan that cannot be met; the message says what breaks and which number would do."""


class _StepTooLongError(PlanError):
    """A plan that shorter steps would meet."""


@dataclass(frozen=True)
class Wish:
    """What is asked for: metres and radians a second, radians from forward to the left; style shares, 1 natural."""

    gait: Gait
    speed: float
    turn: float = 0.0
    direction: float = 0.0
    fps: float = 60.0
    style: Mapping[str, float] = field(default_factory=dict)

    def share(self, name: str) -> float:
        return float(self.style.get(name, 1.0))


@dataclass(frozen=True)
class MotionPlan:
    """A stride on a grid of T frames, in hip heights and √(h/g).

    substeps : grid frames for each frame of the file. dt : of the grid.
    velocity : (2,) in the heading frame. omega : turn.
    phases, duty : (L,) touch-downs and duty factors.
    stance : (T, L) share of the stance, beyond 1 in the swing (the swing's end is 1 / duty).
    contact : (T, L) whether the foot presses.
    footholds : (T, L, 2) nominal, of the toe joint; spin (T, L, 2, 2) what a shift at mid-stance is seen as.
    swung : (T, L) how much of the way to its next foothold a foot has gone; 0 while it stands.
    yaw : (T, L) radians of the foot in the heading frame: it stands as the body did at mid-stance.
    toe, heel, pressure : (T, L, 3) from the toe joint's foothold on the ground.
    pitch : (T, L) radians of the foot.
    com, turned : (T, 3) wanted. share : (T, L) wanted vertical forces.
    heights : (T,) weight of keeping the height.
    """

    wish: Wish
    template: Template
    substeps: int
    dt: float
    velocity: FloatArray
    omega: float
    phases: FloatArray
    duty: FloatArray
    stance: FloatArray
    contact: BoolArray
    footholds: FloatArray
    spin: FloatArray
    swung: FloatArray
    yaw: FloatArray
    toe: FloatArray
    heel: FloatArray
    pressure: FloatArray
    pitch: FloatArray
    com: FloatArray
    turned: FloatArray
    share: FloatArray
    heights: float
    nominal: FloatArray

    @property
    def period(self) -> float:
        return self.dt * len(self.com)

    @property
    def period_frames(self) -> int:
        return len(self.com) // self.substeps

    def seen(self, elapsed: FloatArray, shift: FloatArray) -> FloatArray:
        """Return (T, L, 2): footholds with ``shift`` (L, 2), ``elapsed`` (T, L) after their mid-stance."""
        return _seen(self.nominal + shift, elapsed, self.velocity, self.omega)


def travelled(velocity: FloatArray, omega: float, elapsed: FloatArray) -> FloatArray:
    """Return (..., 2): how far a body gets in ``elapsed``, in the frame that it had at the start."""
    angle = omega * elapsed
    along = elapsed * np.sinc(angle / np.pi)
    across = elapsed * np.sinc(angle / (2.0 * np.pi)) * np.sin(0.5 * angle)
    return np.stack([along * velocity[0] - across * velocity[1], across * velocity[0] + along * velocity[1]], axis=-1)


def turn_level(angle: FloatArray) -> FloatArray:
    """Return (..., 2, 2), a turn about the upright."""
    cosine, sine = np.cos(angle), np.sin(angle)
    return np.stack([np.stack([cosine, -sine], -1), np.stack([sine, cosine], -1)], -2)


def _seen(places: FloatArray, elapsed: FloatArray, velocity: FloatArray, omega: float) -> FloatArray:
    left = places - travelled(velocity, omega, elapsed)
    return (turn_level(-omega * elapsed) @ left[..., None])[..., 0]


def make_plan(template: Template, wish: Wish) -> MotionPlan:
    """Return the plan of a stride; PlanError, with the number that would do, where it cannot be met.

    Legs that are too short for the usual stride, or a turn that is too quick for it, get shorter and faster steps.
    """
    for shorter in _SHORTER_STRIDES[:-1]:
        try:
            return _planned(template, wish, shorter)
        except _StepTooLongError:
            continue
    return _planned(template, wish, _SHORTER_STRIDES[-1])


def _planned(template: Template, wish: Wish, shorter: float) -> MotionPlan:
    unit = template.time
    speed, omega = wish.speed * unit / template.height, wish.turn * unit
    froude = _checked_froude(template, wish, speed, omega)
    gait = wish.gait
    duty = np.full(len(template.hips), gait.duty_at(froude))
    stride = gait.stride_at(froude) * wish.share("stride") * shorter
    frames = max(round(stride / np.sqrt(froude) * unit * wish.fps), 6)
    substeps = -(-_LEAST_GRID // frames)
    substeps += (substeps * frames) % 2
    grid = substeps * frames
    dt = 1.0 / (wish.fps * unit * substeps)
    velocity = speed * np.array([np.cos(wish.direction), np.sin(wish.direction)])
    lean = _checked_lean(speed * omega, omega * duty[0] * grid * dt)
    phases = touch_downs(gait, template.rows, template.left)
    stance = ((np.arange(grid)[:, None] / grid - phases + 1e-9) % 1.0) / duty
    elapsed = (stance - 0.5) * duty * grid * dt
    swing = np.clip((stance - 1.0) / (1.0 / duty - 1.0), 0.0, 1.0)
    swung = swing**3 * (10.0 - 15.0 * swing + 6.0 * swing**2)
    yaw = -omega * (elapsed - swung * grid * dt)
    pitch, toe, heel, pressure = _feet(template, stance, duty, froude, forward=np.cos(wish.direction) > 0.5)
    toe, heel, pressure = (_yawed(offset, yaw) for offset in (toe, heel, pressure))
    nominal = _nominal(template, wish, lean, _mean_pressure(pressure, stance))
    footholds = _seen(nominal, elapsed, velocity, omega)
    vault, nod = _vault(template, phases, duty, speed * grid * dt, wish.share("bounce"), grid)
    contact = stance < 1.0
    com, turned = np.zeros((grid, 3)), np.zeros((grid, 3))
    turned[:, 0], turned[:, 1] = -lean, nod
    turned[:, 1] += np.radians(3.0) * (wish.share("lean") - 1.0)
    com[:, 2] = _height(template, wish, footholds, heel, contact, vault) + vault
    vaulting = float(np.clip((duty[0] - 0.5) / 0.06, 0.0, 1.0))
    return MotionPlan(
        wish, template, substeps, dt, velocity, omega, phases, duty, stance, contact, footholds,
        turn_level(-omega * elapsed), swung, yaw, toe, heel, pressure, pitch, com, turned,
        _shares(template, nominal, stance, contact), 1.5 + 18.5 * vaulting, nominal,
    )  # fmt: skip


def _yawed(offset: FloatArray, yaw: FloatArray) -> FloatArray:
    turned = (turn_level(yaw) @ offset[..., :2, None])[..., 0]
    return np.concatenate([turned, offset[..., 2:]], axis=-1)


def _checked_froude(template: Template, wish: Wish, speed: float, omega: float) -> float:
    gait = wish.gait
    fastest = np.sqrt(gait.froude[1] * template.height * 9.81)
    if speed**2 > gait.froude[1] * _LEEWAY:
        raise PlanError(f"{wish.speed:.2f} m/s is too fast for {gait.name} on these legs: at most {fastest:.2f} m/s")
    slowest = np.sqrt(gait.froude[0] * template.height * 9.81)
    turning = (0.6 * omega) ** 2
    if 0.0 < speed**2 < gait.froude[0] / _LEEWAY and turning < gait.froude[0]:
        raise PlanError(f"{wish.speed:.2f} m/s is too slow for {gait.name} on these legs: at least {slowest:.2f} m/s")
    return max(speed**2, turning, 0.5 * gait.froude[0], 1e-3)


def _checked_lean(lateral: float, stance_turn: float) -> float:
    if abs(lateral) > _LARGEST_LEAN:
        raise PlanError(
            f"too tight a turn for this speed: {abs(lateral):.2f} g sideways, at most {_LARGEST_LEAN} g; turn at most "
            f"{_LARGEST_LEAN / abs(lateral):.2f} times as fast"
        )
    if abs(stance_turn) > _LARGEST_STANCE_TURN:
        raise _StepTooLongError(
            f"the body turns {np.degrees(abs(stance_turn)):.0f} degrees while a foot stands, at most 35; turn at most "
            f"{_LARGEST_STANCE_TURN / abs(stance_turn):.2f} times as fast"
        )
    return float(np.arctan(lateral))


def _eased(knots: tuple[tuple[float, float], ...], at: FloatArray) -> FloatArray:
    """Return the curve through ``knots``, level at each of them."""
    places, values = np.array(knots).T
    after = np.clip(np.searchsorted(places, at, side="right"), 1, len(places) - 1)
    share = np.clip((at - places[after - 1]) / (places[after] - places[after - 1]), 0.0, 1.0)
    share = share * share * (3.0 - 2.0 * share)
    return np.asarray(values[after - 1] + share * (values[after] - values[after - 1]))


def _feet(
    template: Template, stance: FloatArray, duty: FloatArray, froude: float, *, forward: bool
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return the pitch of each foot and where toe joint, heel joint and pressure are, from the foothold."""
    walks = bool(duty[0] > 0.5)
    to_heel = template.heels - template.toes
    rolls = (np.linalg.norm(to_heel[:, :2], axis=-1) > _ROLLING_FOOT) & forward & (len(to_heel) <= 4)
    swing = (stance - 1.0) / (1.0 / duty - 1.0)
    strength = float(np.clip(froude / 0.15, 0.2, 1.0))
    knots = ((0.0, _ROLL[walks][-1][1]), *_SWING_ROLL[walks], (1.0, _ROLL[walks][0][1]))
    degrees = np.where(stance < 1.0, _eased(_ROLL[walks], stance), _eased(knots, swing))
    pitch = np.radians(degrees) * strength * rolls
    cosine, sine = np.cos(pitch), np.sin(pitch)
    turned = np.stack(
        [cosine * to_heel[:, 0] + sine * to_heel[:, 2], np.broadcast_to(to_heel[:, 1], pitch.shape),
         cosine * to_heel[:, 2] - sine * to_heel[:, 0]], axis=-1
    )  # fmt: skip
    height = np.zeros((*pitch.shape, 3))
    height[..., 2] = template.toes[:, 2]
    # The heel stands still while the foot comes down, the ball while the heel rises.
    on_heel = (pitch < 0.0)[..., None]
    toe = height + np.where(on_heel, to_heel - turned, 0.0)
    heel = toe + turned
    along = np.where(rolls[None, :], 1.0 - _eased(_PRESSURE, np.clip(stance, 0.0, 1.0)), 0.0)
    pressure = along[..., None] * (to_heel * np.array([1.0, 1.0, 0.0]))
    return pitch, toe, heel, pressure


def _mean_pressure(pressure: FloatArray, stance: FloatArray) -> FloatArray:
    standing = (stance < 1.0)[..., None]
    return np.asarray((pressure * standing).sum(axis=0) / np.maximum(standing.sum(axis=0), 1))[:, :2]


def _nominal(template: Template, wish: Wish, lean: float, pressure: FloatArray) -> FloatArray:
    """Return (L, 2): footholds at mid-stance in the heading frame, the centre of mass standing over them."""
    places = template.toes[:, :2].copy()
    legs = len(places)
    places[:, 1] *= (0.6 if legs == 2 else 1.0) * wish.share("spread")
    if legs == 4 and wish.gait.pitch_weight < 1.0:
        behind = np.array(template.rows) == max(template.rows)
        places[behind, 1] += 0.12 * np.where(template.left[behind], 1.0, -1.0)
    under = places + pressure
    low, high = under.min(axis=0), under.max(axis=0)
    middle, half = 0.5 * (low + high), 0.5 * (high - low)
    middle[1] = under[:, 1].mean()
    half[1] = 0.0
    places -= np.sign(middle) * np.maximum(np.abs(middle) - 0.5 * half, 0.0)
    places[:, 1] -= template.com_height * np.sin(lean)
    return places


def _vault(
    template: Template, phases: FloatArray, duty: FloatArray, stride: float, share: float, grid: int
) -> tuple[FloatArray, FloatArray]:
    """Return height and pitch (T,) of the trunk that rises over each standing leg, where the feet of a pair overlap."""
    rows = np.array(template.rows)
    count = int(rows.max()) + 1
    time = np.arange(grid) / grid
    if duty[0] <= 0.5 or count > 2:
        return np.zeros(grid), np.zeros(grid)
    size = _VAULT * (0.5 * stride) ** 2 / 8.0 * share * float(np.clip((duty[0] - 0.5) / 0.06, 0.0, 1.0))
    rises = [0.5 * size * np.cos(4.0 * np.pi * (time - phases[rows == row][0] - 0.5 * duty[0])) for row in range(count)]
    if count == 1:
        return rises[0], np.zeros(grid)
    hips = [template.hips[rows == row, 0].mean() for row in range(2)]
    nod = -(rises[0] - rises[1]) / max(hips[0] - hips[1], 0.3)
    return 0.5 * (rises[0] + rises[1]), nod


def _height(
    template: Template, wish: Wish, footholds: FloatArray, heel: FloatArray, contact: BoolArray, vault: FloatArray
) -> float:
    """Return how high the centre of mass may go so that every standing foot stays within reach."""
    hips = template.hips - np.array([0.0, 0.0, template.com_height])
    level = footholds + heel[..., :2] - hips[:, :2]
    far = np.linalg.norm(level, axis=-1)
    limit = _PLANNED_REACH * template.reach
    if (far > 0.93 * limit)[contact].any():
        worst = float((far / limit)[contact].max())
        raise _StepTooLongError(
            f"a step is too long for the legs: {worst:.2f} of their reach; make stride {0.85 / worst:.2f}"
        )
    room = np.sqrt(np.maximum(limit**2 - far**2, 0.0)) + heel[..., 2] - hips[:, 2] - vault[:, None]
    lowest = float(np.where(contact, room, np.inf).min())
    return min(template.com_height, lowest) - 0.12 * (wish.share("crouch") - 1.0)


def _shares(template: Template, nominal: FloatArray, stance: FloatArray, contact: BoolArray) -> FloatArray:
    """Return (T, L) half sines that come to the weight over a stride, and stand under the centre of mass."""
    rows = np.concatenate([np.ones((1, len(nominal))), nominal.T])
    part = np.linalg.lstsq(rows, np.array([1.0, 0.0, 0.0]), rcond=None)[0]
    part = np.clip(part, 0.2 / len(nominal), None)
    bumps = np.where(contact, np.sin(np.pi * np.clip(stance, 0.0, 1.0)), 0.0)
    return np.asarray(bumps / np.maximum(bumps.mean(axis=0), 1e-9) * part / part.sum())
