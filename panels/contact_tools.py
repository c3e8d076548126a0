# SPDX-License-Identifier: GPL-3.0-or-later
"""The contact tools as buttons, and as a menu for where keys and poses are edited."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import bpy
from bpy.app.translations import pgettext_n as n_
from bpy.types import Context, Menu, Object

from .. import settings
from ..operators import active, review_contacts
from ..rig.common.wording import CONTEXT
from ..rig.contacts.properties import STATE, TOE
from ..rig.contacts.summary import count_of
from ..rig.legs.limb_bones import LimbBones
from ..rig.review.selection import limbs_of_selected_bones, selected_bones
from ..solver.contacts import State
from . import at_a_glance
from .layout import field, hint, is_narrow, layout_of, pair, split_column
from .section import Section, settings_of

# Label, state and icon of each thing that can be said of a contact.
STATES = (
    (n_("Plant"), State.PLANTED, "PINNED"),
    (n_("Lift"), State.LIFTED, "UNPINNED"),
    (n_("Sliding"), State.SLIDING, "DRIVER_DISTANCE"),
    (n_("Automatic"), State.AUTO, "FILE_REFRESH"),
)

# Layouts are Any below, since the stubs want each icon as a literal.

# Up to so many legs are named two beside each other.
FEW_LEGS = 4

# Blender's menus that the contact menu is appended to.
MENUS = ("VIEW3D_MT_pose", "GRAPH_MT_key", "DOPESHEET_MT_key")


class ContactsPanel(Section):
    """When each foot is planted, and what a person says of it."""

    bl_idname = "TOEHOLD_PT_contacts"
    bl_label = "Contacts"
    bl_order = 1

    @classmethod
    def state(cls, context: Context) -> str:
        return at_a_glance.contacts_state(active.active_action(context))

    def draw(self, context: Context) -> None:
        layout: Any = layout_of(self)
        reason = active.why_no_change(context)
        if reason is not None:
            hint(layout, context, reason)
            return
        action = active.active_action(context)
        if action is None or not count_of(action):
            layout.operator("toehold.annotate_contacts", icon="GRAPH")
        _draw_legs(layout, context)
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
        for text, icon, heel, curves in (
            (n_("Review Contacts"), "GRAPH", False, False),
            ("", "CON_FLOOR", True, False),
            ("", "NORMALIZE_FCURVES", False, True),
        ):
            review = row.operator("toehold.review_contacts", text=text, icon=icon)
            review.heel, review.curves = heel, curves


class DetectionPanel(Section):
    """How contacts are found."""

    bl_idname = "TOEHOLD_PT_detection"
    bl_label = "Detection"
    bl_parent_id = "TOEHOLD_PT_contacts"

    def draw(self, context: Context) -> None:
        layout = layout_of(self)
        own = settings_of(context)
        layout.operator("toehold.annotate_contacts", icon="GRAPH")
        column = split_column(layout)
        field(column, context, own, "ground_height")
        column = split_column(layout)
        for name in ("toe_share", "heel_share", "height"):
            field(column, context, own.contacts, name)
        header, body = layout.panel("toehold_contacts_advanced", default_closed=True)
        header.label(text="Advanced", text_ctxt=CONTEXT)
        if body is not None:
            column = split_column(body)
            for name in ("still_distance", "min_contact_time", "min_gap_time", "blend_time"):
                field(column, context, own.contacts, name)


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


CLASSES = (ContactsPanel, DetectionPanel, PreviewRangeMenu, ContactsMenu)


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


@dataclass
class _Meant:
    """Which legs the selected bones are of: asked again when the selection has changed, since it may take a while."""

    asked: Hashable = None
    legs: tuple[int, ...] = ()

    def of(self, armature: Object, limbs: Sequence[LimbBones]) -> tuple[int, ...]:
        """Return the legs of the selected bones by index, none where they are of no leg."""
        asked = armature.session_uid, frozenset(selected_bones(armature)), tuple(limbs)
        if asked != self.asked:
            self.asked, self.legs = asked, tuple(limbs_of_selected_bones(armature, limbs))
        return self.legs


_meant = _Meant()


def meant_legs(armature: Object) -> tuple[int, ...]:
    """Return which legs a press on a contact tool means now, by index."""
    limbs = settings.limb_bones(armature)
    if not limbs:
        return ()
    chosen = _meant.of(armature, limbs) if armature.mode == "POSE" else ()
    return chosen or (settings.active_limb(armature, len(limbs)),)


def _draw_legs(layout: Any, context: Context) -> None:
    """Draw the legs as buttons, with those lit that are meant: by the bones that are selected, or by a click here."""
    armature = active.active_armature(context)
    assert armature is not None, "the poll has asked"
    limbs, meant = settings.limb_bones(armature), meant_legs(armature)
    columns = 1 if is_narrow(context) else min(max(len(limbs), 1), 2 if len(limbs) <= FEW_LEGS else 4)
    grid = layout.grid_flow(row_major=True, columns=columns, even_columns=True, align=True)
    for at, limb in enumerate(limbs):
        grid.operator("toehold.choose_leg", text=limb.name, depress=at in meant, translate=False).leg = limb.name


def _state_now(context: Context) -> State | None:
    """Return what is set for the leg that is meant at the current frame, None where it has no legs or no contacts yet.

    The properties hold what the curves say at this frame: reading them costs nothing.
    """
    # Any, since the stubs know only Blender's own properties of an object.
    armature: Any = active.active_armature(context)
    meant = meant_legs(armature)
    if not meant:
        return None
    limb = armature.toehold.limbs[meant[0]]
    bone = armature.pose.bones.get(limb.toe or limb.heel)
    state = None if bone is None else bone.get(STATE[TOE])
    return State(state) if isinstance(state, int) and state in set(State) else None
