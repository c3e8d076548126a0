# SPDX-License-Identifier: GPL-3.0-or-later
"""What the overlays show of one action: made once when the action changes, then only drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import blf
import gpu
import numpy as np

from ..operators import contact_bar
from ..rig.legs.names import read_name
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

# Pixels at a user interface scale of 1: of names in the bar, and beside them.
TEXT_SIZE, BESIDE_NAMES = 9.5, 6.0

# How much of its colour the bar has where it lies over the frame numbers, and how dark the right side's is.
OVER_RULER, RIGHT_SHADE = 0.62, 0.62

# Pixels at a user interface scale of 1: of a trail's ticks.
TICK_SIZE = 4.0

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
    legend: bool = True


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
        if shown.trails:
            _draw_trails(picture, colours, frame, viewport, scale)
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
    names = picture.seen.feet.names
    place = contact_bar.bar_place(len(names), view, size, scale)
    gpu.state.blend_set("ALPHA")
    with gpu.matrix.push_pop():  # type: ignore[attr-defined]
        gpu.matrix.translate((-place.left * place.per_frame, place.bottom))
        gpu.matrix.scale((place.per_frame, place.height))
        fill, outline = _bar_batches(picture, colours, place.over_ruler)
        drawing.draw_filled(fill)
        if outline is not None:
            drawing.draw_stroked(outline, drawing.THIN_LINE_WIDTH * scale, size)
    if place.height >= contact_bar.NAMED_ROW * scale:
        for row, name in enumerate(names):
            blf.size(0, TEXT_SIZE * scale)
            width = blf.dimensions(0, name)[0]
            left = contact_bar.label_place(place, picture.seen.frames, width, size[0], BESIDE_NAMES * scale)
            if left is not None:
                height = (
                    place.bottom
                    + (len(names) - 1 - row) * place.height
                    + 0.5 * (place.height - 0.75 * TEXT_SIZE * scale)
                )
                drawing.draw_text(name, (left, height), TEXT_SIZE * scale, TEXT_COLOUR)
    gpu.state.blend_set("NONE")


def _still_batches(picture: Picture, colours: Palette) -> list[tuple[str, Any, bool]]:
    """Return what is drawn at any frame: which of ``OverlayParts``, its batch, and whether its lines are wide."""
    key = ("view", colours)
    if key not in picture.batches:
        picture.batches.clear()
        stops = (colours.calm, colours.doubtful, colours.bad, colours.swing)
        prints = picture.prints
        inside = shapes.severity_colours(prints.triangle_drift_mm, *stops) * np.array([1.0, 1.0, 1.0, FILL])
        around = shapes.severity_colours(prints.outline_drift_mm, *stops)
        found = []
        if len(prints.triangles):
            found.append(("footprints", drawing.filled(prints.triangles, inside.astype(np.float32)), False))
            found.append(("footprints", drawing.thin(prints.outlines, around), False))
        picture.batches[key] = found
    return picture.batches[key]


def _draw_trails(picture: Picture, colours: Palette, frame: float, viewport: tuple[float, float], scale: float) -> None:
    """Draw the ways of the toes, fading with distance in time; made anew for each frame that is shown."""
    key, now = ("trails", colours), frame - float(picture.seen.frames[0])
    if picture.batches.get(key, (None,))[0] != now:
        picture.batches[key] = (now, *_trail_batches(picture, colours, now))
    _, lines, slides, ticks = picture.batches[key]
    if lines is not None:
        drawing.draw_filled(lines)
    if slides is not None:
        drawing.draw_stroked(slides, drawing.LINE_WIDTH * scale, viewport)
    if ticks is not None:
        drawing.draw_dots(ticks, TICK_SIZE * scale)


def _trail_batches(picture: Picture, colours: Palette, now: float) -> tuple[Any, Any, Any]:
    """Return swings with their arrows, slides and ticks at the frame with the index ``now``; None for none."""
    trails, fps = picture.trails, picture.seen.feet.fps
    stops = (colours.calm, colours.doubtful, colours.bad, colours.swing)
    thin = np.concatenate([trails.swings, trails.arrows])
    inks = drawing.one_colour(colours.swing, len(thin))
    inks[:, 3] *= shapes.nearness(np.concatenate([trails.swing_at, trails.arrow_at]), now, fps)
    slid = shapes.severity_colours(trails.slide_drift_mm.ravel(), *stops).reshape(-1, 2, 4)
    slid[..., 3] *= shapes.nearness(trails.slide_at, now, fps)[:, None]
    dots = drawing.one_colour(colours.swing, len(trails.ticks))
    dots[:, 3] *= shapes.nearness(trails.tick_at, now, fps)
    return (
        drawing.thin(thin, inks) if len(thin) else None,
        drawing.stroked(trails.slides, slid) if len(trails.slides) else None,
        drawing.dots(trails.ticks, dots) if len(trails.ticks) else None,
    )


def _bar_batches(picture: Picture, colours: Palette, over_ruler: bool) -> tuple[Any, Any]:
    """Return the batches of the bars and of the outlines of what a person has set, None where nothing is set."""
    key = ("bars", colours, over_ruler)
    if key not in picture.batches:
        rows = len(picture.seen.feet.names)
        first, last = float(picture.seen.frames[0]), float(picture.seen.frames[-1])
        behind = [Bar(row, "behind", first, last) for row in range(rows)]
        triangles = [shapes.bar_triangles(behind, rows, 0.0, 1.0)]
        inks = [drawing.one_colour(BEHIND_BARS, len(triangles[0]))]
        for kind, height in (("heel", HEEL_BAR), ("toe", FULL_BAR), ("sliding", FULL_BAR)):
            drawn = [bar for bar in picture.bars if bar.kind == kind]
            triangles.append(shapes.bar_triangles(drawn, rows, *height))
            inks.append(np.repeat(bar_colours(picture, drawn, colours), 2, axis=0))
        ink = np.concatenate(inks) * np.array([1.0, 1.0, 1.0, OVER_RULER if over_ruler else 1.0])
        forced = [bar for bar in picture.bars if bar.kind == "forced"]
        lines = shapes.bar_outlines(forced, rows, *FULL_BAR)
        picture.batches[key] = (
            drawing.filled(np.concatenate(triangles), ink.astype(np.float32)),
            drawing.stroked(lines, drawing.one_colour(FORCED_OUTLINE, 2 * len(lines))) if len(lines) else None,
        )
    return picture.batches[key]


def bar_colours(picture: Picture, drawn: Sequence[Bar], colours: Palette) -> FloatArray:
    """Return a colour for each bar (N, 4): by how far the foot slides there, darker for limbs of the right side."""
    feet, start = picture.seen.feet, float(picture.seen.frames[0])
    stops = (colours.calm, colours.doubtful, colours.bad, colours.swing)
    worst = np.array([_worst_drift(picture.steps, bar, start) for bar in drawn])
    found = shapes.severity_colours(worst, *stops).astype(np.float64).reshape(-1, 4)
    slides = np.array([bar.kind == "sliding" for bar in drawn], dtype=bool)
    found[slides] = colours.sliding
    right = np.array([is_right(feet.names[bar.row]) for bar in drawn], dtype=bool)
    found[right, :3] *= RIGHT_SHADE
    return found


def is_right(name: str) -> bool:
    """Whether a limb is one of the right side by its name."""
    return read_name(name).side == "R"


def _worst_drift(steps: Sequence[Step], bar: Bar, start: float) -> float:
    """Return how far in mm the foot gets from where it should be in the contacts that a bar stands for."""
    own = [
        float(step.drift_mm.max(initial=0.0))
        for step in steps
        if step.limb == bar.row and step.first <= bar.last - start and step.last >= bar.first - start
    ]
    return max(own, default=0.0)


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
