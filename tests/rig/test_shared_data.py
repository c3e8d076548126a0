# SPDX-License-Identifier: GPL-3.0-or-later
"""Actions and armatures that others use too are left alone: by another armature, or in another file."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest

from support.rigs import curves, joints_by_blender, play
from support.walker import walk
from support.walker_armature import walking_armature
from toehold.rig.common.wording import RigError
from toehold.rig.legs.find_legs import find_legs
from toehold.rig.sampling.sample import sample
from toehold.rig.verbs import journey
from toehold.rig.verbs.flip import restore_source


def walker() -> bpy.types.Object:
    return walking_armature(walk(strides=1.5, slide_mm_s=120.0))


def test_another_armature_of_the_same_slot_goes_on_as_it_was() -> None:
    armature = walker()
    limbs = find_legs(armature)
    action = armature.animation_data.action
    other = armature.copy()
    bpy.context.scene.collection.objects.link(other)
    other.animation_data.action, other.animation_data.action_slot = action, action.slots[0]
    bpy.context.view_layer.update()
    sampled = sample(other, limbs)
    before = joints_by_blender(other, sampled), curves(action)

    cleaned = journey.clean(armature, limbs, journey.Options())

    assert cleaned.after.slide_mm_s < 2.0
    assert (other.animation_data.action, other.animation_data.action_slot) == (action, action.slots[0])
    assert np.array_equal(joints_by_blender(other, sampled), before[0])
    assert curves(action) == before[1]


def linked_action(armature: bpy.types.Object, folder: Path) -> bpy.types.Action:
    """Assign an action that is linked from another file, the same as the armature has."""
    path = str(folder / "library.blend")
    bpy.data.libraries.write(path, {armature.animation_data.action})
    name = armature.animation_data.action.name
    bpy.data.actions.remove(armature.animation_data.action)
    with bpy.data.libraries.load(path, link=True) as (_, linked):
        linked.actions = [name]
    play(armature, linked.actions[0])
    return linked.actions[0]


def test_a_linked_action_is_cleaned_into_a_local_one_and_takes_no_contacts_itself(tmp_path: Path) -> None:
    armature = walker()
    limbs = find_legs(armature)
    source = linked_action(armature, tmp_path)
    before = curves(source)
    with pytest.raises(RigError, match="linked from another file"):
        journey.annotate(armature, limbs, journey.Options())
    cleaned = journey.clean(armature, limbs, journey.Options())
    assert cleaned.after.slide_mm_s < 2.0
    assert (cleaned.result.library, source.library is not None, curves(source)) == (None, True, before)
    assert restore_source(armature) == source


def override(armature: bpy.types.Object, folder: Path) -> bpy.types.Object:
    """Return a library override of the armature, in a file of its own."""
    path, name = str(folder / "library.blend"), armature.name
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with bpy.data.libraries.load(path, link=True) as (_, linked):
        linked.objects = [name]
    bpy.context.scene.collection.objects.link(linked.objects[0])
    made = linked.objects[0].override_create(remap_local_usages=True)
    bpy.context.view_layer.update()
    return made


@pytest.mark.parametrize("over_strips", [False, True])
def test_a_library_override_is_cleaned_and_its_library_left_alone(tmp_path: Path, over_strips: bool) -> None:
    armature = walker()
    if over_strips:
        animation = armature.animation_data
        animation.nla_tracks.new().strips.new("walk", 1, animation.action)
        animation.action = None
    armature = override(armature, tmp_path)
    limbs = find_legs(armature)
    cleaned = journey.clean(armature, limbs, journey.Options())
    assert np.abs(joints_by_blender(armature, cleaned.sample) - cleaned.clip.positions).max() <= 1e-5
    assert cleaned.after.slide_mm_s < 2.0
    assert cleaned.result.library is None
    restore_source(armature)
    shown = joints_by_blender(armature, cleaned.sample)
    assert np.abs(shown - cleaned.sample.clip.positions).max() <= 1e-5
