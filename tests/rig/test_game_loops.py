# SPDX-License-Identifier: GPL-3.0-or-later
"""The treadmills of game characters' loops are found, and none where they stand, fight, jump, turn or die."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest

from support.rigs import import_gltf, play
from toehold.rig.common.wording import RigError
from toehold.rig.legs.find_legs import find_legs
from toehold.rig.sampling.sample import Sample, sample
from toehold.solver.treadmill import estimate_treadmill_velocity

FILES = ("Fox", "Horse", "Wolf", "Med_MovementBasic", "horse-animations", "kaiju-animations", "spider-animations")
GAITS = ("walk", "run", "trot", "gallop")


def samples(path: Path) -> dict[str, Sample]:
    """Return every action of a file that can be sampled, by name."""
    armature = import_gltf(path)
    limbs = find_legs(armature)
    found = {}
    for action in bpy.data.actions:
        play(armature, action)
        try:
            found[action.name] = sample(armature, limbs)
        except RigError:
            continue
    return found


@pytest.mark.parametrize("file", FILES)
def test_loops_in_place_have_a_treadmill_and_nothing_else_has(data: Path, file: str) -> None:
    found = {
        name: estimate_treadmill_velocity(each.clip, each.limbs)
        for name, each in samples(data / "gltf" / f"{file}.glb").items()
    }
    expected = {
        name for name in found if any(gait in name.lower() for gait in GAITS) and not name.startswith("Walk RM")
    }
    assert expected
    assert {name for name, belt in found.items() if belt is not None} == expected
    for name in expected:
        belt = found[name]
        assert belt is not None
        # All of these look towards -Y and walk straight ahead.
        assert abs(belt[0]) < 0.03 * belt[1], name


def test_the_belt_of_a_walk_in_place_carries_it_as_far_as_its_twin_with_root_motion_goes(data: Path) -> None:
    walks = samples(data / "gltf" / "kaiju-animations.glb")
    in_place, travelling = walks["Walk"], walks["Walk RM"]
    belt = estimate_treadmill_velocity(in_place.clip, in_place.limbs)
    assert belt is not None
    seconds = (in_place.clip.frame_count - 1) / in_place.clip.fps
    root = travelling.clip.positions[:, travelling.limbs[0].root]
    travel = root[-1] - root[0]
    assert np.linalg.norm(belt * seconds + travel) < 0.02 * np.linalg.norm(travel)
