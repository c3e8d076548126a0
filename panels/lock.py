# SPDX-License-Identifier: GPL-3.0-or-later
"""The lock of a game in the sidebar: its preview, its settings, and what it costs beside the clean-up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bpy.types import Context, UILayout

from ..operators import active
from ..rig.common.wording import CONTEXT, say
from ..rig.shown.preview import preview
from ..rig.writing.results import Figures, comparison_of
from . import at_a_glance
from .compare_overlay import COMPARED, WAYS, cells, has_paths
from .layout import field, hint, layout_of, split_column
from .section import Section


class LockPanel(Section):
    """See feet locked as a game locks them, and bake it."""

    bl_idname = "TOEHOLD_PT_lock"
    bl_label = "Game Lock"
    bl_order = 5

    @classmethod
    def state(cls, context: Context) -> str:
        return at_a_glance.lock_state(active.armatures(context)[0])

    def draw(self, context: Context) -> None:
        layout = layout_of(self)
        armature = active.active_armature(context)
        assert armature is not None, "the poll has asked"
        shown = preview.armature == armature.name
        buttons = layout.column(align=True)
        buttons.operator(
            "toehold.preview_lock",
            icon="HIDE_OFF" if shown else "HIDE_ON",
            text="Stop Preview" if shown else "Preview",
            depress=shown,
        )
        buttons.operator("toehold.bake_lock", icon="LOCKED")
        if preview.stopped_because:
            hint(layout, context, say("The preview has ended: {reason}", reason=preview.stopped_because))
        column = split_column(layout)
        for name in ("lock_distance", "unlock_distance", "blend_time", "show_in_renders"):
            field(column, context, armature.toehold.lock, name)  # type: ignore[attr-defined]


class ComparePanel(Section):
    """The same figures for the action, the lock and the clean-up."""

    bl_idname = "TOEHOLD_PT_compare"
    bl_label = "Compare"
    bl_parent_id = "TOEHOLD_PT_lock"
    bl_options = {"DEFAULT_CLOSED"}  # noqa: RUF012 (Blender's own way)

    def draw(self, context: Context) -> None:
        layout = layout_of(self)
        layout.operator("toehold.compare", icon="SPREADSHEET")
        action = active.active_action(context)
        compared = comparison_of(action) if action is not None else {}
        if not compared:
            hint(layout, context, "What the lock of a game costs, beside the clean-up")
            return
        _draw_table(layout, compared)
        toggles: Any = context.window_manager
        row = layout.row(align=True)
        row.active = has_paths(context)
        row.prop(toggles.toehold_overlay, "comparison", toggle=True)
        row.prop(toggles.toehold_overlay, "whole_paths", toggle=True)
        if not row.active:
            hint(layout, context, "Compare again to see the toes' paths in the viewport")


class EnginePanel(Section):
    """Hand what the feet do to a game engine."""

    bl_idname = "TOEHOLD_PT_engine"
    bl_label = "For the Engine"
    bl_parent_id = "TOEHOLD_PT_lock"
    bl_options = {"DEFAULT_CLOSED"}  # noqa: RUF012 (Blender's own way)

    def draw(self, context: Context) -> None:
        column = layout_of(self).column(align=True)
        column.operator("toehold.export_contacts", icon="EXPORT")
        column.operator("toehold.mark_footsteps", icon="MARKER")


def _draw_table(layout: UILayout, compared: Figures) -> None:
    table = layout.column(align=True)
    _draw_row(table, "", [label for _, label in WAYS])
    rows = cells(compared, [name for name, _ in COMPARED])
    for (_, label), row in zip(COMPARED, rows, strict=True):
        _draw_row(table, label, row, translate=False)


def _draw_row(table: UILayout, label: str, cells: Sequence[str], *, translate: bool = True) -> None:
    split = table.split(factor=0.38)
    split.label(text=label, text_ctxt=CONTEXT)
    row = split.grid_flow(row_major=True, columns=len(WAYS), even_columns=True, align=True)
    for text in cells:
        cell = row.row()
        cell.alignment = "RIGHT"
        cell.label(text=text, text_ctxt=CONTEXT, translate=translate)


CLASSES = (LockPanel, ComparePanel, EnginePanel)
