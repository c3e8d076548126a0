# SPDX-License-Identifier: GPL-3.0-or-later
"""The limbs of an armature: found, listed, and corrected bone by bone."""

from __future__ import annotations

from typing import Any

from bpy.types import Context, UILayout, UIList

from ..operators import active
from ..rig.common.wording import CONTEXT, say
from ..rig.legs.by_hand import OF_HAND, PARTS
from ..rig.legs.doubts import SURE
from ..rig.legs.limb_bones import EXTENSION, LEAN
from . import at_a_glance
from .layout import hint, layout_of, split_column
from .presets import LimbPresetsPanel
from .section import Section, settings_of


class LimbsPanel(Section):
    """The legs and hands, and the bones of each."""

    bl_idname = "TOEHOLD_PT_legs"
    bl_label = "Limbs"
    bl_order = 3

    @classmethod
    def state(cls, context: Context) -> str:
        return at_a_glance.limbs_line(active.armatures(context)[0]) or say("none yet")

    def draw_header_preset(self, context: Context) -> None:
        super().draw_header_preset(context)
        LimbPresetsPanel.draw_panel_header(layout_of(self))

    def draw(self, context: Context) -> None:
        layout = layout_of(self)
        settings = settings_of(context)
        buttons = layout.column(align=True)
        buttons.operator("toehold.find_legs", icon="VIEWZOOM").hands = False
        buttons.operator("toehold.find_legs", text="Find Legs and Hands", icon="VIEW_PAN").hands = True
        if not settings.limbs:
            hint(layout, context, "No limbs yet: find them, or go on and the legs are found on the way")
            layout.operator("toehold.add_leg", icon="ADD")
            return
        row = layout.row()
        row.template_list("TOEHOLD_UL_limbs", "", settings, "limbs", settings, "active_limb", rows=2)
        buttons = row.column(align=True)
        buttons.operator("toehold.add_leg", text="", icon="ADD")
        buttons.operator("toehold.remove_leg", text="", icon="REMOVE")
        if settings.active_limb < len(settings.limbs):
            _draw_limb(layout, context, settings.limbs[settings.active_limb])


class LimbList(UIList):
    """The limbs by name; those that the search was not sure of are marked."""

    bl_idname = "TOEHOLD_UL_limbs"

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
        unsure = item.confidence < SURE
        layout.prop(
            item, "name", text="", emboss=False, icon="ERROR" if unsure else "VIEW_PAN" if item.hand else "BONE_DATA"
        )


CLASSES = (LimbList, LimbsPanel)


def _draw_limb(layout: UILayout, context: Context, limb: Any) -> None:
    header, body = layout.panel("toehold_limb_bones", default_closed=True)
    header.label(text="Bones", text_ctxt=CONTEXT)
    armature = active.active_armature(context)
    if body is None or armature is None:
        return
    column = split_column(body)
    for part in OF_HAND if limb.hand else (part for part in PARTS if part != "hock"):
        row = column.row(align=True)
        if limb.hand:
            row.prop_search(limb, part, armature.data, "bones", text=say(OF_HAND[part]), translate=False)
        else:
            row.prop_search(limb, part, armature.data, "bones")
        row.operator("toehold.pick_bone", text="", icon="EYEDROPPER").part = part
    column.prop(limb, "hand")
    if limb.reason:
        hint(body, context, say("Found {how}", how=say(limb.reason)))
    if not limb.hand:
        draw_lower_leg(body, context, limb)


def draw_lower_leg(layout: UILayout, context: Context, limb: Any) -> None:
    """Draw the lower leg of a limb: its hock, and what can be set of it where it has one."""
    header, body = layout.panel("toehold_lower_leg", default_closed=True)
    header.label(text="Lower Leg", text_ctxt=CONTEXT)
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
