# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar of the 3D viewport: what is worked on, contacts and clean-up; its other sections have their files."""

from __future__ import annotations

from typing import Any

from bpy.types import Context, Panel

from ..operators import active
from ..rig.common.wording import CONTEXT
from ..rig.shown.live_clean import live
from .layout import field, hint, layout_of, split_column
from .presets import PresetsPanel


class Sidebar(Panel):
    """Where every panel of Toehold is."""

    bl_space_type = "VIEW_3D"
    bl_translation_context = CONTEXT
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


class ContactsPanel(Section):
    """When each foot is planted."""

    bl_idname = "TOEHOLD_PT_contacts"
    bl_label = "Contacts"
    bl_order = 1

    def draw(self, context: Context) -> None:
        layout = layout_of(self)
        settings = settings_of(context)
        layout.operator("toehold.annotate_contacts", icon="GRAPH")
        column = split_column(layout)
        field(column, context, settings, "ground_height")
        column = split_column(layout)
        for name in ("toe_share", "heel_share", "height"):
            field(column, context, settings.contacts, name)
        header, body = layout.panel("toehold_contacts_advanced", default_closed=True)
        header.label(text="Advanced", text_ctxt=CONTEXT)
        if body is not None:
            column = split_column(body)
            for name in ("still_distance", "min_contact_time", "min_gap_time", "blend_time"):
                field(column, context, settings.contacts, name)


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
        buttons.operator("toehold.keep_version", icon="FAKE_USER_ON")
        column = split_column(layout)
        for name in ("strength", "keep_travel", "smoothness", "softening"):
            field(column, context, settings_of(context).cleanup, name)
        if live.trouble:
            hint(layout, context, live.trouble)


CLASSES = (SidebarPanel, ContactsPanel, CleanPanel)


def settings_of(context: Context) -> Any:
    """Return the settings of the active armature: there is one where a section is drawn."""
    # Any, since the stubs know only Blender's own properties of an object.
    armature: Any = active.active_armature(context)
    return armature.toehold
