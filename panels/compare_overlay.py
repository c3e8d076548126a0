# SPDX-License-Identifier: GPL-3.0-or-later
"""The comparison in the viewport: where each toe goes in the animation, with the lock and cleaned, and what it costs.

``compare_shapes`` says what there is to draw in plain arrays; here they are handed to the graphics card. The paths are
broken into pieces once for each comparison; nothing is drawn where there is none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import blf
import bpy
import gpu
import numpy as np
from bpy.app.translations import pgettext_iface as iface_
from bpy.app.translations import pgettext_n as n_

from ..operators import active
from ..operators.verb import figure
from ..rig.common.wording import CONTEXT
from ..rig.shown.kept_comparison import ToePaths, kept_comparison
from ..rig.writing.results import Figures
from . import compare_shapes
from . import overlay_drawing as drawing
from .compare_shapes import STYLES, DrawnPath, Paths
from .overlay_picture import TEXT_COLOUR
from .overlay_shapes import Colour
from .preferences import Palette, palette

# Figures: name and label.
COMPARED = (
    ("slide_mm_s", n_("Slide mm/s")),
    ("slide_max_mm_s", n_("Worst mm/s")),
    ("drift_mm", n_("Drift mm")),
    ("lag_mm", n_("Lag mm")),
    ("knee_pop_deg_s", n_("Knee Pop °/s")),
    ("pose_change_mean_deg", n_("Change °")),
    ("pose_change_max_deg", n_("Largest °")),
    ("unreached_mm", n_("Missed mm")),
)
MAIN = tuple(row for row in COMPARED if row[0] in ("slide_mm_s", "lag_mm", "knee_pop_deg_s", "pose_change_mean_deg"))
WAYS = (("source", n_("Source")), ("lock", n_("Lock")), ("clean", n_("Clean")))

# A dark edge round lines and dots keeps them legible on anything; pixels to either side, and what it makes of colours.
EDGE, DARKENED = 1.0, np.array([0.0, 0.0, 0.0, 0.5], dtype=np.float32)

# Pixels at a user interface scale of 1: of the legend's text, its rows, the room round it and the line of each way.
TEXT_SIZE, ROW, MARGIN, SAMPLE, APART = 12.0, 19.0, 12.0, 44.0, 14.0
BEHIND: Colour = (0.06, 0.06, 0.06, 0.85)


@dataclass(frozen=True)
class Batches:
    """What is drawn, from the lowest to the topmost: lines and dots, each with its width in pixels."""

    lines: list[tuple[Any, float]]
    dots: list[tuple[Any, float]]


@dataclass
class CompareOverlay:
    """Draws while it is started and a comparison holds. Starting and stopping can each be repeated."""

    _handles: tuple[Any, ...] = ()
    _paths: tuple[ToePaths, Paths] | None = None
    _made: tuple[Any, Batches] | None = None

    def start(self) -> None:
        """Begin to draw."""
        if not self._handles:
            add = bpy.types.SpaceView3D.draw_handler_add
            self._handles = (
                add(_draw_paths, (), "WINDOW", "POST_VIEW"),
                add(_draw_legend, (), "WINDOW", "POST_PIXEL"),
            )

    def stop(self) -> None:
        """Draw no more, and keep nothing."""
        handles, self._handles = self._handles, ()
        self._paths = self._made = None
        for handle in handles:
            bpy.types.SpaceView3D.draw_handler_remove(handle, "WINDOW")

    def batches(self, context: Any, compared: ToePaths) -> Batches:
        """Return what is drawn now: made once for a frame, in however many views."""
        if self._paths is None or self._paths[0] is not compared:
            self._paths = compared, compare_shapes.paths_of(compared.toes, compared.fps, compared.leg)
        at = context.scene.frame_current_final - float(compared.frames[0])
        key = compared, at, palette(context), context.window_manager.toehold_overlay.whole_paths
        if self._made is None or self._made[0] != key:
            ways = compare_shapes.drawn_at(self._paths[1], at, colours_of(key[2]), whole=key[3])
            self._made = key, batches_of(ways)
        return self._made[1]


def batches_of(ways: list[DrawnPath]) -> Batches:
    """Return what is drawn of the ways, each over a dark edge."""
    made = Batches([], [])
    for part in ways:
        for colour, more in ((DARKENED, 2.0 * EDGE), (np.ones(4, dtype=np.float32), 0.0)):
            if len(part.lines):
                made.lines.append((drawing.stroked(part.lines, part.inks * colour), part.style.width + more))
            if len(part.dots):
                made.dots.append((drawing.dots(part.dots, part.dot_inks * colour), part.style.dot + more))
    return made


compare_overlay = CompareOverlay()


def colours_of(chosen: Palette) -> dict[str, Colour]:
    """Return the colour of each way."""
    return {way: getattr(chosen, f"compared_{way}") for way in STYLES}


def has_paths(context: Any) -> bool:
    """Whether there are paths of what the active armature shows. Cheap enough for every redraw."""
    armature = active.active_armature(context)
    return armature is not None and kept_comparison.of(armature) is not None


def paths_shown(context: Any) -> ToePaths | None:
    """Return the comparison that is to be drawn, None where there is none or it is switched off."""
    armature = active.active_armature(context)
    if armature is None or not context.window_manager.toehold_overlay.comparison:
        return None
    return kept_comparison.of(armature)


def _draw_paths() -> None:
    # Any, since the stubs take every space for a text editor.
    context: Any = bpy.context
    compared = paths_shown(context) if context.space_data.overlay.show_overlays else None
    if compared is None:
        return
    size = (context.region.width, context.region.height)
    draw(compare_overlay.batches(context, compared), size, context.preferences.system.ui_scale)


def draw(made: Batches, viewport: tuple[float, float], scale: float) -> None:
    """Draw into the 3D viewport, in the world's space; ``scale`` is the user interface's."""
    gpu.state.blend_set("ALPHA")
    # Toes are inside of feet: the foot must not hide where it goes.
    gpu.state.depth_test_set("NONE")
    for batch, width in made.lines:
        drawing.draw_stroked(batch, width * scale, viewport)
    for batch, width in made.dots:
        drawing.draw_dots(batch, width * scale)
    gpu.state.blend_set("NONE")


def _draw_legend() -> None:
    context: Any = bpy.context
    compared = paths_shown(context) if context.space_data.overlay.show_overlays else None
    # A quad view has four regions: once is enough.
    first = next(region for region in context.area.regions if region.type == "WINDOW")
    if compared is None or context.region != first:
        return
    scale = context.preferences.system.ui_scale
    left, bottom = (corner + MARGIN * scale for corner in free_corner(context.area, context.region))
    labels = [iface_(label, CONTEXT) for _, label in WAYS]
    figures = [[iface_(label, CONTEXT) for _, label in MAIN]]
    by_way = zip(*cells(compared.figures, [name for name, _ in MAIN]), strict=True)
    figures += [list(row) for row in by_way]
    blf.size(0, TEXT_SIZE * scale)
    widths = [max(blf.dimensions(0, text)[0] for text in column) for column in zip(*figures, strict=True)]
    name_width = max(blf.dimensions(0, label)[0] for label in labels)
    names_at = left + (MARGIN + SAMPLE + APART) * scale
    columns = np.cumsum([names_at + name_width] + [APART * scale + width for width in widths])[1:]
    size = (columns[-1] + MARGIN * scale - left, (len(figures) * ROW + MARGIN) * scale)
    gpu.state.blend_set("ALPHA")
    corners = np.array([(0, 0), (1, 0), (1, 1), (0, 0), (1, 1), (0, 1)]) * size + (left, bottom)
    behind = corners.reshape(2, 3, 2).astype(np.float32)
    drawing.draw_filled(drawing.filled(behind, drawing.one_colour(BEHIND, 2)))
    for row, texts in enumerate(figures):
        height = bottom + ((len(figures) - 1 - row) * ROW + MARGIN) * scale
        for text, right in zip(texts, columns, strict=True):
            blf.size(0, TEXT_SIZE * scale)
            drawing.draw_text(text, (right - blf.dimensions(0, text)[0], height), TEXT_SIZE * scale, TEXT_COLOUR)
        if row > 0:
            way, _ = WAYS[row - 1]
            drawing.draw_text(labels[row - 1], (names_at, height), TEXT_SIZE * scale, TEXT_COLOUR)
            _draw_sample(context, way, (left + MARGIN * scale, height + 0.35 * TEXT_SIZE * scale))
    gpu.state.blend_set("NONE")


def _draw_sample(context: Any, way: str, at: tuple[float, float]) -> None:
    """Draw a piece of a way's line, as it is in the view, from a place in pixels to the right."""
    scale = context.preferences.system.ui_scale
    # As much of a leg as has some dashes of each.
    style = STYLES[way]
    line = np.array([(at[0], at[1], 0.0), (at[0] + SAMPLE * scale, at[1], 0.0)])
    legs = SAMPLE * scale / 0.25
    pieces = compare_shapes.broken(line, style.dash * legs, style.gap * legs).ends.astype(np.float32)
    ink = drawing.one_colour(colours_of(palette(context))[way], 2 * len(pieces))
    size = (context.region.width, context.region.height)
    drawing.draw_stroked(drawing.stroked(pieces, ink), style.width * scale, size)


def free_corner(area: Any, region: Any) -> tuple[float, float]:
    """Return the lower left corner of a region, in its pixels, that no other region of its area covers."""
    left, bottom = region.x, region.y
    for other in area.regions:
        if other.type in ("WINDOW", "XR") or other.width <= 1 or other.height <= 1:
            continue
        if other.alignment == "LEFT":
            left = max(left, other.x + other.width)
        elif other.alignment == "BOTTOM" or other.type == "HUD":
            bottom = max(bottom, other.y + other.height)
    return float(left - region.x), float(bottom - region.y)


def cells(compared: Figures, names: Sequence[str]) -> list[list[str]]:
    """Return a row for each figure with a cell for each way; a dash where one is not known."""
    found = [[compared.get(way, {}).get(name) for way, _ in WAYS] for name in names]
    return [["-" if value is None else figure(value) for value in row] for row in found]
