# SPDX-License-Identifier: GPL-3.0-or-later
"""What the feet stand on, and where they take the body: a section of the sidebar."""

from __future__ import annotations

from typing import Any

from bpy.types import Context

from ..operators import active
from .layout import layout_of, split_column
from .sidebar import Section


class GroundPanel(Section):
    """Objects that the feet stand on, and root motion of clips in place."""

    bl_idname = "TOEHOLD_PT_ground"
    bl_label = "Ground and Travel"
    bl_order = 4
    bl_options = {"DEFAULT_CLOSED"}  # noqa: RUF012 (Blender's own way)

    def draw(self, context: Context) -> None:
        layout = layout_of(self)
        armature: Any = active.active_armature(context)
        column = split_column(layout)
        column.prop(armature.toehold.ground, "object", text="Object")
        column.prop(armature.toehold.ground, "collection", text="Collection")
        layout.operator("toehold.adapt_to_ground", icon="MOD_SHRINKWRAP")
        row = layout.row(align=True)
        row.operator("toehold.root_motion", text="Add Travel", icon="TRACKING_FORWARDS").way = "IN"
        row.operator("toehold.root_motion", text="Take Out", icon="PINNED").way = "OUT"
        layout.operator("toehold.root_motion", text="Fit Stride", icon="ARROW_LEFTRIGHT").way = "STRIDE"


CLASSES = (GroundPanel,)
