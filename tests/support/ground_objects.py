# SPDX-License-Identifier: GPL-3.0-or-later
"""Grounds as meshes in Blender."""

from __future__ import annotations

import bpy
import numpy as np

from .grounds import Terrain


def add_mesh(name: str, places: list[tuple[float, float, float]], faces: list[tuple[int, ...]]) -> bpy.types.Object:
    """Add a mesh to the scene."""
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(places, [], faces)
    thing = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(thing)
    return thing


def add_plate(name: str = "Plate", half: float = 1.0, height: float = 0.0) -> bpy.types.Object:
    """Add a level square."""
    corners = [(-half, -half, height), (half, -half, height), (half, half, height), (-half, half, height)]
    return add_mesh(name, corners, [(0, 1, 2, 3)])


def add_terrain(terrain: Terrain, name: str = "Terrain", length: float = 6.0, step: float = 0.05) -> bpy.types.Object:
    """Add a grid of a terrain's heights along -Y, a metre to either side."""
    across = np.linspace(-1.0, 1.0, 41)
    along = np.arange(-length, 1.0 + step, step)
    x, y = (each.ravel() for each in np.meshgrid(across, along))
    places = np.stack([x, y, terrain.height_at(x, y)], axis=-1)
    corner = np.arange(len(places)).reshape(len(along), len(across))
    faces = np.stack([corner[:-1, :-1], corner[:-1, 1:], corner[1:, 1:], corner[1:, :-1]], axis=-1).reshape(-1, 4)
    return add_mesh(name, [tuple(place) for place in places.tolist()], [tuple(face) for face in faces.tolist()])


def add_stairs(rise: float, tread: float = 0.6, begin: float = 0.5, steps: int = 6) -> bpy.types.Object:
    """Add stairs along -Y with sharp edges, as boxes of one mesh."""
    places: list[tuple[float, float, float]] = []
    faces: list[tuple[int, ...]] = []
    for step in range(steps):
        near, far = -begin - step * tread, -begin - (step + 1) * tread
        first, top = len(places), rise * (step + 1)
        places += [(x, y, z) for z in (top - rise, top) for x, y in ((-1, near), (1, near), (1, far), (-1, far))]
        faces += [tuple(first + at for at in face) for face in ((4, 5, 6, 7), (0, 1, 5, 4), (2, 3, 7, 6))]
    return add_mesh("Stairs", places, faces)


def key_location(thing: bpy.types.Object, keys: dict[int, tuple[float, float, float]]) -> None:
    """Key an object's place on frames."""
    for frame, place in keys.items():
        thing.location = place
        thing.keyframe_insert("location", frame=frame)


def key_turn(thing: bpy.types.Object, keys: dict[int, float]) -> None:
    """Key an object's turn about the vertical, radians, on frames."""
    for frame, angle in keys.items():
        thing.rotation_euler[2] = angle
        thing.keyframe_insert("rotation_euler", index=2, frame=frame)
