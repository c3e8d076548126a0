# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar of the 3D viewport, laid out by use: what is worked on, Clean, and what came of it; all else is folded.

What is always needed fits a small screen without scrolling. Each other section has a file of its own and says in its
header how things stand with it.
"""

from __future__ import annotations

from typing import Any

from bpy.types import Action, Context, Object, UILayout

from ..operators import active
from ..operators.warned import shown_warnings
from ..rig.shown.live_clean import live
from ..rig.verbs.flip import shows_result
from . import at_a_glance
from .layout import field, hint, is_narrow, layout_of, split_column
from .presets import PresetsPanel
from .section import Section, Sidebar, settings_of
from .warnings import draw_warning

# How much higher than other buttons the one is that is pressed most.
BIG = 1.5


class SidebarPanel(Sidebar):
    """What is worked on, the button that does it, what came of it, and what to do next."""

    bl_idname = "TOEHOLD_PT_sidebar"
    bl_label = "Toehold"

    def draw_header_preset(self, context: Context) -> None:
        if active.active_armature(context) is not None:
            PresetsPanel.draw_panel_header(layout_of(self))

    def draw(self, context: Context) -> None:
        layout = layout_of(self)
        armature, action = active.active_armature(context), active.active_action(context)
        names = layout.column(align=True)
        if armature is not None:
            line = at_a_glance.armature_line(armature, action)
            names.label(text=line, icon="ARMATURE_DATA", translate=False)
        if action is not None:
            names.label(text=action.name, icon="ACTION", translate=False)
        reason = active.why_no_motion(context)
        if reason is not None:
            hint(layout, context, reason)
            return
        assert armature is not None, "there is a motion"
        _draw_buttons(layout, context, armature, action)
        if action is not None:
            _draw_outcome(layout, context, armature, action)


class CleanPanel(Section):
    """How planted feet are made to stand still, and what is kept."""

    bl_idname = "TOEHOLD_PT_clean"
    bl_label = "Clean Settings"
    bl_order = 2

    @classmethod
    def state(cls, context: Context) -> str:
        return at_a_glance.clean_state(settings_of(context).cleanup)

    def draw(self, context: Context) -> None:
        layout = layout_of(self)
        column = split_column(layout)
        for name in ("strength", "keep_travel", "smoothness", "softening"):
            field(column, context, settings_of(context).cleanup, name)
        buttons = layout.column(align=True)
        buttons.operator("toehold.keep_version", icon="FAKE_USER_ON")
        buttons.operator("toehold.restore_source", icon="LOOP_BACK")


CLASSES = (SidebarPanel, CleanPanel)


def _draw_buttons(layout: UILayout, context: Context, armature: Object, action: Action | None) -> None:
    """Draw Clean, and beside it which of source and result is shown."""
    row: Any = layout.column() if is_narrow(context) else layout.split(factor=0.46)
    big = row.row()
    big.scale_y = BIG
    big.operator("toehold.clean", text=at_a_glance.clean_label(context), icon="CHECKMARK", translate=False)
    sides = row.row(align=True)
    sides.scale_y = BIG
    on_result = shows_result(armature)
    label = at_a_glance.result_label(action)
    for side, text, shown in (("SOURCE", "Source", not on_result), ("RESULT", label, on_result)):
        sides.operator("toehold.show_side", text=text, depress=shown).side = side


def _draw_outcome(layout: UILayout, context: Context, armature: Object, action: Action) -> None:
    """Draw the figures, the first warning, and what to press next."""
    line = at_a_glance.figures_line(action)
    if line:
        hint(layout, context, line, icon="NONE")
    for warning in shown_warnings(armature, action)[:1]:
        draw_warning(layout.column(align=True), context, warning)
    next_step = at_a_glance.next_step(armature, action)
    if next_step:
        hint(layout, context, next_step, icon="ERROR" if live.trouble else "INFO")
