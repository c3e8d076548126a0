# SPDX-License-Identifier: GPL-3.0-or-later
"""What panels are put together from."""

from __future__ import annotations

import textwrap
import unicodedata
from typing import Any

import bpy
from bpy.types import Context, Panel, UILayout

from ..rig.common.wording import CONTEXT, say

# Pixels at a user interface scale of 1: a letter of Blender's font, on average; icon, margins and tabs beside a line.
LETTER_WIDTH = 6.2
AROUND_A_LINE, ICON = 75.0, 20.0
DEFAULT_LETTERS, FEWEST_LETTERS = 30, 12

# A sign that no text has.
_FILLER = "\x00"

# Pixels that a sidebar has to be wide, likewise, for two things side by side.
NARROW = 220.0


def layout_of(panel: Panel) -> UILayout:
    """Return the layout to draw a panel with, which Blender gives it before it asks it to draw."""
    assert panel.layout is not None
    return panel.layout


def is_narrow(context: Context) -> bool:
    """Return whether the sidebar is too narrow for two things side by side."""
    region, preferences = context.region, context.preferences
    return region is not None and preferences is not None and region.width < NARROW * preferences.system.ui_scale


def split_column(layout: UILayout) -> UILayout:
    """Return a column for settings: labels on the left, values on the right; labels within the fields where narrow."""
    column = layout.column(align=is_narrow(bpy.context))
    column.use_property_split = not is_narrow(bpy.context)
    column.use_property_decorate = False
    return column


def pair(layout: UILayout, context: Context) -> UILayout:
    """Return where two buttons go: side by side, one above the other where the sidebar is narrow."""
    return layout.column(align=True) if is_narrow(context) else layout.row(align=True)


def field(column: UILayout, context: Context, data: Any, name: str, label: str = "") -> None:
    """Draw a setting with its label, its name if none is given: before it, or above it where the sidebar is narrow."""
    label = label or data.bl_rna.properties[name].name
    if is_narrow(context):
        column.label(text=label, text_ctxt=CONTEXT)
        column.prop(data, name, text="")
    else:
        column.prop(data, name, text=label)


def hint(layout: UILayout, context: Context, text: str, icon: Any = "INFO") -> None:
    """Say something in as many lines as it takes where it is drawn: Blender would cut one that is too long."""
    column = layout.column(align=True)
    room = AROUND_A_LINE if icon != "NONE" else AROUND_A_LINE - ICON
    for index, line in enumerate(wrapped(say(text), _letters_in_a_line(context, room))):
        column.label(text=line, icon="BLANK1" if index and icon != "NONE" else icon, translate=False)


def wrapped(text: str, letters: int) -> list[str]:
    """Return text in lines that are as wide as ``letters`` of Latin at most; Chinese signs are twice as wide."""
    # What is twice as wide counts twice: it is given a filler beside it while the lines are made. Between such signs
    # there are no spaces, and a line may end after any.
    wide = [f"{sign}{_FILLER}" if unicodedata.east_asian_width(sign) in "WF" else sign for sign in text]
    return [line.replace(_FILLER, "") for line in textwrap.wrap("".join(wide), letters, break_on_hyphens=False)]


def _letters_in_a_line(context: Context, room: float) -> int:
    region, preferences = context.region, context.preferences
    if region is None or preferences is None:
        return DEFAULT_LETTERS
    wide = region.width / preferences.system.ui_scale - room
    return max(FEWEST_LETTERS, int(wide / LETTER_WIDTH))
