# SPDX-License-Identifier: GPL-3.0-or-later
"""Flat drawings, rendered by Blender itself: lines, boxes and text on paper, in pixels from the lower left corner."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import bpy
import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]

# Pixels to a Blender unit: curves thinner than a few thousandths of a unit render badly.
PIXELS = 100.0


@dataclass
class Paper:
    """A picture in the making. What is drawn later lies on top.

    width, height : pixels.
    background : as ``#rrggbb``, like every colour here.
    """

    width: int
    height: int
    background: str
    _layer: int = 0
    _materials: dict[str, bpy.types.Material] = field(default_factory=dict)

    def __post_init__(self) -> None:
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        self.box(0, 0, self.width, self.height, self.background)

    def lines(self, lines: Sequence[Points], colour: str, thickness: float = 2.0) -> None:
        """Draw polylines, each (N, 2), piece by piece: a curve through a sharp corner gets thin there."""
        curve = bpy.data.curves.new("lines", "CURVE")
        curve.dimensions = "3D"
        curve.bevel_depth, curve.bevel_resolution, curve.use_fill_caps = 0.5 * thickness / PIXELS, 2, True
        for line in lines:
            for start, end in pairwise(line / PIXELS):
                spline = curve.splines.new("POLY")
                spline.points.add(1)
                spline.points.foreach_set("co", [*start, 0.0, 1.0, *end, 0.0, 1.0])
        self._place(curve, colour, (0.0, 0.0))

    def dots(self, centres: Points, radius: float, colour: str) -> None:
        """Draw round dots at ``centres`` (N, 2)."""
        turn = np.linspace(0.0, 2.0 * np.pi, 24, endpoint=False)
        ring = radius * np.stack([np.cos(turn), np.sin(turn)], axis=-1)
        for centre in centres:
            self._polygon(centre + ring, colour)

    def box(self, x: float, y: float, width: float, height: float, colour: str) -> None:
        """Draw a filled rectangle with its lower left corner at ``x``, ``y``."""
        self._polygon(np.array([[x, y], [x + width, y], [x + width, y + height], [x, y + height]]), colour)

    def text(self, text: str, x: float, y: float, size: float, colour: str, align: str = "LEFT") -> None:
        """Write one line whose base line starts (``align`` LEFT), is centred or ends at ``x``, ``y``."""
        curve = bpy.data.curves.new("text", "FONT")
        curve.body, curve.size, curve.align_x = text, size / PIXELS, align
        self._place(curve, colour, (x, y))

    def save(self, path: Path) -> None:
        """Render the picture into ``path``, a PNG."""
        scene = bpy.context.scene
        camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
        camera.data.type, camera.data.ortho_scale = "ORTHO", max(self.width, self.height) / PIXELS
        camera.location = (0.5 * self.width / PIXELS, 0.5 * self.height / PIXELS, 50.0)
        scene.collection.objects.link(camera)
        scene.camera = camera
        render = scene.render
        render.engine, render.filepath = "CYCLES", str(path)
        render.resolution_x, render.resolution_y, render.resolution_percentage = self.width, self.height, 100
        render.image_settings.file_format, render.image_settings.color_mode = "PNG", "RGB"
        render.image_settings.compression = 100
        render.dither_intensity = 0.0
        scene.view_settings.view_transform = "Standard"
        scene.cycles.samples, scene.cycles.use_denoising, scene.cycles.max_bounces = 16, False, 0
        bpy.ops.render.render(write_still=True)

    def _polygon(self, corners: Points, colour: str) -> None:
        mesh = bpy.data.meshes.new("polygon")
        mesh.from_pydata([(x / PIXELS, y / PIXELS, 0.0) for x, y in corners], [], [tuple(range(len(corners)))])
        self._place(mesh, colour, (0.0, 0.0))

    def _place(self, data: bpy.types.Curve | bpy.types.Mesh, colour: str, at: tuple[float, float]) -> None:
        self._layer += 1
        data.materials.append(self._material(colour))
        drawn = bpy.data.objects.new(data.name, data)
        drawn.location = (at[0] / PIXELS, at[1] / PIXELS, 0.05 * self._layer)
        bpy.context.scene.collection.objects.link(drawn)

    def _material(self, colour: str) -> bpy.types.Material:
        """Return the material that shows exactly ``colour``, whatever the light."""
        if colour not in self._materials:
            material = bpy.data.materials.new(colour)
            material.use_nodes = True
            nodes = material.node_tree.nodes
            nodes.clear()
            emission, output = nodes.new("ShaderNodeEmission"), nodes.new("ShaderNodeOutputMaterial")
            shown = np.array([int(colour[at : at + 2], 16) / 255.0 for at in (1, 3, 5)])
            # Colours are written as a screen shows them; Blender computes in linear light.
            linear = np.where(shown <= 0.04045, shown / 12.92, ((shown + 0.055) / 1.055) ** 2.4)
            emission.inputs["Color"].default_value = (*linear.tolist(), 1.0)
            material.node_tree.links.new(emission.outputs[0], output.inputs[0])
            self._materials[colour] = material
        return self._materials[colour]
