# SPDX-License-Identifier: GPL-3.0-or-later
"""Clean works on what NLA strips show together, and touches none of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import bpy
import numpy as np
import pytest

from support.control_rigs import open_shared
from support.rigs import joints_by_blender
from support.stacks import (
    STACKS,
    a_slowed_one,
    add_strip,
    an_action_mixed_in,
    every_curve,
    one_strip,
    poses,
    stack_of,
    stacked,
    walker,
)
from toehold.rig.common.wording import RigError
from toehold.rig.contacts.contact_curves import read_contacts
from toehold.rig.curves import stack
from toehold.rig.legs.find_legs import find_legs
from toehold.rig.review import contact_tools
from toehold.rig.sampling.sample import sample
from toehold.rig.verbs import journey
from toehold.rig.verbs.compare import compare
from toehold.rig.verbs.flip import flip, restore_source
from toehold.rig.verbs.root_motion import RootMotionOptions, move_root
from toehold.rig.writing import nla
from toehold.solver.forced import State

OPTIONS = {kept: journey.Options(over_strips=kept) for kept in ("STRIP", "ACTION")}


@pytest.mark.parametrize("kept", OPTIONS)
@pytest.mark.parametrize("how", STACKS)
def test_what_strips_show_is_cleaned_and_they_are_left_as_they_were(
    how: Callable[[bpy.types.Object], None], kept: str
) -> None:
    armature, limbs = stacked(how)
    before, old_curves = stack_of(armature), every_curve()
    sampled = sample(armature, limbs)
    shown = joints_by_blender(armature, sampled)
    assert np.abs(shown - sampled.clip.positions).max() <= 1e-5
    around = range(-30, 190)
    untouched = [at for at, bone in enumerate(armature.pose.bones) if bone.name not in sampled.bones]
    others = poses(armature, around)[:, untouched]

    cleaned = journey.clean(armature, limbs, OPTIONS[kept])

    assert np.abs(joints_by_blender(armature, cleaned.sample) - cleaned.clip.positions).max() <= 1e-5
    assert np.abs(cleaned.sample.clip.positions - sampled.clip.positions).max() <= 1e-5
    assert cleaned.after.slide_mm_s < 0.1 * cleaned.before.slide_mm_s
    assert {name: every_curve()[name] for name in old_curves} == old_curves
    tracks = stack_of(armature)[-1]
    assert tracks[: len(before[-1])] == before[-1]
    animation = armature.animation_data
    if kept == "STRIP":
        track = animation.nla_tracks[-1]
        assert (animation.action, len(track.strips), track.strips[0].blend_type) == (None, 1, "REPLACE")
        assert track.strips[0].action is cleaned.result
        now = poses(armature, around)[:, untouched]
        assert np.abs(now - others).max() <= 1e-6
    else:
        assert (animation.action, animation.use_nla) == (cleaned.result, False)

    again = journey.clean(armature, limbs, OPTIONS[kept])
    assert np.abs(joints_by_blender(armature, again.sample) - again.clip.positions).max() <= 1e-5
    assert np.abs(again.clip.positions - cleaned.clip.positions).max() <= 3e-3
    assert len(stack_of(armature)[-1]) == len(tracks)

    restore_source(armature)
    assert stack_of(armature) == before
    assert np.abs(joints_by_blender(armature, sampled) - shown).max() <= 1e-6


def test_a_control_rig_that_plays_strips_is_cleaned_by_its_controls(data: Path) -> None:
    armature = open_shared(data, "human")
    add_strip(armature, 3)
    armature.animation_data.action = None
    before, old_curves, limbs = stack_of(armature), every_curve(), find_legs(armature)
    cleaned = journey.clean(armature, limbs, journey.Options())
    assert {name: every_curve()[name] for name in old_curves} == old_curves
    paths = {curve.data_path.split('"')[1] for curve in curves_of_strip(armature) if "contact" not in curve.data_path}
    assert paths <= {"CTRL_Hips", "CTRL_ILLEG_L", "CTRL_ILLEG_R", "DRV_toe_L", "DRV_toe_R"}
    assert np.abs(joints_by_blender(armature, cleaned.sample) - cleaned.clip.positions).max() <= 1e-5
    assert cleaned.after.slide_mm_s < 1.0
    restore_source(armature)
    assert stack_of(armature) == before


def curves_of_strip(armature: bpy.types.Object) -> list[bpy.types.FCurve]:
    """Return the curves of the topmost strip's action."""
    action = armature.animation_data.nla_tracks[-1].strips[0].action
    return list(action.layers[0].strips[0].channelbags[0].fcurves)


@pytest.mark.parametrize("kept", OPTIONS)
def test_a_saved_result_over_strips_is_cleaned_again_and_taken_away_when_opened(tmp_path: Path, kept: str) -> None:
    armature, limbs = stacked(an_action_mixed_in)
    before = stack_of(armature)[1:-1]
    cleaned = journey.clean(armature, limbs, OPTIONS[kept])
    count, slide = len(armature.animation_data.nla_tracks), cleaned.after.slide_mm_s
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "saved.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "saved.blend"))
    armature = bpy.data.objects["Walker"]
    again = journey.clean(armature, limbs, OPTIONS[kept])
    assert len(armature.animation_data.nla_tracks) == count
    assert again.after.slide_mm_s == pytest.approx(slide, abs=0.1)
    restore_source(armature)
    assert stack_of(armature)[1:-1] == before
    assert len(armature.animation_data.nla_tracks) == 1


def test_a_window_over_strips_changes_what_is_seen_in_it_only() -> None:
    armature, limbs = stacked(an_action_mixed_in)
    whole = sample(armature, limbs)
    cleaned = journey.clean(armature, limbs, journey.Options(frames=(30, 70)))
    strip = armature.animation_data.nla_tracks[-1].strips[0]
    assert (strip.frame_start, strip.frame_end, strip.extrapolation) == (30, 70, "NOTHING")
    seen = joints_by_blender(armature, whole)
    inside = (whole.frames >= 30) & (whole.frames <= 70)
    assert np.abs(seen[inside] - cleaned.clip.positions).max() <= 1e-5
    assert np.abs(seen - whole.clip.positions)[~inside].max() <= 1e-5
    assert cleaned.after.slide_mm_s < 0.1 * cleaned.before.slide_mm_s


def test_a_channel_that_no_strip_animates_is_as_it_was_outside_a_window() -> None:
    armature = walker()
    action = armature.animation_data.action
    bag = action.layers[0].strips[0].channelbags[0]
    for curve in list(bag.fcurves):
        if curve.data_path.endswith("location") or "RightLeg" in curve.data_path:
            bag.fcurves.remove(curve)
    for bone in armature.pose.bones:
        bone.location = (0.0, 0.0, 0.0)
    one_strip(armature)
    limbs = find_legs(armature)
    whole = sample(armature, limbs)
    planted = journey.measure(armature, limbs, journey.Options()).contacts
    if not planted.toe.any():
        planted.toe[20:60] = 1.0
    cleaned = journey.clean(armature, limbs, journey.Options(frames=(30, 50)), planted.during(slice(29, 50)))
    inside = (whole.frames >= 30) & (whole.frames <= 50)
    assert np.abs(cleaned.clip.positions - cleaned.sample.clip.positions).max() > 1e-3
    for _ in range(2):
        seen = joints_by_blender(armature, whole)
        assert np.abs(seen[inside] - cleaned.clip.positions).max() <= 1e-5
        assert np.abs(seen - whole.clip.positions)[~inside].max() <= 1e-5
    restore_source(armature)
    assert np.abs(joints_by_blender(armature, whole) - whole.clip.positions).max() <= 1e-5


@pytest.mark.parametrize("how", [one_strip, a_slowed_one, an_action_mixed_in])
def test_contacts_of_strips_have_a_strip_of_their_own_and_clean_keeps_to_them(
    how: Callable[[bpy.types.Object], None],
) -> None:
    armature, limbs = stacked(how)
    before, old_curves = stack_of(armature), every_curve()
    whole = sample(armature, limbs)
    measured = journey.annotate(armature, limbs, journey.Options())
    assert np.abs(joints_by_blender(armature, whole) - whole.clip.positions).max() <= 1e-6
    assert {name: every_curve()[name] for name in old_curves} == old_curves
    assert stack_of(armature)[-1][: len(before[-1])] == before[-1]
    stored = read_contacts(armature, limbs, whole.frames)
    assert stored is not None
    assert np.array_equal(stored.toe_planted, measured.contacts.toe_planted)

    tracks = contact_tools.found_tracks(armature, limbs, journey.Options())
    contact_tools.set_states(tracks, {0: [(40, 55)]}, {"toe": State.PLANTED})
    cleaned = journey.clean(armature, limbs, journey.Options())
    assert cleaned.contacts.toe_planted[cleaned.sample.frames.tolist().index(47), 0]
    again = journey.clean(armature, limbs, journey.Options())
    assert np.array_equal(again.contacts.toe_planted, cleaned.contacts.toe_planted)

    restore_source(armature)
    kept = read_contacts(armature, limbs, whole.frames)
    assert kept is not None
    assert np.array_equal(kept.toe_planted, cleaned.contacts.toe_planted)
    contact_tools.clear(armature, limbs)
    assert read_contacts(armature, limbs, whole.frames) is None


def test_contacts_edited_on_a_result_over_strips_are_what_it_is_cleaned_with_again() -> None:
    armature, limbs = stacked(one_strip)
    first = journey.clean(armature, limbs, journey.Options())
    tracks = contact_tools.found_tracks(armature, limbs, journey.Options())
    contact_tools.set_states(tracks, {1: [(10, 90)]}, {"toe": State.LIFTED, "heel": State.LIFTED})
    again = journey.clean(armature, limbs, journey.Options())
    assert first.contacts.toe_planted[:, 1].any()
    assert not again.contacts.toe_planted[9:90, 1].any()


def test_before_and_after_are_flipped_by_the_strip() -> None:
    armature, limbs = stacked(an_action_mixed_in)
    whole = sample(armature, limbs)
    cleaned = journey.clean(armature, limbs, journey.Options())
    flip(armature)
    assert np.abs(joints_by_blender(armature, whole) - whole.clip.positions).max() <= 1e-5
    assert flip(armature) == cleaned.result
    assert np.abs(joints_by_blender(armature, whole) - cleaned.clip.positions).max() <= 1e-5


def test_cleaning_again_while_the_strip_is_flipped_away_replaces_it() -> None:
    armature, limbs = stacked(an_action_mixed_in)
    journey.annotate(armature, limbs, journey.Options())
    journey.clean(armature, limbs, journey.Options())
    tracks = stack_of(armature)[-1]
    flip(armature)
    before = stack_of(armature)
    work = journey.clean_in_steps(armature, limbs, journey.Options())
    next(work)
    work.close()
    assert stack_of(armature) == before
    again = journey.clean(armature, limbs, journey.Options())
    assert len(stack_of(armature)[-1]) == len(tracks)
    assert again.after.slide_mm_s < 0.1 * again.before.slide_mm_s
    assert np.abs(joints_by_blender(armature, again.sample) - again.clip.positions).max() <= 1e-5


def test_a_result_over_strips_is_compared_with_what_they_show() -> None:
    armature, limbs = stacked(an_action_mixed_in)
    cleaned = journey.clean(armature, limbs, journey.Options())
    before = stack_of(armature)
    compared = compare(armature, limbs, journey.Options())
    assert stack_of(armature) == before
    assert compared.source.slide_mm_s == pytest.approx(cleaned.before.slide_mm_s, rel=0.05)
    assert compared.clean.slide_mm_s < 0.1 * compared.source.slide_mm_s


def test_root_motion_of_strips_is_a_strip_and_can_be_cleaned() -> None:
    armature, limbs = stacked(one_strip)
    before = stack_of(armature)
    moved = move_root(armature, limbs, RootMotionOptions(way="OUT"))
    hips = sample(armature, limbs).clip.positions[:, 0]
    assert np.abs(hips[-1] - hips[0])[:2].max() < 0.05
    assert armature.animation_data.nla_tracks[-1].strips[0].action is moved.result
    cleaned = journey.clean(armature, limbs, journey.Options())
    assert len(armature.animation_data.nla_tracks) == 3
    assert np.abs(joints_by_blender(armature, cleaned.sample) - cleaned.clip.positions).max() <= 1e-5
    restore_source(armature)
    restore_source(armature)
    assert stack_of(armature) == before


def soloed(armature: bpy.types.Object) -> None:
    one_strip(armature)
    armature.animation_data.nla_tracks[0].is_solo = True


def tweaked(armature: bpy.types.Object) -> None:
    one_strip(armature)
    animation = armature.animation_data
    animation.nla_tracks[0].strips[0].select = animation.nla_tracks[0].select = True
    animation.nla_tracks.active = animation.nla_tracks[0]
    animation.use_tweak_mode = True


def of_others(armature: bpy.types.Object) -> None:
    one_strip(armature)
    for bone in armature.pose.bones:
        bone.name = f"{bone.name}.other"
    for curve in armature.animation_data.nla_tracks[0].strips[0].action.layers[0].strips[0].channelbags[0].fcurves:
        curve.data_path = curve.data_path.replace(".other", "")


@pytest.mark.parametrize(("how", "says"), [(soloed, "solo"), (tweaked, "tweak mode"), (of_others, "none of its bones")])
def test_strips_over_which_nothing_can_be_put_are_refused_in_one_line(
    how: Callable[[bpy.types.Object], None], says: str
) -> None:
    armature, limbs = stacked(how)
    before, old_curves = stack_of(armature), every_curve()
    with pytest.raises(RigError, match=says) as refused:
        journey.clean(armature, limbs, journey.Options())
    assert "\n" not in str(refused.value)
    assert (stack_of(armature), every_curve()) == (before, old_curves)


def test_one_action_can_be_made_of_a_solo_track() -> None:
    armature, limbs = stacked(soloed)
    before = stack_of(armature)
    cleaned = journey.clean(armature, limbs, OPTIONS["ACTION"])
    assert np.abs(joints_by_blender(armature, cleaned.sample) - cleaned.clip.positions).max() <= 1e-5
    restore_source(armature)
    assert stack_of(armature) == before


@pytest.mark.parametrize("cleaned_before", [False, True])
def test_strips_are_as_they_were_where_cleaning_is_called_off_or_fails(cleaned_before: bool) -> None:
    armature, limbs = stacked(an_action_mixed_in)
    if cleaned_before:
        journey.clean(armature, limbs, journey.Options())
    before, old_curves = stack_of(armature), every_curve()
    for stop_at in (0.1, 0.3, 0.6):
        work = journey.clean_in_steps(armature, limbs, journey.Options())
        while next(work) < stop_at:
            pass
        work.close()
        assert (stack_of(armature), every_curve()) == (before, old_curves)
    with pytest.raises(RigError, match="not in action"):
        journey.clean(armature, limbs, journey.Options(frames=(900, 910)))
    assert (stack_of(armature), every_curve()) == (before, old_curves)


def test_a_strip_that_was_moved_is_one_of_the_others() -> None:
    armature, limbs = stacked(one_strip)
    journey.clean(armature, limbs, journey.Options())
    strip = armature.animation_data.nla_tracks[-1].strips[0]
    strip.frame_end += 7
    strip.frame_start += 7
    assert stack.own_track(armature, stack.RESULT) is None
    assert nla.put_back(armature) is None
    cleaned = journey.clean(armature, limbs, journey.Options())
    assert len(armature.animation_data.nla_tracks) == 3
    assert np.abs(joints_by_blender(armature, cleaned.sample) - cleaned.clip.positions).max() <= 1e-5
