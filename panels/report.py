# SPDX-License-Identifier: GPL-3.0-or-later
"""The report in the sidebar: figures before and after, and the contacts, the worst first."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.app.translations import pgettext_n as n_
from bpy.types import Action, Context, UILayout, UIList

from ..operators import active
from ..operators.verb import figure
from ..rig.common.wording import CONTEXT, say
from ..rig.writing.results import figures_of
from . import at_a_glance
from .layout import hint, is_narrow, layout_of, pair
from .overlay_shapes import SEEN_MM
from .section import Section

# Figures of the report: name, label, whether it says anything before a clean.
FIGURES = (
    ("slide_mm_s", n_("Slide mm/s"), True),
    ("slide_max_mm_s", n_("Worst Slide mm/s"), True),
    ("drift_mm", n_("Worst Drift mm"), True),
    ("penetration_mm", n_("Below Ground mm"), True),
    ("float_mm", n_("Above Ground mm"), True),
    ("knee_pop_deg_s", n_("Knee Pop °/s"), True),
    ("toe_jerk_m_s3", n_("Toe Jerk m/s³"), True),
    ("hips_m_s2", n_("Hips m/s²"), True),
    ("pose_change_mean_deg", n_("Pose Change °"), False),
    ("pose_change_max_deg", n_("Largest Change °"), False),
    ("travel_change_percent", n_("Travel Change %"), False),
    ("unreached_mm", n_("Out of Reach mm"), False),
)

# So many of what may be contacts fit below the list; the next ones come up as these are planted or lifted.
MOST_SUSPECTS = 6

# Drift up to which a contact stands still, for the icon in the list; SEEN_MM is where slide is seen.
STILL_MM = 5.0


class ReportPanel(Section):
    """The figures of the active action, before and after it was cleaned."""

    bl_idname = "TOEHOLD_PT_report"
    bl_label = "Report"
    bl_order = 6

    @classmethod
    def state(cls, context: Context) -> str:
        return at_a_glance.report_state(active.active_action(context))

    def draw(self, context: Context) -> None:
        layout = layout_of(self)
        layout.operator("toehold.report", icon="VIEWZOOM", text="Measure")
        action = active.active_action(context)
        figures = figures_of(action) if action is not None else {}
        if action is None or not figures:
            hint(layout, context, "No figures yet: measure, or clean")
            return
        before, after = figures.get("before", {}), figures.get("after", {})
        table = layout.column(align=True)
        _draw_row(table, "", *(("Before", "After") if after else ("Now",)))
        for name, label, in_any_action in FIGURES:
            if after:
                _draw_row(table, label, _figure(before.get(name) if in_any_action else None), _figure(after.get(name)))
            elif in_any_action:
                _draw_row(table, label, _figure(before.get(name)))
        _draw_contacts(layout, action)
        _draw_suspects(layout, context, action)
        share = pair(layout, context)
        share.operator("toehold.copy_report", icon="COPYDOWN", text="Copy")
        share.operator("toehold.export_report", icon="EXPORT", text="Export")


class ContactList(UIList):
    """The contacts with their drift, the worst first; a click goes to one."""

    bl_idname = "TOEHOLD_UL_contacts"

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
        shown: Any = "ERROR" if item.drift_mm > SEEN_MM else "CHECKMARK" if item.drift_mm < STILL_MM else "DOT"
        split = layout.split(factor=0.74)
        # The frames first: where the sidebar is narrow, what can be told from them is cut off.
        name = f"{item.limb} {item.kind}" if item.kind == "heel" else item.limb
        split.label(text=f"{item.first}-{item.last}  {name}", icon=shown, translate=False)
        cell = split.row()
        cell.alignment = "RIGHT"
        if item.by_hand:
            cell.label(text="", icon="PINNED")
        cell.label(text=f"{figure(item.drift_mm)} mm", translate=False)


CLASSES = (ContactList, ReportPanel)


def _draw_contacts(layout: UILayout, action: Action) -> None:
    # Any, since the stubs know only Blender's own properties of an action.
    own: Any = action
    if own.toehold.contacts:
        layout.label(text="Contacts, Worst Drift First", text_ctxt=CONTEXT)
        layout.template_list("TOEHOLD_UL_contacts", "", own.toehold, "contacts", own.toehold, "active", rows=4)


def _draw_suspects(layout: UILayout, context: Context, action: Action) -> None:
    """Draw what may be contacts too, each with the button that plants it."""
    own: Any = action
    suspects = own.toehold.suspects
    if not suspects:
        return
    layout.label(text=say("{count} may be contacts too", count=len(suspects)), translate=False)
    if active.why_no_change(context) is not None:
        return
    column = layout.column(align=True)
    for suspect in suspects[:MOST_SUSPECTS]:
        label = say("Plant {first}-{last}  {limb}", first=suspect.first, last=suspect.last, limb=suspect.limb)
        button: Any = column.operator("toehold.set_contact", text=label, icon="PINNED", translate=False)
        button.state, button.over, button.leg = "PLANTED", "FRAMES", suspect.limb
        button.frame_start, button.frame_end = suspect.first, suspect.last


def _draw_row(table: UILayout, label: str, *values: str) -> None:
    if is_narrow(bpy.context) and label:
        table.label(text=label, text_ctxt=CONTEXT)
        row = table.row()
    else:
        split = table.split(factor=0.5)
        split.label(text=label, text_ctxt=CONTEXT)
        row = split.row()
    for value in values:
        cell = row.row()
        cell.alignment = "RIGHT"
        cell.label(text=value, translate=False)


def _figure(value: float | None) -> str:
    return "-" if value is None else figure(value)
