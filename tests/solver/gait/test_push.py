# SPDX-License-Identifier: GPL-3.0-or-later
"""A pushed body catches itself within what its feet can do, and the clip of before the push is not touched."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest

from support.gait_bodies import Build, standing
from toehold.solver.arrays import FloatArray
from toehold.solver.contacts import Contacts
from toehold.solver.gait.footfall import Footfall
from toehold.solver.gait.gaits import gait_for
from toehold.solver.gait.plan import Wish, make_plan
from toehold.solver.gait.pose import centre_of_mass, pose_gait
from toehold.solver.gait.push import Recovery, _no_multipliers, answer_push
from toehold.solver.gait.push_horizon import Pushed, Subject, lay_out
from toehold.solver.gait.push_pose import recovered
from toehold.solver.gait.push_problem import Answer, PushProblem
from toehold.solver.gait.solve import solve_gait
from toehold.solver.gait.template import template_of

PERSON = Build(pairs=1, thigh=0.42, shank=0.42, trunk=0.5)
DOG = Build(pairs=2)
SIDEWAYS = (1.0, 0.0, 0.0)


@lru_cache(maxsize=4)
def walking(build: Build, gait: str, froude: float, frame: int = 20) -> Subject:
    """Return what is left of some strides from a frame on."""
    stand, limbs = standing(build)
    body = template_of(stand, limbs)
    chosen = gait_for(gait, len(limbs))
    assert chosen is not None
    plan = make_plan(body, Wish(chosen, float(np.sqrt(froude * 9.81 * body.height)), fps=60.0))
    posed = pose_gait(solve_gait(plan), stand, limbs, cycles=5)
    clip = posed.clip.during(slice(frame, None))
    own = template_of(clip, limbs)
    com = centre_of_mass(clip, own.masses, own.coms)
    contacts = posed.contacts.during(slice(frame, None))
    return Subject(clip, limbs, own, Footfall(contacts), com, float(own.origin[2]))


def push_by(subject: Subject, way: tuple[float, float, float], share: float) -> Pushed:
    """Return a push at the centre of mass by a share of √(g h)."""
    speed = share * np.sqrt(9.81 * subject.template.height)
    return Pushed(subject.com[0], speed * np.array(way))


@lru_cache(maxsize=8)
def walker_answered(way: tuple[float, float, float], share: float) -> Recovery:
    return answer_push(walking(PERSON, "WALK", 0.2), push_by(walking(PERSON, "WALK", 0.2), way, share))


def answered(subject: Subject, way: tuple[float, float, float], share: float) -> Recovery:
    return answer_push(subject, push_by(subject, way, share))


@pytest.mark.parametrize(
    ("build", "gait", "froude", "share"),
    [(PERSON, "WALK", 0.2, 0.2), (PERSON, "RUN", 1.0, 0.4), (DOG, "TROT", 1.0, 0.2)],
    ids=["walk", "run", "trot"],
)
def test_a_shove_from_the_side_is_caught(build: Build, gait: str, froude: float, share: float) -> None:
    subject = walking(build, gait, froude)
    recovery = walker_answered(SIDEWAYS, share) if gait == "WALK" else answered(subject, SIDEWAYS, share)
    assert recovery.caught
    clip = recovered(recovery, push_by(subject, SIDEWAYS, share))
    # It gives way by centimetres, and ends upright beside its old way.
    aside = (clip.positions[:, 0] - subject.clip.positions[:, 0])[:, 0] / subject.template.height
    assert aside.max() > 0.03
    height = clip.positions[-1, 0, 2] / subject.clip.positions[-1, 0, 2]
    assert height == pytest.approx(1.0, abs=0.02)


def test_what_is_harder_than_the_threshold_falls_and_what_is_softer_does_not() -> None:
    subject = walking(PERSON, "WALK", 0.2)
    threshold = walker_answered(SIDEWAYS, 0.2).threshold / np.sqrt(9.81 * subject.template.height)
    for share in (0.98, 1.02):
        again = answered(subject, SIDEWAYS, share * threshold)
        assert again.caught == (share < 1.0)
        assert again.threshold == pytest.approx(threshold * np.sqrt(9.81 * subject.template.height), rel=1e-6)


def test_feet_that_stood_at_the_push_stay_and_those_that_come_down_later_do_not_slide() -> None:
    subject = walking(PERSON, "WALK", 0.2)
    recovery = walker_answered(SIDEWAYS, 0.2)
    clip = recovered(recovery, push_by(subject, SIDEWAYS, 0.2))
    planted = recovery.subject.footfall.contacts.toe_planted
    toes = clip.positions[:, [limb.toe for limb in subject.limbs]]
    steps = np.linalg.norm(np.diff(toes, axis=0), axis=-1)[planted[1:] & planted[:-1]]
    assert steps.max() < 2e-4


def test_the_last_frame_before_the_push_is_the_clips_own_and_speed_rises_from_there() -> None:
    subject = walking(PERSON, "WALK", 0.2)
    clip = recovered(walker_answered(SIDEWAYS, 0.2), push_by(subject, SIDEWAYS, 0.2))
    assert np.array_equal(clip.local_rotations[0], subject.clip.local_rotations[0])
    assert np.array_equal(clip.local_locations[0], subject.clip.local_locations[0])
    moved = np.linalg.norm(clip.positions - subject.clip.positions, axis=-1).max(axis=1)
    assert moved[1] < 2e-3
    assert moved.max() > 0.05


def test_a_body_that_stands_makes_a_step_of_its_own() -> None:
    stand, limbs = standing(PERSON)
    count = 170
    held = stand.moved(np.repeat(stand.local_rotations, count, 0), np.repeat(stand.local_locations, count, 0))
    body = template_of(stand, limbs)
    com = centre_of_mass(held, body.masses, body.coms)
    down = np.ones((count, 2))
    subject = Subject(held, limbs, body, Footfall(Contacts(down, down)), com, 0.0)
    recovery = answered(subject, SIDEWAYS, 0.25)
    assert recovery.caught
    assert {limb for limb, _, _ in recovery.subject.footfall.lifts} == {0, 1}
    clip = recovered(recovery, push_by(subject, SIDEWAYS, 0.25))
    toes = clip.positions[:, [limb.toe for limb in limbs], 2]
    assert 0.03 < toes.max() - toes.min() < 0.2
    assert toes.min() > stand.positions[0, limbs[0].toe, 2] - 1e-3


def test_the_same_push_has_the_same_answer_bit_for_bit() -> None:
    subject = walking(PERSON, "WALK", 0.2)
    push = push_by(subject, SIDEWAYS, 0.2)
    one, other = recovered(walker_answered(SIDEWAYS, 0.2), push), recovered(answered(subject, SIDEWAYS, 0.2), push)
    assert np.array_equal(one.local_rotations, other.local_rotations)
    assert np.array_equal(one.local_locations, other.local_locations)


def test_a_step_of_the_solver_is_the_least_squares_step() -> None:
    """Forces are taken out of the equations first, which must change nothing."""
    subject = walking(PERSON, "WALK", 0.2)
    problem = PushProblem(lay_out(subject, push_by(subject, SIDEWAYS, 0.1)).horizon)
    start = Answer.none(problem.horizon)
    values = problem.residuals(start)
    none = _no_multipliers(values)
    end = problem.step(start, values, none, 1e-9)

    def cost(share: float) -> float:
        def between(a: FloatArray, b: FloatArray) -> FloatArray:
            return a + share * (b - a)

        names = ("com", "turned", "forces", "shifts")
        answer = Answer(*(between(getattr(start, name), getattr(end, name)) for name in names))
        return problem.cost(answer, problem.residuals(answer), none)

    # Of a quadratic, the whole step is the bottom: as far down before as up after.
    assert cost(1.0) < 0.01 * cost(0.0)
    assert cost(1.0) <= min(cost(0.9), cost(1.1))
