# SPDX-License-Identifier: GPL-3.0-or-later
"""What the feet stand on, and where they take the body: a section of the sidebar."""

from __future__ import annotations

from typing import Any

from bpy.types import Context, UILayout, UIList

from ..operators import active
from ..rig.terrain.ground import OBJECT_TYPES
from . import at_a_glance
from .layout import field, is_narrow, layout_of, pair, split_column
from .section import Section, settings_of


class GroundPanel(Section):
    """Objects that the feet stand on, and root motion of clips in place."""

    bl_idname = "TOEHOLD_PT_ground"
    bl_label = "Ground and Travel"
    bl_order = 4

    @classmethod
    def state(cls, context: Context) -> str:
        return at_a_glance.ground_state(settings_of(context))

    def draw(self, context: Context) -> None:
        layout = layout_of(self)
        armature: Any = active.active_armature(context)
        own = armature.toehold.ground
        column = split_column(layout)
        field(column, context, own, "object", "Object")
        if own.object is not None:
            field(column, context, own.object.toehold, "walk_on")
        field(column, context, own, "collection", "Collection")
        if own.collection is not None:
            layout.template_list(
                "TOEHOLD_UL_ground", "", own.collection, "all_objects", own, "active_object", rows=2, maxrows=6
            )
        if own.object is not None or own.collection is not None:
            field(split_column(layout), context, armature.toehold.cleanup, "foot_pitch")
        layout.operator("toehold.adapt_to_ground", icon="NONE" if is_narrow(context) else "MOD_SHRINKWRAP")
        layout.separator()
        row = pair(layout, context)
        row.operator("toehold.root_motion", text="Add Travel", icon="TRACKING_FORWARDS").way = "IN"
        row.operator("toehold.root_motion", text="Take Out", icon="PINNED").way = "OUT"
        row = pair(layout, context)
        row.operator("toehold.root_motion", text="Fit Stride", icon="ARROW_LEFTRIGHT").way = "STRIDE"
        row.operator("toehold.root_motion", text="Fit Timing", icon="TIME").way = "TIMING"


class GroundList(UIList):
    """The objects of the ground collection, and whether each is ground."""

    bl_idname = "TOEHOLD_UL_ground"

    def draw_item(  # noqa: PLR0913, PLR0917 (what Blender calls it with)
        self,
        context: Context | None,
        layout: UILayout,
        data: Any,
        item: Any,
        icon: int | None,
        active_data: Any,
        active_property: str | None,
        index: int | None,
        flt_flag: int | None,
    ) -> None:
        narrow = context is not None and is_narrow(context)
        row = layout.split(factor=0.7 if narrow else 0.5)
        row.label(text=item.name, icon_value=0 if narrow else icon or 0, translate=False)
        if item.type in OBJECT_TYPES:
            row.prop(item.toehold, "walk_on", text="", icon_only=narrow)


CLASSES = (GroundPanel, GroundList)
