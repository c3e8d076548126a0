# SPDX-License-Identifier: GPL-3.0-or-later
"""A limb by the names of its bones: what is stored with an armature, and what a limbs file holds."""

from __future__ import annotations

from dataclasses import dataclass

from ...solver.three_segments import LowerLeg

# What can be set of a lower leg, in the order in which it is shown.
LEAN = ("lean_share", "stance_lean", "swing_lean")
EXTENSION = ("extension_share", "stance_extension", "swing_extension")
LOWER_LEG = (*LEAN, *EXTENSION)


@dataclass(frozen=True)
class LimbBones:
    """The bones of one limb, root to toes, by name, and how its lower leg is to stand.

    root : the bone that carries the body and can be moved (the pelvis).
    heel : the foot bone; its head is the ankle joint.
    toe : the toe bone; its head is the ball joint. Empty where there is none: the tip of the foot bone stands in.
    toe_end : a bone that starts at the tip of the toes. Empty where there is none: the tip of the toe bone stands in.
    confidence, reason : how sure the search was, 0 to 1, and why, for a person to read.
    hand : whether it is an arm: hip, knee and heel are then the upper arm, the forearm and the hand, toe is the bone
        whose head is the knuckle in the middle, and there is no toe end, since fingers go where the hand goes.
    hock : the bone whose head is the joint between knee and heel of a leg of three segments, a beast's: its heel is
        then the fetlock, or the toe bone itself. Empty of a leg of two.
    lean_share to swing_extension : as in ``LowerLeg``.
    """

    name: str
    root: str
    hip: str
    knee: str
    heel: str
    toe: str = ""
    toe_end: str = ""
    confidence: float = 1.0
    reason: str = ""
    hand: bool = False
    hock: str = ""
    lean_share: float = 0.0
    stance_lean: float = 0.0
    swing_lean: float = 0.0
    extension_share: float = 0.0
    stance_extension: float = 1.0
    swing_extension: float = 1.0

    @property
    def bones(self) -> tuple[str, ...]:
        """The bones that are named, from the root down, a bone that is heel and toe twice."""
        bones = (self.root, self.hip, self.knee, self.hock, self.heel, self.toe, self.toe_end)
        return tuple(bone for bone in bones if bone)

    @property
    def lower_leg(self) -> LowerLeg:
        """How the segment below the hock is to stand."""
        return LowerLeg(**{name: getattr(self, name) for name in LOWER_LEG})

    @property
    def toe_joint(self) -> str:
        """Name of the joint that is locked: the toe bone's head, else the tip of the foot bone."""
        return self.toe or tip_of(self.heel)

    @property
    def toe_end_joint(self) -> str | None:
        """Name of the joint at the tip of the toes; None where the foot has no toe bone, and of a hand."""
        if self.hand:
            return None
        return self.toe_end or (tip_of(self.toe) if self.toe else None)

    @property
    def contact_bone(self) -> str:
        """The bone that carries the contact curves: the toe, else the foot; of an arm, the hand."""
        return self.heel if self.hand or not self.toe else self.toe


def tip_of(bone: str) -> str:
    """Return the name of the joint at the tip of a bone."""
    return f"{bone}_end"
