# SPDX-License-Identifier: GPL-3.0-or-later
"""What the overlays show of one action: made once when the action changes, then only drawn."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import gpu
import numpy as np

from ..rig.shown.overlay_feed import Ghost, Seen
from ..solver.feet import Step, steps_of
from ..solver.forced import State
from ..solver.rotations import FloatArray
from . import overlay_drawing as drawing
from . import overlay_shapes as shapes
from .overlay_shapes import Bar, Colour
from .preferences import Palette

# How much of a colour the inside of a footprint has.
FILL = 0.3

# Metres for a 0.9 m leg: the circle in which a planted point should be.
TARGET_RADIUS = 0.045

# A miss by less than this is not worth a number.
WORTH_A_NUMBER_MM = 1.0

# Pixels at a user interface scale of 1.
ROW_HEIGHT, LEAST_HEIGHT, TEXT_SIZE, ABOVE_SCROLL_BAR, BESIDE_EDGE = 12.0, 4.0, 9.5, 3.0, 6.0
# What the frame numbers on top of a timeline take.
RULER = 24.0

# What share of its row a bar takes, from the bottom: the heel alone takes less than the toe.
FULL_BAR, HEEL_BAR = (0.12, 0.88), (0.12, 0.42)
BEHIND_BARS: Colour = (0.0, 0.0, 0.0, 0.6)
FORCED_OUTLINE: Colour = (1.0, 1.0, 1.0, 0.95)
TEXT_COLOUR: Colour = (1.0, 1.0, 1.0, 0.9)


@dataclass(frozen=True)
class OverlayParts:
    """Which parts of the overlays are asked for."""

    footprints: bool = True
    trails: bool = True
    targets: bool = True
    ghost: bool = False
    timeline: bool = True


@dataclass(frozen=True)
class Picture:
    """The shapes of one action, and the batches made of them when they are first drawn."""

    seen: Seen
    ghost: Ghost | None
    steps: list[Step]
    prints: shapes.Prints
    trails: shapes.Trails
    places: shapes.Places
    bars: list[Bar]
    batches: dict[Any, Any] = field(default_factory=dict)

    def index_at(self, frame: float) -> int | None:
        """Return the index of a scene frame; None where the action has none."""
        index = round(frame - float(self.seen.frames[0]))
        return index if 0 <= index < len(self.seen.frames) else None

    def ridden_at(self, frame: float) -> FloatArray:
        """Return (3,) metres that the ground has gone by a frame, kept where it is outside of the action."""
        index = round(frame - float(self.seen.frames[0]))
        return self.seen.feet.ridden[min(max(index, 0), len(self.seen.frames) - 1)]


def picture_of(seen: Seen, ghost: Ghost | None) -> Picture:
    """Return everything that is drawn of an action but what depends on the frame."""
    feet, states = seen.feet, seen.states
    steps = steps_of(feet)
    sliding = states == State.SLIDING
    kinds = {
        "heel": feet.heel_planted & ~feet.toe_planted & ~sliding,
        "toe": feet.toe_planted & ~sliding,
        "sliding": sliding,
        "forced": states != State.AUTO,
    }
    return Picture(
        seen=seen,
        ghost=ghost,
        steps=steps,
        prints=shapes.footprints(feet, steps),
        trails=shapes.trails(feet, steps),
        places=shapes.places(feet, steps),
        bars=shapes.bars(seen.frames, kinds),
    )


def draw_view(
    picture: Picture, shown: OverlayParts, colours: Palette, frame: float, viewport: tuple[float, float], scale: float
) -> None:
    """Draw into the 3D viewport, in the world's space; ``scale`` is the user interface's."""
    mask = gpu.state.depth_mask_get()
    gpu.state.blend_set("ALPHA")
    gpu.state.depth_mask_set(False)
    gpu.state.depth_test_set("LESS_EQUAL")
    with gpu.matrix.push_pop():  # type: ignore[attr-defined]
        # On a treadmill, what lies on the belt goes with it.
        gpu.matrix.translate(picture.ridden_at(frame).tolist())
        for part, batch, is_wide in _still_batches(picture, colours):
            if getattr(shown, part) and is_wide:
                drawing.draw_stroked(batch, drawing.LINE_WIDTH * scale, viewport)
            elif getattr(shown, part):
                drawing.draw_filled(batch)
        # The foot must not hide where it should be.
        gpu.state.depth_test_set("NONE")
        if shown.targets:
            _draw_targets(picture, colours, frame, viewport, scale)
    if shown.ghost:
        _draw_ghost(picture, colours, frame, viewport, scale)
    gpu.state.depth_mask_set(mask)
    gpu.state.blend_set("NONE")


def misses_at(picture: Picture, frame: float) -> list[tuple[FloatArray, float]]:
    """Return where in the world (3,) a planted point misses its target, and by how many mm, if by a number's worth."""
    index = picture.index_at(frame)
    if index is None:
        return []
    misses, ridden = picture.places.miss_mm[index], picture.seen.feet.ridden[index]
    worth = np.flatnonzero(misses > WORTH_A_NUMBER_MM)
    return [(picture.places.reached[index, limb] + ridden, float(misses[limb])) for limb in worth]


def draw_timeline(
    picture: Picture, colours: Palette, view: tuple[float, float], size: tuple[float, float], scale: float
) -> None:
    """Draw the bars along the bottom of a region that shows the frames of ``view``, pixels of ``size``."""
    rows = len(picture.seen.feet.names)
    bottom = ABOVE_SCROLL_BAR * scale
    height = max(min(ROW_HEIGHT * scale, (size[1] - RULER * scale - bottom) / rows), LEAST_HEIGHT * scale)
    per_frame = size[0] / max(view[1] - view[0], 1e-6)
    gpu.state.blend_set("ALPHA")
    with gpu.matrix.push_pop():  # type: ignore[attr-defined]
        gpu.matrix.translate((-view[0] * per_frame, bottom))
        gpu.matrix.scale((per_frame, height))
        fill, outline = _bar_batches(picture, colours)
        drawing.draw_filled(fill)
        if outline is not None:
            drawing.draw_stroked(outline, drawing.THIN_LINE_WIDTH * scale, size)
    if height >= TEXT_SIZE * scale:
        for row, name in enumerate(picture.seen.feet.names):
            at = (BESIDE_EDGE * scale, bottom + (rows - 1 - row) * height + 0.25 * height)
            drawing.draw_text(name, at, TEXT_SIZE * scale, TEXT_COLOUR)
    gpu.state.blend_set("NONE")


def _still_batches(picture: Picture, colours: Palette) -> list[tuple[str, Any, bool]]:
    """Return what is drawn at any frame: which of ``OverlayParts``, its batch, and whether its lines are wide."""
    key = ("view", colours)
    if key not in picture.batches:
        picture.batches.clear()
        stops = (colours.calm, colours.doubtful, colours.bad, colours.swing)
        prints, trails = picture.prints, picture.trails
        inside = shapes.severity_colours(prints.triangle_drift_mm, *stops) * np.array([1.0, 1.0, 1.0, FILL])
        around = shapes.severity_colours(prints.outline_drift_mm, *stops)
        slid = shapes.severity_colours(trails.slide_drift_mm.ravel(), *stops)
        found = []
        if len(prints.triangles):
            found.append(("footprints", drawing.filled(prints.triangles, inside.astype(np.float32)), False))
            found.append(("footprints", drawing.thin(prints.outlines, around), False))
        if len(trails.swings):
            swung = drawing.one_colour(colours.swing, len(trails.swings))
            found.append(("trails", drawing.thin(trails.swings, swung), False))
        if len(trails.slides):
            found.append(("trails", drawing.stroked(trails.slides, slid), True))
        picture.batches[key] = found
    return picture.batches[key]


def _bar_batches(picture: Picture, colours: Palette) -> tuple[Any, Any]:
    """Return the batches of the bars and of the outlines of what a person has set, None where nothing is set."""
    key = ("bars", colours)
    if key not in picture.batches:
        rows = len(picture.seen.feet.names)
        first, last = float(picture.seen.frames[0]), float(picture.seen.frames[-1])
        behind = [Bar(row, "behind", first, last) for row in range(rows)]
        drawn = [(behind, BEHIND_BARS, (0.0, 1.0))]
        for kind, colour, height in (
            ("heel", colours.calm, HEEL_BAR),
            ("toe", colours.calm, FULL_BAR),
            ("sliding", colours.sliding, FULL_BAR),
        ):
            drawn.append(([bar for bar in picture.bars if bar.kind == kind], colour, height))
        triangles = [shapes.bar_triangles(bars, rows, *height) for bars, _, height in drawn]
        inks = [drawing.one_colour(drawn[at][1], len(part)) for at, part in enumerate(triangles)]
        forced = [bar for bar in picture.bars if bar.kind == "forced"]
        lines = shapes.bar_outlines(forced, rows, *FULL_BAR)
        picture.batches[key] = (
            drawing.filled(np.concatenate(triangles), np.concatenate(inks)),
            drawing.stroked(lines, drawing.one_colour(FORCED_OUTLINE, 2 * len(lines))) if len(lines) else None,
        )
    return picture.batches[key]


def _draw_targets(
    picture: Picture, colours: Palette, frame: float, viewport: tuple[float, float], scale: float
) -> None:
    index = picture.index_at(frame)
    if index is None:
        return
    planted = np.flatnonzero(~np.isnan(picture.places.miss_mm[index]))
    if len(planted) == 0:
        return
    limbs = len(picture.seen.feet.names)
    links, dots = _place_batches(picture, colours)
    drawing.draw_filled(links, 2 * limbs * index, 2 * limbs)
    key, targets = ("rings", colours), picture.places.target[index, planted]
    if picture.batches.get(key, (None,))[0] != targets.tobytes():
        radii = TARGET_RADIUS * picture.seen.feet.scales[planted]
        rings = np.concatenate([shapes.ring(*each) for each in zip(targets, radii.tolist(), strict=True)])
        ink = drawing.one_colour(colours.target, 2 * len(rings))
        picture.batches[key] = (targets.tobytes(), drawing.stroked(rings, ink))
    drawing.draw_stroked(picture.batches[key][1], drawing.LINE_WIDTH * scale, viewport)
    drawing.draw_dots(dots, drawing.POINT_SIZE * scale, limbs * index, limbs)


def _place_batches(picture: Picture, colours: Palette) -> tuple[Any, Any]:
    """Return links from targets to where feet are, and dots there, of all frames; clear where nothing is planted."""
    key = ("places", colours)
    if key not in picture.batches:
        places = picture.places
        seen = ~np.isnan(places.miss_mm.ravel())[:, None]
        ends = np.nan_to_num(np.stack([places.target, places.reached], axis=2)).reshape(-1, 2, 3).astype(np.float32)
        stops = (colours.calm, colours.doubtful, colours.bad, colours.swing)
        how_far = shapes.severity_colours(places.miss_mm.ravel(), *stops) * seen
        links = drawing.one_colour(colours.target, len(ends)) * seen
        picture.batches[key] = (
            drawing.thin(ends, links.astype(np.float32)),
            drawing.dots(np.ascontiguousarray(ends[:, 1]), how_far.astype(np.float32)),
        )
    return picture.batches[key]


def _draw_ghost(picture: Picture, colours: Palette, frame: float, viewport: tuple[float, float], scale: float) -> None:
    ghost = picture.ghost
    index = None if ghost is None else round(frame - float(ghost.frames[0]))
    if ghost is None or index is None or not 0 <= index < len(ghost.frames):
        return
    key = ("ghost", colours)
    if picture.batches.get(key, (None,))[0] != index:
        bones = ghost.bones[index]
        picture.batches[key] = (index, drawing.stroked(bones, drawing.one_colour(colours.ghost, 2 * len(bones))))
    drawing.draw_stroked(picture.batches[key][1], drawing.LINE_WIDTH * scale, viewport)
