# SPDX-License-Identifier: GPL-3.0-or-later
"""What the colours of footprints, trails and bars mean, small in a corner of the viewport."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import blf
import gpu
import numpy as np
from bpy.app.translations import pgettext_n as n_
from bpy.types import Context

from ..rig.common.wording import say
from . import overlay_drawing as drawing
from .compare_overlay import free_corner
from .overlay_picture import RIGHT_SHADE, TEXT_COLOUR, Picture, is_right
from .overlay_shapes import SEEN_MM, Colour
from .preferences import Palette, palette

# Pixels at a user interface scale of 1: of the text, its rows, the room round it, and a colour's square.
TEXT_SIZE, ROW, MARGIN, SQUARE = 11.0, 15.0, 8.0, 9.0
BEHIND: Colour = (0.06, 0.06, 0.06, 0.6)

# Of more limbs than this the names do not fit.
MOST_LIMBS = 4

CALM, DOUBTFUL, BAD = n_("Stands still"), n_("Slides a little"), n_("Slides {distance} mm and more")


def rows_of(names: Sequence[str], colours: Palette) -> list[tuple[str, Colour]]:
    """Return what each colour means, in the user's language: of slide, and of the limbs' bars."""
    rows = [
        (say(CALM), colours.calm),
        (say(DOUBTFUL), colours.doubtful),
        (say(BAD, distance=f"{SEEN_MM:.0f}"), colours.bad),
    ]
    if len(names) <= MOST_LIMBS:
        rows += [(name, _shade(colours.calm) if is_right(name) else colours.calm) for name in names]
    return rows


def draw(context: Context, picture: Picture) -> None:
    """Draw it into the lower left corner of a 3D viewport, of a quad view once."""
    area, region = context.area, context.region
    preferences = context.preferences
    if area is None or region is None or preferences is None:
        return
    if region != next(one for one in area.regions if one.type == "WINDOW"):
        return
    scale = preferences.system.ui_scale
    left, bottom = (corner + MARGIN * scale for corner in free_corner(area, region))
    rows = rows_of(picture.seen.feet.names, palette(context))
    blf.size(0, TEXT_SIZE * scale)
    width = max(blf.dimensions(0, text)[0] for text, _ in rows) + (3.0 * MARGIN + SQUARE) * scale
    height = (len(rows) * ROW + MARGIN) * scale
    gpu.state.blend_set("ALPHA")
    _draw_box(left, bottom, width, height, BEHIND)
    for at, (text, colour) in enumerate(rows):
        low = bottom + ((len(rows) - 1 - at) * ROW + 0.5 * MARGIN + 3.0) * scale
        _draw_box(left + MARGIN * scale, low, SQUARE * scale, SQUARE * scale, colour)
        beside = left + (2.0 * MARGIN + SQUARE) * scale, low + 0.5 * scale
        drawing.draw_text(text, beside, TEXT_SIZE * scale, TEXT_COLOUR)
    gpu.state.blend_set("NONE")


def _shade(colour: Colour) -> Colour:
    red, green, blue, alpha = colour
    return red * RIGHT_SHADE, green * RIGHT_SHADE, blue * RIGHT_SHADE, alpha


def _draw_box(left: float, bottom: float, width: float, height: float, colour: Colour) -> None:
    corners: Any = np.array([(0, 0), (1, 0), (1, 1), (0, 0), (1, 1), (0, 1)]) * (width, height) + (left, bottom)
    drawing.draw_filled(drawing.filled(corners.reshape(2, 3, 2).astype(np.float32), drawing.one_colour(colour, 2)))
