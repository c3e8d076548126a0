# SPDX-License-Identifier: GPL-3.0-or-later
"""Gaits for a skeleton that may never have moved: a section of the sidebar."""

from __future__ import annotations

from typing import Any

from bpy.types import Context, Panel

from ..operators import active
from .layout import field, layout_of, split_column
from .section import Section


class LocomotionPanel(Section):
    """The gaits; what they are like is set in the panel of the last operation."""

    bl_idname = "TOEHOLD_PT_locomotion"
    bl_label = "Locomotion"
    bl_order = 7

    def draw(self, context: Context) -> None:
        layout = layout_of(self)
        layout.operator_menu_enum("toehold.generate_gait", "gait", text="Generate Gait", icon="MOD_ARMATURE")
        armature: Any = active.active_armature(context)
        if armature is not None:
            field(split_column(layout), context, armature.toehold, "path")
        layout.operator("toehold.follow_path", icon="CON_FOLLOWPATH")


CLASSES: tuple[type[Panel], ...] = (LocomotionPanel,)
