# SPDX-License-Identifier: GPL-3.0-or-later
"""Which overlays are drawn: a section of the sidebar, and its toggles (``WindowManager.toehold_overlay``).

The toggles belong to the window, not to the file: they are no step of undo and are not saved.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import bpy
from bpy.app.handlers import persistent
from bpy.app.translations import pgettext_n as n_
from bpy.types import Context, Operator, PropertyGroup

from ..operators import active
from ..rig.common.wording import CONTEXT
from ..settings.properties import BoolProperty
from .layout import hint, layout_of
from .overlay import overlay, redraw
from .overlay_picture import OverlayParts
from .section import Section

NOTHING_YET = n_("Annotate contacts, or clean: footprints and trails are drawn then")
OUT_OF_DATE = n_("The motion of this rig has to be stepped through to be drawn as it is now")


def _start_or_stop(toggles: Any, _: Context) -> None:
    if toggles.enabled:
        overlay.start()
    else:
        overlay.stop()


def _draw_again(_: Any, __: Context) -> None:
    redraw()


class OverlayToggles(PropertyGroup):
    """What is drawn over the viewport and the timelines."""

    enabled: BoolProperty(  # type: ignore[valid-type]
        name="Overlays",
        description="Draw where the feet of the active armature stand, and when",
        default=True,
        update=_start_or_stop,
    )
    footprints: BoolProperty(  # type: ignore[valid-type]
        name="Footprints",
        description="Draw a sole where each contact holds the foot, in the colour of how far the foot slides off it. "
        "In a clip in place they ride on the treadmill that it stands for",
        default=OverlayParts().footprints,
        update=_draw_again,
    )
    trails: BoolProperty(  # type: ignore[valid-type]
        name="Toe Trails",
        description="Draw the way of each toe: faint in the swing, from calm to red with the slide while it is "
        "planted, with a tick every 5 frames. It fades in time",
        default=OverlayParts().trails,
        update=_draw_again,
    )
    targets: BoolProperty(  # type: ignore[valid-type]
        name="Lock Targets",
        description="Draw a ring where each planted foot should be at the current frame and a dot where it is, with "
        "the distance where it is over 1 mm",
        default=OverlayParts().targets,
        update=_draw_again,
    )
    ghost: BoolProperty(  # type: ignore[valid-type]
        name="Ghost",
        description="Draw the bones as the source of the cleaned action has them, or as the cleaned action has them "
        "while its source is shown",
        default=OverlayParts().ghost,
        update=_draw_again,
    )
    timeline: BoolProperty(  # type: ignore[valid-type]
        name="Timeline Bars",
        description="Draw a bar for each leg along the bottom of the Timeline, Dope Sheet and Graph Editor: tall where "
        "the toes are planted, low where the heel alone is, in the colour of how far the foot slides, darker on the "
        "right, outlined where it was set by hand. Drag a contact or its edges; double-click plants or lifts",
        default=OverlayParts().timeline,
        update=_draw_again,
    )
    legend: BoolProperty(  # type: ignore[valid-type]
        name="Legend",
        description="Say in a corner of the viewport what the colours of footprints, trails and bars mean",
        default=OverlayParts().legend,
        update=_draw_again,
    )
    comparison: BoolProperty(  # type: ignore[valid-type]
        name="Show Paths",
        description="Draw the path of each toe in the animation, with the lock and cleaned, as they were compared, and "
        "their main figures",
        default=True,
        update=_draw_again,
    )
    whole_paths: BoolProperty(  # type: ignore[valid-type]
        name="Whole Clip",
        description="Draw the paths over all frames, not only around the current one",
        default=False,
        update=_draw_again,
    )


class RefreshOverlays(Operator):
    """Step through the animation and draw the overlays anew"""

    bl_idname = "toehold.refresh_overlays"
    bl_label = "Refresh Overlays"
    bl_translation_context = CONTEXT
    bl_options = {"INTERNAL"}  # noqa: RUF012 (Blender's own way)

    def execute(self, context: Context) -> Any:
        overlay.refresh()
        return {"FINISHED"}


class OverlaysPanel(Section):
    """What is drawn over the viewport and the timelines."""

    bl_idname = "TOEHOLD_PT_overlays"
    bl_label = "Overlays"
    bl_order = 8

    def draw_header(self, context: Context) -> None:
        layout_of(self).prop(_toggles(context), "enabled", text="")

    def draw(self, context: Context) -> None:
        layout = layout_of(self)
        toggles = _toggles(context)
        column = layout.column(align=True)
        column.active = toggles.enabled
        for part in fields(OverlayParts):
            column.prop(toggles, part.name)
        if not toggles.enabled or active.why_no_motion(context) is not None:
            return
        drawn = overlay.drawn_of(context)
        if drawn is None:
            return
        if drawn.out_of_date:
            hint(layout, context, OUT_OF_DATE)
            layout.operator("toehold.refresh_overlays", icon="FILE_REFRESH", text="Refresh")
        elif drawn.picture is None:
            hint(layout, context, drawn.trouble or NOTHING_YET)


CLASSES = (OverlayToggles, RefreshOverlays, OverlaysPanel)


def begin() -> None:
    """Draw, where there is a window to draw in and it is not switched off; and again after a file was loaded."""
    if not bpy.app.background:
        bpy.app.handlers.load_post.append(_after_loading)
        # Blender is still starting up: there may be no window manager to ask yet.
        overlay.start()


def end() -> None:
    """Draw no more."""
    if _after_loading in bpy.app.handlers.load_post:
        bpy.app.handlers.load_post.remove(_after_loading)
    overlay.stop()


@persistent
def _after_loading(*_: Any) -> None:
    # A file that is loaded may bring its own window manager, with toggles of its own.
    _start_or_stop(_toggles(bpy.context), bpy.context)


def _toggles(context: Context) -> Any:
    # Any, since the stubs know only Blender's own properties of a window manager.
    manager: Any = context.window_manager
    return manager.toehold_overlay
