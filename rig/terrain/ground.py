# SPDX-License-Identifier: GPL-3.0-or-later
"""Ground made of objects: their meshes as Blender shows them, modifiers and all, and how the objects move.

Rays are cast straight down from a little above each point, as high as a leg can climb: what is higher there is an
obstacle and no ground, be it a wall, a table or a roof, unless the user says otherwise (see walk_on in surface.py).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

import bpy
import numpy as np

from ...solver import rotations
from ...solver.clip import Clip
from ...solver.contacts import Contacts, runs
from ...solver.ground import FlatGround, Ground
from ...solver.limb import Limb, joint_positions
from ...solver.risers import bent_toes
from ...solver.rotations import FloatArray
from ...solver.signals import BoolArray, IntArray
from ..common.scene import metres_per_unit
from ..common.wording import RigError
from ..sampling.sample import Sample
from .surface import Surface, surfaces_of, walk_on

# Kinds of objects whose evaluated geometry is a mesh; an empty may have instances.
OBJECT_TYPES = ("MESH", "CURVE", "SURFACE", "FONT", "META", "EMPTY")

# How high a 0.9 m leg steps up, in metres.
CLIMB = 0.4

# No foot stands on what is steeper than this, in degrees: the ground is taken for level there.
STEEPEST = 60.0

# A point that has nothing near under it, but the edge of something this near beside it (metres for a 0.9 m leg), hangs
# over the edge and stands on it.
OVERHANG = 0.03

# A surface may be this far over a point, for the same leg, and still carry it: soles sink into floors.
SUNK = 0.03

# A contact stands deep in its ground that is this far in it, for the same leg.
DEEP = 0.05

# A chosen object that is over this share of all toes, and carries none of these, is refused.
LEAST_MISSED = 0.02

_AROUND = np.array([[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, -1.0, 0.0]])
_UP = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True)
class Hits:
    """What rays met: height (N,), normal (N, 3), whether it is too steep to stand on (N,), and which surface (N,).

    The surface is -1 for none, where the floor is.
    """

    heights: FloatArray
    normals: FloatArray
    steep: BoolArray
    surfaces: IntArray


@dataclass(frozen=True, eq=False)
class ObjectGround(Ground):
    """Surfaces over a floor; points are over the clip's frames, as many as moving surfaces have.

    floor : what is there where no surface is.
    climb : metres that a leg steps up, at most.
    fps : frames a second.
    chosen : names of the objects that a user has named one by one, and not by a collection.
    """

    surfaces: tuple[Surface, ...]
    floor: FlatGround
    climb: float
    fps: float
    chosen: frozenset[str] = frozenset()

    def height(self, points: FloatArray) -> FloatArray:
        return self.under(points).heights.reshape(points.shape[:-1])

    def normal(self, points: FloatArray) -> FloatArray:
        return self.under(points).normals.reshape(points.shape)

    def velocity(self, points: FloatArray) -> FloatArray:
        """Return how fast each point would move if it rode on what is under it, to the next frame."""
        if not any(surface.moves for surface in self.surfaces):
            return self.floor.velocity(points)
        flat, frames = _flattened(points)
        under = self.under(points).surfaces
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
        return np.asarray(self.under(points).surfaces.reshape(points.shape[:-1]) < 0)

    def steep(self, points: FloatArray) -> BoolArray:
        """Return which points (F, ...) are over what is too steep to stand on, and is taken for level."""
        return self.under(points).steep.reshape(points.shape[:-1])

    def under(self, points: FloatArray) -> Hits:
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
            for here, there in zip(vars(hits).values(), vars(edge).values(), strict=True):
                here[taken] = there[carries]
        return hits

    def _cast(self, points: FloatArray, frames: IntArray) -> Hits:
        """Return the highest surface under each of points (N, 3), not higher above it than a leg climbs."""
        count = len(points)
        hits = Hits(
            heights=self.floor.height(points),
            normals=np.tile(_UP, (count, 1)),
            steep=np.zeros(count, dtype=np.bool_),
            surfaces=np.full(count, -1),
        )
        found = np.full(count, -np.inf)
        for index, surface in enumerate(self.surfaces):
            origins = points + self.climb * _UP
            if surface.always:
                highest = surface.box[surface.at(frames), 1, 2]
                origins[:, 2] = np.maximum(origins[:, 2], highest + self.climb)
            over = np.flatnonzero(_over(surface, origins, frames))
            met, places, facing = _met(surface, origins[over], surface.at(frames[over]))
            higher = places[:, 2] > found[over[met]]
            rays = over[met][higher]
            found[rays] = hits.heights[rays] = places[higher, 2]
            hits.steep[rays] = facing[higher, 2] < np.cos(np.radians(STEEPEST))
            hits.normals[rays] = np.where(hits.steep[rays, None], _UP, facing[higher])
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


@dataclass(frozen=True)
class OffGround:
    """Shares of planted toes, over the frames, that do not stand on a ground object as they should.

    beside : have none under them, and stand on the floor.
    steep : are on what is too steep to stand on, and is taken for level.
    bent : how many contacts had no room for their toes, which are bent up at a steep face.
    refused : names of chosen objects over the feet that are too high to be climbed, so that no foot stands on them.
    deep_mm : how deep in the ground objects the deepest contact stands, in the scene's millimetres; 0 if not deep.
    """

    beside: float = 0.0
    steep: float = 0.0
    bent: int = 0
    deep_mm: float = 0.0
    refused: tuple[str, ...] = ()


def ground_of(names: Sequence[str], floor_height: float, motion: Sample, may_step: bool = True) -> Ground:
    """Return the ground that objects and collections make over a floor, on the frames of a motion.

    names : of objects or collections; none for the floor alone.
    may_step : whether Blender may step through the frames for what moves; without it, it stays where it is now.

    Raises
    ------
    RigError
        Where nothing has one of the names, or there is nothing to stand on in it.
    """
    floor = FlatGround(floor_height)
    if not names:
        return floor
    objects = ground_objects(names)
    listed = ", ".join(names)
    if not objects:
        raise RigError("there is no mesh in {names}: choose objects that feet can stand on", names=listed)
    ground = [thing for thing in objects if walk_on(thing) != "OBSTACLE"]
    if not ground:
        raise RigError("all of {names} is an obstacle: set its Walk On to Automatic or Ground", names=listed)
    surfaces = surfaces_of(ground, motion.frames, may_step)
    if not surfaces:
        raise RigError("there is no face in {names}: choose objects that feet can stand on", names=listed)
    scale = float(np.mean([limb.scale(motion.clip) for limb in motion.limbs]))
    chosen = frozenset(name for name in names if name in bpy.data.objects)
    return ObjectGround(surfaces, floor, CLIMB * scale, motion.clip.fps, chosen)


def ground_objects(names: Iterable[str]) -> list[bpy.types.Object]:
    """Return the objects that can be stood on by their names or by those of their collections, each once.

    Objects of a collection that Blender does not evaluate now are left out, as they are for the eye.

    Raises
    ------
    RigError
        Where nothing has one of the names, or an object that was named itself is not evaluated.
    """
    graph = bpy.context.evaluated_depsgraph_get()
    found: dict[str, bpy.types.Object] = {}
    for name in names:
        if name in bpy.data.objects:
            things = [bpy.data.objects[name]]
            if things[0].type in OBJECT_TYPES and not things[0].evaluated_get(graph).is_evaluated:
                raise RigError(
                    'ground object "{name}" is switched off in this scene: switch it on in the Outliner, or choose '
                    "another",
                    name=name,
                )
        elif name in bpy.data.collections:
            members = bpy.data.collections[name].all_objects
            things = [thing for thing in members if thing.evaluated_get(graph).is_evaluated]
        else:
            raise RigError('there is no object or collection "{name}" for the ground: choose another', name=name)
        found.update((thing.name, thing) for thing in things if thing.type in OBJECT_TYPES)
    return list(found.values())


def members(names: Iterable[str]) -> frozenset[str]:
    """Return the names of all objects that names of objects and collections stand for, ground or not."""
    found: set[str] = set()
    for name in names:
        collection = None if name in bpy.data.objects else bpy.data.collections.get(name)
        found |= {name} if collection is None else {thing.name for thing in collection.all_objects}
    return frozenset(found)


def floor_height(ground: Ground) -> float | None:
    """Return how high in metres the floor of a ground is, below its objects; None where it has no such floor."""
    base = ground.without_belt
    floor = base.floor if isinstance(base, ObjectGround) else base
    return floor.level_height


def off_the_ground(
    ground: Ground, clip: Clip, limbs: Sequence[Limb], contacts: Contacts, source: Clip | None = None
) -> OffGround:
    """Return how much of planted toes is not on the ground objects; nothing where the floor is all there is.

    source : what the clip was made from, None where it is as it was.
    """
    base = ground.without_belt
    if not isinstance(base, ObjectGround) or not contacts.toe_planted.any():
        return OffGround()
    toes = joint_positions(clip, limbs, "toe")
    under = base.under(toes)
    missed, steep = (of_hits.reshape(toes.shape[:-1]) for of_hits in (under.surfaces < 0, under.steep))
    bent = 0 if source is None else bent_toes(source, clip, limbs, contacts)
    deep = _deepest_contact(under.heights.reshape(toes.shape[:-1]) - toes[..., 2], contacts)
    return OffGround(
        beside=float(missed[contacts.toe_planted].mean()),
        steep=float(steep[contacts.toe_planted].mean()),
        bent=bent,
        deep_mm=1000.0 * deep * metres_per_unit() if deep > DEEP * base.climb / CLIMB else 0.0,
        refused=_refused(base, toes, missed & contacts.toe_planted),
    )


def _refused(ground: ObjectGround, toes: FloatArray, missed: BoolArray) -> tuple[str, ...]:
    """Return the chosen objects that are above planted toes (F, L, 3) which ``missed`` (F, L) all surfaces."""
    asked = tuple(replace(one, always=True) for one in ground.surfaces if one.name in ground.chosen and not one.always)
    if not asked or missed.sum() < LEAST_MISSED * missed.size:
        return ()
    over = replace(ground, surfaces=asked).under(toes).surfaces.reshape(missed.shape)
    counts = [int(np.count_nonzero(over[missed] == index)) for index in range(len(asked))]
    return tuple(one.name for one, count in zip(asked, counts, strict=True) if count >= LEAST_MISSED * missed.size)


def _deepest_contact(depths: FloatArray, contacts: Contacts) -> float:
    """Return how deep in metres the deepest contact stands, for how deep each toe is (F, L): its frames' median."""
    return max(
        float(np.median(depths[first : last + 1, limb]))
        for limb in range(depths.shape[1])
        for first, last in runs(contacts.toe_planted[:, limb])
    )


def was_edited(ground: Collection[str], depsgraph: bpy.types.Depsgraph) -> bool:
    """Whether one of the objects named was moved, edited, shown or hidden, or may have left its collection."""
    if not ground or not (depsgraph.id_type_updated("OBJECT") or depsgraph.id_type_updated("COLLECTION")):
        return False
    return any(
        isinstance(update.id, bpy.types.Collection)
        or (update.id.name in ground and (update.is_updated_transform or update.is_updated_geometry))
        for update in depsgraph.updates
        if isinstance(update.id, bpy.types.Object | bpy.types.Collection)
    )
