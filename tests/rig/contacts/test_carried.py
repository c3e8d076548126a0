# SPDX-License-Identifier: GPL-3.0-or-later
"""Contacts go through FBX and glTF, which hold no curves of custom properties, and are curves again afterwards."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest

from support.walker import walk
from support.walker_armature import walking_armature
from toehold.files.output import save
from toehold.files.scenes import Choice, Source, open_file
from toehold.rig.contacts.contact_curves import read_contacts
from toehold.rig.contacts.summary import SUMMARY
from toehold.rig.legs.find_legs import find_legs
from toehold.rig.verbs import journey
from toehold.rig.verbs.journey import Options


def curve_paths(armature: bpy.types.Object) -> set[str]:
    animation = armature.animation_data
    bag = animation.action.layers[0].strips[0].channelbag(animation.action_slot)
    return {curve.data_path for curve in bag.fcurves}


@pytest.mark.parametrize("ending", [".fbx", ".glb", ".gltf"])
def test_what_was_annotated_is_there_again_frame_for_frame(tmp_path: Path, ending: str) -> None:
    armature = walking_armature(walk(strides=2.0, slide_mm_s=100.0))
    limbs = find_legs(armature)
    found = journey.annotate(armature, limbs, Options()).contacts
    save(Source(tmp_path / f"walk{ending}", armature), tmp_path / f"walk{ending}")
    assert SUMMARY not in armature

    again = open_file(tmp_path / f"walk{ending}", Choice()).armature
    assert SUMMARY not in again
    first, last = again.animation_data.action.frame_range
    frames = np.arange(round(first), round(last) + 1, dtype=np.float64)
    contacts = read_contacts(again, limbs, frames)
    assert contacts is not None
    np.testing.assert_array_equal(contacts.toe_planted, found.toe_planted)
    np.testing.assert_array_equal(contacts.heel_planted, found.heel_planted)
    np.testing.assert_array_equal(contacts.foot_down, found.foot_down)


@pytest.mark.parametrize("ending", [".fbx", ".glb"])
def test_blenders_own_exporters_leave_the_curves_behind(registered: object, tmp_path: Path, ending: str) -> None:
    """What the manual says: were this to fail, Blender has learnt it, and the manual should say so."""
    armature = walking_armature(walk(strides=2.0, slide_mm_s=100.0))
    bpy.ops.toehold.annotate_contacts()
    assert any("contact" in path for path in curve_paths(armature))
    path = str(tmp_path / f"walk{ending}")
    if ending == ".fbx":
        bpy.ops.export_scene.fbx(filepath=path, use_custom_props=True)
    else:
        bpy.ops.export_scene.gltf(filepath=path, export_extras=True)
        assert SUMMARY.encode() in Path(path).read_bytes()
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    bpy.ops.import_scene.fbx(filepath=path) if ending == ".fbx" else bpy.ops.import_scene.gltf(filepath=path)
    imported = next(thing for thing in bpy.data.objects if thing.type == "ARMATURE")
    assert not any("contact" in path for path in curve_paths(imported))
    if ending == ".fbx":
        assert "contact" in imported.pose.bones["LeftToeBase"]


@pytest.mark.parametrize("text", ["", "{", "[]", '{"Left Leg": 3}', '{"Left Leg": {"bone": "LeftToeBase"}}'])
def test_a_summary_that_was_edited_by_hand_is_left_out(text: str) -> None:
    from toehold.rig.contacts.carried import unpack

    armature = walking_armature(walk(strides=1.0))
    armature[SUMMARY] = text
    unpack(armature)
    assert SUMMARY not in armature
    assert not any("contact" in path for path in curve_paths(armature))
