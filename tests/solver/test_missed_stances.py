# SPDX-License-Identifier: GPL-3.0-or-later
"""Stances that slide in no steady way, as networks make them, are found by the evidence of all feet."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from support.clips import bvh_clip
from support.legs import legs_of
from support.network_faults import Faults, from_positions, standing_jump, stands, with_faults
from toehold.solver import stances
from toehold.solver.arrays import BoolArray
from toehold.solver.clip import Clip, Skeleton
from toehold.solver.detection import find_contacts
from toehold.solver.ground import FlatGround
from toehold.solver.limb import Limb

GROUND = FlatGround()
NO_TURN = [1.0, 0.0, 0.0, 0.0]
CLIPS = {
    "cmu/cmu_12_01_walk": 0.0254 / 0.45,
    "pymo/AV_8Walk_Meredith_HVHA_Rep1": 0.0254,
    "contacts_truth/zoo_HC002D25_Turn": 0.01,
    "contacts_truth/zoo_HC033A10_Straight": 0.01,
    "contacts_truth/gaitalytics_overground": 0.01,
}
FAULTS = {
    "drifts": Faults(drift=0.5),
    "wanders": Faults(travel=1.4, wander=0.03),
    "blurred": Faults(blur=0.05, drift=0.35, bob=0.02),
    "all": Faults(travel=0.7, drift=0.3, blur=0.04, wander=0.03, bob=0.02),
}


def f1(a: BoolArray, b: BoolArray) -> float:
    return float(2.0 * np.sum(a & b) / max(np.sum(a) + np.sum(b), 1))


def at_30_fps(name: str) -> Clip:
    clip = bvh_clip(f"{name}.bvh", CLIPS[name])
    step = max(1, round(clip.fps / 30.0))
    return from_positions(clip, clip.positions[::step], clip.fps / step)


@pytest.mark.parametrize("faults", FAULTS)
def test_stances_of_a_walk_that_a_network_spoiled_are_found_where_the_walk_had_them(data: Path, faults: str) -> None:
    found = []
    for name in CLIPS:
        clip = at_30_fps(name)
        limbs = legs_of(clip)
        spoiled = with_faults(clip, limbs, FAULTS[faults])
        found.append(f1(find_contacts(spoiled, limbs, GROUND).toe_planted, stands(clip, limbs)))
    assert min(found) > 0.88
    assert np.mean(found) > 0.93


@pytest.mark.parametrize("fps", [24.0, 30.0, 60.0])
@pytest.mark.parametrize("faults", ["wanders", "all"])
def test_both_feet_of_a_sliding_jump_stand_before_and_after_it_and_never_in_flight(fps: float, faults: str) -> None:
    clip, limbs, down = standing_jump(fps)
    found = find_contacts(with_faults(clip, limbs, FAULTS[faults]), limbs, GROUND)
    assert f1(found.toe_planted, down) > 0.95
    assert not (found.foot_down & ~down).any()


def test_a_foot_that_is_held_up_and_wavers_is_not_planted(data: Path) -> None:
    """One foot 25 cm up for two seconds, going to and fro by 4 cm, while the other stands."""
    clip, limbs, _ = standing_jump(30.0)
    still = np.repeat(clip.positions[:1], 120, axis=0)
    seconds = np.arange(120) / 30.0
    up = np.clip(np.minimum(seconds - 0.5, 3.5 - seconds) / 0.5, 0.0, 1.0)
    limb = limbs[1]
    wavers = np.stack([0.04 * np.sin(4.0 * seconds), 0.04 * np.cos(5.0 * seconds), 0.25 + 0.0 * seconds], axis=-1)
    still[:, [limb.heel, limb.toe, limb.toe_end or limb.toe]] += (up[:, None] * wavers)[:, None]
    still[:, limb.knee] += up[:, None] * [0.0, -0.15, 0.15]
    found = find_contacts(from_positions(clip, still), limbs, GROUND)
    assert not found.foot_down[up > 0.5, 1].any()
    assert found.toe_planted[:, 0].all()


def test_a_foot_that_taps_and_draws_circles_while_the_others_stand_still_goes_on_doing_so() -> None:
    """Of four feet three stand; the fourth is drawn over the floor at 0.5 m/s, as a dancer or a spider may."""
    clip, _, _ = standing_jump(30.0)
    seconds = np.arange(120) / 30.0
    legs = np.repeat(clip.positions[:1], 120, axis=0)
    places = np.concatenate([legs, legs[:, 1:] + [0.0, 0.6, 0.0]], axis=1)
    circles = 0.1 * np.stack([np.sin(5.0 * seconds), np.cos(5.0 * seconds), 0.0 * seconds], axis=-1)
    places[:, 13:16] += circles[:, None]
    skeleton = Skeleton(tuple(f"joint{at}" for at in range(21)), (-1,) * 21, np.tile(NO_TURN, (21, 1)), places[0])
    four = Clip(skeleton, 30.0, np.tile(NO_TURN, (120, 21, 1)), places)
    feet = tuple(Limb(f"leg{at}", 0, *range(1 + 5 * at, 6 + 5 * at)) for at in range(4))
    found = find_contacts(four, feet, GROUND)
    assert not found.toe_planted[:, 2].any()
    assert found.toe_planted[:, [0, 1, 3]].all()


def test_a_body_that_spins_for_long_on_feet_that_take_no_step_is_not_held(data: Path) -> None:
    clip = at_30_fps("cmu/cmu_12_01_walk")
    limbs = legs_of(clip)
    pose = clip.positions[10]
    angle = np.concatenate([np.zeros(30), np.linspace(0.0, 18.0, 150)])[:, None]
    x, y = (pose[:, axis] - pose[0, axis] for axis in (0, 1))
    spun = np.cos(angle) * x - np.sin(angle) * y, np.sin(angle) * x + np.cos(angle) * y
    places = np.stack([*spun, np.broadcast_to(pose[:, 2], spun[0].shape)], axis=-1)
    speed = np.linalg.norm(np.diff(places[40:, [limb.toe for limb in limbs]], axis=0), axis=-1) * clip.fps
    assert speed.min() > 0.3
    found = find_contacts(from_positions(clip, places, clip.fps), limbs, GROUND)
    assert found.toe_planted[40:].mean() < 0.1


def test_what_is_found_does_not_depend_on_size_or_units(data: Path) -> None:
    clip = at_30_fps("contacts_truth/gaitalytics_overground")
    limbs = legs_of(clip)
    spoiled = with_faults(clip, limbs, FAULTS["drifts"])
    once = find_contacts(spoiled, limbs, GROUND)
    for factor in (0.01, 0.25, 39.37):
        again = find_contacts(from_positions(spoiled, factor * spoiled.positions), limbs, GROUND)
        np.testing.assert_array_equal(again.toe_planted, once.toe_planted)
        np.testing.assert_array_equal(again.heel_planted, once.heel_planted)


@pytest.mark.parametrize("name", [*CLIPS, "contacts_truth/kimodo_01_single_text_prompt"])
def test_in_real_walks_that_do_not_slide_no_stance_was_missed(
    data: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    clip = bvh_clip(f"{name}.bvh", CLIPS.get(name, 0.01))
    limbs = legs_of(clip)
    found = find_contacts(clip, limbs, GROUND)
    monkeypatch.setattr(stances, "CLEAR", np.inf)
    np.testing.assert_array_equal(found.foot_down, find_contacts(clip, limbs, GROUND).foot_down)


def test_a_body_in_flight_is_pushed_by_minus_one_g_and_a_body_that_stands_by_none() -> None:
    clip, limbs, down = standing_jump(60.0)
    push = stances.body_push(clip, limbs[0], 1)
    airborne = np.flatnonzero(~down[:, 0])
    assert abs(np.median(push[airborne[6:-6]]) * limbs[0].scale(clip) + 1.0) < 0.1
    standing = from_positions(clip, np.repeat(clip.positions[:1], 60, axis=0))
    assert np.abs(stances.body_push(standing, limbs[0], 1)).max() < 1e-9
