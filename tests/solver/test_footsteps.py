# SPDX-License-Identifier: GPL-3.0-or-later
"""Events tell when and where a foot touches, is planted and is held, on its ground."""

from __future__ import annotations

import numpy as np
import pytest

from support import walker
from toehold.solver import locking
from toehold.solver.footsteps import SPANS, events_of, foot_spans, root_speed
from toehold.solver.ground import FlatGround, Treadmill


def test_strikes_and_offs_are_the_edges_of_touching() -> None:
    walk = walker.walk(strides=3.0, slide_mm_s=100.0)
    ground = FlatGround(0.01)
    locked = locking.run(walk.clip, walk.limbs, walk.contacts, ground).locked
    spans = foot_spans(walk.clip, walk.limbs, walk.contacts, ground, locked)
    events = events_of(spans, walk.clip.frame_count)
    assert [event.frame for event in events] == sorted(event.frame for event in events)
    assert {event.kind for event in events} == {kind for kinds in SPANS.values() for kind in kinds}
    for limb in range(2):
        down = walk.contacts.foot_down[:, limb].astype(int)
        strikes = (np.flatnonzero(np.diff(down) == 1) + 1).tolist()
        offs = (np.flatnonzero(np.diff(down) == -1) + 1).tolist()
        assert [event.frame for event in events if event.limb == limb and event.kind == "strike"] == strikes
        assert [event.frame for event in events if event.limb == limb and event.kind == "off"] == offs


def test_positions_are_on_the_ground_under_the_foot_that_is_planted() -> None:
    walk = walker.walk(strides=2.0)
    ground = FlatGround(0.02)
    nothing = np.zeros_like(walk.contacts.toe_planted)
    for span in foot_spans(walk.clip, walk.limbs, walk.contacts, ground, nothing):
        limb = walk.limbs[span.limb]
        window = slice(span.first, span.last + 1)
        np.testing.assert_allclose(span.positions[:, 2], 0.02)
        np.testing.assert_array_equal(span.normals, np.tile([0.0, 0.0, 1.0], (len(span.normals), 1)))
        toe_only = walk.contacts.toe_planted[window, span.limb]
        toes = walk.clip.positions[window, limb.toe, :2]
        np.testing.assert_allclose(span.positions[toe_only, :2], toes[toe_only])
        heels = walk.clip.positions[window, limb.heel, :2]
        heel_only = walk.contacts.heel_planted[window, span.limb] & ~toe_only
        np.testing.assert_allclose(span.positions[heel_only, :2], heels[heel_only])


def test_a_foot_that_is_down_throughout_has_a_span_and_no_event() -> None:
    walk = walker.walk(strides=1.0)
    held = np.ones_like(walk.contacts.toe_planted)
    spans = [s for s in foot_spans(walk.clip, walk.limbs, walk.contacts, FlatGround(), held) if s.kind == "lock"]
    assert [(span.first, span.last) for span in spans] == [(0, walk.clip.frame_count - 1)] * 2
    assert not events_of(spans, walk.clip.frame_count)


def test_speed_is_over_the_ground_whether_it_moves_or_the_body_does() -> None:
    walk = walker.walk(strides=2.0)
    ways = np.diff(walk.clip.positions[:, walk.limbs[0].root, :2], axis=0)
    mean = float(np.linalg.norm(ways, axis=-1).mean() * walk.clip.fps)
    assert root_speed(walk.clip, walk.limbs, FlatGround()).mean() == pytest.approx(mean, rel=0.01)
    against = Treadmill(FlatGround(), np.array((*(-ways.mean(axis=0) * walk.clip.fps).tolist(), 0.0)))
    assert root_speed(walk.clip, walk.limbs, against).mean() == pytest.approx(2.0 * mean, rel=0.02)
