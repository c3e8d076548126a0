# SPDX-License-Identifier: GPL-3.0-or-later
"""Which nodes of a glTF file are a skeleton's joints: Blender makes bones of joints only.

An engine moves nodes, whatever they are. Files come without skins, and with a skin for the head alone while legs and
arms are plain nodes beside it. What moves with a skeleton is a part of it, in the copy that Blender reads.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..solver.rotations import FloatArray
from .gltf import Additions, Gltf
from .gltf_motion import Tree, locals_of, matrices_of, target_of, tree_of
from .json_text import Edit

# A node with one of these is an object of the scene: a sword in a hand is no bone of the hand.
_OBJECTS = ("mesh", "camera", "extensions")


def joints_of_what_moves(gltf: Gltf, added: Additions) -> list[Edit]:
    """Return edits that make joints of the moving nodes that belong to a skeleton, and of what hangs from them.

    added : takes the inverse bind matrices of the joints.
    """
    moving = {
        target[0]
        for animation in gltf.items("animations")
        for channel in animation.get("channels", [])
        if (target := target_of(channel)) is not None
    }
    if not gltf.items("skins"):
        return _skin_of(gltf, moving)
    return list(_completed_skins(gltf, moving, added))


def _skin_of(gltf: Gltf, moving: set[int]) -> list[Edit]:
    """Return the edit that adds a skin of moving nodes to a file that has none."""
    if len(moving) < 2:
        return []
    tree = tree_of(gltf)
    # A node that nothing hangs from is where a limb ends, whether it moves or not.
    joints = {node for one in moving for node in tree.line_of(one)}
    joints |= {node for joint in joints for node in tree.below(joint)}
    roots = sorted(joint for joint in joints if tree.parents[joint] < 0)
    if len(roots) == 1 and len(joints) > 2:
        joints.discard(roots[0])  # it becomes the armature
    return [Edit(("skins", None), {"joints": sorted(joints)})]


def _completed_skins(gltf: Gltf, moving: set[int], added: Additions) -> Iterator[Edit]:
    """Yield the edits that give each skeleton the limbs that its skins leave out."""
    tree = tree_of(gltf)
    taken = {joint for skin in gltf.items("skins") for joint in skin["joints"]}
    for at, skin in enumerate(gltf.items("skins")):
        new = _left_out(gltf, tree, set(skin["joints"]), taken, moving)
        if not new:
            continue
        taken |= new
        joints = [*skin["joints"], *sorted(new)]
        completed = {**skin, "joints": joints}
        completed.pop("skeleton", None)  # the new joints need not be below it
        if "inverseBindMatrices" in skin:
            binds = _binds(gltf, tree, skin, new)
            inverse = np.linalg.inv(np.stack([binds[joint] for joint in joints]))
            completed["inverseBindMatrices"] = added.add(np.swapaxes(inverse, 1, 2).reshape(-1, 16), "MAT4")
        yield Edit(("skins", at), completed)


def _left_out(gltf: Gltf, tree: Tree, joints: set[int], taken: set[int], moving: set[int]) -> set[int]:
    """Return the nodes that move with a skin's skeleton and are no joints.

    They are branches with at least two moving nodes in a line, such as a leg, that hang from a joint or from a moving
    node that carries joints; and in the latter case that node and all down to the joints.
    """
    carriers = {node for joint in joints for node in tree.line_of(joint)[:-1]}
    anchors = joints | (carriers & moving)
    found: set[int] = set()
    for node, parent in enumerate(tree.parents):
        if parent not in anchors or node in taken or node in carriers:
            continue
        branch = set(_plain_branch(gltf, tree, node)) - taken
        if not any(len(moving.intersection(tree.line_of(one), branch)) > 1 for one in branch):
            continue
        found |= branch
        if parent not in joints:
            found |= {one for one in carriers if parent in tree.line_of(one)}
    return found - taken


def _plain_branch(gltf: Gltf, tree: Tree, node: int) -> Iterator[int]:
    """Yield a node and what hangs from it, without objects and what hangs from those."""
    if any(kind in gltf.items("nodes")[node] for kind in _OBJECTS):
        return
    yield node
    for child in tree.children(node):
        yield from _plain_branch(gltf, tree, child)


def _binds(gltf: Gltf, tree: Tree, skin: dict[str, Any], new: set[int]) -> dict[int, FloatArray]:
    """Return the bind matrices (4, 4) of a skin's joints, and of new ones as they stand to these in the file."""
    stored = gltf.values(skin["inverseBindMatrices"]).reshape(-1, 4, 4)
    found = dict(zip(skin["joints"], np.linalg.inv(np.swapaxes(stored, 1, 2)), strict=True))

    def own(node: int) -> FloatArray:
        return matrices_of(locals_of(gltf, {}, node, np.zeros(1)))[0]

    for joint in skin["joints"]:
        child = joint
        while (parent := tree.parents[child]) in new and parent not in found:
            found[parent] = found[child] @ np.linalg.inv(own(child))
            child = parent
    for node in sorted(new, key=lambda one: len(tree.line_of(one))):
        if node not in found:
            found[node] = found[tree.parents[node]] @ own(node)
    return found
