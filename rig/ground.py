# SPDX-License-Identifier: GPL-3.0-or-later
"""Ground made of objects: their meshes as Blender shows them, modifiers and all, and how the objects move.

Rays are cast straight down from a little above each point, as high as a leg can climb: what is higher there is an
obstacle and no ground, be it a wall, a table or a roof.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import bpy
import numpy as np
from mathutils.bvhtree import BVHTree

from ..solver import rotations
from ..solver.clip import Clip
from ..solver.contacts import Contacts
from ..solver.ground import FlatGround, Ground
from ..solver.limb import Limb, joint_positions
from ..solver.rotations import FloatArray
from ..solver.signals import BoolArray, IntArray
from ..solver.treadmill import Treadmill
from .errors import RigError
from .sample import Sample

# Kinds of objects whose evaluated geometry is a mesh.
KINDS = ("MESH", "CURVE", "SURFACE", "FONT", "META")

# How high a 0.9 m leg steps up, in metres.
CLIMB = 0.4

# No foot stands on what is steeper than this, in degrees: the ground is taken for level there.
STEEPEST = 60.0

# A point that has nothing near under it, but the edge of something this near beside it (metres for a 0.9 m leg), hangs
# over the edge and stands on it.
OVERHANG = 0.03

# A surface may be this far over a point, for the same leg, and still carry it: soles sink into floors.
SUNK = 0.03

_AROUND = np.array([[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, -1.0, 0.0]])
_UP = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True, eq=False)
class Surface:
    """One object's mesh, and where it is.

    tree : of its polygons, in the object's own frame.
    to_world : (F, 4, 4) over the clip's frames, (1, 4, 4) where it does not move.
    corners : (8, 3) of the box round it, in its own frame.
    """

    name: str
    tree: BVHTree
    to_world: FloatArray
    corners: FloatArray

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
class _Hits:
    """What rays met: height (N,), normal (N, 3), and which surface (N,), -1 for none, where the floor is."""

    heights: FloatArray
    normals: FloatArray
    surfaces: IntArray


@dataclass(frozen=True, eq=False)
class ObjectGround:
    """Surfaces over a floor; points are over the clip's frames, as many as moving surfaces have.

    floor : what is there where no surface is.
    climb : metres that a leg steps up, at most.
    fps : frames a second.
    """

    surfaces: tuple[Surface, ...]
    floor: FlatGround
    climb: float
    fps: float

    def height(self, points: FloatArray) -> FloatArray:
        return self._under(points).heights.reshape(points.shape[:-1])

    def normal(self, points: FloatArray) -> FloatArray:
        return self._under(points).normals.reshape(points.shape)

    def velocity(self, points: FloatArray) -> FloatArray:
        """Return how fast each point would move if it rode on what is under it, to the next frame."""
        if not any(surface.moves for surface in self.surfaces):
            return self.floor.velocity(points)
        flat, frames = _flattened(points)
        under = self._under(points).surfaces
        velocities = self.floor.velocity(flat)
        for index, surface in enumerate(self.surfaces):
            riding = under == index
            if surface.moves and riding.any():
                at = np.minimum(frames[riding], len(surface.to_world) - 2)
                step = surface.to_world[at + 1] @ surface.to_own[at]
                carried = np.einsum("nij,nj->ni", step[:, :3, :3], flat[riding]) + step[:, :3, 3]
                velocities[riding] = (carried - flat[riding]) * self.fps
        return velocities.reshape(points.shape)

    def during(self, window: slice) -> ObjectGround:
        kept = tuple(
            replace(surface, to_world=surface.to_world[window]) if surface.moves else surface
            for surface in self.surfaces
        )
        return replace(self, surfaces=kept)

    def misses(self, points: FloatArray) -> BoolArray:
        """Return which points (F, ...) have no surface under them, and so the floor."""
        return np.asarray(self._under(points).surfaces.reshape(points.shape[:-1]) < 0)

    def _under(self, points: FloatArray) -> _Hits:
        """Return what is under points (F, ..., 3), edges that they hang over included."""
        flat, frames = _flattened(points)
        hits = self._cast(flat, frames)
        scale = self.climb / CLIMB
        over_nothing = flat[:, 2] - hits.heights > OVERHANG * scale
        beside = np.flatnonzero(over_nothing & (flat[:, 2] - hits.heights < 2.0 * self.climb))
        for offset in _AROUND * OVERHANG * scale:
            edge = self._cast(flat[beside] + offset, frames[beside])
            carries = (edge.heights > hits.heights[beside] + OVERHANG * scale) & (
                edge.heights < flat[beside, 2] + SUNK * scale
            )
            taken = beside[carries]
            hits.heights[taken] = edge.heights[carries]
            hits.normals[taken] = edge.normals[carries]
            hits.surfaces[taken] = edge.surfaces[carries]
        return hits

    def _cast(self, points: FloatArray, frames: IntArray) -> _Hits:
        """Return the highest surface under each of points (N, 3), not higher above it than a leg climbs."""
        hits = _Hits(self.floor.height(points), np.tile(_UP, (len(points), 1)), np.full(len(points), -1))
        found = np.full(len(points), -np.inf)
        origins = points + self.climb * _UP
        for index, surface in enumerate(self.surfaces):
            over = np.flatnonzero(_over(surface, origins, frames))
            met, places, facing = _met(surface, origins[over], surface.at(frames[over]))
            higher = places[:, 2] > found[over[met]]
            rays = over[met][higher]
            found[rays] = hits.heights[rays] = places[higher, 2]
            standable = facing[higher, 2:] > np.cos(np.radians(STEEPEST))
            hits.normals[rays] = np.where(standable, facing[higher], _UP)
            hits.surfaces[rays] = index
        return hits


def _over(surface: Surface, origins: FloatArray, frames: IntArray) -> BoolArray:
    """Whether each of origins (N, 3) is over the box round a surface."""
    lowest, highest = surface.box[surface.at(frames)].transpose(1, 0, 2)
    level = np.all((origins[:, :2] >= lowest[:, :2]) & (origins[:, :2] <= highest[:, :2]), axis=-1)
    return np.asarray(level & (origins[:, 2] >= lowest[:, 2]))


def _met(surface: Surface, origins: FloatArray, frames: IntArray) -> tuple[IntArray, FloatArray, FloatArray]:
    """Return which rays straight down (N, 3) meet a surface (M,), where (M, 3), and the upward normals there (M, 3)."""
    to_own, to_world = surface.to_own[frames], surface.to_world[frames]
    starts = np.einsum("nij,nj->ni", to_own[:, :3, :3], origins) + to_own[:, :3, 3]
    cast = surface.tree.ray_cast
    # A tree takes its rays one by one: all else is done for all of them at once.
    hits = [cast(start, way)[:2] for start, way in zip(starts.tolist(), (-to_own[:, :3, 2]).tolist(), strict=True)]
    met = np.array([at for at, (location, _) in enumerate(hits) if location is not None], dtype=np.intp)
    both = np.array([(*hits[at][0], *hits[at][1]) for at in met.tolist()]).reshape(-1, 6)
    places = np.einsum("nij,nj->ni", to_world[met, :3, :3], both[:, :3]) + to_world[met, :3, 3]
    # Normals go the other way round than points: a scale that flattens a surface makes its normals steeper.
    facing = rotations.normalized(np.einsum("nji,nj->ni", to_own[met, :3, :3], both[:, 3:]))
    return met, places, np.where(facing[:, 2:] < 0.0, -facing, facing)


def _flattened(points: FloatArray) -> tuple[FloatArray, IntArray]:
    """Return points (F, ..., 3) as (N, 3), and the frame of each (N,)."""
    per_frame = int(np.prod(points.shape[1:-1], dtype=np.intp))
    return points.reshape(-1, 3), np.repeat(np.arange(len(points)), per_frame)


def ground_of(names: Sequence[str], floor_height: float, motion: Sample, may_step: bool = True) -> Ground:
    """Return the ground that objects and collections make over a floor, on the frames of a motion.

    names : of objects or collections; none for the floor alone.
    may_step : whether Blender may step through the frames for what moves; without it, it stays where it is now.

    Raises
    ------
    RigError
        Where a name is nobody's, or there is nothing to stand on in it.
    """
    floor = FlatGround(floor_height)
    if not names:
        return floor
    objects = [thing for thing in _objects(names) if thing.type in KINDS]
    moving = [thing for thing in objects if may_step and _is_animated(thing)]
    still = [thing for thing in objects if thing not in moving]
    places = _places(moving, motion.frames) | _places(still, motion.frames[:1])
    surfaces = [_surface(thing, places[thing.name]) for thing in objects]
    if not any(surfaces):
        raise RigError("there is no mesh in {names}: choose objects that feet can stand on", names=", ".join(names))
    scale = float(np.mean([limb.scale(motion.clip) for limb in motion.limbs]))
    return ObjectGround(
        tuple(surface for surface in surfaces if surface is not None), floor, CLIMB * scale, motion.clip.fps
    )


def off_the_ground(ground: Ground, clip: Clip, limbs: Sequence[Limb], contacts: Contacts) -> float:
    """Return the share of planted toes, over the frames, that have no ground object under them but the floor.

    It is 0 where the floor is all there is.
    """
    base = ground.ground if isinstance(ground, Treadmill) else ground
    if not isinstance(base, ObjectGround):
        return 0.0
    toes = joint_positions(clip, limbs, "toe")
    missed = base.misses(toes)[contacts.toe_planted]
    return float(missed.mean()) if missed.size else 0.0


def _objects(names: Iterable[str]) -> list[bpy.types.Object]:
    """Return the objects by their names or by those of their collections, each once."""
    found: dict[str, bpy.types.Object] = {}
    for name in names:
        if name in bpy.data.objects:
            things = [bpy.data.objects[name]]
        elif name in bpy.data.collections:
            things = list(bpy.data.collections[name].all_objects)
        else:
            raise RigError('there is no object or collection "{name}" for the ground: choose another', name=name)
        found.update((thing.name, thing) for thing in things)
    return list(found.values())


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


def _places(objects: Sequence[bpy.types.Object], frames: FloatArray) -> dict[str, FloatArray]:
    """Return the world matrices (F, 4, 4) of objects by name; the scene's frame is put back whatever happens."""
    scene = bpy.context.scene
    assert scene is not None
    frame, subframe = scene.frame_current, scene.frame_subframe
    places = {thing.name: np.empty((len(frames), 4, 4)) for thing in objects}
    if len(frames) == 1:
        bpy.context.evaluated_depsgraph_get()
        return {thing.name: np.array(thing.matrix_world)[None] for thing in objects}
    try:
        for at, number in enumerate(frames.tolist()):
            whole = int(np.floor(number))
            scene.frame_set(whole, subframe=number - whole)
            for thing in objects:
                places[thing.name][at] = np.array(thing.matrix_world)
    finally:
        scene.frame_set(frame, subframe=subframe)
    return places


def _surface(thing: bpy.types.Object, to_world: FloatArray) -> Surface | None:
    """Return an object's evaluated mesh as a surface, None where it has no faces."""
    evaluated = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = evaluated.to_mesh()
    try:
        if mesh is None or not mesh.polygons:
            return None
        flat = np.empty(3 * len(mesh.vertices), dtype=np.float32)
        mesh.vertices.foreach_get("co", flat)
        places = flat.reshape(-1, 3).astype(np.float64)
        corners_of = np.empty(len(mesh.loops), dtype=np.int32)
        mesh.loops.foreach_get("vertex_index", corners_of)
        begin = np.empty(len(mesh.polygons), dtype=np.int32)
        mesh.polygons.foreach_get("loop_start", begin)
        faces = [face.tolist() for face in np.split(corners_of, begin[1:])]
        tree = BVHTree.FromPolygons(places.tolist(), faces)
    finally:
        evaluated.to_mesh_clear()
    low, high = places.min(axis=0), places.max(axis=0)
    corners = np.array([[x, y, z] for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])])
    return Surface(thing.name, tree, to_world, corners)
