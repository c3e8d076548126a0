# SPDX-License-Identifier: GPL-3.0-or-later
"""The limbs of any armature: by the names of its bones, by its shape, and by what they do in a clip."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import bpy
import numpy as np

from ...solver.rotations import FloatArray, normalized
from ..common.warnings import Warning
from ..common.wording import RigError
from .bone_tree import BoneTree, bone_tree
from .choice import limbs_of
from .doubts import doubts_about
from .hock import rest_shape
from .limb_bones import LimbBones
from .motion import Motion
from .names import is_body, read_name
from .parts import Leg
from .shape import mirror_axes

# The mean of the feet's directions is shorter than this where they point away from the middle, as a spider's do.
_ALL_WAYS = 0.3
# Beside hips that carry legs only hangs a trunk with at least this many times their other bones.
_TRUNK = 3


@dataclass(frozen=True)
class FoundLimbs:
    """The limbs of an armature, legs before hands, left before right, front before back; and what is in doubt.

    hands_touch : whether hands come down for a part of the clip that are not among the limbs.
    """

    limbs: tuple[LimbBones, ...]
    doubts: tuple[Warning, ...] = ()
    hands_touch: bool = False


def find_legs(armature: bpy.types.Object, hands: bool = False, motion: Motion | None = None) -> list[LimbBones]:
    """Return the limbs of an armature as ``find_limbs`` does, whatever the doubts."""
    return list(find_limbs(armature, hands, motion).limbs)


def find_limbs(armature: bpy.types.Object, hands: bool = False, motion: Motion | None = None) -> FoundLimbs:
    """Return the legs of an armature, left before right, front before back.

    hands : whether its hands are looked for too; they come after the legs.
    motion : what its bones do in a clip, in their order; hands that carry weight for most of it are found by default.

    Raises
    ------
    RigError
        Where none can be found.
    """
    # A transform that was just set is in `matrix_world` only after this.
    bpy.context.view_layer.update()
    found = limbs_in(bone_tree(armature), hands, motion)
    if not found.limbs:
        raise RigError(
            'no legs found in "{armature}", nothing that runs from the body to the ground: choose their bones by hand',
            armature=armature.name,
        )
    return found


def limbs_in(tree: BoneTree, hands: bool = False, motion: Motion | None = None) -> FoundLimbs:
    """Return the limbs of a tree of bones; none where it has none."""
    if len(tree.names) < 3:
        return FoundLimbs(())
    names = [read_name(name) for name in tree.names]
    chosen = limbs_of(tree, names, motion, hands)
    legs, arms = chosen.legs, chosen.arms if hands else chosen.carrying
    if not legs and not arms:
        return FoundLimbs(())
    root = _root_of(tree, legs or arms)
    forward = _forward(tree, legs)
    named = [*_named(tree, legs, "Leg", forward), *_named(tree, arms, "Hand", forward)]
    limbs = tuple(bones_of(tree, name, limb, root, hand=at >= len(legs)) for at, (name, limb) in enumerate(named))
    touching = bool(chosen.touching) and not hands
    return FoundLimbs(limbs, tuple(doubts_about(limbs, touching=touching)), touching)


def _root_of(tree: BoneTree, legs: Sequence[Leg]) -> int:
    """Return the bone that carries the body and can be moved.

    It is the nearest that all hips hang from, or one above that is called hips or pelvis; above again where that one
    carries the legs only, or is connected to its parent, since the location of connected bones counts for nothing.
    """
    root = tree.common_ancestor([leg.hip for leg in legs])
    if root < 0:
        # Legs that hang from nothing, or from different trees: what the first hangs from, else itself.
        root = tree.chain(legs[0].hip)[0]
    bodies = [bone for bone in tree.chain(root) if is_body(read_name(tree.names[bone]))]
    root = bodies[0] if bodies else root
    while tree.parents[root] >= 0 and (tree.connected[root] or _carries_legs_only(tree, root, legs)):
        root = tree.parents[root]
    return root


def _carries_legs_only(tree: BoneTree, root: int, legs: Sequence[Leg]) -> bool:
    """Whether the trunk hangs beside a bone and not from it, as beside the lower half of a body."""
    beside = [bone for bone in tree.children[tree.parents[root]] if bone != root]
    of_legs = {bone for leg in legs for bone in tree.below(leg.hip)}
    own = sum(tree.deform[bone] for bone in tree.below(root) if bone not in of_legs)
    return any(sum(tree.deform[bone] for bone in tree.below(other)) > _TRUNK * max(own, 1) for other in beside)


def _forward(tree: BoneTree, legs: Sequence[Leg]) -> FloatArray:
    """Return the level direction that the feet point in; what the armature takes for it where they point all ways."""
    if not legs:
        return np.cross(mirror_axes(tree)[0], [0.0, 0.0, 1.0])
    heels = tree.heads[[leg.heel for leg in legs]]
    toes = np.array([tree.tails[leg.heel] if leg.toe < 0 else tree.heads[leg.toe] for leg in legs])
    ahead = normalized((toes - heels) * np.array([1.0, 1.0, 0.0])).mean(axis=0)
    if np.linalg.norm(ahead) < _ALL_WAYS:
        ahead = np.cross(mirror_axes(tree)[0], [0.0, 0.0, 1.0])
    return normalized(ahead)


def _named(tree: BoneTree, legs: Sequence[Leg], what: str, forward: FloatArray) -> list[tuple[str, Leg]]:
    """Return the legs in order, each with a name for people; sides that no bone's name tells are told by place."""
    if not legs:
        return []
    left = np.cross([0.0, 0.0, 1.0], forward)
    hips = tree.heads[[leg.hip for leg in legs]]
    offsets = (hips - hips.mean(axis=0)) @ left
    if len(legs) > 1:
        legs = [
            leg if leg.side else replace(leg, side="L" if offset > 0.0 else "R")
            for leg, offset in zip(legs, offsets, strict=True)
        ]
    word = {"L": f"Left {what}", "R": f"Right {what}", "": what}
    by_side = {
        side: sorted((leg for leg in legs if leg.side == side), key=lambda leg: -float(_end(tree, leg) @ forward))
        for side in word
    }
    most = max(len(of_side) for of_side in by_side.values())
    named: list[tuple[str, Leg]] = []
    for at in range(most):
        for side, of_side in by_side.items():
            if at < len(of_side):
                row = {1: "", 2: ("Front ", "Back ")[at % 2]}.get(len(of_side), "")
                number = f" {at + 1}" if len(of_side) > 2 else ""
                named.append((f"{row}{word[side]}{number}", of_side[at]))
    return named


def _end(tree: BoneTree, leg: Leg) -> FloatArray:
    return tree.tails[leg.heel] if leg.toe < 0 else tree.heads[leg.toe]


def _toe_bone(tree: BoneTree, leg: Leg) -> int:
    """Return the toe bone; the heel's where the foot's tail cannot stand in, since it is made up and points upwards."""
    if leg.toe >= 0:
        return leg.toe
    foot = tree.tails[leg.heel] - tree.heads[leg.heel]
    made_up = not tree.children[leg.heel] and foot[2] > 0.25 * np.linalg.norm(foot)
    return leg.heel if made_up else -1


def bones_of(tree: BoneTree, name: str, leg: Leg, root: int, *, hand: bool = False) -> LimbBones:
    """Return a leg or an arm by the names of its bones."""
    toe = leg.toe if hand else _toe_bone(tree, leg)
    # What could be set of a lower leg begins as it stands at rest.
    lean, extension = rest_shape(tree, leg) if leg.hock >= 0 else (0.0, 1.0)
    return LimbBones(
        name=name,
        root=tree.names[root],
        hip=tree.names[leg.hip],
        knee=tree.names[leg.knee],
        heel=tree.names[leg.heel],
        toe=tree.names[toe] if toe >= 0 else "",
        toe_end=tree.names[leg.toe_end] if leg.toe_end >= 0 else "",
        confidence=leg.confidence,
        reason=leg.reason,
        hock=tree.names[leg.hock] if leg.hock >= 0 else "",
        stance_lean=lean,
        swing_lean=lean,
        stance_extension=extension,
        swing_extension=extension,
        hand=hand,
    )
