# SPDX-License-Identifier: GPL-3.0-or-later
"""The list of contacts belongs to its action, has the worst first, and a click goes to the contact."""

from __future__ import annotations

from typing import Any

import bpy
import pytest


def contacts(armature: bpy.types.Object) -> list[Any]:
    return list(armature.animation_data.action.toehold.contacts)


@pytest.mark.parametrize("verb", ["annotate_contacts", "report", "clean", "bake_lock"])
def test_each_verb_that_measures_lists_the_contacts_the_worst_first(walker: bpy.types.Object, verb: str) -> None:
    getattr(bpy.ops.toehold, verb)()
    found = contacts(walker)
    drifts = [contact.drift_mm for contact in found]
    assert len(found) > 4
    assert drifts == sorted(drifts, reverse=True)
    assert {contact.limb for contact in found} == {"Left Leg", "Right Leg"}
    assert all(1 <= contact.first <= contact.last for contact in found)


def test_flipping_shows_each_action_its_own_list(walker: bpy.types.Object) -> None:
    bpy.ops.toehold.clean()
    cleaned = contacts(walker)[0].drift_mm
    bpy.ops.toehold.flip_source()
    source = contacts(walker)[0].drift_mm
    assert cleaned < 1.0 < 15.0 < source


def test_measuring_again_does_not_lengthen_the_list(walker: bpy.types.Object) -> None:
    bpy.ops.toehold.report()
    before = len(contacts(walker))
    bpy.ops.toehold.report()
    assert len(contacts(walker)) == before


@pytest.mark.parametrize("mode", ["OBJECT", "POSE"])
def test_a_click_goes_to_the_first_frame_with_the_bone_selected(walker: bpy.types.Object, mode: str) -> None:
    from toehold.rig.common import versions

    bpy.ops.toehold.report()
    bpy.ops.object.mode_set(mode=mode)
    for at in (2, 0):
        contact = contacts(walker)[at]
        walker.animation_data.action.toehold.active = at
        assert bpy.context.scene.frame_current == contact.first
        assert walker.data.bones.active.name == contact.bone
        assert [bone.name for bone in walker.pose.bones if versions.is_selected(bone)] == [contact.bone]


def test_filling_the_list_does_not_go_anywhere(walker: bpy.types.Object) -> None:
    bpy.context.scene.frame_set(7)
    bpy.ops.toehold.clean()
    assert bpy.context.scene.frame_current == 7


def test_the_worst_contact_is_the_one_of_the_figures(walker: bpy.types.Object) -> None:
    from toehold.rig.writing.results import figures_of

    bpy.ops.toehold.report()
    figures = figures_of(walker.animation_data.action)["before"]
    assert contacts(walker)[0].drift_mm == pytest.approx(figures["drift_mm"], rel=1e-5)


def test_a_bone_that_is_gone_does_not_keep_from_the_frame(walker: bpy.types.Object) -> None:
    bpy.ops.toehold.report()
    walker.animation_data.action.toehold.contacts[1].bone = "Gone"
    walker.animation_data.action.toehold.active = 1
    assert bpy.context.scene.frame_current == contacts(walker)[1].first


def test_what_a_person_has_set_is_told_from_what_was_found(walker: bpy.types.Object) -> None:
    bpy.ops.toehold.annotate_contacts()
    assert not any(contact.by_hand for contact in contacts(walker))
    chosen = next(contact for contact in contacts(walker) if contact.kind == "toe" and contact.limb == "Left Leg")
    first, last = chosen.first, chosen.last
    walker.data.bones.active = walker.data.bones["LeftToeBase"]
    bpy.context.scene.frame_set((first + last) // 2)
    bpy.ops.toehold.set_contact(state="PLANTED", over="CONTACT")
    bpy.ops.toehold.clean()
    by_hand = [(contact.limb, contact.first) for contact in contacts(walker) if contact.by_hand]
    assert ("Left Leg", first) in by_hand
    assert len(by_hand) < len(contacts(walker)) / 2
