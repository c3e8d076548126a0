# SPDX-License-Identifier: GPL-3.0-or-later
"""What a clean-up asks of the roots and feet of a clip, and the clip that does it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from .. import rotations
from ..arrays import FloatArray
from ..clip import Clip
from ..ground import Ground
from ..limb import Limb, LimbSettings, in_stance, joint_positions, solve_limbs
from .ground_fit import GroundFit


@dataclass(frozen=True)
class Solution:
    """What the clean-up asks for, before the limbs are solved.

    roots : joints that are displaced, each once.
    root_displacements : (F, R, 3) metres in the world.
    root_turns : (F, R, 3) rotation vectors in the world, radians: a body with more than two legs may turn a little, so
        that front and hind legs need not agree on one displacement.
    toe_targets : (F, L, 3) metres in the world.
    heel_targets : (F, L, 3) metres in the world, where heels would like to be: the foot turns a little for it.
    idle : the limbs that have no constraint; they stay as they are below the roots.
    stance : (F, L) from 0 in swing to 1 in stance, by which lower legs are shaped; None to leave them as they are.
    strength : the fraction of the full correction that it is, from 0 to 1.
    fit : how feet fit their ground before all of this, at full strength; None where they do.
    """

    roots: tuple[int, ...]
    root_displacements: FloatArray
    root_turns: FloatArray
    toe_targets: FloatArray
    heel_targets: FloatArray
    idle: tuple[int, ...] = ()
    stance: FloatArray | None = None
    strength: float = 1.0
    fit: GroundFit | None = None

    def during(self, window: slice) -> Solution:
        """Return the frames in ``window`` only."""
        return replace(
            self,
            root_displacements=self.root_displacements[window],
            root_turns=self.root_turns[window],
            toe_targets=self.toe_targets[window],
            heel_targets=self.heel_targets[window],
            stance=None if self.stance is None else self.stance[window],
        )


def joined(parts: Sequence[Solution]) -> Solution:
    """Return one solution that has the frames of several, one after the other."""
    return replace(
        parts[0],
        root_displacements=np.concatenate([part.root_displacements for part in parts]),
        root_turns=np.concatenate([part.root_turns for part in parts]),
        toe_targets=np.concatenate([part.toe_targets for part in parts]),
        heel_targets=np.concatenate([part.heel_targets for part in parts]),
    )


def applied(clip: Clip, limbs: Sequence[Limb], solution: Solution, ground: Ground, softening: float) -> Clip:
    """Return the clip with its roots and limbs where a solution wants them; ``softening`` as in ``LimbSettings``."""
    moved = displace_roots(clip, solution.roots, solution.root_displacements, solution.root_turns)
    settings = LimbSettings(softening=softening)
    asked = [index for index in range(len(limbs)) if index not in solution.idle]
    if solution.stance is not None:
        limbs = in_stance(limbs, solution.stance, solution.strength)
    toes, heels = solution.toe_targets[:, asked], solution.heel_targets[:, asked]
    return solve_limbs(moved, [limbs[index] for index in asked], toes, ground, settings, clip, heels)


def with_idle(clip: Clip, limbs: Sequence[Limb], idle: Sequence[int], solution: Solution) -> Solution:
    """Return the solution of the other limbs as one of all ``limbs``, the idle ones where the roots carry them."""
    moved = displace_roots(clip, solution.roots, solution.root_displacements, solution.root_turns)
    toes, heels = joint_positions(moved, limbs, "toe"), joint_positions(moved, limbs, "heel")
    asked = [index for index in range(len(limbs)) if index not in idle]
    toes[:, asked], heels[:, asked] = solution.toe_targets, solution.heel_targets
    return replace(solution, toe_targets=toes, heel_targets=heels, idle=tuple(idle))


def at_strength(clip: Clip, limbs: Sequence[Limb], full: Solution, strength: float) -> Solution:
    """Return the solution of a ``strength`` from 0 to 1, from that of strength 1: that fraction of each correction."""
    if strength == 1.0:
        return full
    toes, heels = joint_positions(clip, limbs, "toe"), joint_positions(clip, limbs, "heel")
    return replace(
        full,
        root_displacements=strength * full.root_displacements,
        root_turns=strength * full.root_turns,
        toe_targets=toes + strength * (full.toe_targets - toes),
        heel_targets=heels + strength * (full.heel_targets - heels),
        strength=strength,
    )


def displace_roots(
    clip: Clip, roots: Sequence[int], displacements: FloatArray, turns: FloatArray | None = None
) -> Clip:
    """Return the clip with joints ``roots`` moved by ``displacements`` (F, R, 3) in the world, and all below them.

    turns : (F, R, 3) rotation vectors in the world by which each root turns about itself, None for none.
    """
    turned = {}
    for index, root in enumerate(roots):
        if turns is not None and np.any(turns[:, index]):
            turned[root] = rotations.multiply(rotations.from_vector(turns[:, index]), clip.rotations[:, root])
    local_locations = clip.local_locations.copy()
    for index, root in enumerate(roots):
        local_locations[:, root] += clip.along_parent(root, displacements[:, index])
    return clip.with_world(turned).moved(local_locations=local_locations)
