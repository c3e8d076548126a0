# SPDX-License-Identifier: GPL-3.0-or-later
"""A review changes what is selected and adds curves to look at; after it, nothing of either is left."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from support.rigs import curve, curves
from support.walker import limb_bones, walk
from support.walker_armature import walking_armature
from toehold.rig.common import versions
from toehold.rig.review.detection_curves import remove_review_curves, write_review_curves
from toehold.rig.review.selection import put_back, select_contacts, selection_of
from toehold.rig.sampling.sample import sample
from toehold.rig.verbs import journey
from toehold.rig.verbs.journey import Options

CONTACT_BONES = {limb.contact_bone for limb in limb_bones()}


@pytest.fixture
def walker() -> bpy.types.Object:
    armature = walking_armature(walk(strides=2.0, slide_mm_s=200.0))
    journey.annotate(armature, limb_bones(), Options())
    return armature


def test_the_speed_is_that_of_the_toe_and_the_limit_is_between_stance_and_swing(walker: bpy.types.Object) -> None:
    write_review_curves(walker, limb_bones(), Options())
    sampled = sample(walker, limb_bones())
    fps = sampled.clip.fps
    for at, limb in enumerate(limb_bones()):
        path = f'pose.bones["{limb.contact_bone}"]'
        speed, limit, height = (
            np.array([curve(walker, f'{path}["{name}"]').evaluate(frame) for frame in sampled.frames])
            for name in ("toe_speed", "toe_speed_limit", "toe_height")
        )
        toe = sampled.clip.positions[:, sampled.limbs[at].toe]
        own = np.linalg.norm(toe[2:] - toe[:-2], axis=-1) * fps / 2.0
        np.testing.assert_allclose(speed[1:-1], own, atol=1e-4)
        np.testing.assert_allclose(height, toe[:, 2], atol=1e-6)
        planted = np.array([curve(walker, f'{path}["contact"]').evaluate(frame) for frame in sampled.frames]) > 0.5
        assert (speed[planted] < limit[planted]).mean() > 0.95
        assert speed.max() > 2.0 * limit.max()


def test_review_curves_are_not_to_be_edited_and_go_without_a_trace(walker: bpy.types.Object) -> None:
    before, keys = curves(walker.animation_data.action), sorted(walker.animation_data.action.keys())
    properties = {bone.name: sorted(bone.keys()) for bone in walker.pose.bones}
    write_review_curves(walker, limb_bones(), Options())
    for bone in CONTACT_BONES:
        looked_at = curve(walker, f'pose.bones["{bone}"]["toe_speed"]')
        assert len(looked_at.keyframe_points) == 0
        assert len(looked_at.sampled_points) == bpy.context.scene.frame_end
    remove_review_curves(walker)
    assert curves(walker.animation_data.action) == before
    assert sorted(walker.animation_data.action.keys()) == keys
    assert {bone.name: sorted(bone.keys()) for bone in walker.pose.bones} == properties


def test_clean_during_a_review_leaves_none_of_its_curves_in_the_result(walker: bpy.types.Object) -> None:
    write_review_curves(walker, limb_bones(), Options())
    cleaned = journey.clean(walker, limb_bones(), Options())
    remove_review_curves(walker)
    for action in (cleaned.source, cleaned.result):
        assert not [path for _, path, _ in curves(action) if "toe_speed" in path or "toe_height" in path]


def test_a_property_of_the_same_name_that_is_the_users_stays(walker: bpy.types.Object) -> None:
    walker.pose.bones[limb_bones()[0].root]["toe_speed"] = 3.0
    write_review_curves(walker, limb_bones(), Options())
    remove_review_curves(walker)
    assert sum("toe_speed" in bone for bone in walker.pose.bones) == 1


def test_selection_is_exactly_the_contacts_and_then_what_it_was(walker: bpy.types.Object) -> None:
    view_layer = bpy.context.view_layer
    other = bpy.data.objects.new("Other", None)
    bpy.context.scene.collection.objects.link(other)
    other.select_set(True)
    chosen = [bone.name for bone in walker.pose.bones][::2]
    for bone in walker.pose.bones:
        versions.select(bone, bone.name in chosen)
    walker.data.bones.active = walker.data.bones[chosen[1]]
    contact = curve(walker, f'pose.bones["{limb_bones()[0].contact_bone}"]["contact"]')
    contact.hide = True
    before = selection_of(view_layer, walker)
    select_contacts(view_layer, walker, limb_bones())
    assert {bone.name for bone in walker.pose.bones if versions.is_selected(bone)} == CONTACT_BONES
    assert [item.name for item in view_layer.objects if item.select_get()] == [walker.name]
    assert not contact.hide
    put_back(view_layer, walker, before)
    assert selection_of(view_layer, walker) == before
    assert contact.hide
    assert other.select_get()
