# SPDX-License-Identifier: GPL-3.0-or-later
"""While contacts are reviewed each edge has one key; what the curves say stays, and so does what is edited."""

from __future__ import annotations

from types import ModuleType

import bpy
import numpy as np
import pytest

from support.rigs import curve, curves
from support.walker import limb_bones, walk
from support.walker_armature import walking_armature
from toehold.rig.contacts.contact_curves import edited_states, read_contacts
from toehold.rig.contacts.properties import HEEL, TOE
from toehold.rig.curves.channels import keyed_frames
from toehold.rig.review.step_curves import as_steps, ease_again
from toehold.solver.contacts import runs

PATH = f'pose.bones["{limb_bones()[0].contact_bone}"]["contact"]'


@pytest.fixture
def walker(registered: ModuleType) -> bpy.types.Object:
    armature = walking_armature(walk(strides=3.0, slide_mm_s=150.0))
    bpy.ops.toehold.annotate_contacts()
    return armature


def planted(armature: bpy.types.Object) -> np.ndarray:
    contacts = read_contacts(armature, limb_bones(), keyed_frames(armature))
    assert contacts is not None
    return np.stack([contacts.toe_planted, contacts.heel_planted])


def test_each_edge_has_one_key_and_the_contacts_are_the_same(walker: bpy.types.Object) -> None:
    before = planted(walker)
    as_steps(walker, limb_bones(), (TOE, HEEL))
    assert np.array_equal(planted(walker), before)
    frames = keyed_frames(walker)
    inner = [edge for first, last in runs(before[0][:, 0]) for edge in (first, last + 1) if 0 < edge < len(frames)]
    at = [key.co.x for key in curve(walker, PATH).keyframe_points]
    assert at == [frames[0], *frames[inner]]
    assert edited_states(walker, limb_bones(), frames).is_empty, "nothing is edited by looking"


def test_a_review_without_an_edit_gives_every_key_back_to_the_byte(walker: bpy.types.Object) -> None:
    before = curves(walker.animation_data.action)
    stepped = as_steps(walker, limb_bones(), (TOE, HEEL))
    assert curves(walker.animation_data.action) != before
    ease_again(stepped, 0.1)
    assert curves(walker.animation_data.action) == before


def test_an_edge_that_was_moved_by_its_one_key_stays_moved_and_eases_again(walker: bpy.types.Object) -> None:
    before = planted(walker)
    stepped = as_steps(walker, limb_bones(), (TOE,))
    shown = curve(walker, PATH)
    shown.keyframe_points[2].co.x += 3.0
    shown.update()
    moved = planted(walker)
    assert np.count_nonzero(moved != before) == 3
    ease_again(stepped, 0.1)
    assert np.array_equal(planted(walker), moved)
    assert len(curve(walker, PATH).keyframe_points) > len(stepped[0].steps)
    states = edited_states(walker, limb_bones(), keyed_frames(walker))
    assert np.count_nonzero(states.toe) == 3, "it is known for an edit"


def test_an_action_that_is_gone_at_the_end_is_left_out(walker: bpy.types.Object) -> None:
    stepped = as_steps(walker, limb_bones(), (TOE,))
    bpy.data.actions.remove(walker.animation_data.action)
    ease_again(stepped, 0.1)
