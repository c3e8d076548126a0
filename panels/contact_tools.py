# SPDX-License-Identifier: GPL-3.0-or-later
"""The contact tools as buttons, and as a menu for where keys and poses are edited."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.app.translations import pgettext_n as n_
from bpy.types import Context, Menu

from ..operators import active, review_contacts
from ..rig.common.wording import CONTEXT
from ..rig.contacts.properties import STATE, TOE
from ..solver.forced import State
from .layout import hint, is_narrow, layout_of, pair
from .sidebar import Section

# Label, state and icon of each thing that can be said of a contact.
STATES = (
    (n_("Plant"), State.PLANTED, "PINNED"),
    (n_("Lift"), State.LIFTED, "UNPINNED"),
    (n_("Sliding"), State.SLIDING, "DRIVER_DISTANCE"),
    (n_("Automatic"), State.AUTO, "FILE_REFRESH"),
)

# Layouts are Any below, since the stubs want each icon as a literal.

# Blender's menus that the contact menu is appended to.
MENUS = ("VIEW3D_MT_pose", "GRAPH_MT_key", "DOPESHEET_MT_key")


class ContactToolsPanel(Section):
    """What a person says of contacts, and looking at them."""

    bl_idname = "TOEHOLD_PT_contact_tools"
    bl_parent_id = "TOEHOLD_PT_contacts"
    bl_label = "By Hand"
    bl_order = 0

    def draw(self, context: Context) -> None:
        layout: Any = layout_of(self)
        reason = active.why_no_change(context)
        if reason is not None:
            hint(layout, context, reason)
            return
        now = _state_now(context)
        grid = layout.grid_flow(row_major=True, columns=1 if is_narrow(context) else 2, even_columns=True, align=True)
        for label, state, icon in STATES:
            button = grid.operator("toehold.set_contact", text=label, icon=icon, depress=state == now)
            button.state = state.name
        column = layout.column(align=True)
        row = pair(column, context)
        row.operator("toehold.jump_contact", text="Previous", icon="PREV_KEYFRAME").direction = "PREVIOUS"
        row.operator("toehold.jump_contact", text="Next", icon="NEXT_KEYFRAME").direction = "NEXT"
        row = pair(column, context)
        row.operator("toehold.nudge_contact", text="Earlier", icon="TRIA_LEFT").frames = -1
        row.operator("toehold.nudge_contact", text="Later", icon="TRIA_RIGHT").frames = 1
        row = pair(column, context)
        row.operator("toehold.split_contact", text="Split", icon="MOD_EDGESPLIT")
        row.operator("toehold.clear_contacts", text="Clear All", icon="X").legs = "ALL"
        if review_contacts.is_open():
            layout.operator("toehold.end_review", icon="GRAPH", depress=True)
            return
        row = layout.row(align=True)
        row.operator("toehold.review_contacts", icon="GRAPH").curves = False
        row.operator("toehold.review_contacts", text="", icon="NORMALIZE_FCURVES").curves = True


class ContactsMenu(Menu):
    """All contact tools."""

    bl_idname = "TOEHOLD_MT_contacts"
    bl_label = "Contacts"
    bl_translation_context = CONTEXT

    @classmethod
    def poll(cls, context: Context | None) -> bool:
        return context is not None and active.active_armature(context) is not None

    def draw(self, context: Context | None) -> None:
        layout: Any = self.layout
        for label, state, icon in STATES:
            layout.operator("toehold.set_contact", text=label, icon=icon).state = state.name
        layout.menu("TOEHOLD_MT_preview_range")
        layout.separator()
        layout.operator("toehold.jump_contact", text="Next Contact").direction = "NEXT"
        layout.operator("toehold.jump_contact", text="Previous Contact").direction = "PREVIOUS"
        layout.operator("toehold.nudge_contact", text="Nudge Later").frames = 1
        layout.operator("toehold.nudge_contact", text="Nudge Earlier").frames = -1
        layout.operator("toehold.split_contact")
        layout.separator()
        layout.operator("toehold.annotate_contacts", icon="GRAPH")
        layout.operator("toehold.clear_contacts", icon="X")
        if review_contacts.is_open():
            layout.operator("toehold.end_review")
        else:
            layout.operator("toehold.review_contacts")


class PreviewRangeMenu(Menu):
    """What can be said of all frames of the preview range."""

    bl_idname = "TOEHOLD_MT_preview_range"
    bl_label = "Preview Range"
    bl_translation_context = CONTEXT

    def draw(self, context: Context | None) -> None:
        layout: Any = self.layout
        for label, state, icon in STATES:
            button = layout.operator("toehold.set_contact", text=label, icon=icon)
            button.state, button.over = state.name, "PREVIEW_RANGE"


CLASSES = (ContactToolsPanel, PreviewRangeMenu, ContactsMenu)


def register() -> None:
    """Show the menu in Blender's own; once, however often it is called."""
    unregister()
    for name in MENUS:
        getattr(bpy.types, name).append(_draw_menu)


def unregister() -> None:
    """Take the menu out of Blender's own."""
    for name in MENUS:
        getattr(bpy.types, name).remove(_draw_menu)


def _draw_menu(menu: Any, context: Context) -> None:
    if active.active_armature(context) is not None:
        menu.layout.separator()
        menu.layout.menu("TOEHOLD_MT_contacts", text="Toehold")


def _state_now(context: Context) -> State | None:
    """Return what is set for the active leg at the current frame, None where it has no legs or no contacts yet.

    The properties hold what the curves say at this frame: reading them costs nothing.
    """
    # Any, since the stubs know only Blender's own properties of an object.
    armature: Any = active.active_armature(context)
    limbs = armature.toehold.limbs
    index = armature.toehold.active_limb
    if index >= len(limbs):
        return None
    bone = armature.pose.bones.get(limbs[index].toe or limbs[index].heel)
    state = None if bone is None else bone.get(STATE[TOE])
    return State(state) if isinstance(state, int) and state in set(State) else None
