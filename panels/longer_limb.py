# SPDX-License-Identifier: GPL-3.0-or-later
"""The hock of a leg of three segments, and how its lower leg is to stand."""

from __future__ import annotations

from typing import Any

from bpy.types import Context, UILayout

from ..operators import active
from ..rig.limb_bones import EXTENSION, LEAN
from .layout import split_column


def draw_lower_leg(layout: UILayout, context: Context, limb: Any) -> None:
    """Draw the lower leg of a limb: its hock, and what can be set of it where it has one."""
    header, body = layout.panel("toehold_lower_leg", default_closed=True)
    header.label(text="Lower Leg")
    armature = active.active_armature(context)
    if body is None or armature is None:
        return
    row = split_column(body).row(align=True)
    row.prop_search(limb, "hock", armature.data, "bones")
    row.operator("toehold.pick_bone", text="", icon="EYEDROPPER").part = "hock"
    if limb.hock:
        for share, in_stance, in_swing in (LEAN, EXTENSION):
            column = split_column(body)
            column.prop(limb, share)
            values = column.column()
            values.active = getattr(limb, share) > 0.0
            values.prop(limb, in_stance, text="In Stance")
            values.prop(limb, in_swing, text="In Swing")
