# SPDX-License-Identifier: GPL-3.0-or-later
"""What a body may do after a push, as a difference from a clip: residuals, derivatives, normal equations.

Unknowns on a grid of N nodes: shift of the centre of mass δc (3), turn of the trunk φ (3) and a force for each point of
contact (3 K); for the whole horizon a level shift of each stance that begins after the push (2 each), and the shift at
which the clip goes on (2). The clip itself meets all equations with no push, whatever its forces are: what the model
misses of it is left as it is (docs/mathematics.md, 11.5).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from .. import block_tridiagonal, rotations
from ..arrays import BoolArray, FloatArray, IntArray
from .problem import FRICTION, skew

# The friction cone as planes, which solve in fewer steps than the round one; they lie inside of it.
_FACETS = 12
_ANGLES = np.arange(_FACETS) * (2.0 * np.pi / _FACETS)
_USED_FRICTION = 0.99 * FRICTION * np.cos(np.pi / _FACETS)
_PLANES = np.stack([np.cos(_ANGLES), np.sin(_ANGLES), np.full(_FACETS, -_USED_FRICTION)], axis=-1)
# The last plane is the strength of the leg.
_PLANES = np.concatenate([_PLANES, [[0.0, 0.0, 1.0]]])
_SQUARES = (_PLANES[:, :, None] * _PLANES[:, None, :]).reshape(-1, 9)
_DYNAMICS, _CONE, _REACH, _FOLDED, _ENDS, _PLACES = 60.0, 10.0, 20.0, 10.0, 30.0, 20.0
_SHARE = 0.15
# The centre of mass to where the clip goes on (level, height); the trunk; a foothold likewise; and the way home.
_LEVEL, _HEIGHT, _TURNED, _FOOTHOLD, _HOME = 0.3, 2.0, (1.0, 1.0, 1.5), 0.4, 0.1


@dataclass(frozen=True)
class Horizon:
    """A clip from the push on, on a grid of N nodes, in hip heights and √(h/g), world axes.

    Node 0 is the last frame that stays. L limbs, K points of contact, S shifts of which the last is the final one.

    inertia : (N, 3, 3) of the body about its centre of mass.
    hips, heels : (N, L, 3) from the centre of mass. standing : (N, L).
    longest, shortest : (N, L) from hip to heel.
    points : (N, K, 3) from the centre of mass; limb : (K,) whose it is; pressed : (N, K) whether it carries.
    strongest : (K,) body weights that it carries at most.
    forces : (N, K, 3) of the clip, body weights.
    chosen : (N, L, S) 1 for the shift that a standing foot has; none for what stands where it stood at the push.
    places, bounds : (M, 2 S) and (M,): places @ shifts <= bounds, what swings can reach and what keeps legs apart.
    impulse, torque : (N, 3) of the push, as accelerations and about the centre of mass.
    settled : whether the clip goes on after the last node, so that all has to be well by then.
    """

    dt: float
    inertia: FloatArray
    hips: FloatArray
    heels: FloatArray
    standing: BoolArray
    longest: FloatArray
    shortest: FloatArray
    points: FloatArray
    limb: IntArray
    pressed: BoolArray
    strongest: FloatArray
    forces: FloatArray
    chosen: FloatArray
    places: FloatArray
    bounds: FloatArray
    impulse: FloatArray
    torque: FloatArray
    settled: bool

    def pushed(self, scale: float) -> Horizon:
        """Return the same with a push ``scale`` times as hard."""
        return replace(self, impulse=scale * self.impulse, torque=scale * self.torque)


@dataclass(frozen=True)
class Answer:
    """Values of all unknowns: com and turned (N, 3), forces (N, K, 3) and shifts (S, 2)."""

    com: FloatArray
    turned: FloatArray
    forces: FloatArray
    shifts: FloatArray

    @staticmethod
    def none(horizon: Horizon) -> Answer:
        """Return what the clip does without a push."""
        count = len(horizon.forces)
        return Answer(
            np.zeros((count, 3)), np.zeros((count, 3)), horizon.forces.copy(), np.zeros((horizon.chosen.shape[2], 2))
        )


@dataclass(frozen=True)
class Residuals:
    """Unweighted: dynamics (N, 6), ends (2, 6); inequalities cone (N, K, planes), reach, folded (N, L), places (M,)."""

    dynamics: FloatArray
    ends: FloatArray
    cone: FloatArray
    reach: FloatArray
    folded: FloatArray
    places: FloatArray
    arms: FloatArray
    to_heel: FloatArray
    hips: FloatArray

    @property
    def worst(self) -> float:
        """How much is broken at most, in body weights and hip heights."""
        sized = (self.cone, self.reach, self.folded, self.places)
        broken = [float(part.max()) for part in sized if part.size]
        return max(float(np.abs(self.dynamics).max()), float(np.abs(self.ends).max()), 0.0, *broken)

    def raised(self, by: Residuals) -> Residuals:
        """Return multipliers ``self`` after a round that has left the residuals ``by``."""
        return replace(
            self,
            dynamics=self.dynamics + by.dynamics,
            ends=self.ends + by.ends,
            cone=np.maximum(self.cone + by.cone, 0.0),
            reach=np.maximum(self.reach + by.reach, 0.0),
            folded=np.maximum(self.folded + by.folded, 0.0),
            places=np.maximum(self.places + by.places, 0.0),
        )


class PushProblem:
    """The problem of one horizon: what does not change while it is solved."""

    def __init__(self, horizon: Horizon) -> None:
        self.horizon = horizon
        self.nodes, self.points = horizon.pressed.shape
        self.shared = 2 * horizon.chosen.shape[2]
        self.weight = float(np.sqrt(horizon.dt))
        self.free = np.ones((self.nodes, 6))
        self.free[:2] = 0.0
        self.given = horizon.pressed.copy()
        self.given[0] = False
        self.known = np.zeros(self.nodes)
        self.known[1:-1] = 1.0

    def residuals(self, answer: Answer) -> Residuals:
        """Return all residuals of an answer."""
        h = self.horizon
        shift = np.zeros((*h.standing.shape, 3))
        shift[..., :2] = h.chosen @ answer.shifts
        arms = h.points + shift[:, h.limb] - answer.com[:, None]
        forces = answer.forces * h.pressed[..., None]
        given = h.forces * h.pressed[..., None]
        newton = _accelerated(answer.com, h.dt) - (forces - given).sum(axis=1) - h.impulse
        torque = rotations.cross(arms, forces).sum(axis=1) - rotations.cross(h.points, given).sum(axis=1)
        euler = (h.inertia @ _accelerated(answer.turned, h.dt)[..., None])[..., 0] - torque - h.torque
        cone = forces @ _PLANES.T
        cone[..., -1] -= h.strongest
        turn = np.broadcast_to(rotations.from_vector(answer.turned)[:, None], (*h.standing.shape, 4))
        hips = rotations.rotate(turn, h.hips)
        to_heel = h.heels + shift - answer.com[:, None] - hips
        far = np.linalg.norm(to_heel, axis=-1)
        lifted = np.where(h.standing, 0.0, -1e3)
        ends = np.concatenate([answer.com, answer.turned], axis=1)[-2:]
        ends[:, :2] -= answer.shifts[-1]
        return Residuals(
            np.concatenate([newton, euler], axis=1) * self.known[:, None],
            ends * float(h.settled),
            cone + np.where(h.pressed, 0.0, -1e3)[..., None],
            far - h.longest + lifted,
            h.shortest - far + lifted,
            h.places @ answer.shifts.ravel() - h.bounds,
            arms, to_heel, hips,
        )  # fmt: skip

    def style(self, answer: Answer) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return weighted residuals: of nodes (N, 6), forces (N, K, 3) and shifts (2 S,)."""
        h = self.horizon
        wanted = np.concatenate([answer.com, answer.turned], axis=1)
        wanted[:, :2] -= answer.shifts[-1]
        off = (answer.forces - h.forces) * self.given[..., None]
        shifts = np.concatenate([(answer.shifts[:-1] - answer.shifts[-1]) * _FOOTHOLD, answer.shifts[-1:] * _HOME])
        return wanted * self._style_weights(), off * (_SHARE * self.weight), shifts.ravel()

    def _style_weights(self) -> FloatArray:
        return np.array([_LEVEL, _LEVEL, _HEIGHT, *_TURNED]) * self.weight

    def cost(self, answer: Answer, values: Residuals, multipliers: Residuals) -> float:
        """Return half the sum of squares of the augmented Lagrangian."""
        total = sum(float((part**2).sum()) for part in self.style(answer))
        w = self.weight
        total += float((((values.dynamics + multipliers.dynamics) * _DYNAMICS * w) ** 2).sum())
        total += float((((values.ends + multipliers.ends) * _ENDS) ** 2).sum())
        for weight, name in ((_CONE * w, "cone"), (_REACH * w, "reach"), (_FOLDED * w, "folded"), (_PLACES, "places")):
            broken = np.maximum(getattr(values, name) + getattr(multipliers, name), 0.0)
            total += float(((broken * weight) ** 2).sum())
        return 0.5 * total

    def step(self, answer: Answer, values: Residuals, multipliers: Residuals, damping: float) -> Answer:
        """Return the answer one Gauss-Newton step on, damped.

        The forces of a node only enter its own equations of motion, so they are taken out of them first: what is left
        are the same equations with a weight M (6 x 6), how firm they are once the forces may give way.
        """
        dynamics = self._dynamics(answer, values, multipliers, damping)
        normal = Normal.empty(self.nodes, self.shared)
        normal.add_coupled(dynamics, self.free)
        self._add_style(normal, answer)
        self._add_legs(normal, values, multipliers)
        self._add_ends(normal, values.ends + multipliers.ends)
        broken = values.places + multipliers.places
        rows = self.horizon.places * ((broken > 0.0) * _PLACES)[:, None]
        normal.corner[...] += rows.T @ rows
        normal.shared_right[...] -= rows.T @ np.maximum(broken * _PLACES, 0.0)
        nodes, shared = normal.solved(damping)
        forces = dynamics.forces(nodes * self.free, shared)
        return Answer(
            answer.com + nodes[:, :3] * self.free[:, :3],
            answer.turned + nodes[:, 3:] * self.free[:, 3:],
            answer.forces + forces,
            answer.shifts + shared.reshape(answer.shifts.shape),
        )

    def _shifted(self, rows: FloatArray) -> FloatArray:
        """Return (N, R, 2 S) of rows (N, R, L, 2) that the shift under each limb's foot changes."""
        chosen = self.horizon.chosen[:, None, :, :, None]
        full = (rows[:, :, :, None] * chosen).sum(axis=2)
        return full.reshape(*rows.shape[:2], self.shared)

    def _dynamics(self, answer: Answer, values: Residuals, multipliers: Residuals, damping: float) -> Dynamics:
        """Return the equations of motion (N, 6) without their forces."""
        h = self.horizon
        beside = np.zeros((self.nodes, 6, 6))
        beside[:, :3, :3] = np.eye(3) / h.dt**2
        beside[:, 3:, 3:] = h.inertia / h.dt**2
        own = -2.0 * beside
        across = skew(answer.forces * h.pressed[..., None])
        own[:, 3:, :3] -= across.sum(axis=1)
        moved = np.zeros((self.nodes, 6, h.standing.shape[1], 2))
        for point, limb in enumerate(h.limb.tolist()):
            moved[:, 3:, limb] += across[:, point, :, :2]
        by_force = np.zeros((self.nodes, 6, self.points, 3))
        by_force[:, :3] = -np.eye(3)[None, :, None]
        by_force[:, 3:] = np.swapaxes(-skew(values.arms), 1, 2)
        firm = (self.known * _DYNAMICS * self.weight)[:, None, None]
        given, gradient = self._give(answer, values.cone + multipliers.cone, damping)
        by_force *= firm[..., None]
        lent = np.swapaxes(np.swapaxes(by_force, 1, 2) @ given, 1, 2).reshape(self.nodes, 6, -1)
        weight = np.linalg.inv(np.eye(6) + lent @ np.swapaxes(by_force.reshape(self.nodes, 6, -1), 1, 2))
        value = (values.dynamics + multipliers.dynamics) * firm[..., 0]
        value = value - (lent @ gradient.reshape(self.nodes, -1, 1))[..., 0]
        own_force = -(given @ gradient[..., None])[..., 0]
        return Dynamics(own * firm, beside * firm, self._shifted(moved) * firm, value, weight, lent, own_force)

    def _give(self, answer: Answer, cone: FloatArray, damping: float) -> tuple[FloatArray, FloatArray]:
        """Return how easily forces give way (N, K, 3, 3), 0 where there are none, and their gradient (N, K, 3)."""
        pulls = np.where(cone > 0.0, (_CONE * self.weight) ** 2, 0.0)
        own = (_SHARE * self.weight) ** 2
        stiff = (pulls @ _SQUARES).reshape(*answer.forces.shape, 3) + (own + damping) * np.eye(3)
        gradient = own * (answer.forces - self.horizon.forces) + (pulls * cone) @ _PLANES
        gives = self.given[..., None]
        return np.linalg.inv(stiff) * gives[..., None], gradient * gives

    def _add_style(self, normal: Normal, answer: Answer) -> None:
        wanted, _, shifts = self.style(answer)
        plain = self._style_weights()
        weights = plain * self.free
        at = np.arange(6)
        normal.own[:, at, at] += weights**2 + (self.free == 0.0)
        normal.right[...] -= weights * wanted
        last = self.shared - 2
        for axis in range(2):
            normal.border[:, axis, last + axis] -= weights[:, axis] ** 2
            normal.corner[last + axis, last + axis] += plain[axis] ** 2 * self.nodes
            normal.shared_right[last + axis] += plain[axis] * wanted[:, axis].sum()
        rows = _FOOTHOLD * np.eye(self.shared)
        rows[:-2, -2:] -= _FOOTHOLD * np.tile(np.eye(2), (self.shared // 2 - 1, 1))
        rows[-2:] *= _HOME / _FOOTHOLD
        normal.corner[...] += rows.T @ rows
        normal.shared_right[...] -= rows.T @ shifts

    def _add_ends(self, normal: Normal, value: FloatArray) -> None:
        if not self.horizon.settled:
            return
        rows = np.tile(_ENDS * np.eye(6), (2, 1, 1))
        shared = np.zeros((2, 6, self.shared))
        shared[:, :2, -2:] = -_ENDS * np.eye(2)
        normal.add_rows(slice(-2, None), rows, shared, value * _ENDS)

    def _add_legs(self, normal: Normal, values: Residuals, multipliers: Residuals) -> None:
        along = rotations.normalized(values.to_heel)
        limbs = along.shape[1]
        own = np.concatenate([-along, -rotations.cross(values.hips, along)], axis=-1) * self.free[:, None]
        moved = np.zeros((self.nodes, limbs, limbs, 2))
        moved[:, np.arange(limbs), np.arange(limbs)] = along[..., :2]
        shared = self._shifted(moved)
        for sign, weight, value in (
            (1.0, _REACH, values.reach + multipliers.reach),
            (-1.0, _FOLDED, values.folded + multipliers.folded),
        ):
            active = np.where(value > 0.0, weight * self.weight, 0.0)
            rows = sign * active[..., None]
            normal.add_rows(slice(None), own * rows, shared * rows, np.maximum(value, 0.0) * active)


def _accelerated(values: FloatArray, dt: float) -> FloatArray:
    """Return the second differences (N, 3) by time, 0 at both ends."""
    result = np.zeros_like(values)
    result[1:-1] = (values[2:] + values[:-2] - 2.0 * values[1:-1]) / dt**2
    return result


@dataclass(frozen=True)
class Dynamics:
    """Weighted equations of motion, without their forces: own and beside (N, 6, 6) of a node and of those beside it.

    shared : (N, 6, p). value : (N, 6). weight : (N, 6, 6), M.
    lent : (N, 6, 3 K) what forces do to the equations, by how easily they give way.
    own_force : (N, K, 3) what the forces would do without the equations.
    """

    own: FloatArray
    beside: FloatArray
    shared: FloatArray
    value: FloatArray
    weight: FloatArray
    lent: FloatArray
    own_force: FloatArray

    def forces(self, nodes: FloatArray, shared: FloatArray) -> FloatArray:
        """Return (N, K, 3), the step of the forces that goes with steps of nodes (N, 6) and what they share (p,)."""
        total = self.value + (self.own @ nodes[..., None])[..., 0] + self.shared @ shared
        total[1:] += (self.beside[1:] @ nodes[:-1, :, None])[..., 0]
        total[:-1] += (self.beside[:-1] @ nodes[1:, :, None])[..., 0]
        pulled = np.swapaxes(self.lent, 1, 2) @ (self.weight @ total[..., None])
        return self.own_force - pulled.reshape(self.own_force.shape)


@dataclass(frozen=True)
class Normal:
    """Normal equations of an open horizon: own, next and second (N, 6, 6), from a node to itself and the two after."""

    own: FloatArray
    next: FloatArray
    second: FloatArray
    border: FloatArray
    corner: FloatArray
    right: FloatArray
    shared_right: FloatArray

    @staticmethod
    def empty(nodes: int, shared: int) -> Normal:
        own, after, second = (np.zeros((nodes, 6, 6)) for _ in range(3))
        border, corner = np.zeros((nodes, 6, shared)), np.zeros((shared, shared))
        return Normal(own, after, second, border, corner, np.zeros((nodes, 6)), np.zeros(shared))

    def add_rows(self, nodes: slice, rows: FloatArray, shared: FloatArray, value: FloatArray) -> None:
        """Add rows (M, R, 6) and (M, R, p) that only their own node knows, with residuals (M, R)."""
        turned = np.swapaxes(rows, 1, 2)
        self.own[nodes] += turned @ rows
        self.right[nodes] -= (turned @ value[..., None])[..., 0]
        self.border[nodes] += turned @ shared
        flat = shared.reshape(-1, shared.shape[-1])
        self.corner[...] += flat.T @ flat
        self.shared_right[...] -= flat.T @ value.ravel()

    def add_coupled(self, motion: Dynamics, free: FloatArray) -> None:
        """Add the equations of motion, which the nodes beside theirs know too."""
        root = np.swapaxes(np.linalg.cholesky(motion.weight), 1, 2)
        own = root @ motion.own * free[:, None]
        shared = root @ motion.shared
        value = (root @ motion.value[..., None])[..., 0]
        before = (root @ motion.beside)[1:] * free[:-1, None]
        after = (root @ motion.beside)[:-1] * free[1:, None]
        self.add_rows(slice(None), own, shared, value)
        before_t, after_t = np.swapaxes(before, 1, 2), np.swapaxes(after, 1, 2)
        self.own[1:] += after_t @ after
        self.own[:-1] += before_t @ before
        self.next[:-1] += np.swapaxes(own[:-1], 1, 2) @ after + before_t @ own[1:]
        self.second[:-2] += before_t[:-1] @ after[1:]
        self.border[1:] += after_t @ shared[:-1]
        self.border[:-1] += before_t @ shared[1:]
        self.right[1:] -= (after_t @ value[:-1, :, None])[..., 0]
        self.right[:-1] -= (before_t @ value[1:, :, None])[..., 0]

    def solved(self, damping: float) -> tuple[FloatArray, FloatArray]:
        """Return the step of nodes (N, 6), an even number of them, and of what they share (p,)."""
        nodes, size, extra = self.border.shape
        count = nodes // 2
        even, odd = slice(0, None, 2), slice(1, None, 2)
        diagonal = np.zeros((count, 2 * size, 2 * size))
        upper = np.zeros_like(diagonal)
        diagonal[:, :size, :size], diagonal[:, size:, size:] = self.own[even], self.own[odd]
        diagonal[:, :size, size:] = self.next[even]
        diagonal[:, size:, :size] = np.swapaxes(self.next[even], 1, 2)
        upper[:, :size, :size], upper[:, size:, size:] = self.second[even], self.second[odd]
        upper[:, size:, :size] = self.next[odd]
        diagonal += damping * np.eye(2 * size)
        sides = np.concatenate([self.border, self.right[..., None]], axis=-1).reshape(count, 2 * size, extra + 1)
        found = block_tridiagonal.solve(diagonal, upper[:-1], sides).reshape(nodes, size, extra + 1)
        inner, own = found[..., :-1], found[..., -1]
        flat = self.border.reshape(-1, extra)
        rest = self.corner + damping * np.eye(extra) - flat.T @ inner.reshape(-1, extra)
        shared = np.linalg.solve(rest, self.shared_right - flat.T @ own.ravel())
        return own - inner @ shared, shared
