# SPDX-License-Identifier: GPL-3.0-or-later
"""The residuals of a stride and their derivatives, put together as normal equations (LOCOMOTION 2.3).

Unknowns: for each of T frames the shift of the centre of mass (3), the turn of the trunk (3) and the force of each foot
(3 L); for the whole stride the shift of each foothold (2 L), so that no foot can slip. Constraints are kept by an
augmented Lagrangian: ``w (r + λ)`` for an equality, ``w max(0, g + λ)`` for an inequality.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from .. import rotations
from ..arrays import FloatArray
from .plan import LARGEST_REACH, MotionPlan, travelled, turn_level

FRICTION = 0.7
# What is solved for keeps this share of it, so that what is left of the last round breaks nothing.
_USED_FRICTION = 0.99 * FRICTION
_SMOOTH_NORM = 1e-3
_DYNAMICS, _CONE, _REACH, _FOLDED = 60.0, 10.0, 20.0, 10.0
_RISE, _SHARE = 0.05, 0.02
_SIDEWAYS = (0.3, 0.6)
_TURNED = (1.0, 1.0)
_FOOTHOLD = (0.5, 1.0)


@dataclass(frozen=True)
class State:
    """Values of all unknowns: com and turned (T, 3), forces (T, L, 3), footholds (L, 2)."""

    com: FloatArray
    turned: FloatArray
    forces: FloatArray
    footholds: FloatArray

    @staticmethod
    def at_rest(plan: MotionPlan) -> State:
        frames, legs = plan.contact.shape
        forces = np.zeros((frames, legs, 3))
        forces[..., 2] = plan.share
        return State(np.zeros((frames, 3)), plan.turned.copy(), forces, np.zeros((legs, 2)))

    def moved(self, frames: FloatArray, shared: FloatArray) -> State:
        """Return the state with steps (T, 6 + 3 L) and (2 L,) added."""
        return State(
            self.com + frames[:, :3],
            self.turned + frames[:, 3:6],
            self.forces + frames[:, 6:].reshape(self.forces.shape),
            self.footholds + shared.reshape(self.footholds.shape),
        )


@dataclass(frozen=True)
class Multipliers:
    """Of Newton's and Euler's equations (T, 6), of cone, reach and folding (T, L)."""

    dynamics: FloatArray
    cone: FloatArray
    reach: FloatArray
    folded: FloatArray

    @staticmethod
    def none(plan: MotionPlan) -> Multipliers:
        frames, legs = plan.contact.shape
        return Multipliers(np.zeros((frames, 6)), *(np.zeros((frames, legs)) for _ in range(3)))


@dataclass(frozen=True)
class Values:
    """Residuals of a state, unweighted: dynamics (T, 6) in body weights (and hip heights), inequalities (T, L)."""

    dynamics: FloatArray
    cone: FloatArray
    reach: FloatArray
    folded: FloatArray
    arms: FloatArray
    to_heel: FloatArray
    hips: FloatArray
    shift: FloatArray


def skew(v: FloatArray) -> FloatArray:
    """Return (..., 3, 3), the matrices of the cross product with v."""
    zero = np.zeros_like(v[..., 0])
    x, y, z = np.moveaxis(v, -1, 0)
    return np.stack([np.stack([zero, -z, y], -1), np.stack([z, zero, -x], -1), np.stack([-y, x, zero], -1)], -2)


class GaitProblem:
    """The problem of one plan: what does not change while it is solved."""

    def __init__(self, plan: MotionPlan) -> None:
        self.plan = plan
        self.frames, self.legs = plan.contact.shape
        self.size = 6 + 3 * self.legs
        self.weight = np.sqrt(plan.dt)
        step = np.array(plan.dt)
        self.ahead, self.behind = (self._upright(turn_level(np.array(s * plan.omega * plan.dt))) for s in (1.0, -1.0))
        self.way = np.zeros((2, 3))
        self.way[0, :2] = travelled(plan.velocity, plan.omega, step)
        self.way[1, :2] = travelled(plan.velocity, plan.omega, -step)
        body = plan.template
        self.hips = body.hips - np.array([0.0, 0.0, body.com_height])
        self.shortest = np.minimum(0.5, 0.7 * np.linalg.norm(body.hips - body.heels, axis=-1) / body.reach) * body.reach
        self.longest = LARGEST_REACH * body.reach
        self.mask = np.repeat(plan.contact, 3, axis=1).astype(np.float64)

    @staticmethod
    def _upright(level: FloatArray) -> FloatArray:
        full = np.eye(3)
        full[:2, :2] = level
        return full

    def accelerated(self, places: FloatArray, way: FloatArray) -> FloatArray:
        """Return the second differences (T, 3) of what is periodic in the heading frame, by time."""
        after, before = np.roll(places, -1, axis=0), np.roll(places, 1, axis=0)
        moved = after @ self.ahead.T + before @ self.behind.T - 2.0 * places + way
        return np.asarray(moved / self.plan.dt**2)

    def values(self, state: State) -> Values:
        """Return all residuals of a state."""
        plan = self.plan
        com = plan.com + state.com
        shift = np.zeros((self.frames, self.legs, 3))
        shift[..., :2] = plan.footholds + (plan.spin @ state.footholds[..., None])[..., 0]
        pressed = shift + plan.pressure
        arms = pressed - com[:, None]
        forces = state.forces * plan.contact[..., None]
        newton = self.accelerated(com, self.way.sum(axis=0)) - forces.sum(axis=1)
        newton[:, 2] += 1.0
        euler = self.accelerated(state.turned, np.zeros(3)) @ plan.template.inertia.T
        euler = euler - rotations.cross(arms, forces).sum(axis=1)
        cone = np.sqrt((forces[..., :2] ** 2).sum(axis=-1) + _SMOOTH_NORM**2) - _USED_FRICTION * forces[..., 2]
        turn = rotations.from_vector(state.turned)[:, None]
        hips = rotations.rotate(turn, np.broadcast_to(self.hips, shift.shape))
        to_heel = shift + plan.heel - com[:, None] - hips
        far = np.linalg.norm(to_heel, axis=-1)
        off = np.where(plan.contact, 0.0, -1e3)
        return Values(
            np.concatenate([newton, euler], axis=1), cone + off, far - self.longest + off, self.shortest - far + off,
            arms, to_heel, hips, shift,
        )  # fmt: skip

    def style(self, state: State) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return weighted residuals: of the frames (T, 6), of forces (T, 3 L) and of footholds (2 L,)."""
        plan = self.plan
        wanted = np.concatenate([state.com, state.turned - plan.turned], axis=1) * self._style_weights()
        forces = (state.forces - np.stack([0 * plan.share, 0 * plan.share, plan.share], -1)).reshape(self.frames, -1)
        return wanted, forces * self.mask * _SHARE * self.weight, state.footholds.ravel() * self._foothold_weights()

    def _style_weights(self) -> FloatArray:
        pitch = self.plan.wish.gait.pitch_weight
        return np.array([*_SIDEWAYS, self.plan.heights, _TURNED[0], pitch, _TURNED[1]]) * self.weight

    def _foothold_weights(self) -> FloatArray:
        return np.tile(_FOOTHOLD, self.legs) * np.sqrt(self.plan.period)

    def cost(self, state: State, values: Values, known: Multipliers) -> float:
        """Return half the sum of squares of the augmented Lagrangian."""
        wanted, forces, shifts = self.style(state)
        rise = (np.roll(state.forces, -1, axis=0) - state.forces) * (_RISE / self.plan.dt * self.weight)
        total = sum(float((part**2).sum()) for part in (wanted, forces, shifts, rise))
        w = self.weight
        total += float(((values.dynamics + known.dynamics) ** 2).sum()) * (_DYNAMICS * w) ** 2
        for weight, value, multiplier in (
            (_CONE, values.cone, known.cone),
            (_REACH, values.reach, known.reach),
            (_FOLDED, values.folded, known.folded),
        ):
            total += float((np.maximum(value + multiplier, 0.0) ** 2).sum()) * (weight * w) ** 2
        return 0.5 * total

    def updated(self, values: Values, known: Multipliers) -> Multipliers:
        """Return the multipliers of the next round."""
        return replace(
            known,
            dynamics=known.dynamics + values.dynamics,
            cone=np.maximum(known.cone + values.cone, 0.0),
            reach=np.maximum(known.reach + values.reach, 0.0),
            folded=np.maximum(known.folded + values.folded, 0.0),
        )

    def normal_equations(self, state: State, values: Values, known: Multipliers) -> Normal:
        """Return the Gauss-Newton system of a state."""
        normal = Normal.empty(self.frames, self.size, 2 * self.legs)
        self._add_dynamics(normal, state, values, known)
        self._add_style(normal, state)
        self._add_inequalities(normal, state, values, known)
        return normal

    def _add_dynamics(self, normal: Normal, state: State, values: Values, known: Multipliers) -> None:
        plan, frames, legs = self.plan, self.frames, self.legs
        rate = 1.0 / plan.dt**2
        own = np.zeros((frames, 6, self.size))
        shared = np.zeros((frames, 6, legs, 2))
        own[:, :3, :3] = -2.0 * rate * np.eye(3)
        own[:, 3:, 3:6] = -2.0 * rate * plan.template.inertia
        forces = state.forces * plan.contact[..., None]
        across = skew(forces)
        own[:, 3:, :3] = -across.sum(axis=1)
        shared[:, 3:] = np.swapaxes(across[..., :2] @ plan.spin, 1, 2)
        own[:, :3, 6:] = np.tile(-np.eye(3), legs) * self.mask[:, None]
        own[:, 3:, 6:] = np.swapaxes(-skew(values.arms), 1, 2).reshape(frames, 3, 3 * legs) * self.mask[:, None]
        after, before = np.zeros((6, self.size)), np.zeros((6, self.size))
        after[:3, :3], before[:3, :3] = rate * self.ahead, rate * self.behind
        after[3:, 3:6] = rate * plan.template.inertia @ self.ahead
        before[3:, 3:6] = rate * plan.template.inertia @ self.behind
        weight = _DYNAMICS * self.weight
        own, after, before = own * weight, after * weight, before * weight
        normal.add_coupled(
            own, before, after, shared.reshape(frames, 6, -1) * weight, (values.dynamics + known.dynamics) * weight
        )

    def _add_style(self, normal: Normal, state: State) -> None:
        wanted, forces, shifts = self.style(state)
        weights = np.concatenate(
            [np.broadcast_to(self._style_weights(), (self.frames, 6)), self.mask * _SHARE * self.weight], axis=1
        )
        steady = (_RISE / self.plan.dt * self.weight) ** 2
        flat = state.forces.reshape(self.frames, -1) * self.mask
        bend = steady * (2.0 * flat - np.roll(flat, 1, axis=0) - np.roll(flat, -1, axis=0)) * self.mask
        diagonal = weights**2
        diagonal[:, 6:] += np.where(self.mask > 0.0, 2.0 * steady, 1.0)
        normal.own[...] += diagonal[:, :, None] * np.eye(self.size)
        beside = np.zeros((self.frames, self.size))
        beside[:, 6:] = -steady * self.mask * np.roll(self.mask, -1, axis=0)
        normal.next[...] += beside[:, :, None] * np.eye(self.size)
        gradient = weights * np.concatenate([wanted, forces], axis=1)
        gradient[:, 6:] += bend
        normal.right[...] -= gradient
        foothold = self._foothold_weights()
        normal.corner[...] += np.diag(foothold**2)
        normal.shared_right[...] -= foothold * shifts

    def _add_inequalities(self, normal: Normal, state: State, values: Values, known: Multipliers) -> None:
        frames, legs = self.frames, self.legs
        level = state.forces[..., :2]
        slope = np.zeros((frames, legs, 3))
        slope[..., :2] = level / np.sqrt((level**2).sum(axis=-1, keepdims=True) + _SMOOTH_NORM**2)
        slope[..., 2] = -_USED_FRICTION
        own = np.zeros((frames, legs, self.size))
        at = np.arange(legs)
        for axis in range(3):
            own[:, at, 6 + 3 * at + axis] = slope[..., axis]
        normal.add_own(own, None, values.cone + known.cone, _CONE * self.weight)
        along = rotations.normalized(values.to_heel)
        own = np.zeros((frames, legs, self.size))
        own[..., :3] = -along
        own[..., 3:6] = -rotations.cross(values.hips, along)
        shared = np.zeros((frames, legs, legs, 2))
        shared[:, at, at] = (along[..., None, :2] @ self.plan.spin)[..., 0, :]
        moved = shared.reshape(frames, legs, 2 * legs)
        normal.add_own(own, moved, values.reach + known.reach, _REACH * self.weight)
        normal.add_own(-own, -moved, values.folded + known.folded, _FOLDED * self.weight)


@dataclass(frozen=True)
class Normal:
    """Normal equations: own, next and second (T, n, n), from a frame to itself, the next and the one after."""

    own: FloatArray
    next: FloatArray
    second: FloatArray
    border: FloatArray
    corner: FloatArray
    right: FloatArray
    shared_right: FloatArray

    @staticmethod
    def empty(frames: int, size: int, shared: int) -> Normal:
        own, after, second = (np.zeros((frames, size, size)) for _ in range(3))
        border, corner = np.zeros((frames, size, shared)), np.zeros((shared, shared))
        return Normal(own, after, second, border, corner, np.zeros((frames, size)), np.zeros(shared))

    def add_own(self, rows: FloatArray, shared: FloatArray | None, value: FloatArray, weight: float) -> None:
        """Add inequalities (T, R, n) that only their own frame and the shared unknowns (T, R, p) know."""
        active = value > 0.0
        rows = rows * (active * weight)[..., None]
        value = np.where(active, value, 0.0) * weight
        turned = np.swapaxes(rows, 1, 2)
        self.own[...] += turned @ rows
        self.right[...] -= (turned @ value[..., None])[..., 0]
        if shared is not None:
            shared = shared * (active * weight)[..., None]
            flat = shared.reshape(-1, shared.shape[-1])
            self.border[...] += turned @ shared
            self.corner[...] += flat.T @ flat
            self.shared_right[...] -= flat.T @ value.ravel()

    def add_coupled(
        self, own: FloatArray, before: FloatArray, after: FloatArray, shared: FloatArray, value: FloatArray
    ) -> None:
        """Add rows (T, R, n) that the frames beside theirs know too, by constant blocks (R, n)."""
        turned = np.swapaxes(own, 1, 2)
        self.own[...] += turned @ own + before.T @ before + after.T @ after
        # Rows of frame i hold frame i - 1, i and i + 1.
        self.next[...] += turned @ after + before.T @ np.roll(own, -1, axis=0)
        self.second[...] += before.T @ after
        flat = shared.reshape(-1, shared.shape[-1])
        self.border[...] += (
            turned @ shared + after.T @ np.roll(shared, 1, axis=0) + before.T @ np.roll(shared, -1, axis=0)
        )
        self.corner[...] += flat.T @ flat
        self.shared_right[...] -= flat.T @ value.ravel()
        self.right[...] -= (
            (turned @ value[..., None])[..., 0]
            + np.roll(value, 1, axis=0) @ after
            + np.roll(value, -1, axis=0) @ before
        )
