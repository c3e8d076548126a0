# SPDX-License-Identifier: GPL-3.0-or-later
"""The small tools for signals: each against what it says, for any input."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toehold.solver import signals

planted_frames = st.lists(st.booleans(), min_size=1, max_size=60).map(np.array)
speeds = st.lists(st.floats(-5.0, 5.0), min_size=1, max_size=60).map(np.array)


@given(planted_frames, st.floats(0.0, 30.0))
def test_an_eased_signal_is_above_a_half_exactly_where_it_was_planted(planted, frames) -> None:
    eased = signals.eased(planted, frames)
    assert np.array_equal(eased > 0.5, planted)
    assert eased.min() >= 0.0
    assert eased.max() <= 1.0


def test_an_eased_signal_takes_its_time_from_0_to_1_around_the_edge() -> None:
    eased = signals.eased(np.arange(40) >= 20, 10.0)
    rising = np.flatnonzero((eased > 0.0) & (eased < 1.0))
    assert (rising[0], rising[-1]) == (15, 24)
    assert np.all(np.diff(eased) >= 0.0)


@given(planted_frames, st.integers(1, 12))
def test_runs_too_short_go_and_all_others_stay(planted, frames) -> None:
    kept = signals.without_short(planted, frames)
    last = len(planted) - 1
    expected = [(a, b) for a, b in signals.runs(planted) if b + 1 - a >= frames or a == 0 or b == last]
    assert signals.runs(kept) == expected


@given(speeds, st.floats(0.0, 3.0))
def test_an_envelope_is_the_lowest_curve_over_the_values_that_is_no_steeper(values, slope) -> None:
    envelope = signals.envelope(values, slope)
    frame = np.arange(len(values))
    lowest = np.max(values - slope * np.abs(frame[:, None] - frame), axis=1)
    np.testing.assert_allclose(envelope, lowest, atol=1e-9)


@pytest.mark.parametrize("factor", [1, 2, 5])
def test_upsampling_goes_through_every_frame_and_is_exact_for_a_parabola(factor: int) -> None:
    seconds = np.arange(9.0)
    values = np.stack([3.0 - 2.0 * seconds + 0.5 * seconds**2, seconds], axis=-1)
    fine = signals.upsampled(values, factor)
    assert np.array_equal(fine[::factor], values)
    # The slopes at the first and the last frame are one-sided and so not exact.
    inner = slice(factor, -factor) if factor > 1 else slice(None)
    at = np.arange(len(fine))[inner] / factor
    np.testing.assert_allclose(fine[inner, 0], 3.0 - 2.0 * at + 0.5 * at**2, atol=1e-12)


@pytest.mark.parametrize("frames", [1, 2, 3])
def test_no_tool_needs_more_than_one_frame(frames: int) -> None:
    track = np.zeros((frames, 3))
    planted = np.ones(frames, dtype=bool)
    assert signals.velocity(track, 30.0, 2).shape == (frames, 3)
    assert signals.spread(track, 11).shape == (frames,)
    assert signals.carried(track, 30.0).shape == (frames, 3)
    assert len(signals.upsampled(track, 3)) == 3 * (frames - 1) + 1
    assert signals.majority(planted, 11).all()
    assert signals.hysteresis(planted, planted).all()


def test_a_steady_velocity_adds_up_to_its_way() -> None:
    way = signals.carried(np.full((61, 3), 2.0), 60.0)
    np.testing.assert_allclose(way[-1], 2.0)
    np.testing.assert_allclose(signals.velocity(way, 60.0, 1), 2.0)


@given(speeds, st.integers(0, 6).map(lambda half: 2 * half + 1))
def test_a_few_bad_frames_do_not_move_a_median_even_at_the_ends(values, width) -> None:
    median = signals.rolling_median(values, width)
    assert len(median) == len(values)
    bad = (min(width, len(values)) - 1) // 2
    spoilt = np.zeros(len(values))
    spoilt[len(values) - bad :] = 1e6
    assert signals.rolling_median(spoilt, width).max() == 0.0


@pytest.mark.parametrize("frames", [1, 2, 5, 40])
@pytest.mark.parametrize("width", [1, 3, 7, 31, 61])
def test_a_rolling_minimum_is_the_least_of_the_frames_around(frames: int, width: int) -> None:
    values = np.random.default_rng(frames).normal(size=frames)
    half = width // 2
    least = [values[max(frame - half, 0) : frame + half + 1].min() for frame in range(frames)]
    np.testing.assert_array_equal(signals.rolling_minimum(values, width), least)


@pytest.mark.parametrize("frame_count", [0, 1, 99, 100, 101, 1000, 1001])
def test_each_frame_is_in_one_piece_and_sees_its_neighbours(frame_count: int) -> None:
    frames, owned = np.arange(frame_count), []
    for around, own in signals.pieces(frame_count, longest=100, overlap=20):
        seen = frames[around]
        mine = seen[own]
        assert len(mine) <= 100
        if mine.size:
            assert seen[0] == max(mine[0] - 20, 0)
            assert seen[-1] == min(mine[-1] + 20, frame_count - 1)
        owned.append(mine)
    np.testing.assert_array_equal(np.concatenate(owned), frames)


def test_a_short_clip_is_one_piece() -> None:
    assert signals.pieces(80, longest=100, overlap=20) == [(slice(0, 80), slice(0, 80))]
