# SPDX-License-Identifier: GPL-3.0-or-later
"""A section of the sidebar: closed at first, and its header says how things stand with it."""

from __future__ import annotations

from typing import Any

from bpy.types import Context, Panel, UILayout

from ..operators import active
from ..rig.common.wording import CONTEXT
from .layout import is_narrow, layout_of


class Sidebar(Panel):
    """Where every panel of Toehold is."""

    bl_space_type = "VIEW_3D"
    bl_translation_context = CONTEXT
    bl_region_type = "UI"
    bl_category = "Toehold"


class Section(Sidebar):
    """A sub-panel: there while an armature is active, closed at first, with its state in its header."""

    bl_parent_id = "TOEHOLD_PT_sidebar"
    bl_options = {"DEFAULT_CLOSED"}  # noqa: RUF012 (Blender's own way)

    @classmethod
    def poll(cls, context: Context) -> bool:
        return active.active_armature(context) is not None

    @classmethod
    def state(cls, context: Context) -> str:
        """Return how things stand, in the user's language and in a word or two; empty for nothing to say."""
        return ""

    def draw_header_preset(self, context: Context) -> None:
        draw_state(layout_of(self), context, self.state(context))


def settings_of(context: Context) -> Any:
    """Return the settings of the active armature: there is one where a section is drawn."""
    # Any, since the stubs know only Blender's own properties of an object.
    armature: Any = active.active_armature(context)
    return armature.toehold


def draw_state(layout: UILayout, context: Context, state: str) -> None:
    """Draw how things stand at the right of a section's header, where there is room for it."""
    if state and not is_narrow(context):
        row = layout.row()
        row.active = False
        row.label(text=state, translate=False)
