# SPDX-License-Identifier: GPL-3.0-or-later
"""Spans that look like stances and are not called contacts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from support import walker
from support.clips import bvh_clip
from support.legs import legs_of
from toehold.solver.contacts import Contacts, runs
from toehold.solver.detection import find_contacts
from toehold.solver.ground import FlatGround
from toehold.solver.suspects import find_suspects

GROUND = FlatGround()


@pytest.mark.parametrize("fps", [24.0, 60.0])
def test_a_stance_that_the_contacts_leave_out_is_the_only_suspect(fps: float) -> None:
    walk = walker.walk(fps=fps)
    found = find_contacts(walk.clip, walk.limbs, GROUND)
    assert not find_suspects(walk.clip, walk.limbs, GROUND, found).any()
    first, last = runs(found.toe_planted[:, 0])[1]
    left_out = np.zeros_like(found.toe)
    left_out[max(first - round(0.2 * fps), 0) : last + round(0.2 * fps) + 1, 0] = 1.0
    fewer = Contacts(found.toe * (1.0 - left_out), found.heel * (1.0 - left_out), found.foot_down & (left_out == 0.0))
    suspects = find_suspects(walk.clip, walk.limbs, GROUND, fewer)
    assert not suspects[:, 1].any()
    (span,) = runs(suspects[:, 0])
    assert abs(span[0] - first) <= 0.2 * fps
    assert abs(span[1] - last) <= 0.15 * fps


@pytest.mark.parametrize(
    "name", ["contacts_truth/zoo_HC002D25_Turn", "contacts_truth/gaitalytics_overground", "cmu/cmu_12_01_walk"]
)
def test_a_real_walk_has_no_suspects(data: Path, name: str) -> None:
    clip = bvh_clip(data / f"{name}.bvh")
    legs = legs_of(clip)
    assert not find_suspects(clip, legs, GROUND, find_contacts(clip, legs, GROUND)).any()


def test_the_shortest_clips_and_no_limbs_have_none() -> None:
    walk = walker.walk()
    for frames in (1, 2, 3, 5):
        short = walk.clip.during(slice(0, frames))
        nothing = Contacts(np.zeros((frames, 2)), np.zeros((frames, 2)))
        assert find_suspects(short, walk.limbs, GROUND, nothing).shape == (frames, 2)
    assert find_suspects(walk.clip, (), GROUND, find_contacts(walk.clip, (), GROUND)).size == 0
