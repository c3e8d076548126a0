# SPDX-License-Identifier: GPL-3.0-or-later
"""What a body does when it is pushed: it catches itself by where it steps, or it falls (docs/mathematics.md, 11.5).

The verdict is monotone by its making: along one direction there is one hardest push that can be caught, which is
searched for from below, each step begun from the answer to the one before; what is harder falls.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..arrays import FloatArray
from .footfall import foot_shifts, stands_on, with_steps
from .push_horizon import Laid, Pushed, Subject, lay_out
from .push_problem import Answer, Horizon, PushProblem, Residuals

# What may be left of the equations where a push counts as caught: body weights and hip heights.
_CAUGHT = 2e-3
# Rounds while the hardest push is searched for, and for the answer that is shown; steps of each.
_ROUNDS, _LAST_ROUNDS, _STEPS = 6, 10, 15
_SMALL_DECREASE, _ENOUGH, _EXACT = 1e-4, 1e-3, 5e-5
_DAMPING, _MORE, _LESS, _TRIES = 1e-5, 10.0, 0.1, 7
# What is left after a first round of what later rounds still mend, and by the square of the round less.
_HOPELESS = 0.08
# The body leans and sinks no further than this when it catches itself (radians, hip heights).
_LEANS, _SINKS = 0.9, 0.35
# The search: pushes twice as hard each time (√(g h)), up to the hardest, then between the last two.
_FIRST, _HARDEST, _HALVINGS = 0.1, 1.6, 3


@dataclass(frozen=True)
class Recovery:
    """How a clip goes on after a push. F frames, the first is the last that stays.

    com : (F, 3) metres of shift. turned : (F, 3) rotation vectors of the trunk. feet : (F, L, 2) metres of shift.
    threshold : metres a second, the hardest push in this direction that is caught. caught : whether this one is.
    missed : body weights by which the clip's own forces do not explain it, usually.
    """

    subject: Subject
    com: FloatArray
    turned: FloatArray
    feet: FloatArray
    threshold: float
    caught: bool
    missed: float


def answer_push(subject: Subject, push: Pushed, *, always: bool = False) -> Recovery:
    """Return how the body catches itself; where it cannot, ``caught`` is False and nothing moves.

    always : answer what cannot be caught as the hardest push that can.
    """
    best: tuple[float, Laid, Subject, list[tuple[float, Answer]]] | None = None
    for candidate in _footfalls(subject):
        laid = lay_out(candidate, push)
        speed = float(np.linalg.norm(push.delta_v)) * subject.template.time / subject.template.height
        hardest, path = _hardest(laid.horizon, speed)
        if best is None or hardest > best[0] + 1e-9:
            best = hardest, laid, candidate, path
    assert best is not None, "the clip's own footfall is a candidate"
    hardest, laid, chosen, path = best
    caught = speed <= hardest
    scale = 1.0 if caught else hardest / speed
    if not caught and not always:
        scale = 0.0
    answer = _answered(laid.horizon, scale, speed, path)
    unit = subject.template.height / subject.template.time
    return _in_frames(chosen, laid, answer, hardest * unit, caught)


def _footfalls(subject: Subject) -> list[Subject]:
    """Return the subject as it is, and with steps put in where feet would stand on: either side first."""
    body = subject.template
    still = stands_on(subject.footfall.contacts, 0, body.time, subject.clip.fps)
    if still.sum() < len(still) or len(still) < 2:
        return [subject]
    found = [subject]
    rows = np.array(body.rows)
    # Feet that are across from each other go together, as in a trot; those of a pair one after the other.
    first = [limb for limb in range(len(still)) if (rows[limb] % 2 == 0) == bool(body.left[limb])]
    second = [limb for limb in range(len(still)) if limb not in first]
    for order in ((first, second), (second, first)):
        stepped = with_steps(subject.footfall, 0, body.time, subject.clip.fps, order)
        if stepped.lifts:
            found.append(replace(subject, footfall=stepped))
    return found


def _hardest(horizon: Horizon, speed: float) -> tuple[float, list[tuple[float, Answer]]]:
    """Return the hardest push that is caught in √(g h), and the answers on the way there; ``speed`` is that asked."""
    path: list[tuple[float, Answer]] = [(0.0, Answer.none(horizon))]
    low, high = 0.0, 0.0
    while low < _HARDEST:
        high = max(2.0 * low, _FIRST)
        answer, met = _solved(horizon.pushed(high / speed), path[-1][1])
        if not met:
            break
        path.append((high, answer))
        low = high
    else:
        return low, path
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        answer, met = _solved(horizon.pushed(middle / speed), path[-1][1])
        if met:
            low = middle
            path.append((middle, answer))
        else:
            high = middle
    return low, path


def _answered(horizon: Horizon, scale: float, speed: float, path: Sequence[tuple[float, Answer]]) -> Answer:
    """Return the answer to a push that can be caught, from the nearest one below it."""
    if scale <= 0.0:
        return path[0][1]
    nearest = max((known for known in path if known[0] <= scale * speed + 1e-12), key=lambda known: known[0])
    return _solved(horizon.pushed(scale), nearest[1], _LAST_ROUNDS, _EXACT)[0]


def _solved(horizon: Horizon, start: Answer, rounds: int = _ROUNDS, enough: float = _ENOUGH) -> tuple[Answer, bool]:
    """Return the best answer to a push, and whether it catches it: augmented Lagrangian around Gauss-Newton."""
    problem = PushProblem(horizon)
    answer = start
    values = problem.residuals(answer)
    multipliers = _no_multipliers(values)
    best, least = answer, np.inf
    for done in range(1, rounds + 1):
        answer, values = _minimized(problem, answer, multipliers)
        if values.worst < least:
            best, least = answer, values.worst
        if least < enough or least > _HOPELESS / done**2:
            break
        multipliers = multipliers.raised(values)
    upright = float(np.linalg.norm(best.turned, axis=-1).max()) < _LEANS and float(best.com[:, 2].min()) > -_SINKS
    return best, bool(least < _CAUGHT and upright)


def _no_multipliers(values: Residuals) -> Residuals:
    kinds = ("dynamics", "ends", "cone", "reach", "folded", "places")
    return replace(values, **{name: np.zeros_like(getattr(values, name)) for name in kinds})


def _minimized(problem: PushProblem, answer: Answer, multipliers: Residuals) -> tuple[Answer, Residuals]:
    values = problem.residuals(answer)
    cost = problem.cost(answer, values, multipliers)
    damping = _DAMPING
    for _ in range(_STEPS):
        eased = True
        for _ in range(_TRIES):
            tried = problem.step(answer, values, multipliers, damping)
            tried_values = problem.residuals(tried)
            tried_cost = problem.cost(tried, tried_values, multipliers)
            if tried_cost < cost:
                break
            damping, eased = damping * _MORE, False
        else:
            return answer, values
        decrease = (cost - tried_cost) / max(cost, 1e-30)
        answer, values, cost = tried, tried_values, tried_cost
        damping = max(_LESS * damping, _DAMPING) if eased else damping
        if decrease < _SMALL_DECREASE:
            break
    return answer, values


def _in_frames(subject: Subject, laid: Laid, answer: Answer, threshold: float, caught: bool) -> Recovery:
    """Return the answer in the clip's frames: nodes by cubic pieces, what comes after the last as it is there."""
    frames = np.arange(subject.clip.frame_count, dtype=np.float64)
    height = subject.template.height
    final = np.append(answer.shifts[-1] if laid.horizon.settled else answer.com[-1, :2], 0.0)
    after = np.minimum(frames, laid.at[-1])
    com = _drawn(laid.at, answer.com, after)
    turned = _drawn(laid.at, answer.turned, after)
    if laid.horizon.settled:
        beyond = frames > laid.at[-1]
        com[beyond], turned[beyond] = final, 0.0
    shifts = answer.shifts if laid.horizon.settled else np.concatenate([answer.shifts[:-1], final[None, :2]])
    feet = foot_shifts(laid.stances, laid.chosen, shifts, 0, len(frames))
    return Recovery(subject, com * height, turned, feet * height, threshold, caught, laid.missed)


def _drawn(at: FloatArray, values: FloatArray, times: FloatArray) -> FloatArray:
    """Return evenly spaced values (N, 3) at ``times``, by Catmull-Rom's cubics; before the first node they are 0."""
    step = at[1] - at[0]
    place = np.clip(times / step, 0.0, len(at) - 1.0)
    whole = np.minimum(np.floor(place + 1e-9).astype(np.intp), len(at) - 2)
    part = (place - whole)[:, None]
    p = [values[np.clip(whole + offset, 0, len(at) - 1)] for offset in (-1, 0, 1, 2)]
    slope, after = 0.5 * (p[2] - p[0]), 0.5 * (p[3] - p[1])
    bow = 3.0 * (p[2] - p[1]) - 2.0 * slope - after
    twist = slope + after - 2.0 * (p[2] - p[1])
    return np.asarray(p[1] + part * (slope + part * (bow + part * twist)))
