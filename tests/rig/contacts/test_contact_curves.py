# SPDX-License-Identifier: GPL-3.0-or-later
"""Contacts as curves: keys at their edges, read back as they were written, edited or not."""

from __future__ import annotations

import json
from pathlib import Path

import bpy
import numpy as np
import pytest

from support.rigs import LEFT_AND_RIGHT, add_armature, biped, curve, curves, import_gltf, key_motion, two_legs
from toehold.rig.common.wording import RigError
from toehold.rig.contacts.contact_curves import edge_keys, read_contacts, write_contacts
from toehold.rig.contacts.properties import restore_properties
from toehold.rig.contacts.summary import SUMMARY
from toehold.solver.contacts import Contacts, runs

FRAMES = np.arange(1.0, 201.0)
TOE = 'pose.bones["toe.L"]["contact"]'
HEEL = 'pose.bones["toe.L"]["heel_contact"]'


def walker() -> bpy.types.Object:
    armature = add_armature(biped("hips", *LEFT_AND_RIGHT))
    key_motion(armature, (1, 100, 200))
    return armature


def steps(seed: int = 0, count: int = 200) -> np.ndarray:
    """Return spans of every length from one frame up, for both limbs."""
    random = np.random.default_rng(seed)
    planted = np.zeros((count, 2), dtype=bool)
    for limb in range(2):
        at, state = 0, bool(random.integers(2))
        while at < count:
            length = int(random.choice([1, 2, 3, 4, 7, 15, 30]))
            planted[at : at + length, limb] = state
            at, state = at + length, not state
    return planted


def write(armature: bpy.types.Object, toe: np.ndarray, heel: np.ndarray) -> None:
    contacts = Contacts(toe.astype(np.float64), heel.astype(np.float64))
    write_contacts(armature, armature.animation_data.action, two_legs(), contacts, FRAMES[: len(toe)])


@pytest.mark.parametrize("seed", range(8))
def test_contacts_come_back_exact_to_the_frame(seed: int) -> None:
    armature = walker()
    toe, heel = steps(seed), steps(seed + 100)
    write(armature, toe, heel)
    back = read_contacts(armature, two_legs(), FRAMES)
    assert back is not None
    assert np.array_equal(back.toe_planted, toe)
    assert np.array_equal(back.heel_planted, heel)


def test_every_edge_is_two_keys_and_crosses_one_half_midway() -> None:
    armature = walker()
    planted = np.zeros((200, 2), dtype=bool)
    planted[40:90] = planted[130:200] = True
    write(armature, planted, planted)
    toe = curve(armature, TOE)
    inside = [key.co.x for key in toe.keyframe_points][1:-1]
    assert len(inside) == 6
    for edge in (40.5, 90.5, 130.5):
        assert toe.evaluate(edge) == pytest.approx(0.5, abs=1e-5)
        assert sum(abs(time - edge) < 5 for time in inside) == 2
    assert {key.interpolation for key in toe.keyframe_points} == {"BEZIER"}
    assert toe.group.name == "toe.L"


def test_an_edge_takes_as_long_in_seconds_at_any_frame_rate_but_a_frame_at_least() -> None:
    planted = np.zeros(400, dtype=bool)
    planted[200:] = True
    for rate, frames in ((120.0, 11), (60.0, 5), (30.0, 3), (12.0, 1)):
        times, values = edge_keys(planted, np.arange(400.0), 0.1 * rate)
        assert np.diff(times[values.searchsorted(0.5) - 1 :][:2]) == pytest.approx(frames)


def test_the_property_follows_its_curve_and_says_what_it_is() -> None:
    armature = walker()
    planted = np.zeros((200, 2), dtype=bool)
    planted[50:100, 0] = True
    write(armature, planted, planted)
    bone = armature.pose.bones["toe.L"]
    for frame, value in ((20, 0.0), (75, 1.0), (150, 0.0)):
        bpy.context.scene.frame_set(frame)
        assert bone["contact"] == value
    described = bone.id_properties_ui("contact").as_dict()
    assert (described["min"], described["max"]) == (0.0, 1.0)
    assert "planted" in described["description"]


def test_what_a_person_keys_by_hand_counts() -> None:
    armature = walker()
    write(armature, np.zeros((200, 2), dtype=bool), np.zeros((200, 2), dtype=bool))
    toe = curve(armature, TOE)
    for frame, value in ((60, 0.0), (60.5, 1.0), (80.25, 0.0)):
        toe.keyframe_points.insert(frame, value).interpolation = "CONSTANT"
    back = read_contacts(armature, two_legs(), FRAMES)
    assert runs(back.toe_planted[:, 0]) == [(60, 79)]


def test_writing_again_leaves_no_old_key() -> None:
    armature = walker()
    write(armature, steps(1), steps(2))
    write(armature, steps(3), steps(4))
    once = curves(armature.animation_data.action)
    write(armature, steps(3), steps(4))
    assert curves(armature.animation_data.action) == once
    assert np.array_equal(read_contacts(armature, two_legs(), FRAMES).toe_planted, steps(3))


def test_motion_is_not_touched() -> None:
    armature = walker()
    before = curves(armature.animation_data.action)
    write(armature, steps(1), steps(2))
    after = curves(armature.animation_data.action)
    assert {key: after[key] for key in before} == before


def test_without_curves_there_are_no_contacts_and_a_muted_one_counts_as_lifted() -> None:
    armature = walker()
    assert read_contacts(armature, two_legs(), FRAMES) is None
    write(armature, np.ones((200, 2), dtype=bool), np.ones((200, 2), dtype=bool))
    curve(armature, TOE).mute = True
    back = read_contacts(armature, two_legs(), FRAMES)
    assert not back.toe_planted[:, 0].any()
    assert back.toe_planted[:, 1].all()
    assert back.heel_planted.all()


def test_a_lost_property_is_made_again_from_its_curve() -> None:
    armature = walker()
    write(armature, np.ones((200, 2), dtype=bool), np.ones((200, 2), dtype=bool))
    del armature.pose.bones["toe.L"]["contact"]
    restore_properties(armature)
    bpy.context.scene.frame_set(50)
    assert armature.pose.bones["toe.L"]["contact"] == 1.0


def test_the_action_carries_a_summary() -> None:
    armature = walker()
    planted = np.zeros((200, 2), dtype=bool)
    planted[9:20, 0] = True
    write(armature, planted, np.zeros((200, 2), dtype=bool))
    summary = json.loads(armature.animation_data.action[SUMMARY])
    spans = {name: (entry["toe"], entry["heel"], entry["foot_down"]) for name, entry in summary.items()}
    assert spans == {"Left": ([[10, 20]], [], [[10, 20]]), "Right": ([], [], [])}


def test_the_summary_survives_gltf(tmp_path: Path) -> None:
    armature = walker()
    write(armature, steps(1), steps(2))
    summary = armature.animation_data.action[SUMMARY]
    path = tmp_path / "walk.glb"
    bpy.ops.export_scene.gltf(filepath=str(path), export_extras=True)
    assert summary.encode() in path.read_bytes().replace(b'\\"', b'"')
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    assert import_gltf(path) is not None


def test_a_locked_curve_and_a_missing_bone_are_refused() -> None:
    armature = walker()
    write(armature, steps(1), steps(2))
    before = curves(armature.animation_data.action)
    curve(armature, HEEL).lock = True
    with pytest.raises(RigError, match="locked"):
        write(armature, steps(3), steps(4))
    assert curves(armature.animation_data.action) == before
    curve(armature, HEEL).lock = False
    armature.pose.bones["toe.R"].name = "gone"
    with pytest.raises(RigError, match=r"toe\.R"):
        write(armature, steps(3), steps(4))
    assert {key: value for key, value in before.items() if "toe.R" not in key[1]}.items() <= curves(
        armature.animation_data.action
    ).items()
