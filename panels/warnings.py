# SPDX-License-Identifier: GPL-3.0-or-later
"""What has to be told of the active armature and action, each with what mends it; no section where there is nothing."""

from __future__ import annotations

from typing import Any

from bpy.types import Context, UILayout

from ..operators import active
from ..operators.warned import WITHOUT_CONTACTS, advice, shown_warnings
from ..rig.common.warnings import Warning
from ..rig.common.wording import say
from .layout import field, hint, layout_of, split_column
from .sidebar import Section, settings_of

# Code to the operator that mends it, for those that one button can mend, and its icon.
BUTTONS: dict[str, tuple[str, Any]] = {
    "other-slot": ("toehold.use_slot", "ACTION_SLOT"),
    "limb-only-one": ("toehold.add_leg", "ADD"),
    "no-hands": ("toehold.add_leg", "ADD"),
    "deep-in-ground": ("toehold.adapt_to_ground", "MOD_SHRINKWRAP"),
}


class WarningsPanel(Section):
    """What was found to be doubtful of limbs, motion and result."""

    bl_idname = "TOEHOLD_PT_warnings"
    bl_label = "Warnings"
    bl_order = -1

    @classmethod
    def poll(cls, context: Context) -> bool:
        return super().poll(context) and bool(_shown(context))

    def draw(self, context: Context) -> None:
        layout = layout_of(self)
        for warning in _shown(context):
            text = advice(warning)
            box = layout.box()
            hint(box, context, text[0].upper() + text[1:], icon="ERROR")
            _draw_way_out(box, context, warning)


CLASSES = (WarningsPanel,)


def _shown(context: Context) -> list[Warning]:
    armature = active.active_armature(context)
    return [] if armature is None else shown_warnings(armature, active.active_action(context))


def _draw_way_out(layout: UILayout, context: Context, warning: Warning) -> None:
    """Draw what mends a warning, or else what shows where it is."""
    if warning.code in BUTTONS:
        operator, icon = BUTTONS[warning.code]
        layout.operator(operator, icon=icon)
    elif warning.code in WITHOUT_CONTACTS:
        field(split_column(layout), context, settings_of(context).contacts, "toe_share")
        layout.operator("toehold.annotate_contacts", icon="GRAPH")
    elif warning.code == "odd-unit" and context.scene is not None:
        field(split_column(layout), context, context.scene.unit_settings, "scale_length")
    elif warning.code == "limb-hands-touch":
        find: Any = layout.operator("toehold.find_legs", text="Find Legs and Hands", icon="VIEW_PAN")
        find.hands = True
    elif warning.code == "other-floor":
        height = float(warning.values["height"])
        label = say("Use {height:+.2f} m", height=height)
        use: Any = layout.operator("toehold.use_ground_height", text=label, translate=False)
        use.height = height
    elif warning.limb:
        show: Any = layout.operator("toehold.show_warning", icon="VIEWZOOM", text="Show")
        show.limb = warning.limb
        show.has_frame = bool(warning.frames)
        show.frame = warning.frames[0][0] if warning.frames else 0
