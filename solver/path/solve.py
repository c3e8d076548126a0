# SPDX-License-Identifier: GPL-3.0-or-later
"""Solve a way: augmented Lagrangian outside, damped Gauss-Newton with a moving front inside."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass

import numpy as np

from ..gait.problem import FRICTION
from ..moving_front import solve_frames
from ..rotations import FloatArray
from .plan import PathPlan
from .problem import Multipliers, PathProblem, State, Values

_ROUNDS, _STEPS = 8, 60
_SMALL_DECREASE = 5e-3
# Shares of a step that are tried, where all of it goes too far.
_SHARES = (1.0, 0.4, 0.15)
# What counts as met: of dynamics, of the friction cone (body weights), and of reach (hip heights). What is asked of
# cone and reach keeps more than that from their limits.
_MET, _CONE_MET, _REACH_MET = 3e-4, 2.5e-3, 2e-3
# Body weights that a foot may push sideways beyond its friction, below which nothing counts as broken.
_SLIGHT = 1e-3


@dataclass(frozen=True)
class PathSolution:
    """A way in hip heights and √(h/g), the world's axes, and what is left of its constraints.

    com, turned (G, 3) : whole, not shifts. footholds (S, 3).
    dynamics, torque : largest residuals, body weights and times hip height.
    cone : share of moments of standing feet in which friction is broken, by a thousandth of the weight.
    reach : largest share of a leg's reach.
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
    steps = solve_in_steps(plan, start)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            solution: PathSolution = end.value
            return solution


def solve_in_steps(plan: PathPlan, start: State | None = None) -> Generator[float, None, PathSolution]:
    """Do what ``solve_path`` does, and yield about how much of it is done, 0 to 1.

    start : a state of a plan with as many moments and steps, to begin with.
    """
    problem = PathProblem(plan)
    fits = start is not None and start.com.shape == plan.com.shape and len(start.shifts) == len(plan.steps.leg)
    state = start if fits and start is not None else State.at_rest(plan)
    known = problem.none_known()
    values = problem.values(state)
    steps = 0
    for _ in range(_ROUNDS):
        rounds = _minimized(problem, state, known)
        while True:
            try:
                next(rounds)
            except StopIteration as end:
                state, values = end.value
                break
            steps += 1
            yield steps / (steps + 10.0)
        if _met(values) or steps > _STEPS:
            break
        known = problem.updated(values, known)
    return _solution(problem, state, values, steps)


def _met(values: Values) -> bool:
    reached = max(float(values.reach.max()), float(values.folded.max())) < _REACH_MET
    return reached and float(np.abs(values.dynamics).max()) < _MET and float(values.cone.max()) < _CONE_MET


def _minimized(problem: PathProblem, state: State, known: Multipliers) -> Generator[None, None, tuple[State, Values]]:
    """Return the state that is best for these multipliers; yields after each step of Gauss-Newton."""
    values = problem.values(state)
    cost = problem.cost(state, values, known)
    damping = 1e-6
    for _ in range(12):
        system = problem.normal_equations(state, values, known)
        yield
        for _ in range(4):
            step = solve_frames(system, damping)
            for share in _SHARES:
                tried = problem.moved(state, share * step[0], share * step[1])
                tried_values = problem.values(tried)
                tried_cost = problem.cost(tried, tried_values, known)
                if tried_cost < cost:
                    break
            # Half of what the linear rows say of the frames is a lower bound of what is hoped for.
            hoped = 0.5 * float((system.right * step[0]).sum())
            if tried_cost < cost or hoped < _SMALL_DECREASE * cost:
                break
            damping *= 100.0
        if tried_cost >= cost:
            break
        decrease = (cost - tried_cost) / max(cost, 1e-30)
        state, values, cost, damping = tried, tried_values, tried_cost, max(0.1 * damping, 1e-9)
        if decrease < _SMALL_DECREASE:
            break
    return state, values


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
        cone=float((margin[1:-1][inside] < -_SLIGHT).mean()),
        reach=float(far[1:-1][inside].max()),
        steps=steps,
    )
