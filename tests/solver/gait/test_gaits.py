# SPDX-License-Identifier: GPL-3.0-or-later
"""A body that has never moved walks: its motion obeys its own weight, and no foot slides."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from support.gait_bodies import Build, standing
from toehold.solver.clip import Clip, Skeleton
from toehold.solver.contacts import runs
from toehold.solver.gait.gaits import GAITS, Gait, by_speed, gait_for
from toehold.solver.gait.plan import PlanError, Wish, make_plan
from toehold.solver.gait.pose import PosedGait, centre_of_mass, pose_gait
from toehold.solver.gait.solve import GaitSolution, solve_gait
from toehold.solver.gait.template import GRAVITY, template_of
from toehold.solver.limb import Limb

PERSON = Build(pairs=1, thigh=0.43, shank=0.42, trunk=0.5)
OF_LEGS = {2: PERSON, 4: Build(), 6: Build(pairs=3), 8: Build(pairs=4)}
EVERY_GAIT = [(legs, gait) for legs in OF_LEGS for gait in GAITS if gait.legs[0] <= legs <= gait.legs[1]]


def made(build: Build, gait: Gait, froude: float, turn: float = 0.0, cycles: int = 2) -> tuple[GaitSolution, PosedGait]:
    """Return a gait at a Froude number; ``turn`` in radians a unit of √(h/g)."""
    stand, limbs = standing(build)
    body = template_of(stand, limbs)
    wish = Wish(gait, float(np.sqrt(froude * GRAVITY * body.height)), turn / body.time)
    solution = solve_gait(make_plan(body, wish))
    return solution, pose_gait(solution, stand, limbs, cycles)


def of(name: str, legs: int) -> Gait:
    gait = gait_for(name, legs)
    assert gait is not None
    return gait


@pytest.mark.parametrize(("legs", "gait"), EVERY_GAIT, ids=[f"{gait.name} {legs}" for legs, gait in EVERY_GAIT])
def test_every_gait_is_carried_by_its_forces_and_slides_nowhere(legs: int, gait: Gait) -> None:
    solution, posed = made(OF_LEGS[legs], gait, gait.usual_froude)
    assert not solution.broken
    assert solution.dynamics <= 1e-5
    assert solution.torque <= 1e-5
    assert solution.cone >= 0.0
    _, limbs = standing(OF_LEGS[legs])
    for at, limb in enumerate(limbs):
        spans = runs(posed.contacts.toe_planted[:, at])
        assert spans
        for first, last in spans:
            assert np.ptp(posed.clip.positions[first : last + 1, limb.toe], axis=0).max() < 5e-5
    assert posed.clip.positions[:, [limb.toe for limb in limbs], 2].min() > -1e-6


@pytest.mark.parametrize("name", ["TROT", "BOUND", "ROTARY_GALLOP"])
def test_the_mass_of_the_whole_skeleton_moves_as_the_forces_say(name: str) -> None:
    solution, posed = made(Build(), of(name, 4), of(name, 4).usual_froude)
    body = solution.plan.template
    com = centre_of_mass(posed.clip, body.masses, body.coms)
    acceleration = np.diff(com, n=2, axis=0) * posed.clip.fps**2 / GRAVITY + [0.0, 0.0, 1.0]
    assert np.abs(acceleration - posed.forces[1:-1].sum(axis=1)).max() < 1e-3
    flying = np.abs(posed.forces[1:-1]).sum(axis=(1, 2)) == 0.0
    assert flying.any()


def test_a_stride_ends_as_the_next_begins_and_goes_at_its_speed() -> None:
    solution, posed = made(Build(), of("TROT", 4), 1.0)
    frames = solution.plan.period_frames
    places = posed.clip.positions
    way = places[frames] - places[0]
    assert np.abs(places[frames:] - places[: len(places) - frames] - way[0]).max() < 1e-9
    speed = np.linalg.norm(way[0, :2]) * posed.clip.fps / frames
    assert speed == pytest.approx(solution.plan.wish.speed, rel=1e-6)


@pytest.mark.parametrize(("name", "fastest"), [("WALK", 920.0), ("TROT", 1340.0), ("ROTARY_GALLOP", 2250.0)])
def test_swinging_knees_turn_no_quicker_than_half_more_than_a_real_dog_s(name: str, fastest: float) -> None:
    """Recorded dogs of 0.38 m hip height reach 613 degrees a second at a pace, 890 at a trot and 1500 at a gallop."""
    gait = of(name, 4)
    stand, limbs = standing(Build())
    _, posed = made(Build(size=0.38 / template_of(stand, limbs).height), gait, gait.usual_froude)
    places = posed.clip.positions
    for at, limb in enumerate(limbs):
        thigh, shank = (places[:, joint] - places[:, limb.knee] for joint in (limb.hip, limb.heel))
        along = (thigh * shank).sum(axis=-1) / np.linalg.norm(thigh, axis=-1) / np.linalg.norm(shank, axis=-1)
        knee = np.degrees(np.arccos(along))
        swings = ~posed.contacts.touching[:, at]
        assert np.abs(np.diff(knee))[swings[1:] & swings[:-1]].max() * posed.clip.fps < fastest


def test_a_person_s_arms_swing_against_the_legs_and_hang_still_at_share_zero() -> None:
    gait = of("WALK", 2)
    stand, limbs = armed()
    body = template_of(stand, limbs)
    swings = []
    for share in (0.0, 1.0):
        wish = Wish(gait, float(np.sqrt(0.2 * GRAVITY * body.height)), style={"arms": share, "pelvis": 0.0})
        posed = pose_gait(solve_gait(make_plan(body, wish)), stand, limbs)
        assert posed.missed < 1e-6
        places = posed.clip.positions
        joints = stand.skeleton.names
        hand, shoulder = (places[:, joints.index(f"Left{part}")] for part in ("Hand", "Arm"))
        foot = places[:, limbs[0].heel] - places[:, limbs[0].hip]
        swings.append(((hand - shoulder) @ body.forward, foot @ body.forward))
    (still, _), (arm, leg) = swings
    assert np.ptp(still) < 0.03
    assert np.ptp(arm) > 0.1
    assert np.corrcoef(arm, leg)[0, 1] < -0.7


def armed() -> tuple[Clip, tuple[Limb, ...]]:
    """Return a person who stands with arms that hang beside the body."""
    stand, limbs = standing(PERSON)
    names, parents = list(stand.skeleton.names), list(stand.skeleton.parents)
    places = list(stand.skeleton.rest_locations)
    neck = names.index("Neck")
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        above = neck
        for part, offset in (
            ("Arm", (sign * 0.2, 0.0, 0.0)),
            ("ForeArm", (0.0, 0.0, -0.3)),
            ("Hand", (0.0, 0.0, -0.25)),
        ):
            names.append(side + part)
            parents.append(above)
            places.append(np.array(offset))
            above = len(names) - 1
    still, located = np.tile([1.0, 0.0, 0.0, 0.0], (len(names), 1)), np.array(places)
    skeleton = Skeleton(tuple(names), tuple(parents), still, located)
    return Clip(skeleton, stand.fps, still[None], located[None]), limbs


def test_mouse_and_elephant_are_one_problem() -> None:
    found = []
    for size in (0.06, 1.0, 6.0):
        stand, limbs = standing(Build(size=size), fps=60.0 / np.sqrt(size))
        body = template_of(stand, limbs)
        speed = float(np.sqrt(GRAVITY * body.height))
        wish = Wish(of("TROT", 4), speed, fps=60.0 / float(np.sqrt(size)))
        found.append(solve_gait(make_plan(body, wish)))
    for other in found[1:]:
        assert np.abs(other.com - found[0].com).max() < 1e-6
        assert np.abs(other.state.forces - found[0].state.forces).max() < 1e-6


def test_a_turn_comes_round_and_holds_its_feet() -> None:
    solution, posed = made(PERSON, of("WALK", 2), 0.2, turn=0.1)
    assert not solution.broken
    _, limbs = standing(PERSON)
    for at, limb in enumerate(limbs):
        for point, planted in ((limb.toe, posed.contacts.toe_planted), (limb.heel, posed.contacts.heel_planted)):
            for first, last in runs(planted[:, at]):
                assert np.ptp(posed.clip.positions[first : last + 1, point], axis=0).max() < 5e-5


def test_random_bodies_are_met_or_say_what_breaks() -> None:
    random = np.random.default_rng(14)
    met, refusals = 0, []
    for _ in range(40):
        legs = int(random.choice([2, 4, 4, 6]))
        build = OF_LEGS[legs]
        lengths = {name: getattr(build, name) * random.uniform(0.8, 1.25) for name in ("thigh", "shank", "trunk")}
        gaits = [gait for count, gait in EVERY_GAIT if count == legs]
        gait = gaits[int(random.integers(len(gaits)))]
        stand, limbs = standing(replace(build, **lengths))
        body = template_of(stand, limbs)
        froude = gait.froude[0] + random.uniform(0.1, 0.8) * (min(gait.froude[1], 6.0) - gait.froude[0])
        wish = Wish(gait, float(np.sqrt(max(froude, gait.froude[0]) * GRAVITY * body.height)))
        try:
            solution = solve_gait(make_plan(body, wish))
        except PlanError as error:
            refusals.append(str(error))
            continue
        worst = max(solution.dynamics, solution.torque)
        assert bool(solution.broken) == (worst > 1e-5 or solution.cone < 0.0 or solution.reach > 1.0)
        met += not solution.broken
    assert met >= 38
    assert all(any(letter.isdigit() for letter in refusal) for refusal in refusals)


def test_a_walk_that_is_too_fast_is_refused_with_the_speed_that_would_do() -> None:
    stand, limbs = standing(PERSON)
    body = template_of(stand, limbs)
    with pytest.raises(PlanError, match=r"at most \d\.\d\d m/s"):
        make_plan(body, Wish(of("WALK", 2), 9.0))


def test_animals_change_their_gait_with_speed() -> None:
    names = [gait.name for froude in (0.2, 1.0, 5.0) if (gait := by_speed(froude, 4)) is not None]
    assert names == ["WALK", "TROT", "ROTARY_GALLOP"]
