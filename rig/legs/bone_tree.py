# SPDX-License-Identifier: GPL-3.0-or-later
"""An armature's bones at rest as plain arrays."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import bpy
import numpy as np

from ...solver.rotations import FloatArray


@dataclass(frozen=True)
class BoneTree:
    """Bones by index, parents before their children.

    parents : index of each bone's parent, -1 for none.
    heads, tails : (B, 3) metres in the world at rest, Z up.
    side_axes : (3, 3) rows: the armature's own axes in the world, the one most likely to run from side to side first.
    connected, deform : whether each bone hangs on its parent's tail, and whether it moves the mesh.
    """

    names: tuple[str, ...]
    parents: tuple[int, ...]
    heads: FloatArray
    tails: FloatArray
    side_axes: FloatArray
    connected: tuple[bool, ...]
    deform: tuple[bool, ...]

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        found: list[list[int]] = [[] for _ in self.names]
        for bone, parent in enumerate(self.parents):
            if parent >= 0:
                found[parent].append(bone)
        return tuple(tuple(one) for one in found)

    def chain(self, bone: int) -> list[int]:
        """Return the way from the top of the tree down to ``bone``, both included."""
        way = [bone]
        while self.parents[way[-1]] >= 0:
            way.append(self.parents[way[-1]])
        return way[::-1]

    def below(self, bone: int) -> list[int]:
        """Return ``bone`` and all that hangs from it, nearest first."""
        found = [bone]
        for one in found:
            found.extend(self.children[one])
        return found

    def common_ancestor(self, bones: list[int]) -> int:
        """Return the nearest bone that all of ``bones`` hang from, -1 where there is none; a bone is not its own."""
        ways = [self.chain(bone)[:-1] for bone in bones]
        common = -1
        for level in zip(*ways, strict=False):
            if len(set(level)) > 1:
                break
            common = level[0]
        return common


def bone_tree(armature: bpy.types.Object) -> BoneTree:
    """Return the tree of an armature's bones, in the world as the object stands now."""
    bones = armature.data.bones
    count = len(bones)
    world = np.array(armature.matrix_world, dtype=np.float64)
    ends = []
    for name in ("head_local", "tail_local"):
        flat = np.empty(3 * count, dtype=np.float32)
        bones.foreach_get(name, flat)
        ends.append(flat.reshape(-1, 3).astype(np.float64) @ world[:3, :3].T + world[:3, 3])
    index = {bone.name: at for at, bone in enumerate(bones)}
    axes = world[:3, :3].T / np.maximum(np.linalg.norm(world[:3, :3].T, axis=1, keepdims=True), 1e-12)
    return BoneTree(
        names=tuple(bone.name for bone in bones),
        parents=tuple(-1 if bone.parent is None else index[bone.parent.name] for bone in bones),
        heads=ends[0],
        tails=ends[1],
        side_axes=axes,
        connected=tuple(bone.parent is not None and bone.use_connect for bone in bones),
        deform=tuple(bone.use_deform for bone in bones),
    )


def rest_matrix(bone: bpy.types.Bone) -> FloatArray:
    """Return the bone's rest transform ``(4, 4)`` in its parent's frame, in armature units."""
    own = np.array(bone.matrix_local, dtype=np.float64)
    return own if bone.parent is None else np.linalg.solve(np.array(bone.parent.matrix_local, dtype=np.float64), own)
