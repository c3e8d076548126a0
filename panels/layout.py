# SPDX-License-Identifier: GPL-3.0-or-later
"""What panels are put together from."""

from __future__ import annotations

from bpy.types import Panel, UILayout


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


def hint(layout: UILayout, text: str) -> None:
    """Say what is missing and, on a line of its own, what to do: the sidebar is narrow."""
    column = layout.column(align=True)
    missing, _, to_do = text.partition(": ")
    column.label(text=missing, icon="INFO")
    if to_do:
        column.label(text=to_do[0].upper() + to_do[1:], icon="BLANK1")
