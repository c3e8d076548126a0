# SPDX-License-Identifier: GPL-3.0-or-later
"""What a person set or edited is kept: in the action, over re-annotation, over saving, and under another name."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import ModuleType

import bpy
import numpy as np
import pytest

from support.forced import set_spans
from support.rigs import curve, curves
from support.walker import limb_bones, walk
from support.walker_armature import walking_armature
from toehold.rig.contacts.contact_curves import edited_states, read_contacts
from toehold.rig.contacts.states import read_states, write_states
from toehold.rig.curves.channels import keyed_frames
from toehold.rig.verbs import journey
from toehold.rig.verbs.journey import Options
from toehold.solver.contacts import Contacts, runs
from toehold.solver.forced import ForcedStates, State, nothing_forced

LEFT, RIGHT = 0, 1


def annotated() -> bpy.types.Object:
    armature = walking_armature(walk(strides=2.0, slide_mm_s=200.0))
    journey.annotate(armature, limb_bones(), Options())
    return armature


def contacts(armature: bpy.types.Object) -> Contacts:
    found = read_contacts(armature, limb_bones(), keyed_frames(armature))
    assert found is not None
    return found


def toe_curve(armature: bpy.types.Object, limb: int = LEFT, name: str = "contact") -> bpy.types.FCurve:
    return curve(armature, f'pose.bones["{limb_bones()[limb].contact_bone}"]["{name}"]')


def planted_spans(armature: bpy.types.Object, limb: int = LEFT) -> list[tuple[int, int]]:
    """Return when the limb's toe is planted, in scene frames."""
    return [(first + 1, last + 1) for first, last in runs(contacts(armature).toe_planted[:, limb])]


def move_keys(edited: bpy.types.FCurve, first: float, last: float, by: float) -> None:
    """Move the keys between two frames, as a script does."""
    flat = np.empty(2 * len(edited.keyframe_points), dtype=np.float32)
    edited.keyframe_points.foreach_get("co", flat)
    times = flat[::2]
    times[(times >= first) & (times <= last)] += by
    edited.keyframe_points.foreach_set("co", flat)
    edited.update()


def random_states(seed: int, frames: int) -> ForcedStates:
    random = np.random.default_rng(seed)
    spans = [np.repeat(random.integers(0, 4, frames), random.integers(1, 20, frames))[:frames] for _ in range(4)]
    toe, heel = np.array(spans, dtype=np.int8).reshape(2, 2, frames).transpose(0, 2, 1)
    return ForcedStates(toe, heel)


@pytest.mark.parametrize("seed", range(4))
def test_states_come_back_as_they_were_set(seed: int) -> None:
    armature = annotated()
    frames = keyed_frames(armature)
    states = random_states(seed, len(frames))
    write_states(armature, limb_bones(), states, frames)
    back = read_states(armature, limb_bones(), frames)
    assert np.array_equal(back.toe, states.toe)
    assert np.array_equal(back.heel, states.heel)
    steps = toe_curve(armature, name="contact_state")
    assert {key.interpolation for key in steps.keyframe_points} == {"CONSTANT"}
    assert not any(key.select_control_point for key in steps.keyframe_points)


def test_a_limb_for_which_nothing_is_set_has_no_curve_and_no_property() -> None:
    armature = annotated()
    before = curves(armature.animation_data.action)
    frames = keyed_frames(armature)
    write_states(armature, limb_bones(), random_states(1, len(frames)), frames)
    bone = armature.pose.bones[limb_bones()[LEFT].contact_bone]
    items = bone.id_properties_ui("contact_state").as_dict()["items"]
    assert [item[0] for item in items] == [state.name for state in State]
    write_states(armature, limb_bones(), nothing_forced(len(frames), 2), frames)
    assert curves(armature.animation_data.action) == before
    assert "contact_state" not in bone
    assert set_spans(armature) == [[], []]


def test_spans_for_the_screen_are_those_that_are_set() -> None:
    armature = annotated()
    frames = keyed_frames(armature)
    states = nothing_forced(len(frames), 2)
    toe = states.toe.copy()
    toe[9:20, LEFT], toe[20:30, LEFT], toe[100:, RIGHT] = State.SLIDING, State.LIFTED, State.PLANTED
    write_states(armature, limb_bones(), replace(states, toe=toe), frames)
    left, right = set_spans(armature)
    assert left == [(10, 20, State.SLIDING), (21, 30, State.LIFTED)]
    assert right == [(101, len(frames), State.PLANTED)]


def test_nothing_is_taken_for_an_edit_that_is_none() -> None:
    armature = annotated()
    assert edited_states(armature, limb_bones(), keyed_frames(armature)).is_empty
    before = curves(armature.animation_data.action)
    journey.annotate(armature, limb_bones(), Options())
    assert curves(armature.animation_data.action) == before


def test_an_edge_that_was_moved_stays_there_and_the_other_edges_are_found_again() -> None:
    armature = annotated()
    before = planted_spans(armature)
    first, last = before[1]
    move_keys(toe_curve(armature), last - 4, last + 5, 6.0)
    assert planted_spans(armature)[1] == (first, last + 6)
    journey.annotate(armature, limb_bones(), Options())
    assert planted_spans(armature) == [before[0], (first, last + 6)]
    assert set_spans(armature)[LEFT] == [(last + 1, last + 6, State.PLANTED)]
    journey.annotate(armature, limb_bones(), Options())
    assert planted_spans(armature) == [before[0], (first, last + 6)], "the second time as the first"


def test_an_edit_is_kept_where_the_limb_got_another_name() -> None:
    armature = annotated()
    before = planted_spans(armature)
    move_keys(toe_curve(armature), before[1][1] - 4, before[1][1] + 5, 6.0)
    renamed = [replace(limb, name=f"{limb.name} again") for limb in limb_bones()]
    journey.annotate(armature, renamed, Options())
    assert planted_spans(armature)[1][1] == before[1][1] + 6


def test_contacts_that_somebody_else_keyed_are_kept_where_they_have_keys() -> None:
    armature = walking_armature(walk(strides=2.0, slide_mm_s=200.0))
    bone = armature.pose.bones[limb_bones()[LEFT].contact_bone]
    for frame, value in ((40, 0.0), (50, 1.0), (60, 0.0)):
        bone["contact"] = value
        bone.keyframe_insert('["contact"]', frame=frame)
    for key in toe_curve(armature).keyframe_points:
        key.interpolation = "CONSTANT"
    journey.annotate(armature, limb_bones(), Options())
    spans = planted_spans(armature)
    assert (50, 59) in spans
    assert not any(first < 50 <= last or first < 60 <= last for first, last in spans)


def test_a_curve_that_was_deleted_is_found_again() -> None:
    armature = annotated()
    before = planted_spans(armature)
    bag = armature.animation_data.action.layers[0].strips[0].channelbags[0]
    bag.fcurves.remove(toe_curve(armature))
    journey.annotate(armature, limb_bones(), Options())
    assert planted_spans(armature) == before


def test_a_result_takes_along_what_was_set_and_edited_and_the_source_stays() -> None:
    armature = annotated()
    frames = keyed_frames(armature)
    before = planted_spans(armature)
    states = nothing_forced(len(frames), 2)
    heel = states.heel.copy()
    heel[40:50, RIGHT] = State.LIFTED
    write_states(armature, limb_bones(), replace(states, heel=heel), frames)
    move_keys(toe_curve(armature), before[1][1] - 4, before[1][1] + 5, 6.0)
    source = armature.animation_data.action
    untouched = curves(source)
    for _ in range(2):
        journey.clean(armature, limb_bones(), Options())
        assert curves(source) == untouched
        assert set_spans(armature, "heel")[RIGHT] == [(41, 50, State.LIFTED)]
        assert set_spans(armature)[LEFT] == [(before[1][1] + 1, before[1][1] + 6, State.PLANTED)]


def test_when_a_foot_touches_the_ground_comes_back_where_nothing_was_edited() -> None:
    armature = walking_armature(walk(strides=2.0, slide_mm_s=200.0))
    found = journey.annotate(armature, limb_bones(), Options()).contacts
    back = contacts(armature)
    assert found.touching is not None
    assert (found.foot_down & ~found.toe_planted & ~found.heel_planted).any()
    assert np.array_equal(back.foot_down, found.foot_down)
    _, last = planted_spans(armature)[1]
    move_keys(toe_curve(armature), last - 4, last + 5, -8.0)
    after = contacts(armature).foot_down[:, LEFT]
    lifted_again = slice(last - 8, last)
    assert not (after[lifted_again] & ~contacts(armature).heel_planted[lifted_again, LEFT]).any()
    assert np.array_equal(after[: last - 8], found.foot_down[: last - 8, LEFT])


def test_all_of_it_is_in_the_file(tmp_path: Path) -> None:
    armature = annotated()
    frames = keyed_frames(armature)
    states = random_states(3, len(frames))
    write_states(armature, limb_bones(), states, frames)
    spans, down = planted_spans(armature), contacts(armature).foot_down
    move_keys(toe_curve(armature), spans[1][1] - 4, spans[1][1] + 5, 6.0)
    edited = edited_states(armature, limb_bones(), frames)
    path = str(tmp_path / "walk.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    again = bpy.data.objects["Walker"]
    back = edited_states(again, limb_bones(), frames)
    assert np.array_equal(back.toe, edited.toe)
    assert np.array_equal(back.heel, edited.heel)
    assert np.array_equal(contacts(again).foot_down[: spans[1][1] - 8], down[: spans[1][1] - 8])


def test_an_override_that_lost_its_properties_has_them_again_when_its_file_is_opened(
    registered: ModuleType, tmp_path: Path
) -> None:
    armature = walking_armature(walk(strides=2.0, slide_mm_s=200.0))
    library, path = str(tmp_path / "library.blend"), str(tmp_path / "shot.blend")
    bpy.data.libraries.write(library, {armature}, fake_user=True)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with bpy.data.libraries.load(library, link=True) as (_, linked):
        linked.objects = ["Walker"]
    bpy.context.scene.collection.objects.link(linked.objects[0])
    override = linked.objects[0].override_hierarchy_create(bpy.context.scene, bpy.context.view_layer)
    bpy.context.view_layer.objects.active = override
    override.animation_data.action = override.animation_data.action.copy()
    bpy.ops.toehold.set_contact(state="SLIDING", frame_start=10, frame_end=20)
    spans, states = planted_spans(override), set_spans(override)
    assert states[LEFT] == [(10, 20, State.SLIDING)]
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    again = next(item for item in bpy.data.objects if item.override_library is not None and item.type == "ARMATURE")
    assert planted_spans(again) == spans
    assert set_spans(again) == states
    for frame, state in ((15, State.SLIDING), (30, State.AUTO)):
        bpy.context.scene.frame_set(frame)
        assert again.pose.bones[limb_bones()[LEFT].contact_bone]["contact_state"] == state
