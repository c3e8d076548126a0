# SPDX-License-Identifier: GPL-3.0-or-later
"""The whole-clip clean-up: contacts come true, and everything else stays what it was as far as it can."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from support import sliding, sweeps, walker
from toehold.solver import rotations
from toehold.solver.cleanup import CleanupSettings, clean, cleanup, unknowns
from toehold.solver.cleanup.solution import displace_roots
from toehold.solver.clip import Clip, Skeleton
from toehold.solver.contacts import Contacts
from toehold.solver.ground import FlatGround, Treadmill
from toehold.solver.limb import Limb, solve_limbs

GROUND = FlatGround()


def _drift_mm(clip: Clip, joint: str, planted: np.ndarray) -> float:
    """Return the furthest that a point is from its mean in any of its contacts, level."""
    worst = 0.0
    for limb, points in enumerate(sliding.points(clip, walker.limbs(), joint).swapaxes(0, 1)):
        edges = np.flatnonzero(np.diff(np.concatenate([[0], planted[:, limb].astype(int), [0]])))
        for start, end in edges.reshape(-1, 2):
            where = points[start:end, :2]
            worst = max(worst, float(np.linalg.norm(where - where.mean(axis=0), axis=-1).max()))
    return worst * 1000.0


def test_a_walk_without_slide_comes_back_unchanged() -> None:
    walk = walker.walk()
    result, _ = clean(walk.clip, walk.limbs, walk.contacts, GROUND)
    assert np.abs(result.positions - walk.clip.positions).max() < 1e-6
    assert rotations.angle_between(walk.clip.local_rotations, result.local_rotations).max() < 1e-6


@pytest.mark.parametrize("slide", [-200.0, 150.0, 400.0])
def test_a_known_slide_is_taken_out_and_no_leg_is_stretched(slide: float) -> None:
    walk = walker.walk(slide_mm_s=slide)
    planted = walk.contacts.toe_planted
    assert sliding.slide_mm_s(sliding.points(walk.clip, walk.limbs), planted, walk.clip.fps) > 0.9 * abs(slide)
    result, solution = clean(walk.clip, walk.limbs, walk.contacts, GROUND)
    toes = sliding.points(result, walk.limbs)
    assert sliding.slide_mm_s(toes, planted, walk.clip.fps) < 2.0
    assert _drift_mm(result, "toe", planted) < 1.0
    assert np.linalg.norm(toes - solution.toe_targets, axis=-1).max() < 1e-3
    parents = np.array(result.skeleton.parents)
    below = np.flatnonzero(parents >= 0)
    lengths = [
        np.linalg.norm(c.positions[:, below] - c.positions[:, parents[below]], axis=-1) for c in (walk.clip, result)
    ]
    np.testing.assert_allclose(lengths[1], lengths[0], atol=1e-9)


def test_a_heel_that_alone_is_planted_stands_still_and_hands_over_without_a_jump() -> None:
    walk = walker.walk(slide_mm_s=150.0)
    result, _ = clean(walk.clip, walk.limbs, walk.contacts, GROUND)
    heel_only = walk.contacts.heel_planted & ~walk.contacts.toe_planted
    assert _drift_mm(walk.clip, "heel", heel_only) > 5.0
    assert _drift_mm(result, "heel", heel_only) < 2.0
    correction = sliding.points(result, walk.limbs) - sliding.points(walk.clip, walk.limbs)
    step = np.linalg.norm(np.diff(correction, axis=0), axis=-1) * 1000.0
    landing = heel_only[:-1] & walk.contacts.toe_planted[1:]
    assert step[landing].max() < 1.5 * 150.0 / walk.clip.fps


@pytest.mark.parametrize(("factor", "travel"), [(1.25, 0.05), (0.75, 0.05)])
def test_real_travel_scaled_is_cleaned_better_than_by_sweeps(data: Path, factor: float, travel: float) -> None:
    """The article's own test. Sweeps keep more slide, and change pelvis, toes and knees more; travel is alike."""
    source, limbs, contacts = sliding.cmu_walk(data)
    clip = sliding.with_travel_scaled(source, factor)
    planted = contacts.toe_planted
    toe_only = Contacts(contacts.toe, np.zeros_like(contacts.toe))
    swept = sweeps.solve_targets(clip, limbs, toe_only, GROUND, iterations=5_000)
    by_sweeps = solve_limbs(
        displace_roots(clip, swept.roots, swept.root_displacements), limbs, swept.toe_targets, GROUND
    )
    result, _ = clean(clip, limbs, toe_only, GROUND)
    assert sliding.slide_mm_s(sliding.points(clip, limbs), planted, clip.fps) > 150.0
    assert sliding.slide_mm_s(sliding.points(by_sweeps, limbs), planted, clip.fps) > 5.0
    assert sliding.slide_mm_s(sliding.points(result, limbs), planted, clip.fps) < 2.0
    theirs, ours = (sliding.change_figures(clip, other, limbs, planted) for other in (by_sweeps, result))
    for figure in ("pelvis_acceleration", "toe_acceleration", "knee_mean", "knee_max"):
        assert ours[figure] < theirs[figure], figure
    assert abs(ours["travel"] - 1.0) < travel


def test_a_real_walk_is_hardly_changed(data: Path) -> None:
    clip, limbs, contacts = sliding.cmu_walk(data)
    result, _ = clean(clip, limbs, contacts, GROUND)
    turned = np.degrees(rotations.angle_between(clip.rotations, result.rotations))
    moved = np.linalg.norm(result.positions[:, 0] - clip.positions[:, 0], axis=-1) * 100.0
    assert turned.mean() < 0.5
    assert moved.mean() < 1.5


def test_half_the_strength_is_half_the_correction() -> None:
    walk = walker.walk(slide_mm_s=150.0)
    whole, half = (
        clean(walk.clip, walk.limbs, walk.contacts, GROUND, CleanupSettings(strength=strength))[1]
        for strength in (1.0, 0.5)
    )
    np.testing.assert_allclose(half.root_displacements, 0.5 * whole.root_displacements, atol=1e-12)


def test_more_weight_on_travel_keeps_more_of_it() -> None:
    walk = walker.walk(strides=6.0, slide_mm_s=300.0)
    moved = [
        np.abs(
            clean(walk.clip, walk.limbs, walk.contacts, GROUND, CleanupSettings(keep_travel=weight))[
                1
            ].root_displacements
        )
        for weight in (0.0, 1.0, 10.0)
    ]
    assert moved[0].max() > moved[1].max() > moved[2].max()


def test_pinned_frames_stay_exactly_as_they_are() -> None:
    walk = walker.walk(slide_mm_s=150.0)
    pinned = np.zeros(walk.clip.frame_count, dtype=bool)
    pinned[:40] = pinned[-30:] = True
    result, solution = clean(walk.clip, walk.limbs, walk.contacts, GROUND, pinned=pinned)
    assert np.abs(result.positions[pinned] - walk.clip.positions[pinned]).max() < 1e-6
    step = np.linalg.norm(np.diff(solution.root_displacements, axis=0), axis=-1)
    assert step.max() < 0.02


def test_feet_sunk_into_the_floor_are_lifted_onto_it_in_swing_too() -> None:
    walk = walker.walk(slide_mm_s=100.0)
    locations = walk.clip.local_locations.copy()
    locations[:, 0, 2] -= 0.08
    sunk = walk.clip.moved(local_locations=locations)
    result, _ = clean(sunk, walk.limbs, walk.contacts, GROUND)
    assert sliding.points(sunk, walk.limbs)[..., 2].min() < -0.05
    assert sliding.points(result, walk.limbs)[..., 2].min() > -0.002


def test_toes_on_a_belt_move_as_the_belt_does() -> None:
    walk = walker.walk(slide_mm_s=100.0)
    locations = walk.clip.local_locations.copy()
    belt = np.array([0.0, 1.0, 0.0])
    locations[:, 0] += np.arange(len(locations))[:, None] / walk.clip.fps * belt
    result, _ = clean(
        walk.clip.moved(local_locations=locations),
        walk.limbs,
        walk.contacts,
        Treadmill(FlatGround(), np.array((0.0, 1.0, 0.0))),
    )
    toes = sliding.points(result, walk.limbs)
    toes = toes - np.arange(len(toes))[:, None, None] / walk.clip.fps * belt
    assert sliding.slide_mm_s(toes, walk.contacts.toe_planted, walk.clip.fps) < 2.0


@pytest.mark.parametrize("frames", [1, 2, 3])
def test_clips_of_a_few_frames_are_cleaned_too(frames: int) -> None:
    walk = walker.walk(slide_mm_s=100.0)
    clip = walk.clip.moved(walk.clip.local_rotations[:frames], walk.clip.local_locations[:frames])
    contacts = Contacts(walk.contacts.toe[:frames], walk.contacts.heel[:frames])
    result, _ = clean(clip, walk.limbs, contacts, GROUND)
    assert np.isfinite(result.positions).all()


def test_the_result_does_not_depend_on_the_frame_rate() -> None:
    """The same walk at 30 and at 120 Hz is moved alike; contacts begin and end on other instants."""
    moved = []
    for fps in (30.0, 120.0):
        walk = walker.walk(fps=fps, slide_mm_s=200.0)
        moved.append(clean(walk.clip, walk.limbs, walk.contacts, GROUND)[1].root_displacements[:: round(fps / 30.0), 0])
    count = min(len(one) for one in moved)
    assert np.abs(moved[0][:count]).max() > 0.015
    assert np.abs(moved[0][:count] - moved[1][:count]).max() < 0.3 * np.abs(moved[0]).max()


@pytest.mark.parametrize("size", [0.01, 100.0])
def test_a_character_of_any_size_is_cleaned_alike(size: float) -> None:
    walk = walker.walk(slide_mm_s=150.0)
    skeleton = replace(walk.clip.skeleton, rest_locations=walk.clip.skeleton.rest_locations * size)
    scaled = Clip(skeleton, walk.clip.fps, walk.clip.local_rotations, walk.clip.local_locations * size)
    ours = clean(walk.clip, walk.limbs, walk.contacts, GROUND)[0]
    theirs = clean(scaled, walk.limbs, walk.contacts, GROUND)[0]
    # A swinging toe that just comes to the ground may be let go there a frame sooner: two millimetres of its height.
    np.testing.assert_allclose(theirs.positions / size, ours.positions, atol=2e-3)


def _standing_on_four(sunk: float) -> tuple[Clip, tuple[Limb, ...], Contacts]:
    """Return 60 frames of a body on four bent legs, its front feet ``sunk`` metres in the floor in the middle third."""
    names, parents, places = ["body"], [-1], [np.array([0.0, 0.0, 0.8])]
    limbs = []
    for side, forward in ((0.15, -0.5), (-0.15, -0.5), (0.15, 0.5), (-0.15, 0.5)):
        first = len(names)
        names += [f"{part}{first}" for part in ("hip", "knee", "heel", "toe")]
        parents += [0, first, first + 1, first + 2]
        places += [
            np.array(place) for place in ((side, forward, 0), (0, -0.1, -0.35), (0, 0.1, -0.35), (0, -0.1, -0.07))
        ]
        limbs.append(Limb(f"leg {first}", 0, first, first + 1, first + 2, first + 3))
    rest = np.tile(rotations.IDENTITY, (len(names), 1))
    skeleton = Skeleton(tuple(names), tuple(parents), rest, np.array(places))
    clip = Clip(skeleton, 30.0, np.tile(rest, (60, 1, 1)), np.tile(np.array(places), (60, 1, 1)))
    targets = sliding.points(clip, limbs)
    targets[20:40, :2, 2] -= sunk
    contacts = Contacts(np.ones((60, 4)), np.zeros((60, 4)))
    return solve_limbs(clip, limbs, targets, FlatGround(-1.0)), tuple(limbs), contacts


def test_a_body_on_four_legs_turns_so_that_front_and_hind_need_not_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    clip, limbs, contacts = _standing_on_four(0.08)
    bent = []
    # Heels take the 80 mm jump of their toes over a few frames.
    jumps = np.abs(np.arange(60)[:, None] - [19.5, 39.5]).min(axis=1) < 6.0
    for most in (4, 2):
        monkeypatch.setattr(unknowns, "MOST_LEGS_WITHOUT_TURN", most)
        result, solution = clean(clip, limbs, contacts, GROUND)
        missed = np.linalg.norm(sliding.points(result, limbs) - solution.toe_targets, axis=-1)
        assert missed[~jumps].max() < 1e-4
        assert missed.max() < 3e-3
        legs = [sliding.points(c, limbs, "hip") - sliding.points(c, limbs, "heel") for c in (clip, result)]
        reaches = [np.linalg.norm(leg, axis=-1) for leg in legs]
        bent.append(float(np.sqrt(np.mean((reaches[1] - reaches[0]) ** 2))))
        feet = [limb.heel for limb in limbs]
        turned = rotations.angle_between(clip.rotations[:, feet], result.rotations[:, feet])
        assert turned[~jumps].max() < 1e-3
        assert np.degrees(turned.max()) < 3.0
    assert np.degrees(np.abs(solution.root_turns).max()) > 1.0
    assert bent[1] < 0.7 * bent[0]


def test_a_long_clip_solved_in_pieces_comes_out_as_if_it_were_solved_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    walk = walker.walk(strides=24, slide_mm_s=150.0)
    whole, _ = clean(walk.clip, walk.limbs, walk.contacts, GROUND)
    monkeypatch.setattr(cleanup, "PIECE_TIME", 10.0)
    pieces, _ = clean(walk.clip, walk.limbs, walk.contacts, GROUND)
    assert walk.clip.frame_count / walk.clip.fps > 20.0
    apart_mm = 1000.0 * np.linalg.norm(pieces.positions - whole.positions, axis=-1)
    assert 0.0 < apart_mm.max() < 0.01
