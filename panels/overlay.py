# SPDX-License-Identifier: GPL-3.0-or-later
"""The overlays of the viewport and the timelines: one object that owns their handlers and what they draw.

It holds names, never Blender's own references, so that undo, loading a file and deleting leave nothing dangling.
Nothing is computed while drawing: where what is drawn is out of date, a timer does it a moment later.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import Any

import bpy
import numpy as np
from bpy.app.handlers import persistent
from bpy_extras.view3d_utils import location_3d_to_region_2d

from .. import settings
from ..operators import active, verb
from ..rig.common.wording import RigError, said
from ..rig.curves import stack
from ..rig.shown import overlay_feed
from ..rig.shown.preview import preview
from ..rig.terrain.ground import members, was_edited
from . import legend, overlay_picture
from . import overlay_drawing as drawing
from .compare_overlay import paths_shown
from .overlay_picture import TEXT_COLOUR, OverlayParts, Picture
from .preferences import palette

# Seconds without a further change after which what is drawn is brought up to date, and until another try.
SETTLED, TRY_AGAIN = 0.15, 0.5

# Each window may show another armature.
MOST_ARMATURES = 4

TIMELINES = {"DOPESHEET_EDITOR": {"DOPESHEET", "ACTION", "TIMELINE"}, "GRAPH_EDITOR": {"FCURVES"}}

# An armature or an action by its name and the file that it is linked from.
Name = tuple[str, str | None]
Place = tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class Subject:
    """What is looked at, so that a change is seen at once: whose action, and what else decides what is drawn."""

    armature: Name
    action: Name
    change: int
    ground_height: float
    ground: tuple[str, ...]
    ghost: bool


@dataclass(frozen=True)
class DrawnSubject:
    """What is drawn of a subject.

    picture : None where there is nothing to draw.
    trouble : why not; empty where there is no other reason than that no contacts are known.
    out_of_date : whether the motion has changed in a way that only stepping through it can tell.
    place : where the armature was, None where its action moves it.
    ground : names of all objects that it may stand on.
    """

    subject: Subject
    picture: Picture | None = None
    trouble: str = ""
    out_of_date: bool = False
    motion: overlay_feed.Motion | None = None
    place: Place | None = None
    ground: frozenset[str] = frozenset()


@dataclass
class Overlay:
    """Draws while it is started. Starting and stopping can each be repeated.

    change : counts up with every change of an action, and whatever else may have changed one.
    drawn : what is drawn of each armature that was looked at lately, the last one last.
    """

    change: int = 0
    drawn: dict[Name, DrawnSubject] = field(default_factory=dict)
    _changed_at: float = 0.0
    _wanted: list[Subject] = field(default_factory=list)
    _may_step: bool = False
    _draw_handles: list[tuple[Any, Any]] = field(default_factory=list)

    @property
    def is_started(self) -> bool:
        return bool(self._draw_handles)

    def start(self) -> None:
        """Begin to draw."""
        if self.is_started:
            return
        for space, draw, when in (
            (bpy.types.SpaceView3D, self._draw_view, "POST_VIEW"),
            (bpy.types.SpaceView3D, self._draw_numbers, "POST_PIXEL"),
            (bpy.types.SpaceDopeSheetEditor, self._draw_timeline, "POST_PIXEL"),
            (bpy.types.SpaceGraphEditor, self._draw_timeline, "POST_PIXEL"),
        ):
            self._draw_handles.append((space, space.draw_handler_add(draw, (), "WINDOW", when)))
        bpy.app.handlers.depsgraph_update_post.append(_after_an_update)
        bpy.app.handlers.undo_post.append(_after_undo)
        bpy.app.handlers.redo_post.append(_after_undo)
        bpy.app.handlers.load_pre.append(_before_loading)
        verb.change_listeners.append(self.refresh)
        redraw()

    def stop(self) -> None:
        """Draw no more, and leave nothing behind."""
        handles, self._draw_handles = self._draw_handles, []
        for space, handle in handles:
            space.draw_handler_remove(handle, "WINDOW")
        listening: tuple[tuple[list[Any], Any], ...] = (
            (bpy.app.handlers.depsgraph_update_post, _after_an_update),
            (bpy.app.handlers.undo_post, _after_undo),
            (bpy.app.handlers.redo_post, _after_undo),
            (bpy.app.handlers.load_pre, _before_loading),
            (verb.change_listeners, self.refresh),
        )
        for handlers, handler in listening:
            if handler in handlers:
                handlers.remove(handler)
        if bpy.app.timers.is_registered(_bring_up_to_date):
            bpy.app.timers.unregister(_bring_up_to_date)
        self.forget()
        if handles:
            redraw()

    def forget(self) -> None:
        """Let go of everything that was computed."""
        self.drawn.clear()
        self._wanted.clear()
        self._may_step = False

    def mark_changed(self) -> None:
        """Take note that an action may have changed."""
        self.change += 1
        self._changed_at = time.monotonic()

    def refresh(self) -> None:
        """Take note of a change by Toehold itself, or on request: where need be, the motion is stepped through."""
        self.mark_changed()
        self._changed_at = 0.0
        self._may_step = True
        redraw()

    def bring_up_to_date(self) -> float | None:
        """Compute what was asked for while drawing; return in how many seconds to go on, None when done."""
        if bpy.app.is_job_running("RENDER"):
            return TRY_AGAIN
        wait = self._changed_at + SETTLED - time.monotonic()
        if wait > 0.0:
            return wait
        if not self._wanted:
            return None
        wanted = self._wanted.pop()
        armature: Any = bpy.data.objects.get(wanted.armature)
        if armature is None or subject_of(armature, wanted.change, wanted.ghost) != wanted:
            return 0.0
        # Noted before it is tried, so that what fails unforeseen is not tried again at every redraw.
        before, change = self.drawn.pop(wanted.armature, None), self.change
        drawn = DrawnSubject(wanted)
        ground = members(wanted.ground)
        self.drawn[wanted.armature] = replace(drawn, ground=ground)
        try:
            drawn = self._compute(armature, wanted, before)
        except RigError as error:
            drawn = DrawnSubject(wanted, trouble=said(error))
        self.drawn[wanted.armature] = replace(drawn, ground=ground)
        # Stepping through frames is a change in Blender's eyes, but none of the action.
        self.change, self._may_step = change, False
        while len(self.drawn) > MOST_ARMATURES:
            del self.drawn[next(iter(self.drawn))]
        redraw()
        return 0.0

    def _compute(self, armature: bpy.types.Object, wanted: Subject, before: DrawnSubject | None) -> DrawnSubject:
        limbs = settings.limb_bones(armature)
        if not limbs:
            return DrawnSubject(wanted)
        known = before.motion if before is not None and before.subject.action == wanted.action else None
        motion = overlay_feed.motion_of(armature, limbs, known, self._may_step and not _is_playing())
        # What was drawn before stays until the user asks for the motion to be stepped through.
        shown_motion = motion or known
        if shown_motion is None:
            return DrawnSubject(wanted, out_of_date=True)
        seen = overlay_feed.feet_in(armature, limbs, shown_motion.sample, settings.journey_options(armature))
        ghost = overlay_feed.ghost_of(armature, limbs) if wanted.ghost else None
        return DrawnSubject(
            wanted,
            picture=None if seen is None else overlay_picture.picture_of(seen, ghost),
            out_of_date=motion is None,
            motion=shown_motion,
            place=_place(armature) if shown_motion.stands_still else None,
        )

    def drawn_of(self, context: bpy.types.Context) -> DrawnSubject | None:
        """Return what is drawn of the active armature and its action, and ask for it where it is out of date."""
        armature = active.active_armature(context)
        subject = None if armature is None else subject_of(armature, self.change, shown(context).ghost)
        if armature is None or subject is None:
            return None
        drawn = self.drawn.get(subject.armature)
        if drawn is not None and drawn.place is not None and drawn.place != (place := _place(armature)):
            self.drawn[subject.armature] = replace(drawn, place=place)
            self.mark_changed()
            subject = replace(subject, change=self.change)
        if (drawn is None or drawn.subject != subject) and subject not in self._wanted:
            self._wanted = [other for other in self._wanted if other.armature != subject.armature] + [subject]
            if not bpy.app.timers.is_registered(_bring_up_to_date):
                bpy.app.timers.register(_bring_up_to_date, first_interval=0.0)
        return drawn if drawn is not None and drawn.subject.action == subject.action else None

    def _picture_for(self, context: bpy.types.Context) -> Picture | None:
        drawn = self.drawn_of(context)
        return None if drawn is None else drawn.picture

    def _draw_view(self) -> None:
        context = bpy.context
        picture = self._picture_for(context) if context.space_data.overlay.show_overlays else None
        if picture is not None:
            size = (context.region.width, context.region.height)
            overlay_picture.draw_view(
                picture, shown(context), palette(context), _frame(context), size, context.preferences.system.ui_scale
            )

    def _draw_numbers(self) -> None:
        context = bpy.context
        region, view = context.region, context.region_data
        picture = self._picture_for(context) if context.space_data.overlay.show_overlays else None
        if picture is None or region is None or view is None:
            return
        asked = shown(context)
        if asked.legend and (asked.footprints or asked.trails) and paths_shown(context) is None:
            legend.draw(context, picture)
        if not asked.targets:
            return
        scale = context.preferences.system.ui_scale
        for where, miss in overlay_picture.misses_at(picture, _frame(context)):
            at = location_3d_to_region_2d(region, view, where.tolist())
            if at is not None:
                beside = (at[0] + 10.0 * scale, at[1] - 4.0 * scale)
                drawing.draw_text(f"{verb.figure(miss)} mm", beside, 12.0 * scale, TEXT_COLOUR)

    def _draw_timeline(self) -> None:
        context = bpy.context
        # Any, since the stubs do not know which space a region is drawn in.
        space: Any = context.space_data
        region: Any = context.region
        if space.mode not in TIMELINES.get(space.type, ()) or not shown(context).timeline:
            return
        picture = self._picture_for(context)
        if picture is not None:
            view = (region.view2d.region_to_view(0, 0)[0], region.view2d.region_to_view(region.width, 0)[0])
            size = (region.width, region.height)
            scale = context.preferences.system.ui_scale
            overlay_picture.draw_timeline(picture, palette(context), view, size, scale)


overlay = Overlay()


def subject_of(armature: bpy.types.Object, change: int, ghost: bool) -> Subject | None:
    """Return what there is to look at of an armature, None where it has no action. Cheap enough for every redraw."""
    action, _ = stack.action_in_hand(armature)
    if action is None or armature.mode == "EDIT":
        return None
    # Any, since the stubs know only Blender's own properties of an object.
    own: Any = armature
    height, ground = own.toehold.ground_height, settings.ground_names(armature)
    return Subject(_name(armature), _name(action), change, height, ground, ghost)


def shown(context: bpy.types.Context) -> OverlayParts:
    """Return which parts of the overlays are asked for."""
    chosen: Any = context.window_manager
    parts = chosen.toehold_overlay
    asked = OverlayParts(**{name: getattr(parts, name) for name in OverlayParts.__dataclass_fields__})
    # A preview of the lock draws where it holds each foot itself, and a comparison where the toes go.
    return replace(
        asked,
        targets=asked.targets and preview.played is None,
        trails=asked.trails and paths_shown(context) is None,
    )


def redraw() -> None:
    """Have everything drawn again in which an overlay may be."""
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D" or area.type in TIMELINES:
                area.tag_redraw()


def _name(owner: bpy.types.ID) -> Name:
    return owner.name, owner.library.filepath if owner.library else None


def _place(armature: bpy.types.Object) -> Place:
    return tuple(map(tuple, np.array(armature.matrix_world).tolist()))


def _frame(context: bpy.types.Context) -> float:
    return float(context.scene.frame_current_final)


def _is_playing() -> bool:
    return any(window.screen.is_animation_playing for window in bpy.context.window_manager.windows)


def _bring_up_to_date() -> float | None:
    return overlay.bring_up_to_date()


@persistent
def _after_an_update(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    if depsgraph.id_type_updated("ACTION") or _ground_has_changed(depsgraph):
        overlay.mark_changed()


def _ground_has_changed(depsgraph: bpy.types.Depsgraph) -> bool:
    """Whether what something stands on that is drawn was edited."""
    return was_edited(frozenset().union(*(drawn.ground for drawn in overlay.drawn.values())), depsgraph)


@persistent
def _after_undo(*_: Any) -> None:
    overlay.mark_changed()


@persistent
def _before_loading(*_: Any) -> None:
    overlay.forget()
