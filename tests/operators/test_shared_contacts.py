# SPDX-License-Identifier: GPL-3.0-or-later
"""Source and result have one set of contacts: an edit of either is an edit of both, and can be taken back."""

from __future__ import annotations

import itertools

import bpy
import numpy as np
import pytest

from support.rigs import curve
from support.walker import limb_bones
from toehold.rig.contacts.contact_curves import edited_states, read_contacts
from toehold.rig.curves.channels import keyed_frames
from toehold.solver.arrays import BoolArray
from toehold.solver.contacts import runs


def planted(armature: bpy.types.Object) -> BoolArray:
    found = read_contacts(armature, limb_bones(), keyed_frames(armature))
    assert found is not None
    return found.toe_planted


def states_set(armature: bpy.types.Object) -> int:
    """Return for how many frames and points something is set by hand."""
    states = edited_states(armature, limb_bones(), keyed_frames(armature))
    return int(np.count_nonzero(states.toe) + np.count_nonzero(states.heel))


def go_into(armature: bpy.types.Object, contact: int) -> int:
    """Go to the middle of a contact of the left toe, and return the frame's index."""
    first, last = runs(planted(armature)[:, 0])[contact]
    armature.toehold.active_limb = 0
    bpy.context.scene.frame_set((first + last) // 2 + 1)
    return (first + last) // 2


@pytest.fixture
def annotated(walker: bpy.types.Object) -> bpy.types.Object:
    bpy.ops.toehold.annotate_contacts()
    return walker


@pytest.mark.parametrize("edited", ["source", "result"])
def test_what_is_lifted_on_either_is_lifted_on_both(annotated: bpy.types.Object, edited: str) -> None:
    bpy.ops.toehold.clean()
    if edited == "source":
        bpy.ops.toehold.flip_source()
    at = go_into(annotated, 1)
    bpy.ops.toehold.set_contact(state="LIFTED")
    here = planted(annotated)
    bpy.ops.toehold.flip_source()
    assert not here[at, 0]
    np.testing.assert_array_equal(planted(annotated), here)


def test_a_lift_on_the_result_outlives_going_back_and_cleaning_again(annotated: bpy.types.Object) -> None:
    bpy.ops.toehold.clean()
    at = go_into(annotated, 1)
    bpy.ops.toehold.set_contact(state="LIFTED")
    bpy.ops.toehold.restore_source()
    bpy.ops.toehold.clean()
    assert not planted(annotated)[at, 0]


def test_a_key_moved_by_hand_on_the_result_is_moved_on_its_source_too(annotated: bpy.types.Object) -> None:
    bpy.ops.toehold.clean()
    signal = curve(annotated, f'pose.bones["{limb_bones()[0].toe}"]["contact"]')
    for key in signal.keyframe_points[1:3]:
        key.co[0] += 3.0
    signal.update()
    moved = planted(annotated)
    bpy.ops.toehold.restore_source()
    np.testing.assert_array_equal(planted(annotated), moved)


def test_automatic_on_a_result_gives_back_what_was_found_on_the_source(annotated: bpy.types.Object) -> None:
    found = planted(annotated)
    bpy.ops.toehold.clean()
    go_into(annotated, 1)
    bpy.ops.toehold.set_contact(state="LIFTED")
    bpy.ops.toehold.set_contact(state="AUTO")
    np.testing.assert_array_equal(planted(annotated), found)


@pytest.mark.parametrize("on", ["source", "result"])
def test_plant_takes_back_what_lift_did_and_nothing_stays_set(annotated: bpy.types.Object, on: str) -> None:
    found = planted(annotated)
    if on == "result":
        bpy.ops.toehold.clean()
    go_into(annotated, 1)
    bpy.ops.toehold.set_contact(state="LIFTED")
    assert states_set(annotated) > 0
    bpy.ops.toehold.set_contact(state="PLANTED")
    np.testing.assert_array_equal(planted(annotated), found)
    assert states_set(annotated) == 0


def test_lift_takes_back_what_plant_added_and_nothing_stays_set(annotated: bpy.types.Object) -> None:
    found = planted(annotated)
    first, last = runs(~found[:, 0])[1]
    annotated.toehold.active_limb = 0
    bpy.context.scene.frame_set((first + last) // 2 + 1)
    bpy.ops.toehold.set_contact(state="PLANTED")
    assert (planted(annotated) != found).any()
    bpy.ops.toehold.set_contact(state="LIFTED")
    np.testing.assert_array_equal(planted(annotated), found)
    assert states_set(annotated) == 0


def test_clearing_contacts_clears_those_of_the_source_too(annotated: bpy.types.Object) -> None:
    bpy.ops.toehold.clean()
    bpy.ops.toehold.clear_contacts(legs="ALL")
    bpy.ops.toehold.restore_source()
    assert read_contacts(annotated, limb_bones(), keyed_frames(annotated)) is None


@pytest.mark.parametrize(("ease", "frames"), [(0.0, 1.0), (0.1, 5.0)])
def test_ease_is_how_long_an_edge_of_the_curve_takes(annotated: bpy.types.Object, ease: float, frames: float) -> None:
    """The walker has 60 frames a second: a tenth of one is six, five where both ends are whole frames."""
    annotated.toehold.contacts.blend_time = ease
    bpy.ops.toehold.annotate_contacts()
    keys = curve(annotated, f'pose.bones["{limb_bones()[0].toe}"]["contact"]').keyframe_points
    pairs = [(one, next_one) for one, next_one in itertools.pairwise(keys) if one.co[1] != next_one.co[1]]
    edges = [next_one.co[0] - one.co[0] for one, next_one in pairs]
    assert len(edges) > 2
    assert edges[1] == pytest.approx(frames, abs=0.01)
