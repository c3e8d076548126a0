# SPDX-License-Identifier: GPL-3.0-or-later
"""What the overlays show of one action: made once when the action changes, then only drawn."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import gpu
import numpy as np

from ..rig.feet import Ghost, Seen
from ..solver.feet import Step, steps_of
from ..solver.forced import State
from ..solver.rotations import FloatArray
from ..solver.signals import IntArray
from . import overlay_drawing as drawing
from . import overlay_shapes as shapes
from .overlay_shapes import Bar, Colour, Mark
from .preferences import Palette

# How much of a colour the inside of a footprint has.
FILL = 0.3

# Metres for a 0.9 m leg: the circle in which a planted point should be.
TARGET_RADIUS = 0.045

# A miss by less than this is not worth a number.
WORTH_A_NUMBER_MM = 1.0

# Pixels at a user interface scale of 1.
ROW_HEIGHT, LEAST_HEIGHT, TEXT_SIZE, ABOVE_SCROLL_BAR, BESIDE_EDGE = 12.0, 5.0, 9.5, 3.0, 6.0
# What the frame numbers on top of a timeline take.
RULER = 24.0

# What share of its row a bar takes, from the bottom: the heel alone takes less than the toe.
FULL_BAR, HEEL_BAR = (0.12, 0.88), (0.12, 0.42)
BEHIND_BARS: Colour = (0.0, 0.0, 0.0, 0.4)
FORCED_OUTLINE: Colour = (1.0, 1.0, 1.0, 0.95)
TEXT_COLOUR: Colour = (1.0, 1.0, 1.0, 0.9)


@dataclass(frozen=True)
class Shown:
    """Which parts of the overlays are asked for."""

    footprints: bool = True
    trails: bool = True
    targets: bool = True
    ghost: bool = False
    timeline: bool = True


@dataclass(frozen=True)
class Picture:
    """The shapes of one action, and the batches made of them when they are first drawn.

    steps_at : (F, L) the contact of each limb in each frame, an index into ``steps``; -1 for none.
    """

    seen: Seen
    ghost: Ghost | None
    steps: list[Step]
    steps_at: IntArray
    prints: shapes.Prints
    trails: shapes.Trails
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

    def marks_at(self, frame: float) -> list[Mark]:
        """Return the marks of a scene frame."""
        index = self.index_at(frame)
        if index is None:
            return []
        planted = {limb: self.steps[at] for limb, at in enumerate(self.steps_at[index]) if at >= 0}
        return shapes.marks(self.seen.feet, planted, index)


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
        steps_at=shapes.steps_by_frame(*feet.toe_planted.shape, steps),
        prints=shapes.footprints(feet, steps),
        trails=shapes.trails(feet, steps),
        bars=shapes.bars(seen.frames, kinds),
    )


def draw_view(
    picture: Picture, shown: Shown, colours: Palette, frame: float, viewport: tuple[float, float], scale: float
) -> None:
    """Draw into the 3D viewport, in the world's space; ``scale`` is the user interface's."""
    mask = gpu.state.depth_mask_get()
    gpu.state.blend_set("ALPHA")
    gpu.state.depth_mask_set(False)
    gpu.state.depth_test_set("LESS_EQUAL")
    with gpu.matrix.push_pop():
        # On a treadmill, what lies on the belt goes with it.
        gpu.matrix.translate(picture.ridden_at(frame).tolist())
        fill, outline, trail = _still_batches(picture, colours)
        if shown.footprints and fill is not None:
            drawing.draw_filled(fill)
            drawing.draw_stroked(outline, drawing.THIN_LINE_WIDTH * scale, viewport)
        if shown.trails:
            drawing.draw_stroked(trail, drawing.LINE_WIDTH * scale, viewport)
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
    ridden = picture.ridden_at(frame)
    return [
        (mark.reached + ridden, mark.miss_mm) for mark in picture.marks_at(frame) if mark.miss_mm > WORTH_A_NUMBER_MM
    ]


def draw_timeline(
    picture: Picture, colours: Palette, view: tuple[float, float], size: tuple[float, float], scale: float
) -> None:
    """Draw the bars along the bottom of a region that shows the frames of ``view``, pixels of ``size``."""
    rows = len(picture.seen.feet.names)
    bottom = ABOVE_SCROLL_BAR * scale
    height = max(min(ROW_HEIGHT * scale, (size[1] - RULER * scale - bottom) / rows), LEAST_HEIGHT * scale)
    per_frame = size[0] / max(view[1] - view[0], 1e-6)
    gpu.state.blend_set("ALPHA")
    with gpu.matrix.push_pop():
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


def _still_batches(picture: Picture, colours: Palette) -> tuple[Any, Any, Any]:
    """Return the batches of footprints, of their outlines (None where there are none) and of the trails."""
    key = ("view", colours)
    if key not in picture.batches:
        picture.batches.clear()
        stops = (colours.calm, colours.doubtful, colours.bad, colours.swing)
        prints, trails = picture.prints, picture.trails
        inside = shapes.severity_colours(prints.triangle_drift_mm, *stops) * np.array([1.0, 1.0, 1.0, FILL])
        around = shapes.severity_colours(prints.outline_drift_mm, *stops)
        way = shapes.severity_colours(trails.drift_mm, *stops)
        any_print = len(prints.triangles) > 0
        picture.batches[key] = (
            drawing.filled(prints.triangles, inside.astype(np.float32)) if any_print else None,
            drawing.stroked(prints.outlines, np.stack([around, around], axis=1)) if any_print else None,
            drawing.stroked(trails.points[trails.lines], way[trails.lines]),
        )
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
    marks = picture.marks_at(frame)
    if not marks:
        return
    key = ("targets", colours)
    if picture.batches.get(key, (None,))[0] != frame:
        radii = TARGET_RADIUS * picture.seen.feet.scales
        rings = [shapes.ring(mark.target, float(radii[mark.limb])) for mark in marks]
        links = np.array([[mark.target, mark.reached] for mark in marks], dtype=np.float32)
        lines = np.concatenate([*rings, links])
        reached = np.array([mark.reached for mark in marks], dtype=np.float32)
        misses = np.array([mark.miss_mm for mark in marks])
        ink = drawing.one_colour(colours.target, 2 * len(lines))
        how_far = shapes.severity_colours(misses, colours.calm, colours.doubtful, colours.bad, colours.swing)
        picture.batches[key] = (frame, drawing.stroked(lines, ink), drawing.dots(reached, how_far))
    _, lines_batch, dots_batch = picture.batches[key]
    drawing.draw_stroked(lines_batch, drawing.LINE_WIDTH * scale, viewport)
    drawing.draw_dots(dots_batch, drawing.POINT_SIZE * scale)


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
