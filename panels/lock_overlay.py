# SPDX-License-Identifier: GPL-3.0-or-later
"""What the preview of the lock draws: of each limb whether it is held, where, and how far it is from being let go.

``marks_at`` says what there is to draw in plain arrays; the rest hands them to the graphics card. Nothing is drawn
while no preview is on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import bpy
import gpu
import numpy as np
from bpy.app.translations import pgettext_iface as iface_
from bpy.app.translations import pgettext_n as n_
from bpy_extras.view3d_utils import location_3d_to_region_2d

from ..operators.verb import figure
from ..rig.common.wording import CONTEXT
from ..rig.shown.lock_play import LockPlay
from ..rig.shown.preview import preview
from ..solver.arrays import FloatArray
from . import overlay_drawing as drawing
from .compare_overlay import paths_shown
from .overlay_picture import TEXT_COLOUR
from .overlay_shapes import Colour, Single, ring
from .preferences import Palette, palette

# Seconds of the toe's way that are drawn to either side of the current frame, fading.
WAY_TIME = 0.75

# A free toe this far from the animation is still on its way back to it.
BLENDING_M = 0.001

# Pixels at a user interface scale of 1.
TEXT_SIZE, BESIDE, LINE_APART = 12.0, 14.0, 16.0


@dataclass(frozen=True)
class Label:
    """What is written beside a toe.

    at : (3,) metres in the world.
    state : "Held", "Blending" or "Free".
    off_mm : how far the animation is from where the toe is held, or the toe from the animation where it is free.
    release_mm : at which distance a held toe is let go.
    """

    limb: str
    at: FloatArray
    state: str
    off_mm: float
    release_mm: float


@dataclass(frozen=True)
class LockMarks:
    """What there is to draw at one frame, in the world's metres.

    lines : (N, 2, 3), with a colour for each end (N, 2, 4).
    points : (P, 3) contact points, with their colours (P, 4).
    """

    lines: Single
    line_colours: Single
    points: Single
    point_colours: Single
    labels: list[Label]


def marks_at(played: LockPlay, frame: float, colours: Palette, *, ways: bool = True) -> LockMarks | None:
    """Return what to draw at a scene frame, None outside of the action; ``ways`` of the toes where they are wanted."""
    index = round(frame - float(played.frames[0]))
    if not 0 <= index < len(played.frames):
        return None
    lines: list[Single] = [np.zeros((0, 2, 3), dtype=np.float32)]
    inks: list[Single] = [np.zeros((0, 2, 4), dtype=np.float32)]
    points: list[FloatArray] = []
    point_inks: list[Colour] = []
    labels: list[Label] = []

    def add(new: Single, ink: Single) -> None:
        lines.append(new)
        inks.append(ink)

    for limb, name in enumerate(played.names):
        at_input, at_output, at_point = (way[index, limb] for way in (played.inputs, played.outputs, played.points))
        release = float(played.release_distances[limb])
        held = bool(played.locked[index, limb])
        if ways:
            add(*_way(played.inputs[:, limb], index, played.sampled.sample.clip.fps, colours.swing))
            add(*_way(played.outputs[:, limb], index, played.sampled.sample.clip.fps, colours.target))
        off = float(np.linalg.norm(at_input - (at_point if held else at_output)))
        if held:
            ink = _between(colours.target, colours.bad, off / max(release, 1e-9))
            circle = ring(at_point, release, 48)
            link = np.array([[at_point, at_input]], dtype=np.float32)
            add(circle, drawing.one_colour(ink, 2 * len(circle)).reshape(-1, 2, 4))
            add(link, drawing.one_colour(ink, 2).reshape(-1, 2, 4))
            points.append(at_point)
            point_inks.append(ink)
        state = n_("Held") if held else (n_("Blending") if off > BLENDING_M else n_("Free"))
        labels.append(Label(name, at_output, state, off * 1000.0, release * 1000.0))
    return LockMarks(
        np.concatenate(lines),
        np.concatenate(inks),
        np.array(points, dtype=np.float32).reshape(-1, 3),
        np.array(point_inks, dtype=np.float32).reshape(-1, 4),
        labels,
    )


def _way(points: FloatArray, index: int, fps: float, colour: Colour) -> tuple[Single, Single]:
    """Return a toe's way (N, 2, 3) around a frame, and its colours (N, 2, 4), fading with the time from there."""
    reach = max(1, round(WAY_TIME * fps))
    first, last = max(index - reach, 0), min(index + reach, len(points) - 1)
    way = points[first : last + 1].astype(np.float32)
    ink = np.empty((len(way), 4), dtype=np.float32)
    ink[:] = colour
    ink[:, 3] *= 1.0 - np.abs(np.arange(first, last + 1) - index) / (reach + 1.0)
    return np.stack([way[:-1], way[1:]], axis=1), np.stack([ink[:-1], ink[1:]], axis=1)


def _between(one: Colour, other: Colour, share: float) -> Colour:
    share = min(max(share, 0.0), 1.0)
    a, b = np.array(one), np.array(other)
    red, green, blue, alpha = (a + share * (b - a)).tolist()
    return red, green, blue, alpha


@dataclass
class LockOverlay:
    """Draws while it is started and a preview is on. Starting and stopping can each be repeated."""

    _handles: tuple[Any, ...] = ()
    _drawn: tuple[LockPlay, tuple[float, Palette, bool], LockMarks | None] | None = None

    def start(self) -> None:
        """Begin to draw."""
        if not self._handles:
            add = bpy.types.SpaceView3D.draw_handler_add
            self._handles = (
                add(_draw_shapes, (), "WINDOW", "POST_VIEW"),
                add(_draw_labels, (), "WINDOW", "POST_PIXEL"),
            )

    def stop(self) -> None:
        """Draw no more."""
        handles, self._handles = self._handles, ()
        for handle in handles:
            bpy.types.SpaceView3D.draw_handler_remove(handle, "WINDOW")

    def marks(self, context: Any) -> LockMarks | None:
        """Return what there is to draw now: shapes and labels of a frame, in however many views, are found once."""
        played = preview.played
        if played is None:
            self._drawn = None
        if played is None or not context.space_data.overlay.show_overlays:
            return None
        # A comparison draws where the toes go itself.
        ways = paths_shown(context) is None
        frame, colours = context.scene.frame_current + context.scene.frame_subframe, palette(context)
        drawn = self._drawn
        if drawn is None or drawn[0] is not played or drawn[1] != (frame, colours, ways):
            drawn = played, (frame, colours, ways), marks_at(played, frame, colours, ways=ways)
            self._drawn = drawn
        return drawn[2]


lock_overlay = LockOverlay()


def _draw_shapes() -> None:
    # Any, since the stubs take every space for a text editor.
    context: Any = bpy.context
    marks = lock_overlay.marks(context)
    if marks is None:
        return
    scale = context.preferences.system.ui_scale
    gpu.state.blend_set("ALPHA")
    # What is held is under the foot: the foot must not hide it.
    gpu.state.depth_test_set("NONE")
    if len(marks.lines):
        lines = drawing.stroked(marks.lines, marks.line_colours)
        drawing.draw_stroked(lines, drawing.LINE_WIDTH * scale, (context.region.width, context.region.height))
    if len(marks.points):
        drawing.draw_dots(drawing.dots(marks.points, marks.point_colours), drawing.POINT_SIZE * scale)
    gpu.state.blend_set("NONE")


def _draw_labels() -> None:
    context: Any = bpy.context
    marks = lock_overlay.marks(context)
    scale = context.preferences.system.ui_scale
    taken: list[tuple[float, float]] = []
    for label in [] if marks is None else marks.labels:
        at = location_3d_to_region_2d(context.region, context.region_data, label.at.tolist())
        if at is None:
            continue
        across, up = at[0] + BESIDE * scale, at[1] - 0.5 * TEXT_SIZE * scale
        # Feet side by side: one label under the other.
        while any(abs(up - other) < LINE_APART * scale and abs(across - x) < 200.0 * scale for x, other in taken):
            up -= LINE_APART * scale
        taken.append((across, up))
        drawing.draw_text(text_of(label), (across, up), TEXT_SIZE * scale, TEXT_COLOUR)


def text_of(label: Label) -> str:
    """Return what is written of a toe."""
    if label.state == "Held":
        distances = iface_("{off} of {release} mm", CONTEXT).format(
            off=figure(label.off_mm), release=figure(label.release_mm)
        )
    else:
        distances = "" if label.state == "Free" else iface_("{off} mm", CONTEXT).format(off=figure(label.off_mm))
    return f"{label.limb}: {iface_(label.state, CONTEXT)} {distances}".rstrip()
