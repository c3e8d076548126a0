# SPDX-License-Identifier: GPL-3.0-or-later
"""Toehold for scripts: functions in, frozen dataclasses out; and what the manual's page of scripts shows, run."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from types import ModuleType

import bpy
import pytest

from support.ground_objects import add_plate
from support.walker import walk
from support.walker_armature import walking_armature
from toehold import api

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "scripts.md"
EXAMPLES = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


@pytest.fixture
def armature() -> bpy.types.Object:
    """A walk whose planted feet slide at 150 mm/s; it is neither selected nor active."""
    made = walking_armature(walk(strides=2.0, fps=30.0, slide_mm_s=150.0))
    made.select_set(False)
    bpy.context.view_layer.objects.active = None
    return made


def test_limbs_are_found_by_the_joints_that_their_bones_begin_at(armature: bpy.types.Object) -> None:
    left, right = api.find_limbs(armature)
    assert {left.ankle, right.ankle} == {"LeftFoot", "RightFoot"}
    assert left.confidence > 0.5
    assert (left.hand, left.hock) == (False, "")
    with pytest.raises(dataclasses.FrozenInstanceError):
        left.ankle = "Foot"  # type: ignore[misc]


def test_measure_changes_nothing_and_clean_makes_feet_stand_in_a_new_action(armature: bpy.types.Object) -> None:
    source = armature.animation_data.action
    measured = api.measure(armature)
    assert measured.action is measured.source is source
    assert measured.after is None
    assert len(bpy.data.actions) == 1
    cleaned = api.clean(armature)
    assert cleaned.before.slide_mm_s == pytest.approx(measured.before.slide_mm_s) == pytest.approx(150.0, rel=0.1)
    assert cleaned.after.slide_mm_s < 2.0
    assert armature.animation_data.action is cleaned.action is not source
    assert cleaned.source is source
    assert bpy.context.view_layer.objects.active is None
    assert [(one.limb, one.start, one.end) for one in cleaned.contacts] == [
        (one.limb, one.start, one.end) for one in measured.contacts
    ]


def test_contacts_that_are_given_are_those_that_are_held(armature: bpy.types.Object) -> None:
    left, right = api.find_limbs(armature)
    given = [api.Contact(left.name, "toe", 5, 20), api.Contact(right.name, "toe", 18, 34)]
    for make in (api.measure, api.lock, api.clean):
        made = make(armature, (left, right), contacts=given)
        assert [(one.limb, one.kind, one.start, one.end) for one in made.contacts] == [
            (one.limb, one.kind, one.start, one.end) for one in given
        ]


def test_contacts_are_written_into_the_action_and_counted(armature: bpy.types.Object) -> None:
    action = armature.animation_data.action
    result = api.annotate(armature)
    assert result.action is action
    assert api.measure(armature).contacts == result.contacts
    assert len(result.contacts) >= 4


def test_adapt_stands_feet_on_an_object(armature: bpy.types.Object) -> None:
    plate = add_plate(half=5.0, height=0.05)
    settings = api.Settings(ground_objects=(plate.name,))
    adapted = api.adapt(armature, settings=settings)
    assert adapted.action is not adapted.source
    assert adapted.after.penetration_mm < 5.0
    with pytest.raises(api.Error, match="no ground to adapt to"):
        api.adapt(armature)


def test_what_can_be_mended_is_one_line_and_changes_nothing(armature: bpy.types.Object) -> None:
    source = armature.animation_data.action
    limb = api.find_limbs(armature)[0]
    for limbs, contacts, what in (
        ([dataclasses.replace(limb, ankle="Hoof")], None, "'Hoof'"),
        ([], None, "at least one"),
        ([limb], [api.Contact("Tail", "toe", 1, 2)], "'Tail'"),
        ([limb], [api.Contact(limb.name, "toe", 9, 2)], "not before start"),
    ):
        with pytest.raises(api.Error, match=what) as raised:
            api.clean(armature, limbs, contacts=contacts)
        assert "\n" not in str(raised.value)
    with pytest.raises(api.Error, match="no armature"):
        api.measure(bpy.data.objects.new("Lamp", None))
    assert armature.animation_data.action is source
    assert len(bpy.data.actions) == 1


def test_the_sidebars_settings_and_limbs_are_taken_where_they_are_asked_for(
    armature: bpy.types.Object, registered: ModuleType
) -> None:
    armature.toehold.cleanup.strength = 0.0
    assert api.settings_of(armature).cleanup.strength == 0.0
    untouched = api.clean(armature, settings=api.settings_of(armature))
    assert untouched.after.slide_mm_s == pytest.approx(untouched.before.slide_mm_s, rel=1e-3)
    with bpy.context.temp_override(active_object=armature):
        bpy.ops.toehold.find_legs()
    armature.toehold.limbs.remove(1)
    assert len(api.measure(armature).limbs) == 1


@pytest.mark.parametrize("name", ["active_object", "object"])
def test_buttons_work_on_the_armature_that_a_script_names(
    name: str, armature: bpy.types.Object, registered: ModuleType
) -> None:
    other = walking_armature(walk(strides=1.0, fps=30.0))
    bpy.context.view_layer.objects.active = other
    source, others = armature.animation_data.action, other.animation_data.action
    with bpy.context.temp_override(**{name: armature}):
        assert bpy.ops.toehold.clean(strength=0.8) == {"FINISHED"}
    assert armature.animation_data.action is not source
    assert other.animation_data.action is others
    assert len(armature.toehold.limbs) == 2
    assert not other.toehold.limbs


def test_a_preset_is_what_its_file_says() -> None:
    settings = api.preset("Dance")
    assert (settings.contacts.height, settings.cleanup.keep_travel) == (0.06, 2.0)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda text: text.strip().splitlines()[0])
def test_the_examples_of_the_manual_run(
    example: str, armature: bpy.types.Object, registered: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    exec(compile(example, str(PAGE), "exec"), {"api": api, "bpy": bpy, "armature": armature})
    if "print(" in example:
        assert capsys.readouterr().out.strip()


def test_every_function_is_in_the_manual_and_says_what_it_does() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for name in api.__all__:
        assert getattr(api, name).__doc__
        if name[0].islower():
            assert f"`{name}(" in page
