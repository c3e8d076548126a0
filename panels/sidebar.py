# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar of the 3D viewport: legs, contacts, clean, report, in the order of the work."""

from __future__ import annotations

from typing import Any

from bpy.types import Context, Panel, UILayout, UIList

from ..operators import active
from ..operators.find_legs import SURE
from ..rig.live import live
from ..rig.wording import say
from .layout import hint, layout_of, split_column
from .presets import PresetsPanel

# Bone fields of a leg, from the body down.
BONES = ("root", "hip", "knee", "heel", "toe", "toe_end")


class Sidebar(Panel):
    """Where every panel of Toehold is."""

    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Toehold"


class Section(Sidebar):
    """A sub-panel: there while an armature is active."""

    bl_parent_id = "TOEHOLD_PT_sidebar"

    @classmethod
    def poll(cls, context: Context) -> bool:
        return active.active_armature(context) is not None


class SidebarPanel(Sidebar):
    """What is worked on, and what to do if nothing can be."""

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
            names.label(text=armature.name, icon="ARMATURE_DATA", translate=False)
        if action is not None:
            names.label(text=action.name, icon="ACTION", translate=False)
        reason = active.why_no_motion(context)
        if reason is not None:
            hint(layout, context, reason)


class LegsPanel(Section):
    """The legs, and the bones of each."""

    bl_idname = "TOEHOLD_PT_legs"
    bl_label = "Legs"
    bl_order = 0

    def draw(self, context: Context) -> None:
        layout = layout_of(self)
        settings = _settings(context)
        layout.operator("toehold.find_legs", icon="VIEWZOOM")
        if not settings.limbs:
            hint(layout, context, "No legs yet: find them, or go on and they are found on the way")
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
    """The legs by name; those that the search was not sure of are marked."""

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
        layout.prop(item, "name", text="", emboss=False, icon="BONE_DATA" if item.confidence >= SURE else "ERROR")


class ContactsPanel(Section):
    """When each foot is planted."""

    bl_idname = "TOEHOLD_PT_contacts"
    bl_label = "Contacts"
    bl_order = 1

    def draw(self, context: Context) -> None:
        layout = layout_of(self)
        settings = _settings(context)
        layout.operator("toehold.annotate_contacts", icon="GRAPH")
        column = split_column(layout)
        column.prop(settings, "ground_height")
        column = split_column(layout)
        for name in ("toe_share", "heel_share", "height"):
            column.prop(settings.contacts, name)
        header, body = layout.panel("toehold_contacts_advanced", default_closed=True)
        header.label(text="Advanced")
        if body is not None:
            column = split_column(body)
            for name in ("still_distance", "min_contact_time", "min_gap_time", "blend_time"):
                column.prop(settings.contacts, name)


class CleanPanel(Section):
    """Make planted feet stand still, and go back."""

    bl_idname = "TOEHOLD_PT_clean"
    bl_label = "Clean"
    bl_order = 2

    def draw(self, context: Context) -> None:
        layout = layout_of(self)
        buttons = layout.column(align=True)
        buttons.operator("toehold.clean", icon="CHECKMARK")
        buttons.operator("toehold.restore_source", icon="LOOP_BACK")
        buttons.operator("toehold.flip_source", icon="ARROW_LEFTRIGHT")
        column = split_column(layout)
        for name in ("strength", "keep_travel", "smoothness", "softening"):
            column.prop(_settings(context).cleanup, name)
        if live.trouble:
            hint(layout, context, live.trouble)


CLASSES = (SidebarPanel, LimbList, LegsPanel, ContactsPanel, CleanPanel)


def _settings(context: Context) -> Any:
    """Return the settings of the active armature: there is one where a section is drawn."""
    # Any, since the stubs know only Blender's own properties of an object.
    armature: Any = active.active_armature(context)
    return armature.toehold


def _draw_limb(layout: UILayout, context: Context, limb: Any) -> None:
    header, body = layout.panel("toehold_limb_bones", default_closed=True)
    header.label(text="Bones")
    armature = active.active_armature(context)
    if body is None or armature is None:
        return
    column = split_column(body)
    for name in BONES:
        column.prop_search(limb, name, armature.data, "bones")
    if limb.reason:
        hint(body, context, say("Found {how}", how=say(limb.reason)))
