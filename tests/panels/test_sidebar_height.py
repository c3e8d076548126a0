# SPDX-License-Identifier: GPL-3.0-or-later
"""What is always needed fits a small screen without scrolling: clean, compare, fix one contact, clean again."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import bpy
import pytest

from support.measured_layout import HEADER, MARGIN, SECTION, context_of, height_of
from support.recorder import panels
from support.walker import walk
from support.walker_armature import walking_armature

# Pixels of a window's height that are no sidebar in Blender's first workspace, by the user interface's scale, as they
# were measured in a window; and how wide the sidebar is at a scale of 1.
TAKEN = {1.0: 159.0, 2.0: 271.0}
WIDTH = 292.0

SIZES = [(1366, 768), (1600, 900), (1920, 1080)]


@pytest.fixture
def cleaned(registered: ModuleType) -> bpy.types.Object:
    armature = walking_armature(walk(strides=2.0, slide_mm_s=200.0))
    bpy.ops.toehold.clean()
    return armature


def shown() -> list[Any]:
    """Return the sidebar's panel and the sections that are there now."""
    top, *sections = panels()
    return [top, *(section for section in sections if section.poll(bpy.context))]


def above_the_sections(ui_scale: float) -> float:
    """Return how high the top of the sidebar is, in pixels at a scale of 1."""
    return HEADER + height_of(panels()[0], context_of(WIDTH * ui_scale, ui_scale)) + MARGIN


def room(size: tuple[int, int], ui_scale: float) -> float:
    """Return how much of the sidebar is seen at once, in pixels at a scale of 1."""
    return (size[1] - TAKEN[ui_scale]) / ui_scale


@pytest.mark.parametrize("ui_scale", [1.0, 2.0])
@pytest.mark.parametrize("size", SIZES)
def test_cleaning_comparing_and_fixing_a_contact_need_no_scrolling(
    cleaned: bpy.types.Object, size: tuple[int, int], ui_scale: float
) -> None:
    context = context_of(WIDTH * ui_scale, ui_scale)
    contacts = shown()[1]
    assert contacts.bl_label == "Contacts"
    tools = height_of(contacts, context, until="toehold.set_contact")
    assert above_the_sections(ui_scale) + SECTION + tools <= room(size, ui_scale)


@pytest.mark.parametrize("size", SIZES)
def test_every_section_is_seen_at_once_while_they_are_closed(cleaned: bpy.types.Object, size: tuple[int, int]) -> None:
    assert above_the_sections(1.0) + SECTION * len(shown()[1:]) <= 0.75 * room(size, 1.0)


@pytest.mark.parametrize("size", SIZES)
def test_all_of_contacts_fits_when_it_is_open(cleaned: bpy.types.Object, size: tuple[int, int]) -> None:
    context = context_of(WIDTH, 1.0)
    contacts = shown()[1]
    assert above_the_sections(1.0) + 2 * SECTION + height_of(contacts, context) <= room(size, 1.0)


def test_clean_comes_before_every_other_button(cleaned: bpy.types.Object) -> None:
    context = context_of(WIDTH, 1.0)
    assert HEADER + height_of(panels()[0], context, until="toehold.clean") <= HEADER + MARGIN + 80.0
