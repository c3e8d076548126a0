# SPDX-License-Identifier: GPL-3.0-or-later
"""What the feet stand on, and where they take the body: a section of the sidebar."""

from __future__ import annotations

from bpy.types import Context

from .layout import layout_of
from .sidebar import Section


class GroundPanel(Section):
    """Root motion of clips in place."""

    bl_idname = "TOEHOLD_PT_ground"
    bl_label = "Ground and Travel"
    bl_order = 4
    bl_options = {"DEFAULT_CLOSED"}  # noqa: RUF012 (Blender's own way)

    def draw(self, context: Context) -> None:
        layout = layout_of(self)
        row = layout.row(align=True)
        row.operator("toehold.root_motion", text="Add Travel", icon="TRACKING_FORWARDS").way = "IN"
        row.operator("toehold.root_motion", text="Take Out", icon="PINNED").way = "OUT"


CLASSES = (GroundPanel,)
