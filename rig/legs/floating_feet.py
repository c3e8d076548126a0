# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet that do not hang from their legs, as baked inverse kinematics and many game rigs have them. No bpy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from .bone_tree import BoneTree
from .motion import Motion, looseness
from .names import BoneName, is_aim

_ROWS = frozenset(("front", "fore", "back", "hind", "rear", "mid", "middle"))

# A foot of its own has no more bones than this: not a body's.
_FOOT_BONES = 25
# At rest it lies about under the chain's end: beside it by less than this share of the drop, and no farther from it
# than a shin would reach, _REACH times as long as the chain.
# Where a clip tells what moves with it, it may lie farther beside.
_BESIDE, _BESIDE_IN_MOTION, _REACH = 0.7, 1.5, 2.5
# A chain that a foot can belong to begins above it by this share of the chain's length.
_RISE = 0.25
# This many metres away count as much as one metre of looseness: what moves with a foot is its leg, wherever it rests.
_MOVES_WITH_IT = 20.0
# A leg that cannot reach its foot lets go of it by this share of its length, and so does one that is stretched.
_STRETCH = 0.03


def floating_feet(
    tree: BoneTree,
    names: Sequence[BoneName],
    ways: Mapping[int, Sequence[int]],
    bodies: Mapping[int, int],
    motion: Motion | None,
) -> dict[int, list[int]]:
    """Return the foot, from its ankle down, of each chain that has one below it that does not hang from it.

    A foot belongs to one chain only: of all chains, those that are whole among them, to the one whose end is nearest,
    and where there is a clip, moves with it. One that is named for another side or row is not its own.

    ways : the bones of each chain below the body that it hangs from, by its last bone.
    bodies : that body, by the same.
    """
    owners: dict[int, int] = {}
    found: dict[int, list[int]] = {}
    for end, bones in ways.items():
        own = [
            (_apart(tree, bones, foot, motion), foot)
            for foot in _feet_under(tree, bones, bodies[end], _BESIDE if motion is None else _BESIDE_IN_MOTION)
            if not is_aim(names[foot]) and owners.setdefault(foot, _owner(tree, names, ways, foot, motion)) in bones
        ]
        if own:
            found[end] = _to_the_ground(tree, min(own)[1])
    return _each_once(tree, ways, found, motion)


def _may_belong(one: BoneName, other: BoneName) -> bool:
    """Whether two names do not tell of different sides, or of a front and a back leg."""
    sides = {one.side, other.side} - {""}
    rows = {frozenset(row) for name in (one, other) if (row := _ROWS.intersection(name.words))}
    return len(sides) < 2 and len(rows) < 2


def _each_once(
    tree: BoneTree, ways: Mapping[int, Sequence[int]], found: dict[int, list[int]], motion: Motion | None
) -> dict[int, list[int]]:
    """Give a foot that several chains could have, since they share their last bones, to the nearest and longest."""
    taken: set[int] = set()
    kept: dict[int, list[int]] = {}
    for end in sorted(found, key=lambda end: (_apart(tree, ways[end], found[end][0], motion), -len(ways[end]))):
        if taken.isdisjoint(found[end]):
            kept[end] = found[end]
            taken.update(found[end])
    return kept


def _feet_under(tree: BoneTree, bones: Sequence[int], body: int, most_beside: float) -> list[int]:
    """Return the bones that may be a chain's foot: they hang from nothing or from what it hangs from, and lie under it.

    What is below a hanging arm is a whole leg: a foot is no longer than what it hangs under.
    """
    if len(bones) < 2:
        return []
    above = {-1, *tree.chain(body)}
    chain = [*tree.heads[list(bones)], tree.tails[bones[-1]]]
    reach = float(np.linalg.norm(np.diff(chain, axis=0), axis=-1).sum())
    end = tree.heads[bones[-1]]
    own = set(tree.below(bones[0]))
    feet: list[int] = []
    for foot, parent in enumerate(tree.parents):
        if parent not in above or foot in own or foot in above or not tree.deform[foot]:
            continue
        drop = float(end[2] - tree.heads[foot, 2])
        beside = float(np.linalg.norm((tree.heads[foot] - end)[:2]))
        if beside >= most_beside * drop or np.hypot(drop, beside) >= _REACH * reach:
            continue
        part = _to_the_ground(tree, foot)
        if len(tree.below(foot)) <= _FOOT_BONES and _length(tree, part) <= reach:
            feet.append(foot)
    return feet


def _owner(
    tree: BoneTree, names: Sequence[BoneName], ways: Mapping[int, Sequence[int]], foot: int, motion: Motion | None
) -> int:
    """Return the last bone of the chain that a foot belongs to, -1 where there is none."""
    height = float(tree.heads[foot, 2])
    # Another foot that floats begins no higher than this one does.
    chains = [
        bones
        for bones in ways.values()
        if len(bones) > 1
        and not {foot, *tree.below(foot)} & set(bones)
        and _may_belong(names[bones[-1]], names[foot])
        and tree.heads[bones[0], 2] - height > _RISE * _length(tree, bones)
    ]
    return min(chains, key=lambda bones: _apart(tree, bones, foot, motion), default=[-1])[-1]


def _apart(tree: BoneTree, bones: Sequence[int], foot: int, motion: Motion | None) -> float:
    """Return how far in metres a foot is from the last bone of a chain, and how loosely it moves with it."""
    last = list(bones[-2:])
    if motion is None:
        between = [np.linalg.norm(ends[last] - tree.heads[foot], axis=-1) for ends in (tree.heads, tree.tails)]
        return float(np.min(between))
    between = [
        np.linalg.norm(ends[:, last] - motion.heads[:, foot, None], axis=-1) for ends in (motion.heads, motion.tails)
    ]
    loose = max(0.0, float(looseness(motion, foot, last).min()) - _STRETCH * _length(tree, bones))
    return float(np.min(np.median(between, axis=1))) + _MOVES_WITH_IT * loose


def _to_the_ground(tree: BoneTree, foot: int) -> list[int]:
    lowest = tree.chain(min(tree.below(foot), key=lambda bone: float(tree.heads[bone, 2])))
    return lowest[lowest.index(foot) :]


def _length(tree: BoneTree, chain: Sequence[int]) -> float:
    path = np.concatenate([tree.heads[list(chain)], tree.tails[chain[-1]][None]])
    return float(np.linalg.norm(np.diff(path, axis=0), axis=-1).sum())
