# SPDX-License-Identifier: GPL-3.0-or-later
"""Hands are found, planted and cleaned in Blender as feet are, and left alone where they carry nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import bpy
import numpy as np
import pytest

from support.acrobat import cartwheel, climb, crawl
from support.rigs import curves, import_bvh, import_gltf, play
from support.walker import Walk
from support.walker_armature import FIRST_FRAME, walking_armature
from toehold import settings
from toehold.rig.common import versions
from toehold.rig.contacts.contact_curves import read_contacts
from toehold.rig.sampling.sample import sample
from toehold.solver.contacts import runs
from toehold.solver.rotations import FloatArray

NAMES = ["Left Leg", "Right Leg", "Left Hand", "Right Hand"]


def knuckles(armature: bpy.types.Object, limb: int) -> FloatArray:
    """Return where a limb's planted point is (F, 3) in metres."""
    motion = sample(armature, settings.limb_bones(armature))
    return motion.clip.positions[:, motion.limbs[limb].toe]


@pytest.mark.parametrize("scale", [1.0, 0.01])
@pytest.mark.parametrize("made", [crawl, cartwheel])
def test_hands_that_carry_the_body_stand_still(registered: ModuleType, made: Callable[..., Walk], scale: float) -> None:
    armature = walking_armature(made(slide_mm_s=150.0), scale=scale, y_up=scale != 1.0)
    bpy.ops.toehold.find_legs(hands=True)
    limbs = settings.limb_bones(armature)
    assert [limb.name for limb in limbs] == NAMES
    assert bpy.ops.toehold.clean() == {"FINISHED"}
    motion = sample(armature, limbs)
    contacts = read_contacts(armature, limbs, motion.frames)
    assert contacts is not None
    for limb in range(4):
        spans = runs(contacts.toe_planted[:, limb])
        assert spans
        for first, last in spans:
            still = knuckles(armature, limb)[first : last + 1, :2]
            assert np.linalg.norm(still - still.mean(axis=0), axis=-1).max() < 1e-3, "metres"


def test_a_hand_on_a_wall_is_planted_by_hand_and_held_there(registered: ModuleType) -> None:
    armature = walking_armature(climb(slide_mm_s=150.0))
    bpy.ops.toehold.find_legs(hands=True)
    bpy.ops.object.mode_set(mode="POSE")
    # Left foot and right hand hold on to the wall together, then the others.
    first, last = FIRST_FRAME + 97, FIRST_FRAME + 118
    for limb in settings.limb_bones(armature):
        if limb.name in ("Right Hand", "Left Leg"):
            for bone in armature.pose.bones:
                versions.select(bone, bone.name == limb.heel)
            bpy.ops.toehold.set_contact(state="PLANTED", frame_start=first, frame_end=last)
    before = knuckles(armature, 3)[97:119]
    assert np.linalg.norm(before[-1] - before[0]) > 0.05, "it slides down the wall by centimetres"
    assert bpy.ops.toehold.clean() == {"FINISHED"}
    # The first frame is that of its landing, which is let be.
    held = knuckles(armature, 3)[98:119]
    assert np.linalg.norm(held - held.mean(axis=0), axis=-1).max() < 1e-3, "metres, in all directions"
    assert held[:, 2].min() > 1.0, "metres: it stays up on the wall"


def test_hands_of_a_recorded_walk_are_planted_nowhere_and_stay_to_the_bit(registered: ModuleType, data: Path) -> None:
    armature = import_bvh(data / "cmu/cmu_12_01_walk.bvh")
    bpy.ops.toehold.find_legs(hands=True)
    limbs = settings.limb_bones(armature)
    assert sum(limb.hand for limb in limbs) == 2
    source = armature.animation_data.action
    before = curves(source)
    bpy.ops.toehold.clean()
    after = curves(armature.animation_data.action)
    contacts = read_contacts(armature, limbs, sample(armature, limbs).frames)
    assert contacts is not None
    assert not contacts.of([at for at, limb in enumerate(limbs) if limb.hand]).planted_ever
    of_arms = {f'pose.bones["{bone}"]' for limb in limbs if limb.hand for bone in (limb.hip, limb.knee, limb.heel)}
    arms = [key for key in before if key[1].rpartition(".")[0] in of_arms]
    assert len(arms) >= 18
    for key in arms:
        assert after[key] == before[key], key[1]


@pytest.mark.parametrize("name", ["Walking_A", "Running_A", "Jump_Full_Long"])
def test_hands_of_a_game_character_are_planted_nowhere(registered: ModuleType, data: Path, name: str) -> None:
    armature = import_gltf(data / "gltf/Med_MovementBasic.glb")
    action = next((one for one in bpy.data.actions if name in one.name), None)
    assert action is not None, [one.name for one in bpy.data.actions]
    play(armature, action)
    bpy.ops.toehold.find_legs(hands=True)
    limbs = settings.limb_bones(armature)
    bpy.ops.toehold.annotate_contacts()
    contacts = read_contacts(armature, limbs, sample(armature, limbs).frames)
    assert contacts is not None
    assert not contacts.of([at for at, limb in enumerate(limbs) if limb.hand]).planted_ever


def test_the_controls_of_hands_that_stand_nowhere_are_let_be(registered: ModuleType) -> None:
    armature = walking_armature(climb(slide_mm_s=50.0))
    bpy.ops.toehold.find_legs(hands=True)
    # Nothing that can be keyed moves this arm.
    held = armature.pose.bones["LeftArm"].constraints.new("COPY_ROTATION")
    held.target, held.subtarget = armature, "Head"
    assert bpy.ops.toehold.clean() == {"FINISHED"}
    bpy.ops.object.mode_set(mode="POSE")
    for bone in armature.pose.bones:
        versions.select(bone, bone.name == "LeftHand")
    bpy.ops.toehold.set_contact(state="PLANTED", frame_start=50, frame_end=80)
    with pytest.raises(RuntimeError, match='the foot of "Left Hand"'):
        bpy.ops.toehold.clean()
