# SPDX-License-Identifier: GPL-3.0-or-later
"""The residuals of a way and their derivatives as normal equations: a stride's (gait/problem.py), in the world's axes.

Unknowns: in each of G moments the shift of the centre of mass (3), the turn of the trunk after its heading (3) and the
force of each foot (3 L); for each of S steps the shift of its foothold on the ground (2). Both ends stand still.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from .. import rotations
from ..gait.plan import LARGEST_REACH
from ..gait.problem import FRICTION, skew
from ..moving_front import HEAD, Frames
from ..rotations import FloatArray
from ..signals import BoolArray, IntArray
from .plan import PathPlan, frame_of

_USED_FRICTION = 0.97 * FRICTION
_SMOOTH_NORM = 1e-3
_DYNAMICS, _CONE, _REACH, _FOLDED = 150.0, 10.0, 20.0, 10.0
_RISE, _SHARE = 0.05, 0.02
# Ahead and to the side; so much more to the side where it starts and stops, on feet that are set wide apart.
_STARTING = 3.0
_SIDEWAYS, _TURNED, _FOOTHOLD = (0.6, 1.7), (1.0, 1.0), (0.7, 1.4)
# Of what is known already: the ends, and footholds of stands.
_PINNED = 300.0


@dataclass(frozen=True)
class State:
    """Values of all unknowns: com and turned (G, 3), forces (G, L, 3), shifts (S, 2)."""

    com: FloatArray
    turned: FloatArray
    forces: FloatArray
    shifts: FloatArray

    @staticmethod
    def at_rest(plan: PathPlan) -> State:
        forces = np.zeros((*plan.contact.shape, 3))
        forces[..., 2] = plan.share
        return State(np.zeros_like(plan.com), plan.turned.copy(), forces, np.zeros((len(plan.steps.leg), 2)))


@dataclass(frozen=True)
class Multipliers:
    """Of Newton's and Euler's equations (G, 6), of cone, reach and folding (G, L)."""

    dynamics: FloatArray
    cone: FloatArray
    reach: FloatArray
    folded: FloatArray


@dataclass(frozen=True)
class Values:
    """Residuals, unweighted: dynamics (G, 6), cone, reach and folding (G, L); and what derivatives need of them."""

    dynamics: FloatArray
    cone: FloatArray
    reach: FloatArray
    folded: FloatArray
    arms: FloatArray
    to_heel: FloatArray
    hips: FloatArray
    tangential: FloatArray


class PathProblem:
    """The problem of one plan: what does not change while it is solved.

    pinned : how many moments are known at the start, and whether the last two are.
    """

    def __init__(self, plan: PathPlan, pinned: int = 2, ends: bool = True) -> None:
        self.plan = plan
        self.frames, self.legs = plan.contact.shape
        self.size = 6 + 3 * self.legs
        self.weight = np.sqrt(plan.dt)
        self.rate = 1.0 / plan.dt**2
        body = plan.body
        level = frame_of(plan.pace.heading)
        self.level = level
        self.inertia = level @ body.inertia @ np.swapaxes(level, 1, 2)
        spin = np.zeros((self.frames, 3))
        spin[1:-1, 2] = np.diff(plan.pace.heading, 2) * self.rate
        self.spin = np.einsum("gij,gj->gi", self.inertia, spin)
        self.hips = np.einsum("gij,lj->gli", level, body.hips - np.array([0.0, 0.0, body.com_height]))
        self.shortest = np.minimum(0.5, 0.7 * np.linalg.norm(body.hips - body.heels, axis=-1) / body.reach) * body.reach
        self.longest = LARGEST_REACH * body.reach
        self.mask = np.repeat(plan.contact, 3, axis=1).astype(np.float64)
        self.normal = plan.feet.normal[plan.step]
        self.tangents = plan.feet.tangents[plan.step]
        self.interior = np.ones((self.frames, 1))
        self.interior[[0, -1]] = 0.0
        self.kept = self._kept(pinned, ends)
        self.step_weight = self._step_weights()
        self.leaves, self.places = self._leaving()

    def _kept(self, pinned: int, ends: bool) -> FloatArray:
        """Return the square weights (G, 6, 6) that keep the shift of the mass and the turn of the trunk, by heading."""
        plan = self.plan
        weights = np.zeros((self.frames, 6))
        time, pace = plan.pace.time, plan.pace
        starting = np.clip(1.5 - 0.5 * np.minimum(time - pace.begins, pace.ends - time), 0.0, 1.0)
        weights[:, 0], weights[:, 1], weights[:, 2] = _SIDEWAYS[0], _SIDEWAYS[1] + _STARTING * starting, plan.heights
        weights[:, 3], weights[:, 4], weights[:, 5] = _TURNED[0], plan.pitch, _TURNED[1]
        weights[:pinned] = _PINNED / self.weight
        if ends:
            weights[-2:] = _PINNED / self.weight
        squares = (weights * self.weight) ** 2
        kept = np.zeros((self.frames, 6, 6))
        turned = np.swapaxes(self.level, 1, 2)
        for part in (slice(0, 3), slice(3, 6)):
            kept[:, part, part] = self.level @ (squares[:, part, None] * turned)
        return kept

    def _step_weights(self) -> FloatArray:
        steps = self.plan.steps
        long = np.where(steps.first | steps.last, 1.0, steps.off - steps.down)
        weights = np.array(_FOOTHOLD) * np.sqrt(long)[:, None]
        weights[steps.first | steps.last] = _PINNED
        return weights

    def _leaving(self) -> tuple[BoolArray, IntArray]:
        """Return which places (G, 2 L) are given up after a moment, and the moment (S,) at which each step is."""
        plan = self.plan
        leaves = np.zeros((self.frames, 2 * self.legs), dtype=np.bool_)
        moments = np.full(len(plan.steps.leg), -1, dtype=np.intp)
        for leg in range(self.legs):
            for step in np.unique(plan.step[plan.contact[:, leg], leg]):
                last = np.flatnonzero(plan.contact[:, leg] & (plan.step[:, leg] == step))[-1]
                moment = min(int(last) + 1, self.frames - 1)
                moments[step] = moment
                leaves[moment, [2 * leg, 2 * leg + 1]] = True
        return leaves, moments

    def values(self, state: State) -> Values:
        """Return all residuals of a state."""
        plan = self.plan
        com = plan.com + state.com
        places = plan.feet.footholds + (plan.feet.tangents @ state.shifts[..., None])[..., 0]
        foothold = places[plan.step]
        arms = foothold + plan.feet.pressure - com[:, None]
        forces = state.forces * plan.contact[..., None]
        newton = self._accelerated(com) - forces.sum(axis=1)
        newton[:, 2] += 1.0
        euler = np.einsum("gij,gj->gi", self.inertia, self._accelerated(state.turned)) + self.spin
        euler = euler - rotations.cross(arms, forces).sum(axis=1)
        pressed = (forces * self.normal).sum(axis=-1)
        tangential = forces - pressed[..., None] * self.normal
        cone = np.sqrt((tangential**2).sum(axis=-1) + _SMOOTH_NORM**2) - _USED_FRICTION * pressed
        turn = rotations.from_vector(state.turned)[:, None]
        hips = rotations.rotate(turn, self.hips)
        to_heel = foothold + plan.feet.heel - com[:, None] - hips
        far = np.linalg.norm(to_heel, axis=-1)
        off = np.where(plan.contact, 0.0, -1e3)
        return Values(
            np.concatenate([newton, euler], axis=1) * self.interior, cone + off, far - self.longest + off,
            self.shortest - far + off, arms, to_heel, hips, tangential,
        )  # fmt: skip

    def _accelerated(self, values: FloatArray) -> FloatArray:
        second = np.zeros_like(values)
        second[1:-1] = (values[2:] - 2.0 * values[1:-1] + values[:-2]) * self.rate
        return second

    def none_known(self) -> Multipliers:
        return Multipliers(np.zeros((self.frames, 6)), *(np.zeros((self.frames, self.legs)) for _ in range(3)))

    def updated(self, values: Values, known: Multipliers) -> Multipliers:
        """Return the multipliers of the next round."""
        return replace(
            known,
            dynamics=known.dynamics + values.dynamics,
            cone=np.maximum(known.cone + values.cone, 0.0),
            reach=np.maximum(known.reach + values.reach, 0.0),
            folded=np.maximum(known.folded + values.folded, 0.0),
        )

    def _wanted(self, state: State) -> FloatArray:
        return np.concatenate([state.com, state.turned - self.plan.turned], axis=1)

    def cost(self, state: State, values: Values, known: Multipliers) -> float:
        """Return half the sum of squares of the augmented Lagrangian."""
        off = self._wanted(state)
        w = self.weight
        total = float(np.einsum("gi,gij,gj->", off, self.kept, off))
        forces = (state.forces - self._shared()).reshape(self.frames, -1) * self.mask
        rise = np.diff(state.forces.reshape(self.frames, -1) * self.mask, axis=0) * (_RISE / self.plan.dt * w)
        total += float((forces**2).sum()) * (_SHARE * w) ** 2 + float((rise**2).sum())
        total += float(((state.shifts * self.step_weight) ** 2).sum())
        total += float(((values.dynamics + known.dynamics) ** 2).sum()) * (_DYNAMICS * w) ** 2
        for weight, value, multiplier in (
            (_CONE, values.cone, known.cone),
            (_REACH, values.reach, known.reach),
            (_FOLDED, values.folded, known.folded),
        ):
            total += float((np.maximum(value + multiplier, 0.0) ** 2).sum()) * (weight * w) ** 2
        return 0.5 * total

    def _shared(self) -> FloatArray:
        wanted = np.zeros((self.frames, self.legs, 3))
        wanted[..., 2] = self.plan.share
        return wanted

    def normal_equations(self, state: State, values: Values, known: Multipliers) -> Frames:
        """Return the Gauss-Newton system of a state."""
        system = Frames.empty(self.frames, self.size, self.leaves)
        self._add_dynamics(system, state, values, known)
        self._add_style(system, state)
        self._add_inequalities(system, values, known)
        return system

    def _add_dynamics(self, system: Frames, state: State, values: Values, known: Multipliers) -> None:
        frames, legs = self.frames, self.legs
        weight = _DYNAMICS * self.weight
        own = np.zeros((frames, 6, self.size))
        own[:, :3, :3] = -2.0 * self.rate * np.eye(3)
        own[:, 3:, 3:6] = -2.0 * self.rate * self.inertia
        across = skew(state.forces * self.plan.contact[..., None])
        own[:, 3:, :3] = -across.sum(axis=1)
        own[:, :3, 6:] = np.tile(-np.eye(3), legs) * self.mask[:, None]
        own[:, 3:, 6:] = np.swapaxes(-skew(values.arms), 1, 2).reshape(frames, 3, 3 * legs) * self.mask[:, None]
        # A foothold that moves changes the arm: d(-(p x f)) = f x dp.
        shared = np.zeros((frames, 6, legs, 2))
        shared[:, 3:] = np.swapaxes(across @ self.tangents, 1, 2)
        beside = np.zeros((frames, 6, HEAD))
        beside[:, :3, :3] = self.rate * np.eye(3)
        beside[:, 3:, 3:6] = self.rate * self.inertia
        inside = self.interior[:, :, None] * weight
        own, beside, moved = own * inside, beside * inside, shared.reshape(frames, 6, -1) * inside
        value = (values.dynamics + known.dynamics) * self.interior * weight
        turned, side = np.swapaxes(own, 1, 2), np.swapaxes(beside, 1, 2)
        square = side @ beside
        system.own[...] += turned @ own
        system.own[1:, :HEAD, :HEAD] += square[:-1]
        system.own[:-1, :HEAD, :HEAD] += square[1:]
        system.next[..., :HEAD] += turned @ beside
        system.next[:-1, :HEAD] += side[1:] @ own[1:]
        system.second[:-1, :HEAD] += square[1:]
        system.border[...] += turned @ moved
        system.border[1:, :HEAD] += side[:-1] @ moved[:-1]
        system.border[:-1, :HEAD] += side[1:] @ moved[1:]
        system.corner[...] += np.swapaxes(moved, 1, 2) @ moved
        system.shared[...] -= (np.swapaxes(moved, 1, 2) @ value[..., None])[..., 0]
        system.right[...] -= (turned @ value[..., None])[..., 0]
        pulled = (side @ value[..., None])[..., 0]
        system.right[1:, :HEAD] -= pulled[:-1]
        system.right[:-1, :HEAD] -= pulled[1:]

    def _add_style(self, system: Frames, state: State) -> None:
        off = self._wanted(state)
        system.own[:, :HEAD, :HEAD] += self.kept
        system.right[:, :HEAD] -= np.einsum("gij,gj->gi", self.kept, off)
        steady = (_RISE / self.plan.dt * self.weight) ** 2
        flat = state.forces.reshape(self.frames, -1) * self.mask
        rise = np.diff(flat, axis=0)
        at = np.arange(HEAD, self.size)
        wanted = (_SHARE * self.weight) ** 2
        ties = np.full((self.frames, 1), 2.0)
        ties[[0, -1]] = 1.0
        system.own[:, at, at] += np.where(self.mask > 0.0, wanted + steady * ties, 1.0)
        system.next[:-1, at, at] -= steady * self.mask[:-1] * self.mask[1:]
        bend = np.zeros_like(flat)
        bend[:-1] -= rise
        bend[1:] += rise
        pull = wanted * (flat - self._shared().reshape(self.frames, -1) * self.mask) + steady * bend
        system.right[:, HEAD:] -= pull * self.mask
        seen = np.flatnonzero(self.places >= 0)
        leg, moment = self.plan.steps.leg[seen], self.places[seen]
        for axis in range(2):
            column = 2 * leg + axis
            weight = self.step_weight[seen, axis] ** 2
            np.add.at(system.corner, (moment, column, column), weight)
            np.add.at(system.shared, (moment, column), -weight * state.shifts[seen, axis])

    def _add_inequalities(self, system: Frames, values: Values, known: Multipliers) -> None:
        at = np.arange(self.legs)
        size = np.sqrt((values.tangential**2).sum(axis=-1, keepdims=True) + _SMOOTH_NORM**2)
        level = values.tangential / size
        slope = level - _USED_FRICTION * self.normal
        # The cone bends sharply near its tip, where feet land and leave: without its second derivative steps overshoot.
        pressed = (
            np.maximum(values.cone + known.cone, 0.0)[..., None, None] * (_CONE * self.weight) ** 2 / size[..., None]
        )
        flat = np.eye(3) - self.normal[..., :, None] * self.normal[..., None, :]
        bent = pressed * (flat - level[..., :, None] * level[..., None, :])
        active = (values.cone + known.cone > 0.0)[..., None] * _CONE * self.weight
        rows = slope * active
        pushed = np.maximum(values.cone + known.cone, 0.0)[..., None] * _CONE * self.weight
        for one in range(3):
            column = HEAD + 3 * at + one
            system.right[:, column] -= (rows * pushed)[..., one]
            for other in range(3):
                system.own[:, column, HEAD + 3 * at + other] += (
                    rows[..., one] * rows[..., other] + bent[..., one, other]
                )
        along = rotations.normalized(values.to_heel)
        body = np.concatenate([-along, -rotations.cross(values.hips, along)], axis=-1)
        step = (along[..., None, :] @ self.tangents)[..., 0, :]
        for sign, value, weight in (
            (1.0, values.reach + known.reach, _REACH),
            (-1.0, values.folded + known.folded, _FOLDED),
        ):
            active = (value > 0.0)[..., None] * (weight * self.weight)
            own, moved = sign * body * active, sign * step * active
            pushed = np.maximum(value, 0.0)[..., None] * (weight * self.weight)
            system.own[:, :HEAD, :HEAD] += np.einsum("gli,glj->gij", own, own)
            system.right[:, :HEAD] -= (own * pushed).sum(axis=1)
            for one in range(2):
                system.border[:, :HEAD, 2 * at + one] += np.swapaxes(own * moved[..., one : one + 1], 1, 2)
                system.shared[:, 2 * at + one] -= (moved * pushed)[..., one]
                for other in range(2):
                    system.corner[:, 2 * at + one, 2 * at + other] += moved[..., one] * moved[..., other]

    def moved(self, state: State, frames: FloatArray, places: FloatArray) -> State:
        """Return the state with a step of the frames (G, n) and of the places (G, 2 L) added."""
        shifts = state.shifts.copy()
        seen = np.flatnonzero(self.places >= 0)
        leg, moment = self.plan.steps.leg[seen], self.places[seen]
        for axis in range(2):
            shifts[seen, axis] += places[moment, 2 * leg + axis]
        return State(
            state.com + frames[:, :3], state.turned + frames[:, 3:6],
            state.forces + frames[:, 6:].reshape(state.forces.shape), shifts,
        )  # fmt: skip
