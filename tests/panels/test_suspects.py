# SPDX-License-Identifier: GPL-3.0-or-later
"""What may be a contact too is listed in the report, and a click plants it."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import bpy
import pytest

from support.recorder import draw, texts
from support.walker import walk
from support.walker_armature import walking_armature
from toehold.operators.contact_list import drop_suspects


def suspects(armature: bpy.types.Object) -> list[tuple[str, int, int]]:
    own: Any = armature.animation_data.action
    return [(item.limb, item.first, item.last) for item in own.toehold.suspects]


@pytest.fixture
def walker(registered: ModuleType) -> bpy.types.Object:
    """A walk of which every stance is found."""
    armature = walking_armature(walk(strides=3.0))
    bpy.ops.toehold.annotate_contacts()
    return armature


def plant(limb: str, first: int, last: int, state: str = "PLANTED") -> None:
    bpy.ops.toehold.set_contact(state=state, over="FRAMES", leg=limb, frame_start=first, frame_end=last)


def test_a_walk_whose_stances_are_all_found_lists_none(walker: bpy.types.Object) -> None:
    bpy.ops.toehold.report()
    assert suspects(walker) == []
    assert not any("may be contacts" in text for text in texts(draw()["Report"]))


def test_what_may_be_a_contact_is_listed_with_a_button_and_goes_once_it_is_planted(walker: bpy.types.Object) -> None:
    bpy.ops.toehold.report()
    own: Any = walker.animation_data.action
    for limb, first, last in (("Right Leg", 30, 50), ("Left Leg", 60, 80), ("Right Leg", 90, 99)):
        item = own.toehold.suspects.add()
        item.limb, item.first, item.last = limb, first, last
    drawn = draw()["Report"]
    assert "3 may be contacts too" in texts(drawn)
    assert drawn.count(("operator", "toehold.set_contact")) == 3
    plant("Left Leg", 60, 80)
    assert suspects(walker) == [("Right Leg", 30, 50), ("Right Leg", 90, 99)]
    plant("Right Leg", 45, 46, "LIFTED")
    assert suspects(walker) == [("Right Leg", 90, 99)]
    drop_suspects(own, "Left Leg", 90, 99)
    assert suspects(walker) == [("Right Leg", 90, 99)]


def test_a_leg_that_is_named_is_planted_whatever_is_active_and_one_that_is_not_there_is_told(
    walker: bpy.types.Object,
) -> None:
    bpy.ops.toehold.find_legs()
    for limb in ("Left Leg", "Right Leg"):
        plant(limb, 20, 24)
    with pytest.raises(RuntimeError, match="limb Tail is not in the list"):
        plant("Tail", 20, 24)
