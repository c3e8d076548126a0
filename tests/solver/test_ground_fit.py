# SPDX-License-Identifier: GPL-3.0-or-later
"""Clean sets feet down on slopes and stairs by what is missing, and leaves alone those that stand as they should."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from support import grounds, walker
from support.grounds import Terrain
from toehold.solver import cleanup, rotations, terrain
from toehold.solver.arrays import BoolArray, FloatArray
from toehold.solver.cleanup.ground_fit import find_fit, fit_feet
from toehold.solver.clip import Clip
from toehold.solver.foot_pitch import missing_turns, with_feet_turned
from toehold.solver.ground import FlatGround, Ground
from toehold.solver.limb import joint_positions
from toehold.solver.risers import bent_toes, moves_out
from toehold.solver.terrain import TerrainSettings

WALK = walker.walk(strides=4.0)
WITHOUT_PITCH = TerrainSettings(foot_pitch=0.0)


def on(ground: Ground, foot_pitch: float = 1.0) -> Clip:
    """Return the walk as it goes over a ground, its feet pitched to it or as on a floor."""
    settings = TerrainSettings(foot_pitch=foot_pitch)
    return terrain.adapted(WALK.clip, WALK.limbs, WALK.contacts, ground, settings)


def fitted(clip: Clip, ground: Ground, pinned: BoolArray | None = None, foot_pitch: float = 1.0) -> Clip:
    """Return a clip of the walk with its feet fit to a ground."""
    return fit_feet(clip, WALK.limbs, ground, find_fit(clip, WALK.limbs, WALK.contacts, ground, foot_pitch, pinned))


def begun(clip: Clip, first: int) -> tuple[Clip, walker.Walk]:
    """Return a clip and the walk from a frame on."""
    rest = slice(first, clip.frame_count)
    return clip.during(rest), replace(WALK, clip=WALK.clip.during(rest), contacts=WALK.contacts.during(rest))


def pitches(clip: Clip, contacts: walker.Contacts, beyond: float = 1.0) -> FloatArray:
    """Return the pitch (N,) in degrees of feet that are flat on the ground, further along than ``beyond`` metres."""
    found = []
    for at, limb in enumerate(WALK.limbs):
        foot = clip.positions[:, limb.toe] - clip.positions[:, limb.heel]
        flat = contacts.toe_planted[:, at] & contacts.heel_planted[:, at]
        flat &= clip.positions[:, limb.toe, 1] < -beyond
        found.append(np.degrees(np.arctan2(foot[:, 2], -foot[:, 1]))[flat])
    return np.concatenate(found)


LEVEL_PITCH = float(np.median(pitches(WALK.clip, WALK.contacts, beyond=-9.0)))


@pytest.mark.parametrize("degrees", [-30.0, -15.0, 10.0, 20.0, 35.0])
def test_feet_that_are_level_on_a_slope_come_to_lie_along_it(degrees: float) -> None:
    ground = grounds.ramp(degrees)
    clip = fitted(on(ground, 0.0), ground)
    assert np.median(pitches(clip, WALK.contacts)) - LEVEL_PITCH == pytest.approx(degrees, abs=1.0)


@pytest.mark.parametrize("degrees", [-30.0, -15.0, 10.0, 20.0, 35.0])
def test_feet_that_lie_along_their_slope_are_left_as_they_are(degrees: float) -> None:
    ground = grounds.ramp(degrees)
    clip = on(ground)
    assert fitted(clip, ground) is clip


@pytest.mark.parametrize("degrees", [-20.0, 12.0, 25.0])
@pytest.mark.parametrize("shaking", [0.0, 3.0])
def test_a_clip_recorded_on_nothing_but_its_slope_is_left_as_it_is(degrees: float, shaking: float) -> None:
    ground = grounds.ramp(degrees, begin=-9.0)
    clip = on(ground)
    shaken = np.random.default_rng(3).normal(0.0, np.radians(shaking), (clip.frame_count, 2, 1))
    clip = with_feet_turned(clip, WALK.limbs, shaken * [1.0, 0.0, 0.0])
    np.testing.assert_array_equal(missing_turns(clip, WALK.limbs, WALK.contacts, ground), 0.0)


@pytest.mark.parametrize("degrees", [-20.0, 25.0])
def test_a_clip_with_level_feet_on_nothing_but_a_slope_is_told_by_its_rest_pose(degrees: float) -> None:
    ground = grounds.ramp(degrees, begin=-9.0)
    clip = fitted(on(ground, 0.0), ground)
    assert np.median(pitches(clip, WALK.contacts)) - LEVEL_PITCH == pytest.approx(degrees, abs=1.0)


def test_nothing_of_it_is_done_on_a_floor_or_on_stairs_with_room() -> None:
    for ground in (FlatGround(), grounds.stairs(0.15)):
        clip = on(ground)
        assert fitted(clip, ground) is clip


@pytest.mark.parametrize("share", [0.0, 0.3, 0.5])
def test_the_amount_of_pitch_is_the_users(share: float) -> None:
    ground = grounds.ramp(24.0)
    clip = fitted(on(ground, 0.0), ground, foot_pitch=share)
    assert np.median(pitches(clip, WALK.contacts)) - LEVEL_PITCH == pytest.approx(24.0 * share, abs=1.0)


def test_what_is_pitched_by_half_is_brought_to_the_whole_and_left_where_half_is_asked() -> None:
    ground = grounds.ramp(24.0)
    half = on(ground, 0.5)
    assert fitted(half, ground, foot_pitch=0.45) is half
    whole = fitted(half, ground)
    assert np.median(pitches(whole, WALK.contacts)) - LEVEL_PITCH == pytest.approx(24.0, abs=1.5)


def test_feet_turn_smoothly_and_not_on_frames_that_stay() -> None:
    ground = grounds.ramp(-25.0)
    clip = on(ground, 0.0)
    pinned = np.zeros(clip.frame_count, dtype=bool)
    pinned[:100] = True
    result = fitted(clip, ground, pinned)
    np.testing.assert_allclose(result.rotations[:100], clip.rotations[:100], atol=1e-9)
    turned = np.degrees(rotations.angle_between(result.rotations, clip.rotations))[:, WALK.limbs[0].heel]
    assert turned.max() > 20.0
    assert np.abs(np.diff(turned)).max() < 4.0


def test_clean_pitches_feet_and_keeps_their_toes_on_the_slope() -> None:
    ground = grounds.ramp(20.0)
    given = on(ground, 0.0)
    clip, _ = cleanup.clean(given, WALK.limbs, WALK.contacts, ground)
    assert np.median(pitches(clip, WALK.contacts)) - LEVEL_PITCH == pytest.approx(20.0, abs=1.0)
    heels, before = joint_positions(clip, WALK.limbs, "heel"), joint_positions(given, WALK.limbs, "heel")
    flat = WALK.contacts.toe_planted & WALK.contacts.heel_planted & (heels[..., 1] < -1.0)
    above, above_before = (each[..., 2] - ground.height(each) for each in (heels, before))
    # 13 cm of foot: level, its heel is 5 cm too high.
    assert np.percentile(above_before[flat], 10.0) > 0.11
    assert np.percentile(above[flat], 80.0) < 0.09
    assert above[flat].min() > 0.08


NARROW = grounds.stairs(0.18, tread=0.3, steps=12)


def in_risers(clip: Clip, ground: Terrain) -> int:
    """Return how many feet that are flat have their tip inside a step."""
    tips = joint_positions(clip, WALK.limbs, "toe_end")
    flat = WALK.contacts.toe_planted & WALK.contacts.heel_planted
    return int(np.sum(flat & (tips[..., 2] < ground.height(tips))))


def test_a_foot_whose_tip_is_in_a_riser_moves_back_on_its_tread() -> None:
    toes = joint_positions(on(NARROW), WALK.limbs, "toe")
    begin = grounds.stairs(0.18, tread=0.3, begin=0.47, steps=12)
    clip = terrain.adapted(WALK.clip, WALK.limbs, WALK.contacts, begin)
    assert in_risers(clip, begin) == 0
    assert bent_toes(WALK.clip, clip, WALK.limbs, WALK.contacts) == 0
    moved = joint_positions(clip, WALK.limbs, "toe")[..., 1] - toes[..., 1]
    planted = WALK.contacts.toe_planted
    assert 0.02 < np.abs(moved[planted]).max() < 0.1


def test_a_clip_that_was_right_on_stairs_has_no_foot_moved_and_one_that_slid_into_them_has() -> None:
    right = on(NARROW)
    toes = joint_positions(right, WALK.limbs, "toe")
    still = moves_out(right, WALK.limbs, WALK.contacts, NARROW, toes)
    np.testing.assert_allclose(still, 0.0, atol=1e-9)
    slid = right.local_locations.copy()
    slid[:, 0, 1] -= 0.03
    clip = right.moved(local_locations=slid)
    result = fitted(clip, NARROW)
    assert in_risers(clip, NARROW) > 10
    assert in_risers(result, NARROW) == 0


def test_toes_without_room_bend_and_are_counted() -> None:
    # The second step begins under the toes, and the first ends right behind them.
    ground = grounds.stairs(0.06, tread=0.05, begin=0.72, steps=2)
    clip = on(ground)
    assert bent_toes(WALK.clip, clip, WALK.limbs, WALK.contacts) > 0


def test_a_foot_that_has_slid_off_a_ramp_is_not_turned_where_feet_are_to_keep_the_way_they_point() -> None:
    ground = grounds.ramp(35.0)
    clip = on(ground)
    locations = clip.local_locations.copy()
    locations[:, 0, 1] += np.linspace(0.0, 0.15, clip.frame_count)
    slid = clip.moved(local_locations=locations)
    turned = fitted(slid, ground)
    assert np.degrees(rotations.angle_between(turned.rotations, slid.rotations).max()) > 3.0
    kept = fitted(slid, ground, foot_pitch=0.0)
    np.testing.assert_allclose(kept.positions, slid.positions, atol=1e-6)
