# SPDX-License-Identifier: GPL-3.0-or-later
"""Contacts by hand: each tool does what it says, says what it did, and is undone to the byte."""

from __future__ import annotations

import json
import re
from types import ModuleType

import bpy
import numpy as np
import pytest

from support.control_rigs import rigify_walk
from support.forced import set_spans
from support.rigs import curve
from support.snapshot import snapshot
from support.walker import limb_bones
from toehold import settings
from toehold.rig.common import versions
from toehold.rig.contacts.contact_curves import read_contacts
from toehold.rig.curves.channels import keyed_frames
from toehold.rig.sampling.sample import sample
from toehold.solver.contacts import Contacts, runs
from toehold.solver.forced import State

TOOLS = {
    "set_contact": {"state": "SLIDING", "legs": "ALL"},
    "nudge_contact": {"frames": 2},
    "split_contact": {},
    "clear_contacts": {"legs": "ALL"},
    "jump_contact": {},
}


def contacts(armature: bpy.types.Object) -> Contacts:
    found = read_contacts(armature, limb_bones(), keyed_frames(armature))
    assert found is not None
    return found


def spans(armature: bpy.types.Object, limb: int = 0, point: str = "toe") -> list[tuple[int, int]]:
    """Return when a point is planted, in scene frames."""
    planted = getattr(contacts(armature), f"{point}_planted")[:, limb]
    return [(first + 1, last + 1) for first, last in runs(planted)]


def selected_on_a_control_rig(name: str) -> bpy.types.Object:
    """Return a walking Rigify human in Pose Mode with one bone selected; its left leg is the active one."""
    armature = rigify_walk({1: 0.0})
    bpy.ops.object.select_all(action="DESELECT")
    bpy.context.view_layer.objects.active = armature
    armature.select_set(True)
    bpy.ops.toehold.find_legs()
    bpy.ops.object.mode_set(mode="POSE")
    for bone in armature.pose.bones:
        versions.select(bone, bone.name == name)
    return armature


def middle(span: tuple[int, int]) -> int:
    return (span[0] + span[1]) // 2


def said(capfd: pytest.CaptureFixture[str]) -> str:
    return "\n".join(line for line in capfd.readouterr().out.splitlines() if re.match(r"(Info|Warning): ", line))


def refusal(verb: str, **values: object) -> str:
    before = snapshot()
    with pytest.raises(RuntimeError) as refused:
        getattr(bpy.ops.toehold, verb)(**values)
    assert snapshot() == before
    return str(refused.value)


@pytest.fixture
def annotated(walker: bpy.types.Object) -> bpy.types.Object:
    """The walker with its contacts found, at a frame in the middle of the left foot's second contact."""
    bpy.ops.toehold.annotate_contacts()
    assert [limb.toe for limb in walker.toehold.limbs] == [limb.toe for limb in limb_bones()]
    bpy.context.scene.frame_set(middle(spans(walker)[1]))
    return walker


@pytest.mark.parametrize("mode", ["OBJECT", "POSE"])
@pytest.mark.parametrize("verb", TOOLS)
def test_undo_of_a_tool_leaves_the_file_as_before(annotated: bpy.types.Object, verb: str, mode: str) -> None:
    bpy.ops.object.mode_set(mode=mode)
    for _ in range(2):  # the first step alone can not be undone
        bpy.ops.ed.undo_push(message="test")
    before = snapshot()
    assert getattr(bpy.ops.toehold, verb)(**TOOLS[verb]) == {"FINISHED"}
    assert snapshot() != before
    bpy.ops.ed.undo_push(message="test")
    bpy.ops.ed.undo()
    assert snapshot() == before


@pytest.mark.parametrize("state", ["PLANTED", "LIFTED", "SLIDING"])
def test_what_was_set_over_frames_holds_over_annotation_until_it_is_set_to_automatic(
    annotated: bpy.types.Object, state: str, capfd: pytest.CaptureFixture[str]
) -> None:
    detected = spans(annotated), spans(annotated, 1)
    frames = (detected[0][1][0] - 10, detected[0][1][0] + 10)
    said(capfd)
    bpy.ops.toehold.set_contact(state=state, frame_start=frames[0], frame_end=frames[1])
    assert f"{annotated.toehold.limbs[0].name}, frames {frames[0]} to {frames[1]}" in said(capfd)
    once = spans(annotated)
    inside = contacts(annotated).toe_planted[frames[0] - 1 : frames[1], 0]
    assert inside.all() if state == "PLANTED" else not inside.any()
    bpy.ops.toehold.annotate_contacts()
    assert spans(annotated) == once
    assert spans(annotated, 1) == detected[1], "the other leg is left alone"
    assert set_spans(annotated)[0] == [(*frames, State[state])]
    bpy.ops.toehold.set_contact(state="AUTO", frame_start=frames[0], frame_end=frames[1])
    assert (spans(annotated), spans(annotated, 1)) == detected
    assert set_spans(annotated) == [[], []]


def test_without_frames_a_tool_is_about_the_step_at_the_current_frame(annotated: bpy.types.Object) -> None:
    toe, heel = spans(annotated)[1], spans(annotated, point="heel")[1]
    bpy.ops.toehold.set_contact(state="LIFTED")
    assert set_spans(annotated)[0] == [(min(toe[0], heel[0]), max(toe[1], heel[1]), State.LIFTED)]
    assert toe not in spans(annotated)
    assert heel not in spans(annotated, point="heel"), "nothing of a lifted foot is held"
    bpy.ops.toehold.set_contact(state="AUTO")
    assert toe in spans(annotated)
    assert heel in spans(annotated, point="heel")


def test_plant_between_two_contacts_makes_a_new_short_one(annotated: bpy.types.Object) -> None:
    before = spans(annotated)
    frame = (before[0][1] + before[1][0]) // 2
    bpy.context.scene.frame_set(frame)
    bpy.ops.toehold.set_contact(state="PLANTED")
    new = [span for span in spans(annotated) if span not in before]
    assert len(new) == 1
    assert new[0][0] <= frame <= new[0][1]
    assert new[0][1] - new[0][0] < 10


def test_plant_brings_a_missed_contact_back_for_as_long_as_the_toe_is_slow(annotated: bpy.types.Object) -> None:
    before = spans(annotated)
    bpy.ops.toehold.set_contact(state="LIFTED")
    assert before[1] not in spans(annotated)
    bpy.ops.toehold.set_contact(state="PLANTED")
    assert np.abs(np.array(spans(annotated)) - before).max() <= 6, "landing and push-off are slow too"


def test_the_preview_range_and_the_heel_can_be_meant(annotated: bpy.types.Object) -> None:
    scene = bpy.context.scene
    assert "no preview range" in refusal("set_contact", over="PREVIEW_RANGE")
    scene.use_preview_range, scene.frame_preview_start, scene.frame_preview_end = True, 20, 30
    toe = spans(annotated)
    bpy.ops.toehold.set_contact(state="SLIDING", over="PREVIEW_RANGE", point="HEEL", legs="ALL")
    assert set_spans(annotated, "heel") == [[(20, 30, State.SLIDING)]] * 2
    assert spans(annotated) == toe


def test_selected_keys_of_a_contact_mean_exactly_that_contact(annotated: bpy.types.Object) -> None:
    first, last = spans(annotated)[1]
    assert "no key of a contact curve is selected" in refusal("set_contact", over="KEYS")
    for key in curve(annotated, f'pose.bones["{limb_bones()[0].contact_bone}"]["contact"]').keyframe_points:
        key.select_control_point = first - 6 < key.co.x < last + 6
    bpy.ops.toehold.set_contact(state="SLIDING", over="KEYS", point="TOE")
    assert set_spans(annotated) == [[(first, last, State.SLIDING)], []]


def test_selected_bones_choose_the_legs_in_pose_mode(annotated: bpy.types.Object) -> None:
    bpy.ops.object.mode_set(mode="POSE")
    for bone in annotated.pose.bones:
        versions.select(bone, bone.name == limb_bones()[1].knee)
    bpy.ops.toehold.set_contact(state="LIFTED", frame_start=10, frame_end=20)
    assert [bool(found) for found in set_spans(annotated)] == [False, True]


def test_jumps_go_through_all_edges_in_order_and_end(annotated: bpy.types.Object) -> None:
    scene = bpy.context.scene
    scene.frame_set(1)
    edges = [frame for span in spans(annotated) for frame in span if frame > 1]
    found = []
    for _ in edges:
        bpy.ops.toehold.jump_contact(direction="NEXT")
        found.append(scene.frame_current)
    assert found == edges
    assert "no next contact" in refusal("jump_contact", direction="NEXT")
    bpy.ops.toehold.jump_contact(direction="PREVIOUS")
    assert scene.frame_current == edges[-2]


def test_an_edge_is_nudged_out_and_in_and_takes_the_frame_along(annotated: bpy.types.Object) -> None:
    scene = bpy.context.scene
    before = spans(annotated)
    first, last = before[1]
    scene.frame_set(first)
    for step, begins in ((-1, first - 1), (-1, first - 2), (1, first - 1), (3, first + 2)):
        bpy.ops.toehold.nudge_contact(frames=step)
        assert spans(annotated) == [before[0], (begins, last), *before[2:]]
        assert scene.frame_current == begins
    bpy.ops.toehold.annotate_contacts()
    assert spans(annotated)[1] == (first + 2, last)
    scene.frame_set(last - 1)
    bpy.ops.toehold.nudge_contact(frames=2)
    assert spans(annotated)[1] == (first + 2, last + 2)
    assert scene.frame_current == last - 1, "it was beside the edge"


def test_an_edge_is_not_nudged_into_the_next_contact_nor_over_its_own_end(annotated: bpy.types.Object) -> None:
    before = spans(annotated)
    bpy.context.scene.frame_set(before[1][0])
    gap = before[1][0] - before[0][1] - 1
    assert "no room" in refusal("nudge_contact", frames=-gap)
    assert "no room" in refusal("nudge_contact", frames=before[1][1] - before[1][0] + 1)
    bpy.ops.toehold.nudge_contact(frames=1 - gap)
    assert spans(annotated)[1][0] == before[0][1] + 2


def test_a_split_contact_is_two_and_stays_so(annotated: bpy.types.Object) -> None:
    first, last = spans(annotated)[1]
    frame = bpy.context.scene.frame_current
    bpy.ops.toehold.split_contact(gap=3)
    for _ in range(2):
        assert spans(annotated)[1:3] == [(first, frame - 2), (frame + 2, last)]
        bpy.ops.toehold.annotate_contacts()
    assert "is not inside a contact" in refusal("split_contact")


def test_clear_leaves_the_action_as_before_it_was_annotated(walker: bpy.types.Object) -> None:
    bpy.ops.toehold.find_legs()
    before = snapshot()
    bpy.ops.toehold.annotate_contacts()
    bpy.context.scene.frame_set(20)
    bpy.ops.toehold.set_contact(state="SLIDING", legs="ALL")
    bpy.context.scene.frame_set(before["frame"][0])
    bpy.ops.toehold.clear_contacts(legs="ALL")
    after = snapshot()
    name = walker.animation_data.action.name
    assert after["actions"][name]["curves"] == before["actions"][name]["curves"]
    assert "toehold_contacts" not in after["actions"][name]["properties"]
    assert after["objects"] == before["objects"]
    assert "nothing to clear" in refusal("clear_contacts", legs="ALL")


def test_clear_of_one_leg_leaves_the_other(annotated: bpy.types.Object) -> None:
    other = spans(annotated, 1)
    bpy.ops.toehold.clear_contacts(legs="ACTIVE")
    assert spans(annotated) == []
    assert spans(annotated, 1) == other
    summary = json.loads(annotated.animation_data.action["toehold_contacts"])
    assert list(summary) == [annotated.toehold.limbs[1].name]


def slide_mm_s(armature: bpy.types.Object, limb: int, span: tuple[int, int]) -> float:
    """Return the mean level speed of a toe over scene frames, by the curves as they are."""
    sampled = sample(armature, limb_bones(), span)
    toe = sampled.clip.positions[:, sampled.limbs[limb].toe, :2]
    return float(np.linalg.norm(np.diff(toe, axis=0), axis=-1).mean() * sampled.clip.fps * 1000.0)


def test_clean_holds_what_is_planted_and_lets_slide_what_is_to_slide_or_lifted(annotated: bpy.types.Object) -> None:
    planted, sliding = spans(annotated)[:2]
    lifted = spans(annotated, 1)[1]
    before = {span: slide_mm_s(annotated, limb, span) for limb, span in ((0, planted), (0, sliding), (1, lifted))}
    bpy.ops.toehold.set_contact(state="PLANTED", frame_start=planted[0], frame_end=planted[1])
    bpy.ops.toehold.set_contact(state="SLIDING")
    annotated.toehold.active_limb = 1
    bpy.context.scene.frame_set(middle(lifted))
    bpy.ops.toehold.set_contact(state="LIFTED")
    down = contacts(annotated).foot_down
    bpy.ops.toehold.clean()
    assert slide_mm_s(annotated, 0, planted) < 2.0
    assert slide_mm_s(annotated, 0, sliding) == pytest.approx(before[sliding], rel=0.25)
    assert slide_mm_s(annotated, 1, lifted) == pytest.approx(before[lifted], rel=0.25)
    figures = json.loads(annotated.animation_data.action["toehold_figures"])
    assert figures["after"]["slide_mm_s"] < 2.0, "what slides on purpose is not counted"
    after = contacts(annotated)
    assert np.array_equal(after.foot_down, down)
    assert after.foot_down[sliding[0] - 1 : sliding[1], 0].all()
    assert not after.foot_down[lifted[0] - 1 : lifted[1], 1].any()


def test_automatic_refuses_where_nothing_was_set(annotated: bpy.types.Object) -> None:
    assert "nothing was set or edited" in refusal("set_contact", state="AUTO")


def test_tools_that_need_contacts_ask_for_them(walker: bpy.types.Object) -> None:
    for verb in ("jump_contact", "nudge_contact", "split_contact"):
        assert "Annotate Contacts first" in refusal(verb)


def test_set_contact_finds_all_contacts_where_there_are_none_yet(walker: bpy.types.Object) -> None:
    bpy.ops.toehold.set_contact(state="LIFTED", frame_start=1, frame_end=10)
    assert len(walker.toehold.limbs) == 2
    assert len(spans(walker, 1)) >= 2
    assert spans(walker)[0][0] == 11


def test_review_refuses_without_a_window(annotated: bpy.types.Object) -> None:
    assert "needs a window" in refusal("review_contacts")
    assert "No review is open" in refusal("end_review")


@pytest.mark.parametrize("control", ["foot_ik.R", "thigh_fk.R", "DEF-shin.R"])
def test_with_a_control_selected_its_own_leg_is_lifted_whichever_leg_is_active(
    registered: ModuleType, control: str, capfd: pytest.CaptureFixture[str]
) -> None:
    armature = selected_on_a_control_rig(control)
    said(capfd)
    bpy.ops.toehold.set_contact(state="LIFTED", frame_start=5, frame_end=9)
    assert set_spans(armature, limbs=settings.limb_bones(armature)) == [[], [(5, 9, State.LIFTED)]]
    assert said(capfd) == "Info: Lifted: Right Leg, frames 5 to 9"


def test_where_what_is_selected_is_of_no_leg_the_one_that_is_taken_is_told(
    registered: ModuleType, capfd: pytest.CaptureFixture[str]
) -> None:
    armature = selected_on_a_control_rig("torso")
    said(capfd)
    bpy.ops.toehold.set_contact(state="LIFTED", frame_start=5, frame_end=9)
    assert set_spans(armature, limbs=settings.limb_bones(armature)) == [[(5, 9, State.LIFTED)], []]
    assert said(capfd).startswith("Warning: Lifted: Left Leg, frames 5 to 9, the selected bones are of no leg")
