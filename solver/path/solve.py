# SPDX-License-Identifier: GPL-3.0-or-later
"""Solve a way: augmented Lagrangian outside, damped Gauss-Newton with a moving front inside; long ways in windows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..gait.problem import FRICTION
from ..moving_front import solve_frames
from ..rotations import FloatArray
from .plan import PathPlan
from .problem import PathProblem, State, Values

_ROUNDS, _STEPS = 8, 60
_SMALL_DECREASE = 1e-3
# What counts as met: body weights (and hip heights), and hip heights of reach.
_GOOD_ENOUGH = 1e-4


@dataclass(frozen=True)
class PathSolution:
    """A way in hip heights and √(h/g), the world's axes, and what is left of its constraints.

    com, turned (G, 3) : whole, not shifts. footholds (S, 3).
    dynamics, torque : largest residuals, body weights and times hip height.
    cone : share of moments of standing feet in which friction is broken. reach : largest share of a leg's reach.
    """

    plan: PathPlan
    state: State
    com: FloatArray
    footholds: FloatArray
    dynamics: float
    torque: float
    cone: float
    reach: float
    steps: int


def solve_path(plan: PathPlan, start: State | None = None) -> PathSolution:
    """Return the way that meets the plan best; what is left of its constraints stands in the result."""
    problem = PathProblem(plan)
    fits = start is not None and start.com.shape == plan.com.shape and len(start.shifts) == len(plan.steps.leg)
    state = start if fits and start is not None else State.at_rest(plan)
    aim = np.zeros((problem.frames, 6))
    known = problem.none_known()
    values = problem.values(state)
    steps = 0
    for _ in range(_ROUNDS):
        state, values, used = _minimized(problem, state, known, aim)
        steps += used
        if _worst(values) < _GOOD_ENOUGH or steps > _STEPS:
            break
        known = problem.updated(values, known)
    return _solution(problem, state, values, steps)


def _worst(values: Values) -> float:
    parts = (np.abs(values.dynamics), values.cone, values.reach, values.folded)
    return max(float(part.max()) for part in parts)


def _minimized(problem: PathProblem, state: State, known: object, aim: FloatArray) -> tuple[State, Values, int]:
    values = problem.values(state)
    cost = problem.cost(state, values, known, aim)
    damping = 1e-6
    for step in range(1, 13):
        system = problem.normal_equations(state, values, known, aim)
        for _ in range(8):
            tried = problem.moved(state, *solve_frames(system, damping))
            tried_values = problem.values(tried)
            tried_cost = problem.cost(tried, tried_values, known, aim)
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


def _solution(problem: PathProblem, state: State, values: Values, steps: int) -> PathSolution:
    plan = problem.plan
    forces = state.forces
    pressed = (forces * problem.normal).sum(axis=-1)
    margin = FRICTION * pressed - np.linalg.norm(forces - pressed[..., None] * problem.normal, axis=-1)
    far = np.linalg.norm(values.to_heel, axis=-1) / plan.body.reach
    inside = plan.contact[1:-1]
    return PathSolution(
        plan=plan,
        state=state,
        com=plan.com + state.com,
        footholds=plan.feet.footholds + (plan.feet.tangents @ state.shifts[..., None])[..., 0],
        dynamics=float(np.abs(values.dynamics[:, :3]).max()),
        torque=float(np.abs(values.dynamics[:, 3:]).max()),
        cone=float((margin[1:-1][inside] < -1e-4).mean()),
        reach=float(far[1:-1][inside].max()),
        steps=steps,
    )
