# SPDX-License-Identifier: GPL-3.0-or-later
"""The runtime lock is the article's, with its output smooth whatever interrupts it."""

from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support import sliding, walker
from toehold.solver import locking
from toehold.solver.contacts import Contacts
from toehold.solver.ground import FlatGround
from toehold.solver.locking import LockSettings
from toehold.solver.rotations import FloatArray

GROUND = FlatGround()
STILL = np.zeros(3)
DEFAULT = LockSettings()


def _played(
    path: FloatArray, planted: list[bool], fps: float, own: LockSettings = DEFAULT, velocity: FloatArray = STILL
) -> tuple[FloatArray, list[bool]]:
    """Return the output (F, 3) for a toe's path (F, 3) and whether it is held, on a ground at height 0."""
    state = locking.start(path[0], own)
    outputs, locked = [], []
    for point, down in zip(path, planted, strict=True):
        state, output = locking.step(state, point, down, 0.0, velocity, 1.0 / fps, own)
        outputs.append(output)
        locked.append(state.locked)
    return np.array(outputs), locked


def _transcribed(path: list[float], planted: list[bool], fps: float, own: LockSettings) -> list[float]:
    """The same along one axis, in plain numbers, formula by formula, with nothing shared."""
    held, point, before, x0, v0, since = False, path[0], path[0], 0.0, 0.0, math.inf
    outputs = []
    for x, down in zip(path, planted, strict=True):
        since += 1.0 / fps
        speed = (x - before) * fps
        before = x
        u = min(since / own.blend_time, 1.0)
        keep, drift = 2 * u**3 - 3 * u**2 + 1, (u**3 - 2 * u**2 + u) * own.blend_time
        offset = keep * x0 + drift * v0
        offset_speed = (6 * u**2 - 6 * u) / own.blend_time * x0 + (3 * u**2 - 4 * u + 1) * v0
        now, now_speed = (point, 0.0) if held else (x, speed)
        output, output_speed = now + offset, now_speed + offset_speed
        outputs.append(output)
        if held and (not down or abs(point - x) > own.unlock_distance):
            held, since, x0, v0 = False, 0.0, output - x, output_speed - speed
        elif not held and down and abs(output - x) <= own.lock_distance:
            held, since, point = True, 0.0, output
            x0, v0 = 0.0, output_speed
    return outputs


@settings(deadline=None, max_examples=60)
@given(
    steps=st.lists(st.floats(-0.05, 0.05), min_size=5, max_size=80),
    pattern=st.lists(st.booleans(), min_size=5, max_size=80),
    fps=st.sampled_from([24.0, 30.0, 60.0, 120.0]),
    blend_time=st.floats(0.05, 0.5),
)
def test_it_is_the_articles_formulas_to_a_nanometre(
    steps: list[float], pattern: list[bool], fps: float, blend_time: float
) -> None:
    count = min(len(steps), len(pattern))
    along = np.cumsum(steps[:count])
    path = np.stack([along, np.zeros(count), np.zeros(count)], axis=1)
    own = LockSettings(blend_time=blend_time)
    output, _ = _played(path, pattern[:count], fps, own)
    np.testing.assert_allclose(output[:, 0], _transcribed(along.tolist(), pattern[:count], fps, own), atol=1e-9)


@settings(deadline=None, max_examples=60)
@given(
    pattern=st.lists(st.booleans(), min_size=2, max_size=40),
    hold=st.integers(1, 90),
    seed=st.integers(0, 2**32 - 1),
    blend_time=st.sampled_from([0.0, 0.05, 0.2, 1.0]),
)
def test_a_clip_played_at_once_is_the_same_step_by_step(
    pattern: list[bool], hold: int, seed: int, blend_time: float
) -> None:
    random = np.random.default_rng(seed)
    planted = np.repeat(pattern, hold)
    path = np.cumsum(random.uniform(-0.02, 0.02, (len(planted), 3)), axis=0)
    own, velocity = LockSettings(blend_time=blend_time), np.array([0.2, 0.1, 0.0])
    stepped, held = _played(path, list(planted), 60.0, own, velocity)
    velocities = np.tile(velocity, (len(path), 1))
    played = locking._played(path, planted, np.zeros(len(path)), velocities, 1.0 / 60.0, own)
    np.testing.assert_allclose(played[0], stepped, atol=1e-9)
    assert played[1].tolist() == held


def _stroll(fps: float, seconds: float = 2.4) -> FloatArray:
    """Return a toe that walks: it creeps while it is down and swings forward between, 1.2 s a stride."""
    time = np.arange(round(seconds * fps)) / fps
    phase = time % 1.2 / 1.2
    swing = np.clip((phase - 0.6) / 0.4, 0.0, 1.0)
    along = 0.15 * time + np.floor(time / 1.2) * 1.2 + 1.2 * (3 * swing**2 - 2 * swing**3)
    return np.stack([along, np.zeros_like(time), 0.06 * np.sin(np.pi * swing)], axis=1)


def _down(fps: float, seconds: float = 2.4) -> list[bool]:
    return [bool(phase < 0.6) for phase in (np.arange(round(seconds * fps)) / fps) % 1.2 / 1.2]


@pytest.mark.parametrize("blink", [1, 3, 7])
def test_speed_does_not_jump_where_a_blend_is_interrupted_by_another(blink: int) -> None:
    """Contacts that blink on and off every few frames interrupt every blend; the input moves at a steady 0.5 m/s."""
    fps = 240.0
    path = np.stack([0.5 * np.arange(480) / fps, np.zeros(480), np.zeros(480)], axis=1)
    output, locked = _played(path, [frame // blink % 2 == 0 for frame in range(480)], fps)
    assert sum(a != b for a, b in pairwise(locked)) > 40
    speed = np.linalg.norm(np.diff(output, axis=0), axis=-1) * fps
    # A cubic that stops 0.5 m/s within 0.2 s begins with 4 v / T = 10 m/s², 0.042 m/s a frame; two can add up.
    assert np.abs(np.diff(speed)).max() < 0.09
    assert speed.max() < 0.75


@settings(deadline=None, max_examples=50)
@given(pattern=st.lists(st.booleans(), min_size=10, max_size=100), seed=st.integers(0, 2**32 - 1))
def test_position_never_jumps_whatever_the_contacts_do(pattern: list[bool], seed: int) -> None:
    random = np.random.default_rng(seed)
    path = np.cumsum(random.uniform(-0.02, 0.02, (len(pattern), 3)), axis=0)
    output, _ = _played(path, pattern, 60.0)
    assert np.linalg.norm(np.diff(output, axis=0), axis=-1).max() < 0.15


def test_a_held_toe_has_the_velocity_of_what_it_stands_on() -> None:
    fps, velocity = 60.0, np.array([0.3, -0.1, 0.0])
    path = np.zeros((60, 3))
    path[:, 0] = 0.02 * np.arange(60) / fps
    output, locked = _played(path, [True] * 25 + [True] * 35, fps, velocity=velocity)
    assert all(locked[:25])
    held = np.diff(output[14:25], axis=0) * fps
    np.testing.assert_allclose(held, np.tile(velocity, (10, 1)), atol=1e-9)


def test_a_freed_toe_is_back_on_the_animation_within_the_blend_time() -> None:
    fps = 60.0
    path = _stroll(fps)
    down = _down(fps)
    output, locked = _played(path, down, fps)
    off = next(frame for frame in range(1, len(down)) if locked[frame - 1] and not locked[frame])
    back = off + math.ceil(DEFAULT.blend_time * fps)
    assert np.abs(output[off] - path[off]).max() > 0.02
    np.testing.assert_allclose(output[back : back + 8], path[back : back + 8], atol=1e-12)


def test_a_toe_is_let_go_past_the_unlock_distance_and_held_again_once_it_is_close() -> None:
    fps = 60.0
    path = np.stack([0.6 * np.arange(120) / fps, np.zeros(120), np.zeros(120)], axis=1)
    output, locked = _played(path, [True] * 120, fps)
    let_go = [frame for frame in range(1, 120) if locked[frame - 1] and not locked[frame]]
    assert let_go
    assert np.linalg.norm(output - path, axis=-1).max() < 0.2 + 0.6 / fps + 0.05
    assert any(locked[let_go[0] + 1 :])


@pytest.mark.parametrize("fps", [30.0, 60.0])
def test_it_does_the_same_at_any_frame_rate_to_a_hundredth(fps: float) -> None:
    """Against 120 Hz, on the seconds that both have; a change of contact falls on the same instants."""
    ours, theirs = (_played(_stroll(rate), _down(rate), rate)[0] for rate in (fps, 120.0))
    theirs = theirs[:: round(120.0 / fps)]
    travelled = np.ptp(theirs[:, 0])
    assert np.linalg.norm(ours - theirs, axis=-1).max() < 0.01 * travelled


def test_a_real_walk_slides_less_and_the_body_is_not_moved(data: Path) -> None:
    source, limbs, contacts = sliding.cmu_walk(data)
    clip = sliding.with_travel_scaled(source, 1.1)
    result, run = locking.lock(clip, limbs, contacts, GROUND)
    toes = [sliding.points(c, limbs) for c in (clip, result)]
    before, after = (sliding.slide_mm_s(points, contacts.toe_planted, clip.fps) for points in toes)
    assert after < 0.4 * before
    legs = {joint for limb in limbs for joint in (limb.hip, limb.knee, limb.heel, limb.toe)}
    others = [joint for joint in range(len(clip.skeleton.names)) if joint not in legs]
    np.testing.assert_array_equal(result.local_rotations[:, others], clip.local_rotations[:, others])
    correction_mm = np.linalg.norm(np.diff(toes[1] - toes[0], axis=0), axis=-1) * 1000.0
    assert correction_mm.max() < 15.0
    assert run.locked.any(axis=0).all()
    held = np.linalg.norm(run.points - sliding.points(clip, limbs), axis=-1)
    assert held[run.locked].max() < 0.25


def test_without_contacts_the_clip_comes_back_unchanged() -> None:
    walk = walker.walk(slide_mm_s=100.0)
    nothing = np.zeros_like(walk.contacts.toe)
    result, run = locking.lock(walk.clip, walk.limbs, Contacts(nothing, nothing), GROUND)
    assert np.abs(result.positions - walk.clip.positions).max() < 1e-6
    assert not run.locked.any()


def test_distances_scale_with_the_limb_and_times_do_not() -> None:
    assert locking.sized(DEFAULT, 0.5) == LockSettings(0.05, 0.1, 0.2)
