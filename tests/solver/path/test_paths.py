# SPDX-License-Identifier: GPL-3.0-or-later
"""A body that has never moved goes along a path: on it, at its speed, over the ground, on feet that stand still."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from support.gait_bodies import Build, standing
from support.path_grounds import MadeGround, hills, slope, stairs
from toehold.solver import rotations
from toehold.solver.contacts import runs
from toehold.solver.gait.gaits import all_speeds
from toehold.solver.gait.plan import PlanError
from toehold.solver.gait.pose import centre_of_mass
from toehold.solver.gait.template import GRAVITY, template_of
from toehold.solver.path.line import drawn_line
from toehold.solver.path.plan import Way, make_path_plan
from toehold.solver.path.pose import PosedPath, pose_path
from toehold.solver.path.solve import PathSolution, solve_path
from toehold.solver.path.terrain import GroundTerrain, LineTerrain
from toehold.solver.rotations import FloatArray

BODIES = {2: Build(pairs=1, thigh=0.43, shank=0.42, trunk=0.5), 4: Build(), 6: Build(pairs=3)}
# Speeds at which such bodies walk, √(g h).
WALKS = {2: 0.42, 4: 0.42, 6: 0.25}


@dataclass(frozen=True)
class Went:
    solution: PathSolution
    posed: PosedPath
    height: float

    @property
    def root(self) -> FloatArray:
        return self.posed.clip.positions[:, 0]


def go(
    legs: int, points: FloatArray, speeds: FloatArray | None = None, ground: MadeGround | None = None, fps: float = 60.0
) -> Went:
    """Let a body go along points (P, 3), hip heights, at ``speeds`` (M,), √(g h), over a ground in metres."""
    stand, limbs = standing(BODIES[legs], fps)
    body = template_of(stand, limbs)
    h = body.height
    line = drawn_line(points * h, h)
    terrain = LineTerrain(line) if ground is None else GroundTerrain.under(line, ground, h, 0.0)
    gaits, borders = all_speeds(legs)
    wanted = (np.full(2, WALKS[legs]) if speeds is None else speeds) * h / body.time
    ahead = float((body.origin - stand.positions[0, 0]) @ body.forward / h)
    solution = solve_path(make_path_plan(body, Way(line, terrain, gaits, borders, wanted, fps, ahead)))
    return Went(solution, pose_path(solution, stand, limbs, ground), h)


def wave(length: float) -> FloatArray:
    """Return a way (P, 3) along -Y that swings to both sides, hip heights."""
    share = np.linspace(0.0, 1.0, 41)
    return np.stack([0.4 * np.sin(0.25 * np.pi * share * length), -share * length, 0.0 * share], axis=-1)


def height() -> float:
    return template_of(*standing(BODIES[2])).height


@pytest.mark.parametrize("legs", [2, 4, 6])
@pytest.mark.parametrize("where", ["flat", "hills", "up 14 degrees", "down 11 degrees", "stairs"])
def test_feet_stand_still_on_the_ground_and_the_root_stays_on_the_path(legs: int, where: str) -> None:
    h = template_of(*standing(BODIES[legs])).height
    grounds = {
        "flat": None, "hills": hills(h), "up 14 degrees": slope(h, 14.0), "down 11 degrees": slope(h, -11.0),
        "stairs": stairs(h),
    }  # fmt: skip
    went = go(legs, wave(8.5), ground=grounds[where])
    figures = went.posed.figures
    assert figures.slip_mm < 0.1
    assert figures.penetration_mm < 1.0
    assert figures.off_path_mm < 50.0 * went.height
    assert went.solution.cone <= 0.005
    assert went.solution.reach < 1.0
    assert went.solution.dynamics < 1e-3


def test_it_begins_at_the_start_of_the_path_and_comes_to_rest_at_its_end() -> None:
    points = wave(7.0)
    went = go(4, points)
    ends = went.root[[0, -1], :2] / went.height - points[[0, -1], :2]
    assert np.abs(ends).max() < 0.05
    speed = np.linalg.norm(np.diff(went.root[:, :2], axis=0), axis=-1) * 60.0
    assert speed[[0, 1, -2, -1]].max() < 0.01 * WALKS[4] * np.sqrt(GRAVITY * went.height)
    cruising = speed[90:-90].mean()
    assert cruising == pytest.approx(WALKS[4] * np.sqrt(GRAVITY * went.height), rel=0.05)


def test_a_dog_trots_where_it_is_fast_and_walks_before_and_after() -> None:
    went = go(4, wave(11.0), speeds=np.array([0.4, 0.4, 1.0, 1.0, 1.0, 0.4, 0.4]))
    law = went.solution.plan.law
    assert [gait.name for gait in law.gaits[:2]] == ["WALK", "TROT"]
    trots = law.shares[:, 1] > 0.99
    assert trots[len(trots) // 2]
    assert not trots[[0, -1]].any()
    # A trot's feet of a diagonal go together, a walk's never.
    phase = went.solution.plan.turned_phase
    apart = np.abs((phase[:, 0] - phase[:, 3] + 0.5) % 1.0 - 0.5)
    assert apart[trots].max() < 0.06
    assert apart[law.shares[:, 0] > 0.99].min() > 0.15
    assert went.posed.figures.slip_mm < 0.1


def test_a_turn_is_leant_into() -> None:
    angle = np.linspace(0.0, 0.75 * np.pi, 40)
    left = np.stack([3.0 - 3.0 * np.cos(angle), -3.0 * np.sin(angle), 0.0 * angle], axis=-1)
    went = go(2, left, speeds=np.full(2, 0.75))
    plan = went.solution.plan
    middle = len(plan.com) // 2
    back = rotations.from_axis_angle(np.array([0.0, 0.0, 1.0]), -plan.pace.heading)
    roll = rotations.rotate(back, went.solution.state.turned)[middle - 20 : middle + 20, 0].mean()
    sideways = float((plan.pace.speed * plan.pace.turn)[middle - 20 : middle + 20].mean())
    assert sideways > 0.1
    assert -1.3 * np.arctan(sideways) < roll < -0.7 * np.arctan(sideways)


def test_in_flight_and_in_stance_the_mass_moves_as_the_forces_say() -> None:
    went = go(4, wave(9.0), speeds=np.full(2, 0.9))
    body = went.solution.plan.body
    com = centre_of_mass(went.posed.clip, body.masses, body.coms)
    acceleration = np.diff(com, n=2, axis=0) * 60.0**2 / GRAVITY + [0.0, 0.0, 1.0]
    missed = acceleration - went.posed.forces[1:-1].sum(axis=1)
    assert np.sqrt((missed**2).mean()) < 0.05


def test_joints_do_not_jump() -> None:
    for legs in (2, 4):
        clip = go(legs, wave(7.0)).posed.clip
        turned = np.degrees(rotations.angle_between(clip.rotations[1:], clip.rotations[:-1]))
        assert np.abs(np.diff(turned, axis=0)).max() * 60.0 < 900.0


def test_slow_ways_take_short_careful_steps() -> None:
    went = go(2, np.array([[0.0, 0.0, 0.0], [0.0, -1.2, 0.0]]), speeds=np.full(2, 0.05))
    swings = [last + 1 - first for first, last in runs(~went.posed.contacts.foot_down[:, 0])]
    assert len(swings) >= 2
    assert max(swings) < 0.9 * 60.0
    assert went.posed.figures.slip_mm < 0.1


@pytest.mark.parametrize("legs", [2, 4, 6])
def test_any_path_is_gone_along(legs: int) -> None:
    share = np.linspace(0.0, 1.0, 41)
    paths = {
        "sharp corners": [[0, 0, 0], [0, -3, 0], [3, -3, 0]],
        "there and back": [[0, 0, 0], [0, -2, 0], [0, 0, 0]],
        "closes": [[0, 0, 0], [0, -2, 0], [2, -2, 0], [0, 0, 0]],
        "shorter than a stride": [[0, 0, 0], [0, -0.3, 0]],
        "far away and high up": [[900, 4000, 50], [900, 3996, 50]],
        "over a hump": [[0, 0, 0], [0, -3, 0.6], [0, -6, 0]],
        "points twice": [[0, 0, 0], [0, 0, 0], [0, -2, 0], [0, -2, 0], [0, -3, 0]],
        "small circle": np.stack([0.6 - 0.6 * np.cos(6.28 * share), -0.6 * np.sin(6.28 * share), 0 * share], -1),
    }
    for name, points in paths.items():
        went = go(legs, np.array(points, dtype=np.float64))
        assert went.posed.figures.slip_mm < 0.1, name
        assert went.posed.figures.off_path_mm < 150.0 * went.height, name
        assert went.solution.dynamics < 1e-3, name


@pytest.mark.parametrize(
    ("points", "speed", "why"),
    [
        ([[0, 0, 0]], 0.4, "at least two points"),
        ([[0, 0, 0], [0, 0, 0]], 0.4, "0 mm long: draw at least"),
        ([[0, 0, 0], [0, np.nan, 0]], 0.4, "point 2 of the path is not made of numbers"),
        ([[0, 0, 0], [0, -3, 0], [0, -3, 4], [0, -6, 4]], 0.4, "climbs .* degrees, .* m from its start"),
        ([[0, 0, 0], [0, -3, 0]], 0.0, "above 0"),
        ([[0, 0, 0], [0, -3, 0]], np.nan, "above 0"),
        ([[0, 0, 0], [0, -3, 0]], 9.0, "too fast for .*: at most .* m/s"),
        ([[0, 0, 0], [0, -9000, 0]], 0.4, "minutes at this speed, at most 30"),
        ([[0, 0, 0], [0, -1e6, 0]], 0.4, "km long: at most"),
    ],
)
def test_what_cannot_be_gone_along_is_refused_in_one_line(points: list[list[float]], speed: float, why: str) -> None:
    with pytest.raises(PlanError, match=why):
        go(2, np.array(points, dtype=np.float64), speeds=np.full(2, speed))


def test_mouse_and_elephant_go_alike() -> None:
    found = []
    for size in (0.05, 6.0):
        stand, limbs = standing(Build(size=size), fps=60.0 / np.sqrt(size))
        body = template_of(stand, limbs)
        line = drawn_line(wave(6.0) * body.height, body.height)
        gaits, borders = all_speeds(4)
        wanted = np.full(2, 0.4) * body.height / body.time
        way = Way(line, LineTerrain(line), gaits, borders, wanted, 60.0 / float(np.sqrt(size)))
        found.append(solve_path(make_path_plan(body, way)))
    assert np.abs(found[0].com - found[1].com).max() < 1e-6


def test_the_same_path_twice_is_the_same_to_the_last_bit() -> None:
    one, other = (go(2, wave(5.0)).posed.clip for _ in range(2))
    assert np.array_equal(one.local_rotations, other.local_rotations)
    assert np.array_equal(one.local_locations, other.local_locations)
