# SPDX-License-Identifier: GPL-3.0-or-later
"""Which limbs a body has, of all that names and shape offer: what its bones do in a clip decides. No bpy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ...solver.arrays import FloatArray
from .bone_tree import BoneTree
from .doubts import CARRIES
from .find_hands import hands_of
from .hock import with_hock
from .motion import Motion, evidence_in, heights_of_ends, on_the_spot, shares_down, usual_pose
from .names import BoneName, is_arm
from .parts import Leg, leg_length, legs_by_name, toe_by_place
from .shape import legs_by_shape

# Legs by shape are added to legs by name only this far from them, in leg lengths: front legs are, a skirt is not.
_APART = 0.4
# Legs whose hip, knee and heel are at rest within this share of their length from each other's are one.
_SAME_PLACE = 0.05
# A leg is down on this share of the frames at least: in a gallop they are on a quarter.
_LEG_DOWN = 0.1
# A foot that steps moves about its usual place on the body by more than this share of its leg's length.
_STEPS = 0.02
# How sure a leg is that steps and comes down in the clip.
_SEEN = 0.7
# Of a leg that stands in a pose as in the clip, knee and heel are as far below the hip, to this share of its length.
_STANDS_ALIKE = 0.25
# Of one that stands, the heel is lower than the hip by this share at least, and the joints are as far from each other
# as in the clip, to this share: floating feet need not.
_STANDS, _WHOLE = 0.4, 0.1
# What ends higher than this share of its hip's height at rest, beside legs that do not, and never comes down in a clip
# hangs in the air, as the fore-arms of a two-legged dinosaur.
_IN_THE_AIR = 0.3
# A leg hangs from its hip: usually the hip is over the foot's lowest point by this share of the leg's length, however
# splayed it is. What begins on the floor is a control of a foot, as those that roll it.
_BELOW_HIP = 0.1
# Shoulders stand over hands that carry weight: this far, as a share of the arm's length.
_OVER_HANDS = 0.5
# Hands carry weight that are down on this share of the frames, and on this share of those on which the feet are; and
# that usually are no higher above the ground than this share of their shoulders' height.
_HAND_DOWN, _OF_FEET_DOWN, _HAND_HEIGHT = 0.2, 0.5, 0.25
# Hands that are down on this share of the frames may carry weight for a while.
_HAND_TOUCHES = 0.1


@dataclass(frozen=True)
class Limbs:
    """Legs and arms by bone indices.

    arms : of which no bone is a leg's.
    carrying : the arms whose hands, with fingers, carry weight for most of the clip. Those without fingers are legs.
    touching : the arms whose hands come down for a while.
    """

    legs: list[Leg]
    arms: list[Leg]
    carrying: list[Leg]
    touching: list[Leg]


def limbs_of(tree: BoneTree, names: Sequence[BoneName], motion: Motion | None = None, hands: bool = False) -> Limbs:
    """Return the limbs of a body.

    hands : whether hands are asked for: arms that carry weight, which are front legs else, are arms then.
    motion : of the same bones in a clip; None, or bones that never move, leave the decision to the pose at rest.
    """
    motion = evidence_in(tree, motion)
    poses = [tree] if motion is None else [tree, usual_pose(tree, motion)]
    options = [
        _on_the_ground(tree, _below_hips(poses[-1], _one_of_each(tree, found)), motion)
        for pose in poses
        for found in [_legs_in(pose, names, motion, hands and pose is not tree)]
    ]
    # The pose at rest is first: of equals it is taken.
    best = max(range(len(options)), key=lambda at: _evidence_for(poses[at], options[at], poses[-1], motion))
    legs = _surer(poses[best], options[best], motion)
    arms = hands_of(tree, names, legs)
    named = all(is_arm(names[arm.knee]) or is_arm(names[arm.heel]) for arm in arms)
    if motion is None or not legs or not arms or not named:
        return Limbs(legs, arms, [], [])
    ends = [_end_bones(tree, limb) for limb in (*legs, *arms)]
    down = shares_down(motion, ends, [leg_length(tree, limb) for limb in (*legs, *arms)])
    of_feet, of_hands = down[: len(legs)], down[len(legs) :]
    heights = heights_of_ends(motion, ends)[:, len(legs) :]
    floors = np.stack([motion.heads[:, bones, 2].min(axis=1) for bones in ends], axis=-1).min(axis=1, keepdims=True)
    shoulders = motion.heads[:, [arm.hip for arm in arms], 2] - floors
    usual = np.median(shoulders, axis=0)
    low = np.median(heights, axis=0) <= _HAND_HEIGHT * usual
    low &= usual >= _OVER_HANDS * np.array([leg_length(tree, arm) for arm in arms])
    # One hand alone does not make a front leg.
    enough = max(_HAND_DOWN, _OF_FEET_DOWN * float(np.median(of_feet)))
    if not hands and bool(low.all()) and float(of_hands.min()) >= enough:
        front = [_as_leg(poses[-1], names, arm) for arm in arms if not _has_fingers(tree, arm)]
        fingered = [replace(arm, reason=CARRIES) for arm in arms if _has_fingers(tree, arm)]
        return Limbs(legs + front, fingered, fingered, [])
    touching = [arm for arm, share in zip(arms, of_hands, strict=True) if share >= _HAND_TOUCHES]
    return Limbs(legs, arms, [], touching)


def _one_of_each(tree: BoneTree, legs: list[Leg]) -> list[Leg]:
    """Leave out legs that lie on another one at rest: the chains of a control rig for the same leg.

    Of these the one stays whose bones deform; in a clip they need not be in the same place.
    """
    joints = [tree.heads[[leg.hip, leg.knee, leg.heel]] for leg in legs]
    by_deform = sorted(range(len(legs)), key=lambda at: not tree.deform[legs[at].knee])
    kept: list[int] = []
    for at in by_deform:
        near = _SAME_PLACE * leg_length(tree, legs[at])
        if all(np.linalg.norm(joints[at] - joints[other], axis=-1).max() > near for other in kept):
            kept.append(at)
    return [legs[at] for at in sorted(kept)]


def _below_hips(pose: BoneTree, legs: list[Leg]) -> list[Leg]:
    """Leave out legs that do not hang below their hips, beside two or more that do."""
    ends = [_end_bones(pose, leg) for leg in legs]
    lows = np.array([min(pose.heads[bones, 2].min(), pose.tails[bones[-1], 2]) for bones in ends])
    lengths = np.array([leg_length(pose, leg) for leg in legs])
    hang = pose.heads[[leg.hip for leg in legs], 2] - lows > _BELOW_HIP * lengths if legs else np.zeros(0)
    return legs if hang.sum() < 2 else [leg for leg, below in zip(legs, hang, strict=True) if below]


def _legs_in(pose: BoneTree, names: Sequence[BoneName], motion: Motion | None, hands: bool) -> list[Leg]:
    """Return the legs by their names and by the shape that the body has in a pose."""
    by_name = [with_hock(pose, leg) for leg in legs_by_name(pose, names)]
    by_shape = [leg for leg in legs_by_shape(pose, names, motion) if _comes_down(pose, leg, by_name, motion)]
    # Of a leg whose foot hangs elsewhere, the shape tells whether there is a hock.
    hocked = {(leg.hip, leg.heel): leg for leg in by_shape if leg.hock >= 0}
    by_name = [
        replace(leg, knee=shaped.knee, hock=shaped.hock) if (shaped := hocked.get((leg.hip, leg.heel))) else leg
        for leg in by_name
    ]
    if not by_name:
        arms = all(any(is_arm(names[bone]) for bone in (leg.hip, leg.knee, leg.heel)) for leg in by_shape)
        return [] if arms else by_shape
    if motion is not None:
        # Whether hands carry weight is asked of hands.
        by_shape = [leg for leg in by_shape if not (is_arm(names[leg.knee]) and (hands or _fingers_below(pose, leg)))]
    # A leg is found twice where both agree.
    more = [leg for leg in by_shape if all(_is_apart(pose, leg, other) for other in by_name)]
    if all(pose.deform[leg.hip] for leg in by_name):
        more = [leg for leg in more if pose.deform[leg.hip]]
    return by_name + more


def _comes_down(tree: BoneTree, leg: Leg, others: Sequence[Leg], motion: Motion | None) -> bool:
    """Whether a leg by its shape is down at times beside legs by their names, as tiny fore-arms never are."""
    if motion is None or not others:
        return True
    legs = [leg, *others]
    down = shares_down(motion, [_end_bones(tree, one) for one in legs], [leg_length(tree, one) for one in legs])
    return bool(down[0] >= _LEG_DOWN)


def _evidence_for(pose: BoneTree, legs: Sequence[Leg], usual: BoneTree, motion: Motion | None) -> tuple[int, int, bool]:
    """Return how many legs come down to the ground in the clip, less those that never do, how many of them step, and
    whether all stand in the pose in which they were found, or are as in the clip there: only then it tells their shape.
    """
    if motion is None or not legs:
        return len(legs), 0, False
    down, steps = _what_they_do(pose, legs, motion)
    lengths = np.array([leg_length(pose, leg) for leg in legs])
    hips, lower = [leg.hip for leg in legs], np.array([[leg.knee, leg.heel] for leg in legs])
    drops = [tree.heads[hips, 2][:, None] - tree.heads[lower, 2] for tree in (pose, usual)]
    alike = np.abs(drops[0] - drops[1]).max(axis=1) < _STANDS_ALIKE * lengths
    shins = [_shin(motion.heads, legs), _shin(pose.heads[None], legs)]
    whole = np.abs(np.median(shins[0], axis=0) - shins[1][0]) < _WHOLE * lengths
    stands = whole & (drops[0][:, 1] > _STANDS * lengths)
    return int(np.where(down, 1, -1).sum()), int(steps.sum()), bool((alike | stands).all())


def _shin(heads: FloatArray, legs: Sequence[Leg]) -> FloatArray:
    """Return the distance from knee to what follows it of each leg ``(F, L)``."""
    below = [leg.heel if leg.hock < 0 else leg.hock for leg in legs]
    return np.asarray(np.linalg.norm(heads[:, below] - heads[:, [leg.knee for leg in legs]], axis=-1))


def _what_they_do(pose: BoneTree, legs: Sequence[Leg], motion: Motion) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which legs come down to the ground in the clip, and which step ``(L,)``.

    What hangs down and never moves from where it is on the body does not step: a tail, a sword.
    """
    lengths = np.array([leg_length(pose, leg) for leg in legs])
    down = shares_down(motion, [_end_bones(pose, leg) for leg in legs], lengths.tolist()) >= _LEG_DOWN
    heads, _ = on_the_spot(pose, motion)
    moves = np.linalg.norm(heads[:, [leg.heel for leg in legs]].std(axis=0), axis=-1)
    return down, moves > _STEPS * lengths


def _surer(pose: BoneTree, legs: list[Leg], motion: Motion | None) -> list[Leg]:
    """Return the legs, surer of them where all come down in a clip and most step."""
    if motion is None or not legs:
        return legs
    down, steps = _what_they_do(pose, legs, motion)
    # The only leg always is the lowest.
    if len(legs) < 2 or not down.all() or steps.mean() < 0.5:
        return legs
    return [replace(leg, confidence=max(leg.confidence, _SEEN)) for leg in legs]


def _on_the_ground(tree: BoneTree, legs: list[Leg], motion: Motion | None) -> list[Leg]:
    """Leave out legs that hang in the air at rest, and in the clip, beside two or more that come down."""
    if len(legs) < 3:
        return legs
    floor = float(tree.heads[:, 2].min())
    ends = [_end_bones(tree, leg) for leg in legs]
    lows = np.array([min(tree.heads[bones, 2].min(), tree.tails[bones[-1], 2]) for bones in ends]) - floor
    hips = tree.heads[[leg.hip for leg in legs], 2]
    up = lows > _IN_THE_AIR * np.maximum(hips - floor, 0.0)
    lengths = np.array([leg_length(tree, leg) for leg in legs])
    if not (up | (hips - lows - floor > _STANDS * lengths)).all():
        return legs  # They lie at rest, which tells nothing.
    if motion is not None:
        up &= shares_down(motion, ends, lengths.tolist()) < _LEG_DOWN
    return legs if (~up).sum() < 2 else [leg for leg, hangs in zip(legs, up, strict=True) if not hangs]


def _is_apart(tree: BoneTree, leg: Leg, other: Leg) -> bool:
    if not set(tree.below(other.hip)).isdisjoint(tree.chain(leg.heel)):
        return False
    between = (tree.heads[leg.hip] - tree.heads[other.hip])[:2]
    across = tree.side_axes[0, :2]
    along = between - across * float(between @ across)
    return bool(np.linalg.norm(along) > _APART * leg_length(tree, other))


def _end_bones(tree: BoneTree, limb: Leg) -> list[int]:
    """Return the bones of a foot or hand: from the heel to the toe, whose tip counts too."""
    return [limb.heel] if limb.toe < 0 or limb.toe == limb.heel else [limb.heel, limb.toe]


def _has_fingers(tree: BoneTree, arm: Leg) -> bool:
    return sum(tree.deform[bone] for bone in tree.children[arm.heel]) > 1


def _fingers_below(tree: BoneTree, arm: Leg) -> bool:
    return any(sum(tree.deform[child] for child in tree.children[bone]) > 2 for bone in tree.below(arm.knee))


def _as_leg(pose: BoneTree, names: Sequence[BoneName], arm: Leg) -> Leg:
    """Return an arm as the front leg that it is."""
    toe = toe_by_place(pose, names, arm.heel)
    leg = replace(arm, toe=toe, toe_end=-1, confidence=_SEEN, reason=CARRIES)
    return with_hock(pose, leg)
