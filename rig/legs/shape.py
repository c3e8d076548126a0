# SPDX-License-Identifier: GPL-3.0-or-later
"""Legs by the shape of the skeleton: chains that run down from the body to the ground, in mirrored pairs. No bpy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from bpy.app.translations import pgettext_n as n_

from ...solver.rotations import FloatArray
from .bone_tree import BoneTree
from .floating_feet import floating_feet
from .hock import with_hock
from .motion import Motion
from .names import BoneName, is_no_leg
from .parts import ON_GROUND, Leg

# A chain's end has to come this low, as a share of its top's height: legs without feet do, hanging arms don't.
_REACHES_DOWN = 0.25
# How far the two of a pair may be from mirroring each other, as a share of the skeleton's size: marker data is crooked.
_CROOKED = 0.1
# A leg is no shorter than this share of the skeleton's size: fingers are. Of one that is longer than _LONG times its
# height, as a centipede is, the height counts.
_SHORTEST, _LONG = 0.1, 4.0
# A bone shorter than this share of its chain, at its top, only leads from the body to the hip; so does one of these.
_LEADS_TO_HIP = 0.12
_SHOULDERS = frozenset(("shoulder", "scapula", "clavicle"))
# An axis is taken for straighter than the armature's own from this difference on, as a share of the skeleton's size.
_CLEARLY = 0.02
# A body that begins below this share of where its limbs do sits on the ground, or floats over it; a bone that takes
# more than this share of its rise is a root's, not the body's.
_LOW_BODY, _ROOT_RISE = 0.6, 0.6
# A leg begins at this share of its body's height at least: where its foot hangs from it, and where it floats.
_STARTS_HIGH = (0.5, 0.3)
# As many bones are enough to tell how crooked a skeleton is.
_FEW = 100
# What ends steeper than this (sine) only hangs; what begins this many times as high as the legs is no leg if it hangs.
_POINTS_DOWN = 0.75
_HIGH_ABOVE = 1.3
# One that has no partner on the other side is a leg where its bones are as long as another leg's, and begins as high:
# so near, as a share of that leg's length.
_ALIKE = 0.15


@dataclass(frozen=True)
class _Chain:
    """Bones from the hip down. The last ``floating`` of them do not hang from the others: a foot moved by itself."""

    bones: list[int]
    floating: int = 0


_Pair = tuple[_Chain, _Chain]


def legs_by_shape(tree: BoneTree, names: Sequence[BoneName], motion: Motion | None = None) -> list[Leg]:
    """Return the legs by shape: those with a partner on the other side, and those like them.

    motion : what the bones do in a clip, where there is one: it tells whose a foot is that hangs from no leg.
    """
    for axis in mirror_axes(tree):
        legs = _pairs_across(tree, names, axis, motion)
        if legs:
            return legs
    return _only_leg(tree, names)


def mirror_axes(tree: BoneTree) -> list[FloatArray]:
    """Return level axes that may run from side to side, the likeliest first: the armature's own, then any other."""
    level = [axis for axis in tree.side_axes if abs(axis[2]) < 0.7]
    around, crooked = _level_axes(tree, np.arange(0.0, 180.0, 5.0))
    best = around[crooked.argmin()]
    finer = np.degrees(np.arctan2(best[1], best[0])) + np.arange(-2.0, 2.5, 1.0)
    around, crooked = _level_axes(tree, finer)
    best, of_best = around[crooked.argmin()], crooked.min()
    if not level:
        return [best]
    of_own = _crookedness(tree, np.array(level))
    own = [level[at] for at in np.argsort(of_own, kind="stable")]
    size = float(np.ptp(tree.heads, axis=0).max())
    return [best, *own] if of_best < of_own.min() - _CLEARLY * size else [*own, best]


def _level_axes(tree: BoneTree, degrees: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the level axes ``(A, 3)`` at these angles ``(A,)``, and how crooked the armature is across each."""
    angles = np.radians(degrees)
    axes = np.stack([np.cos(angles), np.sin(angles), np.zeros_like(angles)], axis=-1)
    return axes, _crookedness(tree, axes)


def _crookedness(tree: BoneTree, axes: FloatArray) -> FloatArray:
    """Return how far in metres ``(A,)``, on average, bones without children end from where one across each axis
    ``(A, 3)`` does."""
    leaves = [bone for bone, children in enumerate(tree.children) if not children]
    # Of control rigs, whose bones lie in heaps, a few tell as much.
    points = tree.tails[leaves[:: len(leaves) // _FEW + 1]]
    sides = points @ axes.T - np.median(tree.heads @ axes.T, axis=0)
    mirrored = points - 2.0 * sides.T[..., None] * axes[:, None]
    partners = tree.tails[leaves]
    squares = np.sum(mirrored**2, axis=-1)[..., None] + np.sum(partners**2, axis=1) - 2.0 * mirrored @ partners.T
    return np.asarray(np.sqrt(np.maximum(squares.min(axis=-1), 0.0)).mean(axis=-1))


def _pairs_across(tree: BoneTree, names: Sequence[BoneName], axis: FloatArray, motion: Motion | None) -> list[Leg]:
    """Return the legs that mirror each other across the plane at right angles to ``axis``, and those like them."""
    # Not the tails: those of bones without children are often made up.
    floor = float(tree.heads[:, 2].min())
    size = float(np.ptp(tree.heads, axis=0).max())
    middle = float(np.median(tree.heads @ axis))
    mirrored = mirrored_leaves(tree, axis, middle, size)
    bodies: dict[int, int] = {}
    ways: dict[int, list[int]] = {}
    for ends in mirrored:
        for end in ends:
            bodies[end] = tree.common_ancestor(list(ends))
            ways[end] = tree.chain(end)[len(tree.chain(bodies[end])) if bodies[end] >= 0 else 0 :]
    feet = floating_feet(tree, names, ways, bodies, motion)
    pairs: list[_Pair] = []
    for one, other in mirrored:
        body = bodies[one]
        if body < 0 or _sits(tree, body, floor):
            continue
        left, right = (_leg_to(tree, names, ways[end], body, floor, feet.get(end, [])) for end in (one, other))
        if left and right and not any(is_no_leg(names[bone]) for bone in left.bones + right.bones):
            pairs.append((left, right))
    if any(_moves_mesh(tree, pair) for pair in pairs):
        pairs = [pair for pair in pairs if _moves_mesh(tree, pair)]
    pairs = _without_drapes(tree, _one_chain_a_foot(tree, pairs))
    legs: list[Leg] = []
    for left, right in pairs:
        where = _joints(tree, left)
        alike = len(left.bones) == len(right.bones) and left.floating == right.floating
        legs.append(_leg(tree, names, left, where, floor))
        legs.append(_leg(tree, names, right, where if alike else _joints(tree, right), floor))
    return legs + [_leg(tree, names, chain, _joints(tree, chain), floor) for chain in _like_them(tree, names, pairs)]


def _like_them(tree: BoneTree, names: Sequence[BoneName], pairs: Sequence[_Pair]) -> list[_Chain]:
    """Return the legs that have no partner on the other side but are made as one of the pairs, as a tripod's third."""
    floor = float(tree.heads[:, 2].min())
    taken = {bone for pair in pairs for chain in pair for bone in chain.bones}
    found: list[_Chain] = []
    for end, children in enumerate(tree.children):
        way = tree.chain(end)
        if children or not taken.isdisjoint(way):
            continue
        for (chain, _), bones in ((pair, way[-len(pair[0].bones) :]) for pair in pairs if not pair[0].floating):
            lengths, others = _lengths(tree, bones), _lengths(tree, chain.bones)
            near = _ALIKE * float(others.sum())
            rise = abs(float(tree.heads[bones[0], 2] - tree.heads[chain.bones[0], 2]))
            same = len(lengths) == len(others) and np.abs(lengths - others).max() < near and rise < near
            body = tree.parents[chain.bones[0]] == tree.parents[bones[0]]
            if same and body and _runs_down(tree, bones, floor) and not any(is_no_leg(names[bone]) for bone in bones):
                found.append(_Chain(bones))
                taken.update(bones)
                break
    return found


def _without_drapes(tree: BoneTree, pairs: Sequence[_Pair]) -> list[_Pair]:
    """Leave out skirts, capes and long hair: they end straight, and hang where the legs do or from high above."""
    footed = [pair for pair in pairs if _has_foot(tree, pair[0].bones)]
    tops = [float(tree.heads[pair[0].bones[0], 2]) for pair in footed]
    bodies = {tree.parents[pair[0].bones[0]] for pair in footed}
    floor = float(tree.heads[:, 2].min())

    def is_drape(pair: _Pair) -> bool:
        top = pair[0].bones[0]
        high = bool(tops) and tree.heads[top, 2] - floor > _HIGH_ABOVE * (min(tops) - floor)
        return pair not in footed and bool(footed) and (high or tree.parents[top] in bodies)

    return [pair for pair in pairs if not is_drape(pair)]


def _has_foot(tree: BoneTree, bones: Sequence[int]) -> bool:
    """Whether a chain that comes down ends in something that points another way."""
    path = _path(tree, bones)
    parts = np.diff(path, axis=0)
    lengths = np.linalg.norm(parts, axis=-1)
    long = parts[lengths > 0.0] / lengths[lengths > 0.0, None]
    return bool(len(long) > 2 and (long[2:, 2] > -_POINTS_DOWN).any())


def _only_leg(tree: BoneTree, names: Sequence[BoneName]) -> list[Leg]:
    """Return the one leg of a body that has one: it comes down from where the body branches, and ends in a foot."""
    floor = float(tree.heads[:, 2].min())
    found: list[_Chain] = []
    for end, children in enumerate(tree.children):
        branches = [bone for bone in tree.chain(end)[:-1] if len(tree.children[bone]) > 1]
        if children or not branches:
            continue
        way = tree.chain(end)
        chain = _leg_to(tree, names, way[way.index(branches[-1]) + 1 :], branches[-1], floor, [])
        long = chain and _lengths(tree, chain.bones).sum() >= _SHORTEST * float(np.ptp(tree.heads, axis=0).max())
        if chain and long and _has_foot(tree, chain.bones) and not any(is_no_leg(names[bone]) for bone in chain.bones):
            found.append(chain)
    if len(found) != 1:
        return []
    leg = _leg(tree, names, found[0], _joints(tree, found[0]), floor)
    return [replace(leg, confidence=0.4, reason=n_("by its shape: nothing else runs from the body to the ground"))]


def _moves_mesh(tree: BoneTree, pair: _Pair) -> bool:
    return all(tree.deform[bone] for chain in pair for bone in chain.bones[:3])


def mirrored_leaves(tree: BoneTree, axis: FloatArray, middle: float, size: float) -> list[tuple[int, int]]:
    """Return pairs of bones without children whose tails are each other's nearest mirror image."""
    leaves = [bone for bone, children in enumerate(tree.children) if not children]
    points = tree.tails[leaves]
    sides = points @ axis - middle
    mirrored = points - 2.0 * sides[:, None] * axis
    distances = np.linalg.norm(mirrored[:, None] - points[None], axis=-1)
    # Control rigs have several bones in one place: the partner is one of the same kind, as deep in the tree.
    depths = np.array([len(tree.chain(bone)) for bone in leaves])
    distances = distances + 1e-4 * size * np.abs(depths[:, None] - depths[None])
    deform = np.array(tree.deform)[leaves]
    partners = (sides[:, None] * sides[None] < 0.0) & (deform[:, None] == deform[None])
    distances = np.where(partners, distances, np.inf)
    nearest = np.argmin(distances, axis=1)
    return [
        (leaves[at], leaves[to])
        for at, to in enumerate(nearest)
        if at < to and nearest[to] == at and distances[at, to] < _CROOKED * size
    ]


def _leg_to(
    tree: BoneTree, names: Sequence[BoneName], way: Sequence[int], body: int, floor: float, foot: Sequence[int]
) -> _Chain | None:
    """Return the leg that is the way from below ``body`` to an end, with its floating foot; None where it is no leg."""
    bones = list(way)
    floating = [] if _runs_down(tree, bones, floor) else list(foot)
    bones = bones + floating
    while len(bones) > 3:
        lengths = _lengths(tree, bones)
        # A bone that starts in its partner's place is the body's still.
        long = lengths[0] >= _LEADS_TO_HIP * lengths.sum() and not _starts_twice(tree, bones[0], body)
        if long and (len(bones) - len(floating) < 4 or _SHOULDERS.isdisjoint(names[bones[0]].words)):
            break
        bones = bones[1:]
    if len(bones) - len(floating) < 2 or not _runs_down(tree, bones, floor):
        return None
    low = min(floor, float(_path(tree, bones)[2:, 2].min()))
    extent = np.ptp(tree.heads, axis=0)
    if _lengths(tree, bones).sum() < _SHORTEST * float(min(extent.max(), _LONG * extent[2])):
        return None
    # Of a leg that has a foot of its own on the ground, less is asked: backs may be high.
    high = _STARTS_HIGH[bool(floating)]
    starts_high = tree.heads[bones[0], 2] - low >= high * (tree.heads[body, 2] - low)
    return _Chain(bones, len(floating)) if starts_high else None


def _sits(tree: BoneTree, body: int, floor: float) -> bool:
    """Whether a body begins near the ground and rises bone by bone, as a torso does: what hangs from it are arms.

    A root bone that reaches from the ground to the hips begins no body.
    """
    heights = tree.heads[tree.chain(body), 2] - floor
    rise = float(heights[-1] - heights[0])
    low = heights[0] <= _LOW_BODY * heights[-1]
    return bool(len(heights) > 2 and low and rise > 0.0 and np.diff(heights).max() < _ROOT_RISE * rise)


def _starts_twice(tree: BoneTree, bone: int, body: int) -> bool:
    """Whether another bone below the body starts where ``bone`` does, as both halves of a pelvis do."""
    same = np.linalg.norm(tree.heads - tree.heads[bone], axis=-1) <= 1e-4 * np.ptp(tree.heads, axis=0).max()
    return any(other != bone and tree.parents[other] == body for other in np.flatnonzero(same))


def _path(tree: BoneTree, chain: Sequence[int]) -> FloatArray:
    """Return the joints of a chain ``(N + 1, 3)``: the heads, and the tail of the last."""
    return np.concatenate([tree.heads[list(chain)], tree.tails[chain[-1]][None]])


def _lengths(tree: BoneTree, chain: Sequence[int]) -> FloatArray:
    return np.linalg.norm(np.diff(_path(tree, chain), axis=0), axis=-1)


def _runs_down(tree: BoneTree, bones: Sequence[int], floor: float) -> bool:
    """Whether a chain is long enough to be a leg and comes down to the ground."""
    if len(bones) < 3:
        return False
    path = _path(tree, bones)
    top, low = float(path[:-1, 2].max() - floor), float(path[2:, 2].min() - floor)
    return low <= _REACHES_DOWN * top and path[0, 2] - path[2:, 2].min() > 0.0


def _one_chain_a_foot(tree: BoneTree, pairs: Sequence[_Pair]) -> list[_Pair]:
    """Keep the longest of the chains that share most of their way: the toes of one foot."""
    kept: list[_Pair] = []
    for pair in sorted(pairs, key=lambda pair: float(_lengths(tree, pair[0].bones).sum()), reverse=True):
        bones = pair[0].bones
        lengths = _lengths(tree, bones)
        shared = [
            sum(length for bone, length in zip(bones, lengths, strict=True) if bone in other.bones) for other, _ in kept
        ]
        if all(one < 0.5 * lengths.sum() for one in shared):
            kept.append(pair)
    return kept


def _joints(tree: BoneTree, chain: _Chain) -> tuple[int, int, int]:
    """Return where in ``chain`` knee, heel and toe are; a toe past the last bone is the tip.

    The toe is the first joint on the ground. Knee and heel are the two joints between that leave most of the chain's
    length when all others are straightened out, so never those of twist bones; of equals, those that halve the leg. The
    heel of a foot that floats is where that foot begins.
    """
    path = _path(tree, chain.bones)
    count = len(chain.bones)
    low = float(path[2:, 2].min())
    limit = low + ON_GROUND * float(path[0, 2] - low)
    toe = next((at for at in range(3, count) if path[at, 2] <= limit), max(3, count - 1))
    heels = range(2, toe)
    if chain.floating:
        heels = range(count - chain.floating, count - chain.floating + 1)
        toe = heels[0] + 1

    def straightened(knee_and_heel: tuple[int, int]) -> float:
        corners = path[[0, *knee_and_heel, toe]]
        parts = np.linalg.norm(np.diff(corners, axis=0), axis=-1)
        return float(parts.sum() - 0.02 * abs(parts[0] - parts[1]))

    knee, heel = max(((knee, heel) for heel in heels for knee in range(1, heel)), key=straightened)
    return knee, heel, toe


def _leg(tree: BoneTree, names: Sequence[BoneName], chain: _Chain, where: tuple[int, int, int], floor: float) -> Leg:
    knee, heel, toe = where
    bones = chain.bones
    path = _path(tree, bones)
    confidence, reason = 0.65, n_("by its shape: it runs from the body to the ground")
    if chain.floating:
        confidence, reason = 0.5, n_("by its shape; its foot does not hang from it")
    elif path[2:, 2].min() - floor > ON_GROUND * (path[0, 2] - floor):
        confidence, reason = 0.4, n_("by its shape; it ends above the ground")
    leg = Leg(
        side=names[bones[0]].side or names[bones[-1]].side,
        hip=bones[0],
        knee=bones[knee],
        heel=bones[heel],
        toe=bones[toe] if toe < len(bones) else -1,
        toe_end=bones[toe + 1] if toe + 1 < len(bones) else -1,
        confidence=confidence,
        reason=reason,
    )
    return with_hock(tree, leg, bones)
