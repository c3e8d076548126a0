# SPDX-License-Identifier: GPL-3.0-or-later
"""Compared paths in pieces: what is drawn lies on the path, as long and as far apart as its style says."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toehold.panels.compare_shapes import REACH, STYLES, broken, drawn_at, paths_of

FPS = 30.0
COLOURS = {"source": (1.0, 1.0, 1.0, 1.0), "lock": (1.0, 0.5, 0.0, 1.0), "clean": (0.0, 0.5, 1.0, 1.0)}


def wandering(seed: int, frames: int = 90) -> np.ndarray:
    """A path that stands still for a while now and then, as a toe does (F, 3)."""
    random = np.random.default_rng(seed)
    steps = random.normal(0.0, 0.02, (frames, 3)) * (random.random((frames, 1)) > 0.3)
    return np.cumsum(steps, axis=0)


def total(lines: np.ndarray) -> float:
    return float(np.linalg.norm(lines[:, 1] - lines[:, 0], axis=-1).sum())


@given(seed=st.integers(0, 10**6), dash=st.floats(0.005, 0.2), gap=st.floats(0.005, 0.2))
def test_dashes_lie_on_the_path_and_cover_their_share_of_it(seed: int, dash: float, gap: float) -> None:
    path = wandering(seed)
    pieces = broken(path, dash, gap)
    whole = np.linalg.norm(np.diff(path, axis=0), axis=-1).sum()
    rounds = np.floor(whole / (dash + gap))
    expected = rounds * dash + min(whole - rounds * (dash + gap), dash)
    assert total(pieces.ends) == pytest.approx(expected, abs=1e-9)
    at = pieces.times.ravel()
    on_path = np.stack([np.interp(at, np.arange(len(path)), path[:, axis]) for axis in range(3)], axis=-1)
    np.testing.assert_allclose(pieces.ends.reshape(-1, 3), on_path, atol=1e-9)
    assert np.all(np.diff(pieces.times[:, 0]) >= 0.0)


def test_a_whole_line_is_the_path_itself() -> None:
    path = wandering(1)
    pieces = broken(path, 0.1, 0.0)
    assert total(pieces.ends) == pytest.approx(np.linalg.norm(np.diff(path, axis=0), axis=-1).sum())
    np.testing.assert_allclose(pieces.ends[1:, 0], pieces.ends[:-1, 1], atol=1e-12)


@pytest.mark.parametrize("frames", [1, 2, 50])
def test_a_toe_that_never_moves_has_no_line(frames: int) -> None:
    assert len(broken(np.ones((frames, 3)), 0.02, 0.01).ends) == 0
    assert len(broken(np.ones((frames, 3)), 0.02, 0.0).ends) == 0


def compared(frames: int = 300) -> dict[str, np.ndarray]:
    """Two toes that go 1 m/s side by side, each way a little aside (F, 2, 3)."""
    along = np.arange(frames)[:, None] / FPS
    return {
        way: np.stack(
            [np.hstack([along, np.full_like(along, y + 0.01 * at), 0.0 * along]) for y in (0.1, -0.1)], axis=1
        )
        for at, way in enumerate(("source", "lock", "clean"))
    }


def test_only_a_second_to_either_side_is_drawn_and_fades_at_its_ends() -> None:
    toes = compared()
    paths = paths_of(toes, FPS, 0.9)
    for part in drawn_at(paths, 150.0, COLOURS, whole=False):
        assert part.lines[..., 0].min() >= 150.0 / FPS - REACH - 1e-4
        assert part.lines[..., 0].max() <= 150.0 / FPS + REACH + 1e-4
        furthest = np.abs(part.lines[..., 0] - 5.0) > 0.95
        assert part.inks[..., 3][furthest].max() < 0.2
        assert part.inks[..., 3].max() == 1.0
    for part in drawn_at(paths, 150.0, COLOURS, whole=True):
        assert np.ptp(part.lines[..., 0]) > 9.0
        assert part.inks[..., 3].min() == 1.0


def test_a_dot_is_on_each_path_at_the_frame_and_none_outside_of_the_clip() -> None:
    toes = compared()
    paths = paths_of(toes, FPS, 0.9)
    for way, part in zip(STYLES, drawn_at(paths, 42.0, COLOURS, whole=False), strict=True):
        np.testing.assert_allclose(part.dots, toes[way][42], atol=1e-6)
        np.testing.assert_allclose(part.dot_inks[0], COLOURS[way])
    for at in (-1.0, 300.0):
        assert all(len(part.dots) == 0 for part in drawn_at(paths, at, COLOURS, whole=True))
    assert all(len(part.lines) == 0 for part in drawn_at(paths, -200.0, COLOURS, whole=False))


def test_ways_can_be_told_without_colour_and_where_they_meet() -> None:
    """By the share of their lines that is drawn, by their widths, and by dots inside of each other."""
    styles = list(STYLES.values())
    shares = [style.dash / (style.dash + style.gap) for style in styles]
    assert np.all(-np.diff(shares) > 0.2)
    assert all(wide.width > narrow.width and wide.dot > narrow.dot + 2.0 for wide, narrow in pairwise(styles))
