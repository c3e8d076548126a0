# SPDX-License-Identifier: GPL-3.0-or-later
"""The hands of any armature, each with the arm that it ends: by the names of its bones, else by its shape. No bpy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from bpy.app.translations import pgettext_n as n_

from ...solver.rotations import FloatArray
from .bone_tree import BoneTree
from .names import ArmPart, BoneName, arm_part, finger_rank, holds_something, is_body, is_end, is_no_leg
from .parts import Leg, leg_length, one_of_each
from .shape import mirror_axes, mirrored_leaves

# The bones from shoulder to wrist have at least this share of all that lead to the hand: a collarbone has no more.
_MOST_OF_ARM = 0.6
# A finger ends no farther from the wrist than this share of the forearm's length; what does is held in the hand.
_FINGER = 0.95
# Knuckles are from this share of the way from wrist to fingertip on: bones that begin before are the palm's.
_PALM = 0.3
# What the hand's own bone points by (cosine against the forearm) is where the hand is, unless it is made up.
_POINTS_ON = 0.5
# How sure an arm is that is told by its shape, and why: without and with fingers.
_SEEN = {
    False: (0.45, n_("by its shape: nothing else reaches out so far")),
    True: (0.65, n_("by its shape: it ends in fingers")),
}
# Bodies on more legs than this have no arms unless their names say so.
_LEGS_OF_A_BIPED = 2


def hands_of(tree: BoneTree, names: Sequence[BoneName], legs: Sequence[Leg]) -> list[Leg]:
    """Return the arms, of which no bone is a leg's: hip, knee and heel are upper arm, forearm and hand."""
    taken = {bone for leg in legs for bone in tree.below(leg.hip)}
    found = [hand for hand in _by_name(tree, names) if not taken & set(tree.below(hand.hip))]
    if not found and len(legs) <= _LEGS_OF_A_BIPED:
        found = _by_shape(tree, names, taken, [tree.parents[leg.hip] for leg in legs])
    return found


def arm_above(tree: BoneTree, names: Sequence[BoneName], hand: int) -> Leg | None:
    """Return the arm, or another limb, that ends in the bone ``hand``, by names or lengths; None if it is too short."""
    above = _above(tree, names, hand)
    if len(above) < 2:
        return None
    upper, elbow = _arm_among(tree, names, above, hand)
    return _hand(tree, names, (upper, elbow, hand), 1.0, n_("by the bone that was selected"))


def _by_name(tree: BoneTree, names: Sequence[BoneName]) -> list[Leg]:
    found: list[Leg] = []
    for bone, name in enumerate(names):
        if arm_part(name) is not ArmPart.HAND or not name.side:
            continue
        above = _above(tree, names, bone)
        # The topmost is the wrist: a hand that hangs from a wrist is not counted twice.
        if len(above) < 2 or any(arm_part(names[one]) is ArmPart.HAND for one in above):
            continue
        upper, elbow = _arm_among(tree, names, above, bone)
        sure = any(arm_part(names[one]) is not None for one in (upper, elbow))
        hand = _hand(tree, names, (upper, elbow, bone), 0.95 if sure else 0.8, n_("by the names of its bones"))
        if leg_length(tree, hand) > 0.0:
            found.append(hand)
    return one_of_each(tree, found)


def _above(tree: BoneTree, names: Sequence[BoneName], hand: int) -> list[int]:
    """Return the bones of the hand's side that lead to it, from the body on: that branches, where no side is told."""
    above: list[int] = []
    side = names[hand].side
    for bone in reversed(tree.chain(hand)[:-1]):
        branches = len(tree.children[bone]) > 1 and len(above) > 1
        if names[bone].side != side or is_body(names[bone]) or (not side and branches):
            break
        above.insert(0, bone)
    return above


def _arm_among(tree: BoneTree, names: Sequence[BoneName], above: Sequence[int], hand: int) -> tuple[int, int]:
    """Return upper arm and forearm among the bones above a hand: as named, else what halves the arm best."""
    elbows = [bone for bone in above[1:] if arm_part(names[bone]) is ArmPart.FOREARM][:1]
    uppers = [bone for bone in above[:-1] if arm_part(names[bone]) is ArmPart.UPPER_ARM][:1]
    heads = tree.heads[[*above, hand]]
    total = float(np.linalg.norm(np.diff(heads, axis=0), axis=-1).sum())

    def uneven(pair: tuple[int, int]) -> tuple[bool, float]:
        one, other = (float(np.linalg.norm(tree.heads[b] - tree.heads[a])) for a, b in (pair, (pair[1], hand)))
        return one + other < _MOST_OF_ARM * total, abs(one - other)

    pairs = [
        (upper, elbow)
        for at, upper in enumerate(above)
        for elbow in above[at + 1 :]
        if (not uppers or upper in uppers) and (not elbows or elbow in elbows)
    ]
    if not pairs:
        pairs = [(upper, elbow) for at, upper in enumerate(above) for elbow in above[at + 1 :]]
    return min(pairs, key=uneven)


def _by_shape(tree: BoneTree, names: Sequence[BoneName], taken: set[int], hips: Sequence[int]) -> list[Leg]:
    """Return the pair of chains that mirror each other and reach out farthest; those with fingers before others."""
    axis = mirror_axes(tree)[0]
    size = float(np.ptp(tree.heads, axis=0).max())
    middle = float(np.median(tree.heads @ axis))
    best: list[Leg] = []
    farthest = (False, 0.0)
    for pair in mirrored_leaves(tree, axis, middle, size):
        body = tree.common_ancestor(list(pair))
        ways = [tree.chain(end)[tree.chain(end).index(body) + 1 :] if body >= 0 else [] for end in pair]
        if body in hips or taken & set(pair) or any(is_no_leg(names[bone]) for way in ways for bone in way):
            continue
        arms = [_arm_on(tree, names, way) for way in ways]
        if not all(arms):
            continue
        wrists = [arm[2] for arm in arms if arm]
        fingers = all(len(tree.children[wrist]) > 1 for wrist in wrists)
        reach = (fingers, float(np.abs(tree.heads[wrists] @ axis - middle).min()))
        if reach > farthest:
            sure, how = _SEEN[fingers]
            farthest, best = reach, [_hand(tree, names, arm, sure, how) for arm in arms if arm]
    return best


def _arm_on(tree: BoneTree, names: Sequence[BoneName], way: Sequence[int]) -> tuple[int, int, int] | None:
    """Return upper arm, forearm and hand on the way from the body to a fingertip: the hand branches, or is the last."""
    wrist = next((at for at, bone in enumerate(way) if at >= 2 and len(tree.children[bone]) > 1), len(way) - 1)
    return (*_arm_among(tree, names, way[:wrist], way[wrist]), way[wrist]) if wrist >= 2 else None


def _hand(tree: BoneTree, names: Sequence[BoneName], arm: tuple[int, int, int], confidence: float, reason: str) -> Leg:
    upper, elbow, hand = arm
    return Leg(names[hand].side, upper, elbow, hand, _knuckle(tree, names, elbow, hand), -1, confidence, reason)


def _knuckle(tree: BoneTree, names: Sequence[BoneName], elbow: int, hand: int) -> int:
    """Return the bone that begins at the knuckle of the middle finger, by name, else of the longest but the thumb.

    Without fingers -1, for the tip of the hand's bone, or the hand's bone itself where its tip is made up.
    """
    wrist = tree.heads[hand]
    forearm = wrist - tree.heads[elbow]
    fingers: list[tuple[int, float, int]] = []

    def moves(bone: int) -> bool:
        """Whether a bone moves the mesh, as far as the hand does."""
        return tree.deform[bone] or not tree.deform[hand]

    for end in tree.below(hand)[1:]:
        way = tree.chain(end)[len(tree.chain(hand)) :]
        if tree.children[end] or any(holds_something(names[bone]) for bone in way) or not moves(end):
            continue
        tip = tree.heads[end] if is_end(names[end]) and len(way) > 1 else tree.tails[end]
        distance = float(np.linalg.norm(tip - wrist))
        far = [bone for bone in way if moves(bone) and np.linalg.norm(tree.heads[bone] - wrist) >= _PALM * distance]
        if far and 0.0 < distance <= _FINGER * np.linalg.norm(forearm):
            fingers.append((finger_rank(names[far[0]]), distance, far[0]))
    if fingers:
        return max(fingers)[2]
    return -1 if _points_on(tree.tails[hand] - wrist, forearm) else hand


def _points_on(own: FloatArray, forearm: FloatArray) -> bool:
    lengths = np.linalg.norm(own), np.linalg.norm(forearm)
    return bool(own @ forearm >= _POINTS_ON * lengths[0] * lengths[1] and lengths[0] <= _FINGER * lengths[1])
