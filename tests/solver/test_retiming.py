# SPDX-License-Identifier: GPL-3.0-or-later
"""A clip whose root is too fast or too slow for its feet gets a timing in which it is not."""

from __future__ import annotations

import numpy as np
import pytest

from support import walker
from toehold.solver import retiming, rotations, signals, stance
from toehold.solver.clip import Clip
from toehold.solver.root_motion import RootMotion, apply, speed_ratio

SPEED = 1.2 / 1.1


def sliding(first: float, last: float, strides: float = 8.0) -> Clip:
    """Return a walk whose root goes ``first`` times as fast as its feet at its start, and ``last`` times at its end."""
    clip = walker.walk(strides=strides).clip
    too_fast = SPEED * (np.linspace(first, last, clip.frame_count) - 1.0)
    more = signals.carried(too_fast, clip.fps)[:, None] * walker.FORWARD
    return apply(clip, 0, RootMotion(np.zeros(clip.frame_count), more))


def played(clip: Clip, timing: retiming.Retiming) -> Clip:
    """Return the clip in its new timing, as Blender would play it."""
    at = np.interp(np.arange(round(timing.times[-1]) + 1), timing.times, np.arange(clip.frame_count))
    frame = np.arange(clip.frame_count, dtype=np.float64)
    turned, located = (signals.drawn_through(frame, each, at) for each in (clip.local_rotations, clip.local_locations))
    return clip.moved(rotations.normalized(turned), located)


def fitted(clip: Clip, *, varying: bool) -> tuple[Clip, retiming.Retiming]:
    timing = retiming.retiming(clip, walker.limbs(), varying)
    assert timing is not None
    faster = played(clip, timing)
    return apply(faster, 0, retiming.kept_speed(faster, walker.limbs(), timing)), timing


def speed(clip: Clip) -> float:
    """Return the root's mean speed in m/s."""
    return float(np.linalg.norm(clip.positions[-1, 0] - clip.positions[0, 0])) * clip.fps / (clip.frame_count - 1)


@pytest.mark.parametrize("varying", [False, True])
@pytest.mark.parametrize("ratio", [0.7, 0.85, 1.15, 1.4])
def test_feet_go_as_fast_as_the_root_which_keeps_its_speed(ratio: float, varying: bool) -> None:
    clip = sliding(ratio, ratio)
    result, timing = fitted(clip, varying=varying)
    assert timing.ratio == pytest.approx(ratio, rel=0.01)
    assert result.frame_count - 1 == pytest.approx((clip.frame_count - 1) / ratio, rel=0.01)
    assert speed(result) == pytest.approx(speed(clip), rel=0.01)
    after = speed_ratio(result, walker.limbs())
    assert after is not None
    assert after == pytest.approx(1.0, abs=0.01)
    assert stance.stance_speed(result, walker.limbs()) < 0.01 * speed(result)


@pytest.mark.parametrize(("first", "last"), [(1.0, 1.3), (1.2, 0.8)])
def test_a_ratio_that_changes_is_followed_where_that_is_asked_for(first: float, last: float) -> None:
    clip = sliding(first, last)
    (steady, _), (varying, timing) = (fitted(clip, varying=each) for each in (False, True))
    np.testing.assert_allclose(timing.ratios[[0, -1]], [first, last], rtol=0.03)
    after, after_steady = (stance.stance_speed(each, walker.limbs()) for each in (varying, steady))
    assert after < 0.005 * SPEED < after_steady
    assert np.all(np.diff(timing.times) > 0.0)


def test_a_clip_that_fits_or_does_not_travel_is_left_alone() -> None:
    timing = retiming.retiming(sliding(1.0, 1.0), walker.limbs(), varying=False)
    assert timing is not None
    np.testing.assert_allclose(timing.times, np.arange(len(timing.times)), atol=0.5)
    still = walker.walk().clip.during(slice(0, 1))
    standing = still.moved(*(np.repeat(each, 60, axis=0) for each in (still.local_rotations, still.local_locations)))
    assert retiming.retiming(standing, walker.limbs(), varying=False) is None
