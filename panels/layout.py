# SPDX-License-Identifier: GPL-3.0-or-later
"""What panels are put together from."""

from __future__ import annotations

import textwrap

from bpy.types import Context, Panel, UILayout

from ..rig.wording import say

# Pixels at a user interface scale of 1: a letter of Blender's font, on average; icon, margins and tabs beside a line.
LETTER_WIDTH = 6.2
AROUND_A_LINE = 75.0
DEFAULT_LETTERS, FEWEST_LETTERS = 30, 12


def layout_of(panel: Panel) -> UILayout:
    """Return the layout to draw a panel with, which Blender gives it before it asks it to draw."""
    assert panel.layout is not None
    return panel.layout


def split_column(layout: UILayout) -> UILayout:
    """Return a column for settings: labels on the left, values on the right."""
    column = layout.column()
    column.use_property_split = True
    column.use_property_decorate = False
    return column


def hint(layout: UILayout, context: Context, text: str) -> None:
    """Say something in as many lines as it takes where it is drawn: Blender would cut one that is too long."""
    column = layout.column(align=True)
    for index, line in enumerate(textwrap.wrap(say(text), _letters_in_a_line(context))):
        column.label(text=line, icon="BLANK1" if index else "INFO", translate=False)


def _letters_in_a_line(context: Context) -> int:
    region, preferences = context.region, context.preferences
    if region is None or preferences is None:
        return DEFAULT_LETTERS
    wide = region.width / preferences.system.ui_scale - AROUND_A_LINE
    return max(FEWEST_LETTERS, int(wide / LETTER_WIDTH))
