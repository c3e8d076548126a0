# SPDX-License-Identifier: GPL-3.0-or-later
"""What the clean-up solves for in each frame, by name (docs/mathematics.md, 5.1).

Unknowns are the displacements of points, three coordinates each: of the roots, then of the limbs' toes, then the turns
of those roots that carry more than two legs. A turn is in metres at the hips (rotation vector times the root's arm), so
that it weighs as a displacement does; it displaces a joint by turn x lever, with lever = (joint - root) / arm.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .. import rotations
from ..arrays import FloatArray
from ..clip import Clip
from ..limb import Limb, joint_positions

# A body on more legs than this may turn: two legs can always agree on where their pelvis is.
MOST_LEGS_WITHOUT_TURN = 2


@dataclass(frozen=True)
class Unknowns:
    """The layout of one clean-up's points, and how they move hips and hands.

    root_joints : the joints that are displaced, each once.
    root_of_limb : (L,) which of them carries each limb.
    turning : which of them may turn.
    arms : (roots,) metres, the mean distance of the hips from each root.
    hip_levers, toe_levers : (F, L, 3) from each limb's root to its hip and its toe, over the root's arm.
    """

    root_joints: tuple[int, ...]
    root_of_limb: tuple[int, ...]
    turning: tuple[int, ...]
    arms: FloatArray
    hip_levers: FloatArray
    toe_levers: FloatArray

    @classmethod
    def of(cls, clip: Clip, limbs: Sequence[Limb]) -> Unknowns:
        """Return the unknowns of a clip's clean-up."""
        joints = tuple(dict.fromkeys(limb.root for limb in limbs))
        root_of_limb = tuple(joints.index(limb.root) for limb in limbs)
        counts = np.bincount(root_of_limb, minlength=len(joints))
        turning = tuple(int(root) for root in np.flatnonzero(counts > MOST_LEGS_WITHOUT_TURN))
        roots = clip.positions[:, [joints[root] for root in root_of_limb]]
        to_hip, to_toe = (joint_positions(clip, limbs, joint) - roots for joint in ("hip", "toe"))
        apart = np.linalg.norm(to_hip, axis=-1).mean(axis=0)
        carried = [[limb for limb, own in enumerate(root_of_limb) if own == root] for root in range(len(joints))]
        arms = np.array([max(float(apart[own].mean()), rotations.TINY) for own in carried])
        of_limb = arms[list(root_of_limb)][:, None]
        return cls(joints, root_of_limb, turning, arms, to_hip / of_limb, to_toe / of_limb)

    @property
    def count(self) -> int:
        """The number of points."""
        return len(self.root_joints) + len(self.root_of_limb) + len(self.turning)

    @property
    def roots(self) -> slice:
        """The points that are roots."""
        return slice(0, len(self.root_joints))

    @property
    def toes(self) -> slice:
        """The points that are toes, one a limb."""
        return slice(len(self.root_joints), len(self.root_joints) + len(self.root_of_limb))

    @property
    def turns(self) -> slice:
        """The points that are turns, one for each of the roots that turn."""
        return slice(self.toes.stop, self.count)

    def root(self, limb: int) -> int:
        """Return the point that is a limb's root."""
        return self.root_of_limb[limb]

    def toe(self, limb: int) -> int:
        """Return the point that is a limb's toe."""
        return self.toes.start + limb

    def turn(self, limb: int) -> int | None:
        """Return the point that is the turn of a limb's root, None where it does not turn."""
        root = self.root_of_limb[limb]
        return self.turns.start + self.turning.index(root) if root in self.turning else None

    def weights(self, root: float, toe: float) -> FloatArray:
        """Return a weight for each unknown (points, 3): one for roots and their turns, another for toes."""
        weights = np.full((self.count, 3), root)
        weights[self.toes] = toe
        return weights

    def zeros(self, count: int) -> FloatArray:
        """Return zeros (count, points, 3)."""
        return np.zeros((max(count, 0), self.count, 3))

    def turns_of(self, displacements: FloatArray) -> FloatArray:
        """Return the turn (F, roots, 3) of each root, a rotation vector in radians, of displacements (F, points, 3)."""
        turns = np.zeros((len(displacements), len(self.root_joints), 3))
        for point, root in enumerate(self.turning, start=self.turns.start):
            turns[:, root] = displacements[:, point] / self.arms[root]
        return turns

    def displaced_legs(self, displacements: FloatArray) -> FloatArray:
        """Return the change (F, L, 3) that displacements (F, points, 3) make to the vector from each toe to its hip."""
        displaced = displacements[:, list(self.root_of_limb)] - displacements[:, self.toes]
        for limb in range(len(self.root_of_limb)):
            turn = self.turn(limb)
            if turn is not None:
                displaced[:, limb] += rotations.cross(displacements[:, turn], self.hip_levers[:, limb])
        return displaced

    def gradients(self, directions: FloatArray) -> FloatArray:
        """Return the gradient (F, L, unknowns) of each leg's length by all unknowns, for its direction (F, L, 3)."""
        frames, limbs, _ = directions.shape
        gradients = np.zeros((frames, limbs, self.count, 3))
        for limb in range(limbs):
            gradients[:, limb, self.root(limb)] = directions[:, limb]
            gradients[:, limb, self.toe(limb)] = -directions[:, limb]
            turn = self.turn(limb)
            if turn is not None:
                gradients[:, limb, turn] = rotations.cross(self.hip_levers[:, limb], directions[:, limb])
        return gradients.reshape(frames, limbs, 3 * self.count)

    def away_from_body(self, limb: int) -> FloatArray:
        """Return rows (F, 3, unknowns): how far a limb's toe goes from where its root would carry it, in each axis."""
        lever = self.toe_levers[:, limb]
        rows = np.zeros((len(lever), 3, self.count, 3))
        rows[:, :, self.toe(limb)] = np.eye(3)
        rows[:, :, self.root(limb)] = -np.eye(3)
        turn = self.turn(limb)
        if turn is not None:
            rows[:, :, turn] = -rotations.cross(lever[:, None], np.broadcast_to(np.eye(3), (len(lever), 3, 3)))
        return rows.reshape(len(lever), 3, 3 * self.count)
