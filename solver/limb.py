# SPDX-License-Identifier: GPL-3.0-or-later
"""A limb, and the pose that brings its toe to a target while it keeps its character.

After Holden, *Inverse Kinematics and Foot Locking*: the pose is nudged by rotations that vanish where the target is
the input, so there is no pole vector and nothing to set up. The soft reach is our own (docs/mathematics.md,
2.2).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np

from . import rotations
from .bending import soft_reach, two_bone
from .clip import Clip
from .ground import Ground
from .rotations import FloatArray
from .three_segments import Bent, LowerLeg, Segments, bend_three
from .toe_bend import toe_bend

# Every length in the settings is meant for a leg this long (hip to ankle, metres), and scales with the limb's.
REFERENCE_LENGTH = 0.9

# A limb that bends less than this on average (sine) tells nothing about which way it bends.
STRAIGHT = 0.02

# A hock that bends more than this at rest (sine) is drawn the way that it is to bend.
DRAWN_BENT = 0.1


@dataclass(frozen=True)
class Limb:
    """Indices of a limb's joints in its clip's skeleton. Each is an ancestor of the next, not always the parent.

    root : the joint that carries the body (the pelvis).
    heel : the ankle joint; below a hock the fetlock, or the toe joint itself.
    toe : the ball joint; where there is no toe bone, the tip of the foot bone.
    toe_end : the tip of the toes, None where there is none.
    knee_side_axis : direction in the knee's own frame that the knee bends about, None to find it from the clip.
    hock : the joint between knee and heel of a leg of three segments, as beasts have them; None of a leg of two.
    lower_leg : how the segment below the hock is to stand.
    hand : whether it is an arm: heel is then the wrist and toe the knuckles. A hand is planted only near the floor that
        feet stand on, and goes along with the body where it is not.
    """

    name: str
    root: int
    hip: int
    knee: int
    heel: int
    toe: int
    toe_end: int | None = None
    knee_side_axis: tuple[float, float, float] | None = None
    hand: bool = False
    hock: int | None = None
    lower_leg: LowerLeg = field(default_factory=LowerLeg)

    @property
    def joints(self) -> tuple[int, ...]:
        """The joints that the leg bends between: hip, knee, hock if there is one, heel."""
        return (self.hip, self.knee, self.heel) if self.hock is None else (self.hip, self.knee, self.hock, self.heel)

    @property
    def upper_end(self) -> int:
        """The joint that hip and knee bring to its place: the hock if there is one, else the heel."""
        return self.joints[2]

    def full_reach(self, clip: Clip, end: int | None = None) -> FloatArray:
        """Return (F,) metres from hip over knee (and hock) to heel, or to the joint ``end``."""
        joints = self.joints if end is None else self.joints[: self.joints.index(end) + 1]
        places = [clip.positions[:, joint] for joint in joints]
        lengths = [np.linalg.norm(lower - upper, axis=-1) for upper, lower in pairwise(places)]
        return np.asarray(sum(lengths[1:], lengths[0]))

    def length(self, clip: Clip) -> float:
        """Return the usual length in metres from hip over knee (and hock) to heel."""
        return float(np.median(self.full_reach(clip)))

    def scale(self, clip: Clip) -> float:
        """Return what to multiply lengths meant for a 0.9 m leg by."""
        return self.length(clip) / REFERENCE_LENGTH


def in_stance(limbs: Sequence[Limb], stance: FloatArray, strength: float = 1.0) -> tuple[Limb, ...]:
    """Return the limbs with what is set of their lower legs, in the share ``strength``, for ``stance`` (F, L)."""
    return tuple(
        replace(limb, lower_leg=limb.lower_leg.during(stance[:, index], strength)) for index, limb in enumerate(limbs)
    )


def feet_among(limbs: Sequence[Limb]) -> list[int]:
    """Return which of ``limbs`` are no hands; all of them where there is nothing else to stand on."""
    feet = [index for index, limb in enumerate(limbs) if not limb.hand]
    return feet or list(range(len(limbs)))


@dataclass(frozen=True)
class LimbSettings:
    """How a limb meets its target.

    softening : metres for a 0.9 m leg, within which a leg that is being straightened slows down before full reach.
    keep_toe_end_above_ground : bend the toes up where their tip would sink into the ground.
    leave_sunk_toe_end : but not where it is sunk in the clip already and the toe is not moved.
    """

    softening: float = 0.005
    keep_toe_end_above_ground: bool = True
    leave_sunk_toe_end: bool = True


def joint_positions(clip: Clip, limbs: Sequence[Limb], joint: str) -> FloatArray:
    """Return where a joint of each limb is, (F, L, 3) metres in the world; ``joint`` is a field of ``Limb``."""
    return clip.positions[:, [getattr(limb, joint) for limb in limbs]]


def knee_side_axis(clip: Clip, limb: Limb) -> FloatArray:
    """Return the unit direction (3,) in the knee's frame that the limb bends about, right-handed from thigh to shin.

    It is the mean axis over the clip, weighted by how much the knee bends; else the rest pose's; else the one that
    lets the knee go where the foot points.
    """
    if limb.knee_side_axis is not None:
        return rotations.normalized(np.array(limb.knee_side_axis))
    above, below = limb.hip, limb.upper_end
    in_clip = _bend(clip, above, limb.knee, below).mean(axis=0)
    if np.linalg.norm(in_clip) > STRAIGHT:
        return rotations.normalized(in_clip)
    rest = _at_rest(clip)
    in_rest = _bend(rest, above, limb.knee, below)[0]
    if np.linalg.norm(in_rest) > STRAIGHT:
        return rotations.normalized(in_rest)
    hip, heel, toe = (rest.positions[0, joint] for joint in (limb.hip, limb.heel, limb.toe))
    side = rotations.rotate(rotations.inverse(rest.rotations[0, limb.knee]), rotations.cross(hip - heel, toe - heel))
    return rotations.normalized(side, np.array([1.0, 0.0, 0.0]))


def hock_side_axis(clip: Clip, limb: Limb) -> FloatArray:
    """Return the unit direction (3,) in the hock's frame that it bends about, right-handed from shin to lowest segment.

    It is the rest pose's where that is drawn bent, else the mean axis over the clip; else the knee's, turned round:
    a beast's joints bend to and fro.
    """
    assert limb.hock is not None
    rest = _at_rest(clip)
    in_rest = _bend(rest, limb.knee, limb.hock, limb.heel)[0]
    if np.linalg.norm(in_rest) > DRAWN_BENT:
        return rotations.normalized(in_rest)
    in_clip = _bend(clip, limb.knee, limb.hock, limb.heel).mean(axis=0)
    for found in (in_clip, in_rest):
        if np.linalg.norm(found) > STRAIGHT:
            return rotations.normalized(found)
    knee = rotations.rotate(rest.rotations[0, limb.knee], knee_side_axis(clip, limb))
    return -rotations.rotate(rotations.inverse(rest.rotations[0, limb.hock]), knee)


def _at_rest(clip: Clip) -> Clip:
    return clip.moved(clip.skeleton.rest_rotations[None], clip.skeleton.rest_locations[None])


def _bend(clip: Clip, above: int, joint: int, below: int) -> FloatArray:
    """Return (F, 3): the axis that ``joint`` is bent about, in its own frame, as long as the sine of the bend."""
    upper, middle, lower = (clip.positions[:, one] for one in (above, joint, below))
    across = rotations.cross(rotations.normalized(middle - upper), rotations.normalized(lower - middle))
    return rotations.rotate(rotations.inverse(clip.rotations[:, joint]), across)


@dataclass(frozen=True)
class LimbPose:
    """World rotations (F, 4) of one limb's joints, and where its heel and toe come to stand (F, 3).

    hock : None where the limb has none.
    """

    hip: FloatArray
    knee: FloatArray
    heel: FloatArray
    heel_position: FloatArray
    toe_position: FloatArray
    hock: FloatArray | None = None

    def turned(self, limb: Limb) -> dict[int, FloatArray]:
        """Return the world rotation of each joint of the limb that bends, from the hip down."""
        upper = {limb.hip: self.hip, limb.knee: self.knee}
        if limb.hock is not None and self.hock is not None:
            upper[limb.hock] = self.hock
        return {**upper, limb.heel: self.heel}


def solve_pose(
    clip: Clip,
    limb: Limb,
    toe_targets: FloatArray,
    settings: LimbSettings,
    feet: Clip | None = None,
    heels: FloatArray | None = None,
) -> LimbPose:
    """Return the pose that brings the toe to ``toe_targets`` (F, 3), the foot turned as in ``feet``, else ``clip``.

    heels : (F, 3) metres, where the heel would rather be than as far from its toe as there; the foot turns for it.
    """
    feet = feet or clip
    hip, knee = clip.positions[:, limb.hip], clip.positions[:, limb.knee]
    foot = feet.positions[:, limb.toe] - feet.positions[:, limb.heel]
    to_heel = -foot
    if heels is not None:
        to_heel = rotations.rotate(rotations.between(-foot, heels - toe_targets), -foot)
    wanted = toe_targets + to_heel - hip
    softening = settings.softening * limb.scale(clip)
    hock = None
    if limb.hock is None:
        side = rotations.rotate(clip.rotations[:, limb.knee], knee_side_axis(clip, limb)[None])
        shin = clip.positions[:, limb.heel] - knee
        given = np.linalg.norm(clip.positions[:, limb.heel] - hip, axis=-1)
        reach = soft_reach(np.linalg.norm(wanted, axis=-1), given, limb.full_reach(clip), softening)
        swing, bend, reached = two_bone(knee - hip, shin, side, wanted, reach)
    else:
        bent, hock = _bent_with_hock(clip, limb, limb.hock, wanted, softening, feet, heels)
        swing, bend, reached = bent.swing, bent.bend, bent.heel
    new_heel = hip + reached
    # Where the heel cannot come along, the foot turns so that the toe still meets its target.
    turn = rotations.between(foot, toe_targets - new_heel)
    return LimbPose(
        hip=rotations.multiply(swing, clip.rotations[:, limb.hip]),
        knee=rotations.multiply(rotations.multiply(swing, bend), clip.rotations[:, limb.knee]),
        heel=rotations.multiply(turn, feet.rotations[:, limb.heel]),
        heel_position=new_heel,
        toe_position=new_heel + rotations.rotate(turn, foot),
        hock=hock,
    )


def _bent_with_hock(
    clip: Clip,
    limb: Limb,
    hock: int,
    wanted: FloatArray,
    softening: float,
    feet: Clip,
    heels: FloatArray | None,
) -> tuple[Bent, FloatArray]:
    """Return how a leg of three segments brings its heel to ``wanted`` (F, 3) from the hip, and the hock's rotation."""
    hip, knee, middle, heel = (clip.positions[:, joint] for joint in limb.joints)
    knee_side = rotations.rotate(clip.rotations[:, limb.knee], knee_side_axis(clip, limb)[None])
    hock_side = rotations.rotate(clip.rotations[:, hock], hock_side_axis(clip, limb)[None])
    leg = Segments(knee - hip, middle - knee, heel - middle, knee_side, hock_side, softening)
    lowest = feet.positions[:, limb.heel] - feet.positions[:, hock]
    turn = rotations.IDENTITY
    if heels is not None:
        # The hock goes along with what its heel would rather do, as the heel of a leg of two segments goes with itself.
        rather = feet.positions[:, hock] + heels - feet.positions[:, limb.heel]
        turn = rotations.between(lowest, hip + wanted - rather)
    bent = bend_three(leg, rotations.rotate(turn, lowest), wanted, limb.lower_leg)
    return bent, rotations.multiply(rotations.multiply(bent.turn, turn), feet.rotations[:, hock])


def solve_limbs(
    clip: Clip,
    limbs: Sequence[Limb],
    toe_targets: FloatArray,
    ground: Ground,
    settings: LimbSettings | None = None,
    feet: Clip | None = None,
    heels: FloatArray | None = None,
) -> Clip:
    """Return the clip with the toe of each limb brought to ``toe_targets`` (F, L, 3), nothing else turned.

    Only hip, knee, hock, heel and toe joints change. The toes keep the way they point, unless their tip would sink. A
    heel that does not hang from its leg (the foot of a baked IK rig) is moved to where the leg reaches.

    feet : the clip whose feet keep the way they point, where ``clip`` has turned them along with its root.
    heels : (F, L, 3) metres, where heels would rather be than as far from their toes as in ``feet``.
    """
    feet = feet or clip
    settings = settings or LimbSettings()
    turned, placed = dict[int, FloatArray](), dict[int, FloatArray]()
    for index, limb in enumerate(limbs):
        heel = None if heels is None else heels[:, index]
        pose = solve_pose(clip, limb, toe_targets[:, index], settings, feet, heel)
        turned |= pose.turned(limb)
        if limb.toe_end is not None:
            turned[limb.toe] = _toe_rotation(feet, limb, pose, ground, settings)
        if not _is_ancestor(clip.skeleton.parents, limb.joints[-2], limb.heel):
            placed[limb.heel] = pose.heel_position
    # Joints between these (twist or split bones) keep their local rotations, so that a run of them stays rigid.
    return clip.with_world(turned, placed)


def _toe_rotation(clip: Clip, limb: Limb, pose: LimbPose, ground: Ground, settings: LimbSettings) -> FloatArray:
    """Return the toe joint's world rotation (F, 4): the clip's, bent up where the tip would sink into the ground."""
    assert limb.toe_end is not None
    turned = clip.rotations[:, limb.toe]
    if not settings.keep_toe_end_above_ground:
        return turned
    bend = toe_bend(clip, limb.toe, limb.toe_end, pose.toe_position, ground, settings.leave_sunk_toe_end)
    return rotations.multiply(bend, turned)


def _is_ancestor(parents: Sequence[int], ancestor: int, joint: int) -> bool:
    while joint >= 0:
        if joint == ancestor:
            return True
        joint = parents[joint]
    return False
