# SPDX-License-Identifier: GPL-3.0-or-later
"""The overlays' shapes handed to the graphics card: batches that are made once and drawn as often as need be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import blf
import gpu
import numpy as np
from gpu_extras.batch import batch_for_shader
from numpy.typing import NDArray

from .overlay_shapes import Colour, Single

# Pixels at a user interface scale of 1.
LINE_WIDTH, THIN_LINE_WIDTH, POINT_SIZE = 2.0, 1.0, 7.0


def filled(triangles: Single, colours: Single) -> gpu.types.GPUBatch:
    """Return a batch of triangles (T, 3, 2 or 3), one of ``colours`` (T, 4) each."""
    shader = gpu.shader.from_builtin("SMOOTH_COLOR")
    points = np.ascontiguousarray(triangles.reshape(-1, triangles.shape[-1]))
    return _batch(shader, "TRIS", points, np.repeat(colours, 3, axis=0))


def stroked(lines: Single, colours: Single) -> gpu.types.GPUBatch:
    """Return a batch of lines (N, 2, 2 or 3), a colour for each end: ``colours`` (N, 2, 4)."""
    shader = gpu.shader.from_builtin("POLYLINE_SMOOTH_COLOR")
    # The shader that draws wide lines reads points in space only.
    ends = lines.reshape(-1, lines.shape[-1])
    points = np.zeros((len(ends), 3), dtype=np.float32)
    points[:, : ends.shape[1]] = ends
    return _batch(shader, "LINES", points, np.ascontiguousarray(colours.reshape(-1, 4)))


def thin(lines: Single, colours: Single) -> gpu.types.GPUBatch:
    """Return a batch of lines (N, 2, 3), one of ``colours`` (N, 4) each, for lines a pixel wide: cheaper to draw."""
    shader = gpu.shader.from_builtin("SMOOTH_COLOR")
    points = np.ascontiguousarray(lines.reshape(-1, lines.shape[-1]))
    return _batch(shader, "LINES", points, np.repeat(colours, 2, axis=0))


def dots(points: Single, colours: Single) -> gpu.types.GPUBatch:
    """Return a batch of points (N, 3), one of ``colours`` (N, 4) each."""
    return _batch(gpu.shader.from_builtin("POINT_FLAT_COLOR"), "POINTS", points, colours)


def draw_filled(batch: gpu.types.GPUBatch, first: int = 0, count: int = 0) -> None:
    """Draw triangles, or lines a pixel wide; of ``count`` corners from the ``first`` on, 0 for all."""
    batch.draw_range(gpu.shader.from_builtin("SMOOTH_COLOR"), elem_start=first, elem_count=count)


def draw_stroked(batch: gpu.types.GPUBatch, width: float, viewport: tuple[float, float]) -> None:
    """Draw lines of a width in pixels in a viewport of this size."""
    shader = gpu.shader.from_builtin("POLYLINE_SMOOTH_COLOR")
    shader.uniform_float("viewportSize", viewport)
    shader.uniform_float("lineWidth", width)
    batch.draw(shader)


def draw_dots(batch: gpu.types.GPUBatch, size: float, first: int = 0, count: int = 0) -> None:
    """Draw ``count`` points from the ``first`` on, 0 for all, ``size`` pixels wide."""
    gpu.state.point_size_set(size)
    batch.draw_range(gpu.shader.from_builtin("POINT_FLAT_COLOR"), elem_start=first, elem_count=count)


def draw_text(text: str, at: Sequence[float], size: float, colour: Colour) -> None:
    """Draw one line with a soft shadow that keeps it legible on anything; pixels from the region's lower left."""
    font = 0
    blf.size(font, size)
    blf.color(font, *colour)
    blf.enable(font, blf.SHADOW)
    blf.shadow(font, 5, 0.0, 0.0, 0.0, 0.9)
    blf.position(font, at[0], at[1], 0.0)
    blf.draw(font, text)
    blf.disable(font, blf.SHADOW)


def one_colour(colour: Colour, count: int) -> NDArray[np.float32]:
    """Return ``colour`` repeated ``count`` times, (count, 4)."""
    return np.tile(np.array(colour, dtype=np.float32), (count, 1))


def _batch(shader: gpu.types.GPUShader, kind: Any, corners: Single, colours: Single) -> gpu.types.GPUBatch:
    # Any, since the stubs do not know that an array is a buffer.
    content: dict[str, Any] = {"pos": corners, "color": colours}
    return batch_for_shader(shader, kind, content)
