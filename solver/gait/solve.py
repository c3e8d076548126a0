# SPDX-License-Identifier: GPL-3.0-or-later
"""Solve a gait problem: augmented Lagrangian outside, damped Gauss-Newton on cyclic blocks inside."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..block_tridiagonal import solve_cyclic
from ..rotations import FloatArray
from .plan import MotionPlan
from .problem import FRICTION, GaitProblem, Multipliers, Normal, State, Values

_ROUNDS, _STEPS = 20, 120
_SMALL_DECREASE, _GOOD_ENOUGH = 1e-4, 2e-7
# What counts as met: body weights and hip heights.
TOLERANCE = 1e-5


@dataclass(frozen=True)
class GaitSolution:
    """A stride in hip heights and √(h/g), in the heading frame, and what is left of its constraints.

    state : what was found; ``com`` (T, 3) and ``turned`` (T, 3) are whole, not shifts.
    dynamics, torque : the largest residuals, in body weights and times hip height.
    cone : the smallest margin of the friction cone in body weights. reach : the largest share of a leg's reach used.
    steps : of Gauss-Newton.
    """

    plan: MotionPlan
    state: State
    com: FloatArray
    dynamics: float
    torque: float
    cone: float
    reach: float
    steps: int

    @property
    def broken(self) -> str:
        """What of the constraints is not met, with its number; empty where all are."""
        parts = []
        if self.dynamics > TOLERANCE:
            parts.append(f"forces miss the motion by {self.dynamics:.1e} body weights")
        if self.torque > TOLERANCE:
            parts.append(f"torques miss the turn by {self.torque:.1e} body weights times hip height")
        if self.cone < 0.0:
            parts.append(f"a foot would slide: its friction lacks {-self.cone:.2g} body weights")
        if self.reach > 1.0:
            parts.append(f"a leg would need {self.reach:.3f} of its length")
        return "; ".join(parts)


def solve_gait(plan: MotionPlan, start: State | None = None) -> GaitSolution:
    """Return the stride that meets the plan best; whether its constraints are met stands in the result.

    start : a state of a plan with as many frames and legs, to begin with.
    """
    problem = GaitProblem(plan)
    state = start if start is not None and start.com.shape == plan.com.shape else State.at_rest(plan)
    known = Multipliers.none(plan)
    values = problem.values(state)
    steps = 0
    for _ in range(_ROUNDS):
        state, values, used = _minimized(problem, state, known)
        steps += used
        if _worst(values) < _GOOD_ENOUGH or steps > _STEPS:
            break
        known = problem.updated(values, known)
    return _solution(problem, state, values, steps)


def _worst(values: Values) -> float:
    parts = (np.abs(values.dynamics), values.cone, values.reach, values.folded)
    return max(float(part.max()) for part in parts)


def _minimized(problem: GaitProblem, state: State, known: Multipliers) -> tuple[State, Values, int]:
    values = problem.values(state)
    cost = problem.cost(state, values, known)
    damping = 1e-6
    for step in range(1, 16):
        normal = problem.normal_equations(state, values, known)
        for _ in range(8):
            tried = state.moved(*_step(normal, damping))
            tried_values = problem.values(tried)
            tried_cost = problem.cost(tried, tried_values, known)
            if tried_cost < cost:
                break
            damping *= 10.0
        else:
            return state, values, step
        decrease = (cost - tried_cost) / max(cost, 1e-30)
        state, values, cost, damping = tried, tried_values, tried_cost, max(0.1 * damping, 1e-9)
        if decrease < _SMALL_DECREASE:
            break
    return state, values, step


def _step(normal: Normal, damping: float) -> tuple[FloatArray, FloatArray]:
    """Return the step of frames (T, n) and of shared unknowns (p,), two frames to a block."""
    frames, size, extra = normal.border.shape
    count = frames // 2
    diagonal = np.zeros((count, 2 * size, 2 * size))
    upper = np.zeros_like(diagonal)
    even, odd = slice(0, None, 2), slice(1, None, 2)
    diagonal[:, :size, :size], diagonal[:, size:, size:] = normal.own[even], normal.own[odd]
    diagonal[:, :size, size:] = normal.next[even]
    diagonal[:, size:, :size] = np.swapaxes(normal.next[even], 1, 2)
    upper[:, :size, :size], upper[:, size:, size:] = normal.second[even], normal.second[odd]
    upper[:, size:, :size] = normal.next[odd]
    diagonal += damping * np.eye(2 * size)
    corner = normal.corner + damping * np.eye(extra)
    found, shared = solve_cyclic(
        diagonal,
        upper,
        normal.border.reshape(count, 2 * size, extra),
        corner,
        (normal.right.reshape(count, 2 * size), normal.shared_right),
    )
    return found.reshape(frames, size), shared


def _solution(problem: GaitProblem, state: State, values: Values, steps: int) -> GaitSolution:
    plan = problem.plan
    forces = state.forces
    margin = FRICTION * forces[..., 2] - np.linalg.norm(forces[..., :2], axis=-1)
    far = np.linalg.norm(values.to_heel, axis=-1) / plan.template.reach
    return GaitSolution(
        plan=plan,
        state=state,
        com=plan.com + state.com,
        dynamics=float(np.abs(values.dynamics[:, :3]).max()),
        torque=float(np.abs(values.dynamics[:, 3:]).max()),
        cone=float(margin[plan.contact].min()),
        reach=float(far[plan.contact].max()),
        steps=steps,
    )
