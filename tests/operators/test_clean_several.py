# SPDX-License-Identifier: GPL-3.0-or-later
"""Clean works on every armature that is selected, and tells of those that it is refused."""

from __future__ import annotations

from types import ModuleType, SimpleNamespace
from typing import Any

import bpy
import pytest

from support.walker import walk
from support.walker_armature import walking_armature


@pytest.fixture
def pair(registered: ModuleType) -> tuple[bpy.types.Object, bpy.types.Object]:
    """Two walkers, both selected, of which the first is the active one."""
    first, second = (walking_armature(walk(strides=2.0, slide_mm_s=speed)) for speed in (200.0, 120.0))
    for armature in (first, second):
        armature.select_set(True)
    bpy.context.view_layer.objects.active = first
    return first, second


def slide_of(armature: bpy.types.Object) -> float:
    worst: float = max(contact.slide_mm_s for contact in armature.animation_data.action.toehold.contacts)
    return worst


def test_all_that_are_selected_are_cleaned(pair: tuple[bpy.types.Object, bpy.types.Object]) -> None:
    assert bpy.ops.toehold.clean() == {"FINISHED"}
    for armature in pair:
        assert armature.animation_data.action.name.endswith("Clean")
        assert slide_of(armature) < 2.0


def test_each_is_cleaned_with_its_own_settings_and_alike_with_what_is_asked_for(
    pair: tuple[bpy.types.Object, bpy.types.Object],
) -> None:
    pair[1].toehold.cleanup.strength = 0.0
    bpy.ops.toehold.clean()
    assert slide_of(pair[0]) < 2.0
    assert slide_of(pair[1]) > 50.0
    bpy.ops.toehold.clean(strength=1.0)
    assert slide_of(pair[1]) < 2.0


def test_the_active_one_alone_can_be_asked_for(pair: tuple[bpy.types.Object, bpy.types.Object]) -> None:
    before = pair[1].animation_data.action.name
    bpy.ops.toehold.clean(all_selected=False)
    assert pair[0].animation_data.action.name.endswith("Clean")
    assert pair[1].animation_data.action.name == before


def test_one_that_cannot_be_cleaned_is_told_and_the_others_are_cleaned(
    pair: tuple[bpy.types.Object, bpy.types.Object], capfd: pytest.CaptureFixture[str]
) -> None:
    pair[1].animation_data_clear()
    assert bpy.ops.toehold.clean() == {"FINISHED"}
    assert slide_of(pair[0]) < 2.0
    told = capfd.readouterr().out
    assert "Cleaned 1 of 2 armatures" in told
    assert f"{pair[1].name}: This armature has no action" in told


def test_the_button_says_how_many_there_are(pair: tuple[bpy.types.Object, bpy.types.Object]) -> None:
    from toehold.panels.at_a_glance import clean_label

    assert clean_label(bpy.context) == "Clean 2 Armatures"
    pair[1].select_set(False)
    assert clean_label(bpy.context) == "Clean"


def test_called_off_in_the_middle_what_is_done_stays_and_is_told(
    pair: tuple[bpy.types.Object, bpy.types.Object],
) -> None:
    from toehold.operators.clean import Clean
    from toehold.operators.long_verb import LongVerb

    work: Any = SimpleNamespace(over_strips="STRIP", all_selected=True, stays="")
    work._cleaned = lambda armature, given: Clean._cleaned(work, armature, given)
    steps = Clean._each(work, list(pair), {})
    while not work.stays:
        next(steps)
    told: list[tuple[str, str]] = []
    work.cancel = lambda _: steps.close()
    work.tell = lambda level, line: told.append((level, line)) or {"FINISHED"}
    event: Any = SimpleNamespace(type="ESC", value="PRESS")
    assert LongVerb.modal(work, bpy.context, event) == {"FINISHED"}
    assert told == [("WARNING", "Cancelled: 1 of 2 armatures are cleaned")]
    assert pair[0].animation_data.action.name.endswith("Clean")
    assert not pair[1].animation_data.action.name.endswith("Clean")
