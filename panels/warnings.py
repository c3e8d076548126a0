# SPDX-License-Identifier: GPL-3.0-or-later
"""What has to be told of the active armature and action, each with what mends it.

The first is told at the top of the sidebar; what there is besides has a section of its own.
"""

from __future__ import annotations

from typing import Any

from bpy.types import Context, UILayout

from ..operators import active
from ..operators.mend_scene import unit_for
from ..operators.warned import WITHOUT_CONTACTS, advice, shown_warnings
from ..rig.common.warnings import Warning
from ..rig.common.wording import say
from .layout import field, hint, layout_of, split_column
from .section import Section, settings_of

# Code to the operator that mends it, for those that one button can mend, and its icon.
BUTTONS: dict[str, tuple[str, Any]] = {
    "other-slot": ("toehold.use_slot", "ACTION_SLOT"),
    "limb-only-one": ("toehold.add_leg", "ADD"),
    "no-hands": ("toehold.add_leg", "ADD"),
    "deep-in-ground": ("toehold.adapt_to_ground", "MOD_SHRINKWRAP"),
}


class WarningsPanel(Section):
    """What else was found to be doubtful of limbs, motion and result."""

    bl_idname = "TOEHOLD_PT_warnings"
    bl_label = "More Warnings"
    bl_order = -1

    @classmethod
    def poll(cls, context: Context) -> bool:
        return super().poll(context) and bool(_others(context))

    @classmethod
    def state(cls, context: Context) -> str:
        return str(len(_others(context)))

    def draw(self, context: Context) -> None:
        layout = layout_of(self)
        for warning in _others(context):
            draw_warning(layout.box(), context, warning)


CLASSES = (WarningsPanel,)


def draw_warning(layout: UILayout, context: Context, warning: Warning) -> None:
    """Draw a warning whole, and what mends it."""
    text = advice(warning)
    hint(layout, context, text[0].upper() + text[1:], icon="ERROR")
    _draw_way_out(layout, context, warning)


def _others(context: Context) -> list[Warning]:
    """Return all warnings but the first."""
    armature = active.active_armature(context)
    shows_first = active.why_no_motion(context) is None
    return [] if armature is None else shown_warnings(armature, active.active_action(context))[shows_first:]


def _draw_way_out(layout: UILayout, context: Context, warning: Warning) -> None:
    """Draw what mends a warning, or else what shows where it is."""
    if warning.code in BUTTONS:
        operator, icon = BUTTONS[warning.code]
        layout.operator(operator, icon=icon)
    elif warning.code in WITHOUT_CONTACTS:
        field(split_column(layout), context, settings_of(context).contacts, "toe_share")
        layout.operator("toehold.annotate_contacts", icon="GRAPH")
    elif warning.code == "odd-unit" and context.scene is not None:
        length = float(warning.values["length"])
        unit = unit_for(length)
        label = say("Unit Scale {unit}", unit=f"{unit:.4g}")
        mend: Any = layout.operator("toehold.use_unit", text=label, icon="SCENE_DATA", translate=False)
        mend.length = length
        field(split_column(layout), context, context.scene.unit_settings, "scale_length")
    elif warning.code == "slow-frames":
        rate = round(float(warning.values["rate"]))
        label = say("Play {rate} Frames a Second", rate=rate)
        play: Any = layout.operator("toehold.use_frame_rate", text=label, icon="TIME", translate=False)
        play.rate = rate
    elif warning.code == "ground-refused":
        stand: Any = layout.operator("toehold.walk_on_it", icon="MOD_SHRINKWRAP")
        stand.name = str(warning.values["object"])
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
