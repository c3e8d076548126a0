# SPDX-License-Identifier: GPL-3.0-or-later
"""Each warning comes where it is true, with limb and frames, and none comes on a walk that is right."""

from __future__ import annotations

import ast
import inspect
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import bpy
import numpy as np
import pytest

from support import grounds
from support.ground_objects import add_mesh, add_plate, add_stairs, add_terrain
from support.walker import Walk, limb_bones, walk
from support.walker_armature import FIRST_FRAME, walking_armature
from toehold.rig.common import warnings
from toehold.rig.common.scene import report_of
from toehold.rig.common.warnings import Warning
from toehold.rig.common.wording import RigError
from toehold.rig.legs import doubts
from toehold.rig.legs.doubts import CARRIES
from toehold.rig.sampling.sample import sample
from toehold.rig.terrain.ground import ground_of
from toehold.rig.verbs import checks, journey
from toehold.rig.verbs.adapt import adapt
from toehold.rig.verbs.flip import restore_source
from toehold.rig.verbs.journey import Options
from toehold.rig.writing import results
from toehold.solver.contacts import Contacts
from toehold.solver.ground import FlatGround, Treadmill


def codes(found: Sequence[Warning]) -> list[str]:
    return [warning.code for warning in found]


def one(found: Sequence[Warning], code: str) -> Warning:
    return next(warning for warning in found if warning.code == code)


def in_place(strides: float = 3.0) -> Walk:
    """Return a walk whose body stays where it is."""
    walker = walk(strides=strides)
    locations = walker.clip.local_locations.copy()
    locations[:, 0, 1] += 1.2 / 1.1 * np.arange(len(locations)) / walker.clip.fps
    return replace(walker, clip=walker.clip.moved(local_locations=locations))


def no_contacts(walker: Walk) -> Contacts:
    nothing = np.zeros_like(walker.contacts.toe)
    return Contacts(nothing, nothing)


@pytest.mark.parametrize("verb", [journey.measure, journey.annotate, journey.clean, journey.lock])
@pytest.mark.parametrize("slide_mm_s", [0.0, 150.0])
def test_a_walk_on_the_floor_has_no_warning(verb: Callable[..., journey.Measured], slide_mm_s: float) -> None:
    armature = walking_armature(walk(strides=2.0, slide_mm_s=slide_mm_s))
    done = verb(armature, limb_bones(), Options())
    assert done.warnings == ()
    assert results.warnings_of(armature.animation_data.action) == ()
    assert doubts.of_limbs(limb_bones()) == []


def test_a_walk_on_a_ground_that_carries_all_of_it_has_no_warning() -> None:
    armature = walking_armature(walk(strides=2.0))
    plate = add_plate(half=20.0, height=0.1)
    done = adapt(armature, limb_bones(), Options(ground_objects=(plate.name,)))
    assert done.warnings == ()


def test_that_no_foot_is_planted_is_told() -> None:
    walker = walk(strides=2.0)
    armature = walking_armature(walker)
    for verb in (journey.measure, journey.clean):
        assert codes(verb(armature, limb_bones(), Options(), no_contacts(walker)).warnings) == ["no-contacts"]
    assert codes(results.warnings_of(armature.animation_data.action)) == ["no-contacts"]


def test_a_treadmill_on_which_no_foot_is_planted_is_told_with_its_speed() -> None:
    walker = in_place()
    measured = journey.measure(walking_armature(walker), limb_bones(), Options(), no_contacts(walker))
    assert codes(measured.warnings) == ["treadmill-without-contacts"]
    assert measured.warnings[0].values["speed"] == pytest.approx(1.09, abs=0.05)
    assert journey.measure(walking_armature(walker), limb_bones(), Options()).warnings == ()


@pytest.mark.parametrize(("scale", "odd"), [(100.0, True), (1.0, False), (0.001, True), (0.03, False), (5.0, False)])
def test_legs_of_an_impossible_length_are_told(scale: float, odd: bool) -> None:
    armature = walking_armature(walk(strides=1.0))
    armature.matrix_world = armature.matrix_world @ armature.matrix_world.Scale(scale, 4)
    found = journey.measure(armature, limb_bones(), Options()).warnings
    assert ("odd-unit" in codes(found)) == odd
    if odd:
        assert one(found, "odd-unit").values["length"] == pytest.approx(0.88 * scale, rel=0.05)
        bpy.context.scene.unit_settings.scale_length = 1.0 / scale
        assert "odd-unit" not in codes(journey.measure(armature, limb_bones(), Options()).warnings)


def test_limbs_that_the_search_was_not_sure_of_are_told_each() -> None:
    left, right = limb_bones()
    found = doubts.of_limbs([left, replace(right, confidence=0.4, reason="by its shape; it ends above the ground")])
    assert codes(found) == ["limb-unsure"]
    assert found[0].limb == right.name
    assert (
        found[0].text()
        == f'{right.name}, from "RightUpLeg" down, is not sure: found by its shape; it ends above the ground'
    )


def test_a_single_leg_is_told_unless_a_person_has_named_it() -> None:
    left, _ = limb_bones()
    assert codes(doubts.of_limbs([replace(left, confidence=0.95)])) == ["limb-only-one"]
    assert doubts.of_limbs([left]) == []


def test_arms_that_carry_and_hands_that_touch_are_told() -> None:
    legs = limb_bones()
    arm = replace(legs[0], name="Left Hand", hand=True, confidence=0.8, reason=CARRIES)
    assert codes(doubts.of_limbs([*legs, arm])) == ["limb-hands-carry"]
    assert codes(doubts.of_limbs(legs, hands_touch=True)) == ["limb-hands-touch"]


def test_missing_hands_are_told_where_they_were_asked_for() -> None:
    assert codes(doubts.of_limbs(limb_bones(), hands_asked_for=True)) == ["no-hands"]
    with_hand = [*limb_bones(), replace(limb_bones()[0], name="Left Hand", hand=True)]
    assert doubts.of_limbs(with_hand, hands_asked_for=True) == []


@pytest.mark.parametrize("degrees", [10.0, 1.0])
def test_feet_deep_in_the_ground_objects_are_told_and_adapting_mends_it(degrees: float) -> None:
    armature = walking_armature(walk(strides=2.5))
    options = Options(ground_objects=(add_terrain(grounds.ramp(degrees)).name,))
    cleaned = journey.clean(armature, limb_bones(), options)
    assert ("deep-in-ground" in codes(cleaned.warnings)) == (degrees > 5.0)
    if degrees > 5.0:
        assert 150.0 < float(one(cleaned.warnings, "deep-in-ground").values["depth"]) < 400.0
        restore_source(armature)
        assert "deep-in-ground" not in codes(adapt(armature, limb_bones(), options).warnings)


def test_feet_beside_the_ground_objects_are_told_with_their_share() -> None:
    armature = walking_armature(walk(strides=2.0))
    options = Options(ground_objects=(add_stairs(0.15).name,))
    assert 5.0 < float(one(adapt(armature, limb_bones(), options).warnings, "beside-ground").values["share"]) < 50.0


def test_feet_on_what_is_too_steep_are_told() -> None:
    walker = walk(strides=2.0)
    armature = walking_armature(walker)
    toe = np.median(walker.clip.positions[walker.contacts.toe_planted[:, 0], walker.limbs[0].toe, 1])
    wall = add_mesh("Wall", [(-1, 0, -0.4), (1, 0, -0.4), (1, -0.2, 0.4), (-1, -0.2, 0.4)], [(0, 1, 2, 3)])
    wall.location = (0.0, float(toe) + 0.1, 0.0)
    bpy.context.view_layer.update()
    found = journey.measure(armature, limb_bones(), Options(ground_objects=(wall.name,))).warnings
    assert "steep-ground" in codes(found)


def test_feet_that_cannot_reach_their_place_are_told_with_limb_and_frames() -> None:
    walker = walk(strides=2.0)
    held = np.ones_like(walker.contacts.toe)
    cleaned = journey.clean(walking_armature(walker), limb_bones(), Options(), Contacts(held, np.zeros_like(held)))
    found = one(cleaned.warnings, "out-of-reach")
    assert found.limb in ("Left", "Right")
    assert found.frames == ((FIRST_FRAME, FIRST_FRAME + walker.clip.frame_count - 1),)
    assert float(found.values["unreached"]) > 20.0
    last = walker.clip.frame_count - 1
    assert found.text(FIRST_FRAME).endswith(f"frames 0-{last}")
    assert found.spans(FIRST_FRAME) == [[0, last]]


def test_a_result_that_slides_more_than_its_source_is_told_for_the_limb_that_does() -> None:
    still, sliding = walk(strides=2.0), walk(strides=2.0, slide_mm_s=80.0)
    measured = journey.measure(walking_armature(still), limb_bones(), Options(), still.contacts)
    ground = measured.ground
    before, after = (report_of(clip, still.limbs, still.contacts, ground) for clip in (still.clip, sliding.clip))
    found = checks.of_change(measured.sample, before, after)
    assert codes(found) == ["more-slide", "more-slide"]
    assert [warning.limb for warning in found] == ["Left", "Right"]
    assert found[0].values["after"] == pytest.approx(80.0, abs=1.0)
    assert checks.of_change(measured.sample, after, before) == []
    assert checks.of_change(measured.sample, before, before) == []


def test_a_result_remembers_its_warnings_when_the_file_is_opened_again(tmp_path: pytest.TempPathFactory) -> None:
    walker = walk(strides=2.0)
    armature = walking_armature(walker)
    held = np.ones_like(walker.contacts.toe)
    cleaned = journey.clean(armature, limb_bones(), Options(), Contacts(held, np.zeros_like(held)))
    path = f"{tmp_path}/kept.blend"
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    kept = results.warnings_of(bpy.data.objects["Walker"].animation_data.action)
    assert kept == cleaned.warnings
    assert "out-of-reach" in codes(kept)


def test_measuring_again_takes_away_what_is_mended() -> None:
    walker = walk(strides=2.0)
    armature = walking_armature(walker)
    journey.clean(armature, limb_bones(), Options(), no_contacts(walker))
    action = armature.animation_data.action
    assert codes(results.warnings_of(action)) == ["no-contacts"]
    journey.annotate(armature, limb_bones(), Options())
    assert results.warnings_of(action) == ()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no JSON",
        "{}",
        "[3]",
        json.dumps([{"code": "of-tomorrow", "values": {}, "limb": "", "frames": []}]),
        json.dumps([{"code": "odd-unit", "values": {}, "limb": "", "frames": []}]),
        json.dumps([{"code": "odd-unit", "values": {"length": "long"}, "limb": "", "frames": []}]),
        json.dumps([{"code": "no-contacts", "values": {}, "limb": "", "frames": [3]}]),
    ],
)
def test_warnings_that_were_edited_by_hand_are_left_out(text: str) -> None:
    assert warnings.from_json(text) == ()


def test_a_text_names_few_spans_and_says_that_there_are_more() -> None:
    warning = Warning("more-slide", {"before": 1.0, "after": 9.0}, "Left Leg", ((1, 4), (8, 8), (12, 15), (20, 25)))
    assert warning.text() == "Left Leg slides more than before, 9 mm/s instead of 1, frames 1-4, 8, 12-15, …"
    assert len(warning.spans()) == 4


def test_no_code_is_without_its_text_and_no_text_without_its_code() -> None:
    source = inspect.getsource(checks) + inspect.getsource(doubts)
    tree, known = ast.parse(source), vars(doubts)
    made = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Warning"]
    codes_made = {known[node.id] if isinstance(node := call.args[0], ast.Name) else node.value for call in made}
    assert codes_made == set(warnings.TEXTS)


def test_every_code_is_in_the_table_of_the_manual() -> None:
    manual = (Path(warnings.__file__).parents[2] / "docs" / "command.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `([a-z][a-z-]+)` \|", manual, re.MULTILINE)) == set(warnings.TEXTS)


def in_the_wrong_slot(armature: bpy.types.Object) -> bpy.types.ActionSlot:
    """Let the armature play an empty slot of its action, and return the one that moves it."""
    animation = armature.animation_data
    right = animation.action_slot
    animation.action_slot = animation.action.slots.new("OBJECT", "Camera")
    return right


def test_the_slot_that_moves_the_armature_is_named_where_another_is_chosen() -> None:
    armature = walking_armature(walk(strides=1.0))
    assert checks.of_slot(armature) == []
    right = in_the_wrong_slot(armature)
    for _ in range(2):
        assert codes(checks.of_slot(armature)) == ["other-slot"]
        assert checks.of_slot(armature)[0].values["slot"] == right.name_display
        with pytest.raises(RigError, match=f'are moved by slot "{right.name_display}" of action "Walker Walk"'):
            journey.measure(armature, limb_bones(), Options())
        armature.animation_data.action_slot = None


def test_a_result_that_is_sharper_than_its_source_is_told_with_what_and_by_how_much() -> None:
    walker = walk(strides=2.0)
    measured = journey.measure(walking_armature(walker), limb_bones(), Options(), walker.contacts)
    before = measured.report
    for name, what in (("toe_jerk_m_s3", "toes land"), ("knee_pop_deg_s", "knees bend"), ("hips_m_s2", "the hips")):
        after = replace(before, **{name: 2.0 * getattr(before, name)})
        (found,) = checks.of_sharpness(before, after)
        assert found.code == "sharper"
        assert found.text().startswith(what)
        assert found.text().endswith("by a factor of 2.0")
        assert checks.of_sharpness(after, before) == []
    slightly = replace(before, toe_jerk_m_s3=1.25 * before.toe_jerk_m_s3, knee_pop_deg_s=1.25 * before.knee_pop_deg_s)
    assert checks.of_sharpness(before, slightly) == []
    hardly = replace(before, hips_m_s2=0.5)
    assert checks.of_sharpness(hardly, replace(before, hips_m_s2=1.5)) == []
    (of_still,) = checks.of_sharpness(replace(before, hips_m_s2=0.0), replace(before, hips_m_s2=6.0))
    assert of_still.text().endswith("by a factor of 3.0")


@pytest.mark.parametrize("used", [-0.3, 0.7])
def test_a_floor_that_is_not_the_one_that_is_set_is_told_with_both_heights(used: float) -> None:
    plate = ground_of((add_plate(height=0.1).name,), used, sample(walking_armature(walk(strides=1.0)), limb_bones()))
    for ground in (FlatGround(used), Treadmill(FlatGround(used), np.array([0.0, 1.0, 0.0])), plate):
        (found,) = checks.of_floor(ground, 0.0)
        assert found.values == {"height": used, "asked": 0.0}
        assert f"of its own at {used:+.2f} m" in found.text()
        assert checks.of_floor(ground, used) == []


@pytest.mark.parametrize("height", [-0.3, 0.7])
def test_a_walk_on_a_floor_of_its_own_is_told_for_every_verb_and_mended_by_its_height(height: float) -> None:
    armature = walking_armature(walk(strides=2.0, slide_mm_s=100.0))
    armature.location.z = height
    bpy.context.view_layer.update()
    for verb in (journey.measure, journey.annotate, journey.clean, journey.lock):
        (found,) = verb(armature, limb_bones(), Options()).warnings
        assert found.code == "other-floor"
        assert float(found.values["height"]) == pytest.approx(height, abs=0.03)
        mended = verb(armature, limb_bones(), Options(ground_height=float(found.values["height"])))
        assert mended.warnings == ()


def test_a_pose_that_does_not_belong_to_the_motion_is_told_with_its_frame() -> None:
    walker = walk(strides=2.0)
    locations = walker.clip.local_locations.copy()
    locations[40, 0] += [3.0, 0.0, 1.0]
    teleporting = replace(walker, clip=walker.clip.moved(local_locations=locations))
    measured = journey.measure(walking_armature(teleporting), limb_bones(), Options())
    assert one(measured.warnings, "broken-motion").frames == ((40 + FIRST_FRAME, 40 + FIRST_FRAME),)
