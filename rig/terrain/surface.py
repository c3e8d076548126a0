# SPDX-License-Identifier: GPL-3.0-or-later
"""The surface of an object that feet may stand on: its evaluated mesh, instances and all, and where it goes."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Literal

import bpy
import numpy as np
from bpy.types import Object
from mathutils.bvhtree import BVHTree
from numpy.typing import NDArray

from ...solver.rotations import FloatArray
from ...solver.signals import IntArray
from ..common.wording import RigError

# A surface that is scaled to less than this share of itself, along some axis, is flat and has no frame of its own.
FLAT = 1e-6

# An object is the same on two frames where its corners are, to this share of its size.
SAME_SHAPE = 1e-4


@dataclass(frozen=True, eq=False)
class Surface:
    """One object's mesh, and where it is.

    tree : of its polygons, in the frame that ``to_world`` takes to the world.
    to_world : (F, 4, 4) over the clip's frames, (1, 4, 4) where it does not move.
    corners : (8, 3) of the box round it, in its own frame.
    always : whether it is stood on however high it is.
    """

    name: str
    tree: BVHTree
    to_world: FloatArray
    corners: FloatArray
    always: bool = False

    @cached_property
    def to_own(self) -> FloatArray:
        """(F, 4, 4) or (1, 4, 4), from the world to the object's frame."""
        return np.asarray(np.linalg.inv(self.to_world))

    @cached_property
    def box(self) -> FloatArray:
        """(F, 2, 3) or (1, 2, 3), the lowest and the highest coordinates in the world."""
        corners = np.einsum("fij,cj->fci", self.to_world[:, :3, :3], self.corners) + self.to_world[:, None, :3, 3]
        return np.stack([corners.min(axis=1), corners.max(axis=1)], axis=1)

    @property
    def moves(self) -> bool:
        return len(self.to_world) > 1

    def at(self, frames: IntArray) -> IntArray:
        """Return the frames to look up in ``to_world``."""
        return frames if self.moves else np.zeros_like(frames)


@dataclass(frozen=True)
class _Shape:
    """Polygons: their corners' places (V, 3), which corners each has, one after the other, and how many each has.

    Shapes are the same where their ``digest`` is.
    """

    digest: bytes
    places: FloatArray = field(compare=False)
    corners: NDArray[np.int32] = field(compare=False)
    counts: NDArray[np.int32] = field(compare=False)


def surfaces_of(objects: Sequence[bpy.types.Object], frames: FloatArray, may_step: bool) -> tuple[Surface, ...]:
    """Return the surfaces of objects over scene ``frames`` (F,); those without faces have none.

    may_step : whether Blender may step through the frames; without it, all stays where and as it is now.

    Raises
    ------
    RigError
        Where an object changes its shape, or is scaled to nothing while it moves.
    """
    moving = [thing for thing in objects if may_step and _is_animated(thing)]
    changing = [thing for thing in objects if may_step and _may_change_shape(thing)]
    places, ends = _stepped(moving, changing, frames)
    shapes = _shapes(objects)
    for name, later in ends:
        if not _is_same(shapes[name], later):
            raise RigError(
                'ground object "{name}" changes its shape, which feet can not follow: set Walk On to Obstacle for it, '
                "or choose another",
                name=name,
            )
    standable = [thing for thing in objects if len(shapes[thing.name].counts)]
    return tuple(_surface(thing, shapes[thing.name], places.get(thing.name)) for thing in standable)


def _surface(thing: bpy.types.Object, shape: _Shape, places: FloatArray | None) -> Surface:
    """Return the surface of a shape; ``places`` (F, 4, 4) where it moves."""
    if places is None:
        places = _frame_of(thing)[None]
    elif _is_flat(places):
        raise RigError(
            'ground object "{name}" moves and is scaled to nothing: give it a size, or choose another', name=thing.name
        )
    return Surface(thing.name, _tree(shape), places, _box(shape.places), walk_on(thing) == "GROUND")


def _frame_of(thing: bpy.types.Object) -> FloatArray:
    """Return the (4, 4) frame that an object's shape is told in: its own, in which it is the same wherever it is moved.

    What is scaled to nothing along an axis has none, and is told in the world's.
    """
    matrix = np.array(thing.matrix_world)
    return np.eye(4) if _is_flat(matrix[None]) else matrix


def _is_flat(matrices: FloatArray) -> bool:
    sizes = np.linalg.svd(matrices[:, :3, :3], compute_uv=False)
    return bool(np.any(sizes[:, 2] <= FLAT * np.maximum(sizes[:, 0], FLAT)))


def _is_animated(thing: bpy.types.Object | None) -> bool:
    """Whether anything can move an object: its own animation, its constraints, its parents."""
    while thing is not None:
        animation = thing.animation_data
        if animation is not None and (animation.action is not None or animation.drivers or animation.nla_tracks):
            return True
        if any(not constraint.mute for constraint in thing.constraints) or thing.rigid_body is not None:
            return True
        thing = thing.parent
    return False


def _may_change_shape(thing: bpy.types.Object) -> bool:
    """Whether anything can change an object's shape from a frame to another."""
    data = thing.data
    if any(modifier.show_viewport for modifier in thing.modifiers) or thing.type == "META":
        return True
    keys = getattr(data, "shape_keys", None)
    return any(owner is not None and owner.animation_data is not None for owner in (data, keys))


def _stepped(
    moving: Sequence[bpy.types.Object], changing: Sequence[bpy.types.Object], frames: FloatArray
) -> tuple[dict[str, FloatArray], list[tuple[str, _Shape]]]:
    """Return by name where moving objects are (F, 4, 4), and the shapes of changing ones at the start and the end.

    The scene's frame is put back whatever happens.
    """
    places = {thing.name: np.empty((len(frames), 4, 4)) for thing in moving}
    ends: list[tuple[str, _Shape]] = []
    scene = bpy.context.scene
    assert scene is not None
    if not moving and not changing:
        return places, ends
    frame, subframe = scene.frame_current, scene.frame_subframe
    last = len(frames) - 1
    try:
        for at in range(len(frames)) if moving else (0, last):
            whole = int(np.floor(frames[at]))
            scene.frame_set(whole, subframe=float(frames[at]) - whole)
            for thing in moving:
                places[thing.name][at] = np.array(thing.matrix_world)
            if at in (0, last):
                ends += _shapes(changing).items()
    finally:
        scene.frame_set(frame, subframe=subframe)
    return places, ends


def _is_same(first: _Shape, second: _Shape) -> bool:
    if not np.array_equal(first.corners, second.corners):
        return False
    size = float(np.ptp(first.places, axis=0).max(initial=0.0))
    return bool(np.allclose(first.places, second.places, rtol=0.0, atol=SAME_SHAPE * size + 1e-9))


def _shapes(objects: Sequence[bpy.types.Object]) -> dict[str, _Shape]:
    """Return the evaluated meshes of objects by name, and those of all that they are instances of, in their frames."""
    graph = bpy.context.evaluated_depsgraph_get()
    frames = {thing.name: np.linalg.inv(_frame_of(thing)) for thing in objects}
    parts: dict[str, list[_Shape]] = {
        # Its own corners are taken as they are: to the world and back, they would change by rounding.
        thing.name: [_mesh_of(thing.evaluated_get(graph), _own_to_frame(thing))]
        for thing in objects
    }
    makers = {thing for thing in objects if _makes_instances(thing)}
    for instance in graph.object_instances if makers else ():
        maker = instance.parent.original if instance.is_instance and instance.parent else None
        if maker in makers and instance.object is not None:
            placed = frames[maker.name] @ np.array(instance.matrix_world)
            parts[maker.name].append(_mesh_of(instance.object, placed))
    return {name: _joined(shapes) for name, shapes in parts.items()}


def _own_to_frame(thing: bpy.types.Object) -> FloatArray:
    matrix = np.array(thing.matrix_world)
    return matrix if _is_flat(matrix[None]) else np.eye(4)


def _makes_instances(thing: bpy.types.Object) -> bool:
    return thing.instance_type != "NONE" or any(modifier.type == "NODES" for modifier in thing.modifiers)


def _mesh_of(evaluated: bpy.types.Object, placed: FloatArray) -> _Shape:
    """Return an evaluated object's mesh where a matrix (4, 4) places it, with no faces where it has none."""
    # An empty has no mesh, and Blender complains when it is asked for one.
    mesh = None if evaluated.type == "EMPTY" else evaluated.to_mesh()
    try:
        if mesh is None or not mesh.polygons:
            return _joined([])
        flat = np.empty(3 * len(mesh.vertices), dtype=np.float32)
        mesh.vertices.foreach_get("co", flat)
        corners = np.empty(len(mesh.loops), dtype=np.int32)
        mesh.loops.foreach_get("vertex_index", corners)
        counts = np.empty(len(mesh.polygons), dtype=np.int32)
        mesh.polygons.foreach_get("loop_total", counts)
    finally:
        if mesh is not None:
            evaluated.to_mesh_clear()
    places = flat.reshape(-1, 3).astype(np.float64) @ placed[:3, :3].T + placed[:3, 3]
    return _shape(places, corners, counts)


def _shape(places: FloatArray, corners: NDArray[np.int32], counts: NDArray[np.int32]) -> _Shape:
    digest = hashlib.blake2b(places.tobytes())
    digest.update(corners.tobytes())
    digest.update(counts.tobytes())
    return _Shape(digest.digest(), places, corners, counts)


def _joined(shapes: Sequence[_Shape]) -> _Shape:
    if len(shapes) == 1:
        return shapes[0]
    before = np.cumsum([0, *(len(shape.places) for shape in shapes)])
    return _shape(
        np.concatenate([np.empty((0, 3)), *(shape.places for shape in shapes)]),
        np.concatenate(
            [np.empty(0, dtype=np.int32), *(shape.corners + at for shape, at in zip(shapes, before, strict=False))]
        ).astype(np.int32),
        np.concatenate([np.empty(0, dtype=np.int32), *(shape.counts for shape in shapes)]),
    )


@lru_cache(maxsize=16)
def _tree(shape: _Shape) -> BVHTree:
    """Return the tree of a shape, kept while it is the same."""
    ends = np.cumsum(shape.counts)
    faces = [face.tolist() for face in np.split(shape.corners, ends[:-1])]
    return BVHTree.FromPolygons(shape.places.tolist(), faces)


def _box(places: FloatArray) -> FloatArray:
    """Return the corners (8, 3) of the box round places."""
    low, high = places.min(axis=0), places.max(axis=0)
    return np.array([[x, y, z] for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])])


WALK_ON = "toehold_walk_on"

# AUTOMATIC: what a leg can climb from where it is is ground, what is higher there is an obstacle. GROUND: it is stood
# on however high it is. OBSTACLE: it is never stood on.
WalkOn = Literal["AUTOMATIC", "GROUND", "OBSTACLE"]
CHOICES: tuple[WalkOn, ...] = ("AUTOMATIC", "GROUND", "OBSTACLE")


def walk_on(thing: Object) -> WalkOn:
    """Return what a user has said about an object; AUTOMATIC where that is nothing, or nothing known."""
    said = thing.get(WALK_ON)
    return next((choice for choice in CHOICES if choice == said), "AUTOMATIC")


def set_walk_on(thing: Object, choice: WalkOn) -> None:
    """Note what a user says about an object; AUTOMATIC leaves no trace."""
    if choice != "AUTOMATIC":
        thing[WALK_ON] = choice
    elif thing.get(WALK_ON) is not None:
        del thing[WALK_ON]
