# SPDX-License-Identifier: GPL-3.0-or-later
"""Contacts against measured ones, and what they must not depend on: real clips, the default settings, no tuning."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

from support import sliding, walker
from support.clips import bvh_clip
from support.legs import legs_of
from toehold.solver import signals
from toehold.solver.clip import Clip
from toehold.solver.contacts import Contacts, runs
from toehold.solver.detection import ContactSettings, find_contacts
from toehold.solver.ground import FlatGround, Treadmill
from toehold.solver.rotations import FloatArray
from toehold.solver.signals import BoolArray

GROUND = FlatGround()
WALKS = (
    "zoo_HC002D06_Straight",
    "zoo_HC002D25_Turn",
    "zoo_HC033A10_Straight",
    "zoo_HC038A11_Straight",
    "gaitalytics_overground",
)
SPRINT = "nimble_sprint_JA1Gait35"
CMU = ("cmu/cmu_12_01_walk.bvh", 0.0254 / 0.45)
FIGURE_8 = ("pymo/AV_8Walk_Meredith_HVHA_Rep1.bvh", 0.0254)
TURN = (f"contacts_truth/{WALKS[1]}.bvh", 0.01)
DROP_JUMP = ("contacts_truth/nimble_opencap_dropjump1.bvh", 0.01)


def of(clip: Clip) -> Contacts:
    return find_contacts(clip, legs_of(clip), GROUND)


def from_positions(clip: Clip, positions: FloatArray, fps: float | None = None) -> Clip:
    """Return a clip of other lengths and places: its joints hang on nothing, only their positions mean something."""
    skeleton = replace(clip.skeleton, parents=(-1,) * len(clip.skeleton.names))
    unturned = np.tile([1.0, 0.0, 0.0, 0.0], (*positions.shape[:2], 1))
    return Clip(skeleton, fps or clip.fps, unturned, np.ascontiguousarray(positions))


def f1(a: BoolArray, b: BoolArray) -> float:
    return float(2.0 * np.sum(a & b) / max(np.sum(a) + np.sum(b), 1))


def event_truth(data: Path, name: str, frames: int) -> list[tuple[BoolArray, slice]]:
    """Return, left and right, where the gait lab saw the foot down (F,), and the frames in which it looked."""
    labels = json.loads((data / "contacts_truth" / f"{name}.contacts.json").read_text())["event_contacts"]
    truth = []
    for side in ("Left", "Right"):
        down = np.zeros(frames, dtype=bool)
        for first, last in labels[side]["intervals_inclusive"]:
            down[first : last + 1] = True
        first, last = labels[side]["valid_range"]
        truth.append((down, slice(first, last + 1)))
    return truth


def measured_f1(data: Path, names: Sequence[str], settings: ContactSettings | None = None) -> float:
    found, true = [], []
    for name in names:
        clip = bvh_clip(data / f"contacts_truth/{name}.bvh", 0.01)
        down = find_contacts(clip, legs_of(clip), GROUND, settings or ContactSettings()).foot_down
        for side, (truth, looked) in enumerate(event_truth(data, name, clip.frame_count)):
            found.append(down[looked, side])
            true.append(truth[looked])
    return f1(np.concatenate(found), np.concatenate(true))


def test_walking_and_turning_feet_are_down_where_the_gait_lab_saw_them(data: Path) -> None:
    assert measured_f1(data, WALKS) >= 0.97


def test_the_same_default_finds_the_contacts_of_a_sprint(data: Path) -> None:
    assert measured_f1(data, [SPRINT]) >= 0.955


@pytest.mark.parametrize("name", [field.name for field in fields(ContactSettings)])
@pytest.mark.parametrize("factor", [0.8, 1.25])
def test_no_number_is_tuned_to_the_clips(data: Path, name: str, factor: float) -> None:
    default = ContactSettings()
    settings = replace(default, **{name: factor * getattr(default, name)})
    assert measured_f1(data, WALKS, settings) >= 0.965
    assert measured_f1(data, [SPRINT], settings) >= 0.94


@pytest.mark.parametrize(("name", "late_ms"), [("nimble_opencap_dropjump1", 40.0), ("opensim_example3DWalking", 90.0)])
def test_steps_on_force_plates_are_found_from_landing_to_push_off(data: Path, name: str, late_ms: float) -> None:
    """``late_ms``: the walker puts its heel down slowly, and the jumper lands from a fall."""
    clip = bvh_clip(data / f"contacts_truth/{name}.bvh", 0.01)
    plates = json.loads((data / f"contacts_truth/{name}.contacts.json").read_text())["force_plate_contacts"]
    down = of(clip).foot_down
    for side, steps in enumerate((plates["Left"], plates["Right"])):
        for step in steps:
            middle = (step["start"] + step["end"]) // 2
            (span,) = [span for span in runs(down[:, side]) if span[0] <= middle <= span[1]]
            assert abs(span[0] - step["start"]) / clip.fps * 1000.0 <= late_ms
            assert abs(span[1] - step["end"]) / clip.fps * 1000.0 <= 30.0


def test_a_toe_lands_after_its_heel_and_is_not_locked_before_it_is_down(data: Path) -> None:
    """What is planted is a part of what touches, and a planted toe is within 2 cm of where it stands."""
    clip = bvh_clip(data / CMU[0], CMU[1])
    contacts = of(clip)
    assert np.all(contacts.foot_down >= contacts.toe_planted)
    for side, leg in enumerate(legs_of(clip)):
        height = clip.positions[:, leg.toe, 2]
        # Without the contact that the clip begins with, right after its T-pose.
        steps = [span for span in runs(contacts.toe_planted[:, side]) if span[0] > 2]
        assert len(steps) >= 3
        for first, last in steps:
            assert contacts.foot_down[first - 1, side], "the heel is down already"
            assert height[first] - np.median(height[first : last + 1]) < 0.02


@pytest.mark.parametrize("name", ["comp_3d_2", "comp_video_1"])
def test_feet_that_slide_through_every_stance_are_found_as_in_the_repaired_clip(data: Path, name: str) -> None:
    slid, repaired = (
        of(bvh_clip(data / f"deep-motion-editing/{name}_{kind}.bvh", 0.0564)) for kind in ("raw", "fixed")
    )
    assert slid.toe_planted.mean() > 0.3
    assert f1(slid.toe_planted, repaired.toe_planted) > 0.85


@pytest.mark.parametrize("name", ["demo_3d_1", "comp_3d_2", "comp_video_1"])
def test_what_slides_is_held_from_end_to_end_where_the_repair_lets_it_stand(data: Path, name: str) -> None:
    """Nearly every frame in which the repaired toe is slow and low is called planted in the clip that slides."""
    slid, repaired = (bvh_clip(data / f"deep-motion-editing/{name}_{kind}.bvh", 0.0564) for kind in ("raw", "fixed"))
    toes = repaired.positions[:, [leg.toe for leg in legs_of(repaired)]]
    speed = np.linalg.norm(np.gradient(toes, axis=0), axis=-1)
    low = toes[..., 2] < np.percentile(toes[..., 2], 2.0, axis=0) + 0.1
    stands = low & (speed < 0.18 * np.percentile(speed, 95.0, axis=0))
    truth = np.stack([signals.without_short(foot, 4, at_ends=True) for foot in stands.T], axis=-1)
    planted = of(slid).toe_planted
    assert f1(planted, truth) > 0.92
    assert np.sum(planted & truth) / np.sum(truth) > 0.95


@pytest.mark.parametrize("source", [CMU, FIGURE_8, TURN])
@pytest.mark.parametrize("factor", [0.7, 1.4])
def test_slide_that_is_put_into_a_real_walk_is_found_as_contacts_of_the_walk(
    data: Path, source: tuple[str, float], factor: float
) -> None:
    clip = bvh_clip(data / source[0], source[1])
    slid = clip.positions.copy()
    slid[..., :2] += (factor - 1.0) * (clip.positions[:, :1, :2] - clip.positions[:1, :1, :2])
    assert f1(of(from_positions(clip, slid)).toe_planted, of(clip).toe_planted) > 0.87


def test_what_slides_up_and_down_besides_is_held_and_a_foot_that_goes_along_with_the_body_is_not() -> None:
    """Feet of a walk that drift over the floor by 5 cm; then the walk on a sledge."""
    walk = walker.walk(fps=30.0, slide_mm_s=450.0)
    seconds = np.arange(walk.clip.frame_count) / 30.0
    wavy = walk.clip.positions + (0.025 * np.sin(3.0 * seconds))[:, None, None] * [0.0, 0.0, 1.0]
    assert f1(of(from_positions(walk.clip, wavy)).foot_down, walk.contacts.foot_down) > 0.85
    sledge = np.repeat(walk.clip.positions[:1], len(seconds), axis=0) + seconds[:, None, None] * [0.0, -0.5, 0.0]
    assert not of(from_positions(walk.clip, sledge)).foot_down.any()


@pytest.mark.parametrize("fps", [30.0, 60.0, 100.0])
def test_a_centimetre_of_noise_changes_few_contacts(data: Path, fps: float) -> None:
    clip = bvh_clip(data / TURN[0], TURN[1])
    times = np.arange(0.0, (clip.frame_count - 1) / clip.fps, 1.0 / fps)
    flat = clip.positions.reshape(clip.frame_count, -1)
    seconds = np.arange(clip.frame_count) / clip.fps
    again = np.stack([np.interp(times, seconds, channel) for channel in flat.T], axis=-1).reshape(len(times), -1, 3)
    still = from_positions(clip, again, fps)
    assert f1(of(jittered(still, 0.01)).foot_down, of(still).foot_down) > 0.95


@pytest.mark.parametrize("fps", [24.0, 30.0])
def test_a_sprint_at_a_low_rate_keeps_all_its_short_contacts(data: Path, fps: float) -> None:
    clip = bvh_clip(data / f"contacts_truth/{SPRINT}.bvh", 0.01)
    seconds, times = np.arange(clip.frame_count) / clip.fps, np.arange(0.0, clip.frame_count / clip.fps, 1.0 / fps)
    flat = clip.positions.reshape(clip.frame_count, -1)
    again = np.stack([np.interp(times, seconds, channel) for channel in flat.T], axis=-1).reshape(len(times), -1, 3)
    down, whole = of(from_positions(clip, again, fps)).foot_down, of(clip).foot_down
    for side in range(2):
        for first, last in runs(whole[:, side]):
            # What the clip's end cuts (the last frame of it is bad) may be too short at a low rate.
            if first > 0 and last < len(whole) - 2:
                middle = round((first + last) / 2.0 / clip.fps * fps)
                assert down[middle - 1 : middle + 2, side].any()


@pytest.mark.parametrize("factor", [0.75, 1.25])
def test_a_root_that_travels_too_far_or_too_little_changes_few_contacts(data: Path, factor: float) -> None:
    clip = bvh_clip(data / CMU[0], CMU[1])
    too_far = clip.positions.copy()
    too_far[..., :2] += (factor - 1.0) * (clip.positions[:, :1, :2] - clip.positions[:1, :1, :2])
    slid, true = of(from_positions(clip, too_far)), of(clip)
    for side in range(2):
        assert len(runs(slid.toe_planted[:, side])) == len(runs(true.toe_planted[:, side]))
    assert f1(slid.toe_planted, true.toe_planted) > 0.87
    assert f1(slid.foot_down, true.foot_down) > 0.95


@pytest.mark.parametrize("slide_mm_s", [0.0, 300.0, -250.0])
@pytest.mark.parametrize("fps", [24.0, 30.0, 60.0, 120.0])
def test_every_step_of_a_walk_by_formula_is_found_once(slide_mm_s: float, fps: float) -> None:
    walk = walker.walk(fps=fps, slide_mm_s=slide_mm_s)
    found = find_contacts(walk.clip, walk.limbs, GROUND)
    assert f1(found.foot_down, walk.contacts.foot_down) > 0.9
    for side in range(2):
        for a, b in ((found, walk.contacts), (walk.contacts, found)):
            steps = [span for span in runs(a.toe_planted[:, side]) if span[0] > 0 and span[1] < len(a.toe) - 1]
            assert len(steps) >= 3
            for first, last in steps:
                assert sum(s <= last and first <= e for s, e in runs(b.toe_planted[:, side])) == 1


@pytest.mark.parametrize("source", [CMU, FIGURE_8, TURN, DROP_JUMP])
@pytest.mark.parametrize("fps", [30.0, 60.0, 120.0])
def test_contacts_do_not_depend_on_the_frame_rate(data: Path, source: tuple[str, float], fps: float) -> None:
    clip = bvh_clip(data / source[0], source[1])
    seconds = np.arange(clip.frame_count) / clip.fps
    times = np.arange(0.0, seconds[-1], 1.0 / fps)
    flat = clip.positions.reshape(clip.frame_count, -1)
    again = np.stack([np.interp(times, seconds, channel) for channel in flat.T], axis=-1)
    resampled = of(from_positions(clip, again.reshape(len(times), -1, 3), fps))
    nearest = np.round(times * clip.fps).astype(int)
    original = of(clip)
    assert f1(resampled.toe_planted, original.toe_planted[nearest]) > 0.97
    assert f1(resampled.foot_down, original.foot_down[nearest]) > 0.96
    for side in range(2):
        assert len(runs(resampled.toe_planted[:, side])) == len(runs(original.toe_planted[:, side]))


@pytest.mark.parametrize("source", [CMU, TURN, DROP_JUMP])
def test_contacts_do_not_depend_on_size_place_side_or_sense_of_time(data: Path, source: tuple[str, float]) -> None:
    clip = bvh_clip(data / source[0], source[1])
    original = of(clip)
    for factor in (0.01, 100.0):
        np.testing.assert_allclose(of(from_positions(clip, factor * clip.positions)).toe, original.toe, atol=1e-9)
    sunk = of(from_positions(clip, clip.positions + np.array([3.0, -4.0, -0.2])))
    mirrored = of(from_positions(clip, clip.positions * [-1.0, 1.0, 1.0]))
    backwards = of(from_positions(clip, clip.positions[::-1]))
    for kind in ("toe_planted", "heel_planted", "foot_down"):
        assert f1(getattr(sunk, kind), getattr(original, kind)) > 0.999
        assert f1(getattr(mirrored, kind), getattr(original, kind)) > 0.999
        assert f1(getattr(backwards, kind)[::-1], getattr(original, kind)) > 0.99


@pytest.fixture
def standing(data: Path) -> Clip:
    """A person captured in the middle of a step, both feet on the floor, for six seconds."""
    clip = bvh_clip(data / CMU[0], CMU[1])
    both = np.flatnonzero(of(clip).toe_planted.all(axis=1))
    middle = both[np.argmin(np.abs(both - 114))]
    return from_positions(clip, np.repeat(clip.positions[middle : middle + 1], 720, axis=0))


def jittered(clip: Clip, metres: float) -> Clip:
    noise = np.random.default_rng(7).normal(scale=metres, size=clip.positions.shape)
    return from_positions(clip, clip.positions + noise)


@pytest.mark.parametrize("metres", [0.0, 0.001, 0.003])
def test_who_stands_is_planted_all_the_time_for_all_that_markers_jitter(standing: Clip, metres: float) -> None:
    contacts = of(jittered(standing, metres))
    assert contacts.toe_planted.all()
    assert contacts.heel_planted.all()


def test_standing_before_and_after_a_walk_is_planted_and_the_walk_keeps_its_steps(data: Path) -> None:
    clip = bvh_clip(data / CMU[0], CMU[1])
    original = of(clip).toe_planted
    both = np.flatnonzero(of(clip).foot_down.all(axis=1))
    first, last = both[np.argmin(np.abs(both - 114))], both[np.argmin(np.abs(both - 421))]
    held = np.concatenate(
        [np.repeat(clip.positions[first][None], 360, axis=0), clip.positions[first:last],
         np.repeat(clip.positions[last][None], 360, axis=0)]
    )  # fmt: skip
    found = of(jittered(from_positions(clip, held), 0.0005)).toe_planted
    assert found[:350].all()
    assert found[-350:].all()
    assert f1(found[360:-360], original[first:last]) > 0.97


def lifted(clip: Clip, joints: Sequence[int], metres: float) -> tuple[Clip, BoolArray, BoolArray]:
    """Return the clip with joints raised from second 1 to 5, and where they are up, and down, and not on their way."""
    seconds = np.arange(clip.frame_count) / clip.fps
    share = np.clip(np.minimum((seconds - 1.0) / 0.5, (5.0 - seconds) / 0.5), 0.0, 1.0)
    positions = clip.positions.copy()
    positions[:, joints, 2] += (metres * share**2 * (3.0 - 2.0 * share))[:, None]
    return jittered(from_positions(clip, positions), 0.0005), share >= 1.0, share <= 0.0


@pytest.mark.parametrize("metres", [0.08, 0.12, 0.2, 0.5])
def test_a_foot_held_still_in_the_air_is_not_planted(standing: Clip, metres: float) -> None:
    right = legs_of(standing)[1]
    clip, up, down = lifted(standing, [right.heel, right.toe, right.toe_end], metres)
    contacts = of(clip)
    assert not contacts.foot_down[up, 1].any()
    assert contacts.toe_planted[up, 0].all()
    assert contacts.foot_down[down].mean() > 0.95


def test_feet_that_dangle_from_a_seat_are_not_planted(standing: Clip) -> None:
    feet = [joint for leg in legs_of(standing) for joint in (leg.heel, leg.toe, leg.toe_end)]
    clip, up, down = lifted(standing, feet, 0.35)
    contacts = of(clip)
    assert not contacts.foot_down[up].any()
    assert contacts.foot_down[down].mean() > 0.95


def test_who_stands_upright_on_something_high_is_planted(standing: Clip) -> None:
    clip, up, down = lifted(standing, range(len(standing.skeleton.names)), 0.35)
    contacts = of(clip)
    assert contacts.toe_planted[up].mean() > 0.95
    assert contacts.toe_planted[down].mean() > 0.95
    assert contacts.foot_down[~up & ~down].mean() < 0.2


@pytest.mark.parametrize("slope", [-0.2, 0.1, 0.2])
def test_a_walk_up_or_down_a_ramp_that_nobody_told_of_keeps_its_contacts(data: Path, slope: float) -> None:
    clip = bvh_clip(data / CMU[0], CMU[1])
    sheared = clip.positions.copy()
    sheared[..., 2] += slope * clip.positions[..., 1]
    assert np.ptp(sheared[:, 0, 2]) > abs(slope) * 3.0, "the walk climbs or descends by much more than a foot's lift"
    on_ramp, level = of(from_positions(clip, sheared)), of(clip)
    assert f1(on_ramp.toe_planted, level.toe_planted) > 0.95
    assert f1(on_ramp.foot_down, level.foot_down) > 0.95


@pytest.mark.parametrize("speed", [1.5, 3.5])
def test_nobody_stands_at_the_top_of_a_jump(standing: Clip, speed: float) -> None:
    seconds = np.arange(standing.frame_count) / standing.fps - 2.0
    height = np.maximum(speed * seconds - 0.5 * 9.81 * seconds**2, 0.0)
    contacts = of(jittered(from_positions(standing, standing.positions + height[:, None, None] * [0, 0, 1]), 0.0005))
    assert not contacts.foot_down[height > 0.02].any()
    assert contacts.foot_down[height == 0.0].mean() > 0.95


def test_who_glides_on_is_not_planted(standing: Clip) -> None:
    seconds = np.arange(standing.frame_count) / standing.fps
    contacts = of(from_positions(standing, standing.positions + seconds[:, None, None] * [0.0, 2.0, 0.0]))
    assert not contacts.foot_down.any()


@pytest.mark.parametrize("frames", [1, 2, 3, 5])
def test_the_shortest_clips_have_contacts_too(data: Path, frames: int) -> None:
    clip = bvh_clip(data / CMU[0], CMU[1])
    short = clip.moved(clip.local_rotations[:frames], clip.local_locations[:frames])
    for contacts in (of(short), of(from_positions(short, np.zeros_like(short.positions)))):
        assert contacts.toe.shape == contacts.heel.shape == contacts.foot_down.shape == (frames, 2)
        assert np.isfinite(contacts.toe).all()
        assert np.isfinite(contacts.heel).all()
    assert find_contacts(short, (), GROUND).toe.shape == (frames, 0)


def test_speed_counts_relative_to_a_ground_that_moves(data: Path) -> None:
    """The clip carried along by a platform, over a ground that moves as it does: the contacts are the clip's own."""
    clip = bvh_clip(data / TURN[0], TURN[1])
    seconds = np.arange(clip.frame_count) / clip.fps
    carried = from_positions(clip, clip.positions + seconds[:, None, None] * [1.5, 0.5, 0.0])
    legs = legs_of(clip)
    on_platform = find_contacts(carried, legs, Treadmill(FlatGround(), np.array((1.5, 0.5, 0.0))))
    assert f1(on_platform.toe_planted, of(clip).toe_planted) > 0.999
    assert f1(find_contacts(carried, legs, GROUND).toe_planted, of(clip).toe_planted) < 0.5


def test_contacts_cut_to_a_window_and_put_back_are_the_same(data: Path) -> None:
    whole = of(bvh_clip(data / TURN[0], TURN[1]))
    nothing = Contacts(np.zeros_like(whole.toe), np.zeros_like(whole.heel))
    window = slice(40, 160)
    joined = nothing.replaced(window, whole.during(window))
    assert np.array_equal(joined.toe[window], whole.toe[window])
    assert np.array_equal(joined.foot_down[window], whole.foot_down[window])
    assert not joined.foot_down[: window.start].any()
    assert not joined.foot_down[window.stop :].any()


def test_nothing_is_planted_across_a_jump_of_the_pose(data: Path) -> None:
    """The CMU walk begins with a T-pose 18 cm from where the walk starts."""
    clip = bvh_clip(data / "cmu" / "cmu_12_01_walk.bvh", 0.0643)
    limbs = legs_of(clip)
    contacts = find_contacts(clip, limbs, FlatGround())
    jump = np.linalg.norm(np.diff(sliding.points(clip, limbs), axis=0), axis=-1)
    assert jump[0].max() > 0.1
    for planted in (contacts.toe_planted, contacts.heel_planted, contacts.foot_down):
        assert not (planted[0] & planted[1]).any()
        assert planted[5:20].any()
