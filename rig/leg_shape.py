# SPDX-License-Identifier: GPL-3.0-or-later
"""Legs by the shape of the skeleton: chains that run down from the body to the ground, in mirrored pairs. No bpy."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from ..solver.rotations import FloatArray
from .bone_tree import BoneTree
from .leg_names import BoneName
from .leg_parts import ON_GROUND, Leg

# A chain's end has to come this low, as a share of its top's height: legs without their feet still do, hanging arms don't.
_REACHES_DOWN = 0.25
# How far the two of a pair may be from mirroring each other, as a share of the skeleton's size: marker data is crooked.
_CROOKED = 0.1
# A bone shorter than this share of its chain, at its top, only leads from the body to the hip.
_LEADS_TO_HIP = 0.12


def legs_by_shape(tree: BoneTree, names: Sequence[BoneName]) -> list[Leg]:
    """Return the legs by shape, as many as have a partner on the other side; empty where there are none."""
    best: list[Leg] = []
    for axis in tree.side_axes:
        if abs(axis[2]) < 0.7:
            legs = _pairs_across(tree, names, axis)
            best = legs if len(legs) > len(best) else best
    return best


def _pairs_across(tree: BoneTree, names: Sequence[BoneName], axis: FloatArray) -> list[Leg]:
    """Return the legs that mirror each other across the plane at right angles to ``axis``."""
    floor = float(min(tree.heads[:, 2].min(), tree.tails[:, 2].min()))
    size = float(np.ptp(tree.heads, axis=0).max())
    middle = float(np.median(tree.heads @ axis))
    chains: list[tuple[list[int], list[int]]] = []
    for one, other in _mirrored_ends(tree, axis, middle, size):
        body = tree.common_ancestor([one, other])
        if body < 0:
            continue
        pair = tuple(_from_the_hip(tree, tree.chain(end), body, axis, middle, size) for end in (one, other))
        if all(_runs_down(tree, chain, floor) for chain in pair):
            chains.append((pair[0], pair[1]))
    legs: list[Leg] = []
    for pair in _one_chain_a_foot(tree, chains):
        where = _joints(tree, pair[0], floor)
        for chain in pair:
            own = where if len(pair[0]) == len(pair[1]) else _joints(tree, chain, floor)
            legs.append(_leg(tree, names, chain, own, floor))
    return legs


def _mirrored_ends(tree: BoneTree, axis: FloatArray, middle: float, size: float) -> list[tuple[int, int]]:
    """Return pairs of bones without children whose ends are each other's nearest mirror image."""
    leaves = [bone for bone, children in enumerate(tree.children) if not children]
    ends = np.array([_low_end(tree, bone) for bone in leaves])
    sides = ends @ axis - middle
    off_middle = [at for at in range(len(leaves)) if abs(sides[at]) > 0.01 * size]
    if not off_middle:
        return []
    points = ends[off_middle]
    mirrored = points - 2.0 * sides[off_middle][:, None] * axis
    # Only across the plane, and the deeper of two bones that end in one place.
    distances = np.linalg.norm(mirrored[:, None] - points[None], axis=-1)
    across = sides[off_middle][:, None] * sides[off_middle][None] < 0.0
    distances = np.where(across, distances, np.inf)
    nearest = np.argmin(distances, axis=1)
    return [
        (leaves[off_middle[at]], leaves[off_middle[to]])
        for at, to in enumerate(nearest)
        if at < to and nearest[to] == at and distances[at, to] < _CROOKED * size
    ]


def _low_end(tree: BoneTree, bone: int) -> FloatArray:
    return tree.tails[bone] if tree.tails[bone, 2] < tree.heads[bone, 2] else tree.heads[bone]


def _path(tree: BoneTree, chain: Sequence[int]) -> FloatArray:
    """Return the joints of a chain ``(N + 1, 3)``: the heads, and the tail of the last."""
    return np.concatenate([tree.heads[list(chain)], tree.tails[chain[-1]][None]])


def _lengths(tree: BoneTree, chain: Sequence[int]) -> FloatArray:
    return np.linalg.norm(np.diff(_path(tree, chain), axis=0), axis=-1)


def _from_the_hip(
    tree: BoneTree, way: list[int], body: int, axis: FloatArray, middle: float, size: float
) -> list[int]:
    """Return the part of ``way`` below ``body`` that is the leg, without the bones that only lead to the hip."""
    chain = way[way.index(body) + 1 :]
    while len(chain) > 3:
        lengths = _lengths(tree, chain)
        leads = lengths[0] < _LEADS_TO_HIP * lengths.sum()
        if not leads and abs(tree.heads[chain[0]] @ axis - middle) > 0.01 * size:
            break
        chain = chain[1:]
    return chain


def _runs_down(tree: BoneTree, chain: Sequence[int], floor: float) -> bool:
    """Whether a chain is long enough to be a leg and comes down to the ground."""
    if len(chain) < 3:
        return False
    path = _path(tree, chain)
    top, low = float(path[:-1, 2].max() - floor), float(path[2:, 2].min() - floor)
    return low <= _REACHES_DOWN * top and path[0, 2] - path[2:, 2].min() > 0.0


def _one_chain_a_foot(
    tree: BoneTree, pairs: Sequence[tuple[list[int], list[int]]]
) -> list[tuple[list[int], list[int]]]:
    """Keep the longest of the chains that share most of their way: the toes of one foot."""
    kept: list[tuple[list[int], list[int]]] = []
    for pair in sorted(pairs, key=lambda pair: float(_lengths(tree, pair[0]).sum()), reverse=True):
        lengths = _lengths(tree, pair[0])
        shared = [
            sum(length for bone, length in zip(pair[0], lengths, strict=True) if bone in other) for other, _ in kept
        ]
        if all(one < 0.5 * lengths.sum() for one in shared):
            kept.append(pair)
    return kept


def _joints(tree: BoneTree, chain: Sequence[int], floor: float) -> tuple[int, int, int]:
    """Return where in ``chain`` knee, heel and toe are; a toe past the last bone is the tip.

    The toe is the first joint on the ground. Knee and heel are the two joints between that leave most of the chain's length
    when all others are straightened out, which twist bones never are; of equals, those that halve the leg.
    """
    path = _path(tree, chain)
    low = float(path[2:, 2].min())
    limit = low + ON_GROUND * float(path[0, 2] - low)
    toe = next((at for at in range(3, len(chain)) if path[at, 2] <= limit), max(3, len(chain) - 1))
    total = float(_lengths(tree, chain).sum())

    def straightened(knee_and_heel: tuple[int, int]) -> float:
        corners = path[[0, *knee_and_heel, toe]]
        parts = np.linalg.norm(np.diff(corners, axis=0), axis=-1)
        return float(parts.sum() - 0.02 * abs(parts[0] - parts[1]) - 1e-6 * total * knee_and_heel[1])

    knee, heel = max(combinations(range(1, toe), 2), key=straightened)
    return knee, heel, toe


def _leg(
    tree: BoneTree, names: Sequence[BoneName], chain: Sequence[int], where: tuple[int, int, int], floor: float
) -> Leg:
    knee, heel, toe = where
    path = _path(tree, chain)
    hangs = path[2:, 2].min() - floor > ON_GROUND * (path[0, 2] - floor)
    return Leg(
        side=names[chain[0]].side or names[chain[-1]].side,
        hip=chain[0],
        knee=chain[knee],
        heel=chain[heel],
        toe=chain[toe] if toe < len(chain) else -1,
        toe_end=chain[toe + 1] if toe + 1 < len(chain) else -1,
        confidence=0.4 if hangs else 0.65,
        reason="by its shape; it ends above the ground" if hangs else "by its shape: it runs from the body to the ground",
    )
