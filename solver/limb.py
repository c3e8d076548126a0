# SPDX-License-Identifier: GPL-3.0-or-later
"""A limb, and the pose that brings its toe to a target while it keeps its character.

After Holden, *Inverse Kinematics and Foot Locking*: the pose is nudged by rotations that vanish where the target is
the input, so there is no pole vector and nothing to set up. The soft reach is our own (DESIGN 4.1).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from . import rotations
from .clip import Clip
from .ground import Ground
from .rotations import FloatArray

# Every length in the settings is meant for a leg this long (hip to ankle, metres), and scales with the limb's.
REFERENCE_LENGTH = 0.9

# How strongly the pose's own plane of bending counts against the limb's usual one: at sin(bend) = 1/8 (7 degrees) both
# count alike, so that a nearly straight leg does not take its axis from noise and a bent one keeps its own.
POSE_AXIS_WEIGHT = 8.0

# A limb that bends less than this on average (sine) tells nothing about which way it bends.
STRAIGHT = 0.02


@dataclass(frozen=True)
class Limb:
    """Indices of a limb's joints in its clip's skeleton. Each is an ancestor of the next, not always the parent.

    root : the joint that carries the body (the pelvis).
    heel : the ankle joint.
    toe : the ball joint; where there is no toe bone, the tip of the foot bone.
    toe_end : the tip of the toes, None where there is none.
    knee_side_axis : direction in the knee's own frame that the knee bends about, None to find it from the clip.
    """

    name: str
    root: int
    hip: int
    knee: int
    heel: int
    toe: int
    toe_end: int | None = None
    knee_side_axis: tuple[float, float, float] | None = None

    def length(self, clip: Clip) -> float:
        """Return the usual length in metres from hip over knee to heel."""
        hip, knee, heel = (clip.positions[:, joint] for joint in (self.hip, self.knee, self.heel))
        return float(np.median(np.linalg.norm(knee - hip, axis=-1) + np.linalg.norm(heel - knee, axis=-1)))

    def scale(self, clip: Clip) -> float:
        """Return what to multiply lengths meant for a 0.9 m leg by."""
        return self.length(clip) / REFERENCE_LENGTH


@dataclass(frozen=True)
class LimbSettings:
    """How a limb meets its target.

    softening : metres for a 0.9 m leg, within which a leg that is being straightened slows down before full reach.
    turn_foot : where the heel cannot come along, turn the foot so that the toe still meets its target.
    keep_toe_end_above_ground : bend the toes up where their tip would sink into the ground.
    """

    softening: float = 0.005
    turn_foot: bool = True
    keep_toe_end_above_ground: bool = True


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
    in_clip = _bend(clip, limb).mean(axis=0)
    if np.linalg.norm(in_clip) > STRAIGHT:
        return rotations.normalized(in_clip)
    rest = clip.moved(clip.skeleton.rest_rotations[None], clip.skeleton.rest_locations[None])
    in_rest = _bend(rest, limb)[0]
    if np.linalg.norm(in_rest) > STRAIGHT:
        return rotations.normalized(in_rest)
    hip, heel, toe = (rest.positions[0, joint] for joint in (limb.hip, limb.heel, limb.toe))
    side = rotations.rotate(rotations.inverse(rest.rotations[0, limb.knee]), rotations.cross(hip - heel, toe - heel))
    return rotations.normalized(side, np.array([1.0, 0.0, 0.0]))


def _bend(clip: Clip, limb: Limb) -> FloatArray:
    """Return (F, 3): the axis that the limb is bent about in the knee's frame, as long as the sine of the bend."""
    hip, knee, heel = (clip.positions[:, joint] for joint in (limb.hip, limb.knee, limb.heel))
    across = rotations.cross(rotations.normalized(knee - hip), rotations.normalized(heel - knee))
    return rotations.rotate(rotations.inverse(clip.rotations[:, limb.knee]), across)


def soft_reach(wanted: FloatArray, given: FloatArray, longest: FloatArray, softening: float) -> FloatArray:
    """Return the reach that a limb takes for the one that is wanted (all (F,) metres).

    A reach up to ``max(given, longest - softening)`` is untouched: the input pose's own always is, and the slope has
    no step where the softening begins (DESIGN 4.1). The result never exceeds ``max(longest, given)``.
    """
    begin = np.maximum(given, longest - softening)
    band = np.maximum(longest - begin, 0.0)
    beyond = np.maximum(wanted - begin, 0.0)
    # With no band left the exponential is a step; the division is kept away from zero, its result then unused.
    softened = begin + band * -np.expm1(-beyond / np.where(band > rotations.TINY, band, 1.0))
    return np.where(beyond > 0.0, softened, wanted)


@dataclass(frozen=True)
class LimbPose:
    """World rotations (F, 4) of one limb's joints, and where its heel and toe come to stand (F, 3)."""

    hip: FloatArray
    knee: FloatArray
    heel: FloatArray
    heel_position: FloatArray
    toe_position: FloatArray


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
    hip, knee, heel = (clip.positions[:, joint] for joint in (limb.hip, limb.knee, limb.heel))
    thigh, shin = knee - hip, heel - knee
    foot = feet.positions[:, limb.toe] - feet.positions[:, limb.heel]
    to_heel = -foot
    if heels is not None:
        to_heel = rotations.rotate(rotations.between(-foot, heels - toe_targets), -foot)
    wanted = toe_targets + to_heel - hip
    reach = soft_reach(
        np.linalg.norm(wanted, axis=-1),
        np.linalg.norm(heel - hip, axis=-1),
        np.linalg.norm(thigh, axis=-1) + np.linalg.norm(shin, axis=-1),
        settings.softening * limb.scale(clip),
    )
    side = rotations.rotate(clip.rotations[:, limb.knee], knee_side_axis(clip, limb)[None])
    axis = _bending_axis(thigh, shin, side)
    bend_knee = rotations.from_axis_angle(axis, _bend_change(thigh, shin, axis, reach))
    leg = thigh + rotations.rotate(bend_knee, shin)
    swing = rotations.between(leg, wanted)
    new_heel = hip + rotations.rotate(swing, leg)
    turn = rotations.between(foot, toe_targets - new_heel) if settings.turn_foot else rotations.IDENTITY
    turn = np.broadcast_to(turn, swing.shape)
    return LimbPose(
        hip=rotations.multiply(swing, clip.rotations[:, limb.hip]),
        knee=rotations.multiply(rotations.multiply(swing, bend_knee), clip.rotations[:, limb.knee]),
        heel=rotations.multiply(turn, feet.rotations[:, limb.heel]),
        heel_position=new_heel,
        toe_position=new_heel + rotations.rotate(turn, foot),
    )


def _bending_axis(thigh: FloatArray, shin: FloatArray, side: FloatArray) -> FloatArray:
    """Return the unit axis (F, 3) to bend about: the pose's own, or the limb's ``side`` where the leg is straight.

    A leg bent the wrong way keeps the axis of a right one, so that bending it further never folds it backwards.
    """
    own = rotations.cross(rotations.normalized(thigh), rotations.normalized(shin))
    agreement = np.sum(rotations.normalized(own) * side, axis=-1, keepdims=True)
    return rotations.normalized(side + POSE_AXIS_WEIGHT * agreement * own, side)


def _bend_change(thigh: FloatArray, shin: FloatArray, axis: FloatArray, reach: FloatArray) -> FloatArray:
    """Return the angle (F,) to turn the shin by about ``axis``, so that hip and heel are ``reach`` apart.

    With t the thigh, s the shin and n the axis, ``|t + Rot(n, angle) s| = reach`` reads
    ``a cos(angle) + b sin(angle) = c``, solved in closed form for any axis, not only one square to the leg's plane.
    """
    along = np.sum(thigh * axis, axis=-1) * np.sum(shin * axis, axis=-1)
    a = np.sum(thigh * shin, axis=-1) - along
    b = np.sum(thigh * rotations.cross(axis, shin), axis=-1)
    c = 0.5 * (reach**2 - np.sum(thigh**2, axis=-1) - np.sum(shin**2, axis=-1)) - along
    radius = np.hypot(a, b)
    bent = np.arctan2(-b, a)
    wanted = np.arccos(np.clip(c / np.where(radius > rotations.TINY, radius, 1.0), -1.0, 1.0))
    # A leg bent backwards by some degrees in the input stays as it is where nothing is asked of it, and goes through
    # straight to bend the right way, twice as fast until it has caught up; a jump would be seen, half a millimetre of
    # reach at two degrees is not.
    backwards = np.maximum(-bent, 0.0)
    catching_up = np.minimum(2.0 * wanted - 3.0 * backwards, wanted)
    new = np.where(wanted < backwards, -wanted, catching_up)
    return np.where(radius > rotations.TINY, new - bent, 0.0)


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

    Only hip, knee, heel and toe joints change. The toes keep the way they point, unless their tip would sink. A heel
    that does not hang from its knee (the foot of a baked IK rig) is moved to where the leg reaches.

    feet : the clip whose feet keep the way they point, where ``clip`` has turned them along with its root.
    heels : (F, L, 3) metres, where heels would rather be than as far from their toes as in ``feet``.
    """
    feet = feet or clip
    settings = settings or LimbSettings()
    local_rotations, local_locations = clip.local_rotations.copy(), clip.local_locations.copy()
    for index, limb in enumerate(limbs):
        heel = None if heels is None else heels[:, index]
        pose = solve_pose(clip, limb, toe_targets[:, index], settings, feet, heel)
        turned = {limb.hip: pose.hip, limb.knee: pose.knee, limb.heel: pose.heel}
        if limb.toe_end is not None:
            turned[limb.toe] = _toe_rotation(feet, limb, pose, ground, settings)
        _set_world_rotations(clip, local_rotations, turned)
        if not _is_ancestor(clip.skeleton.parents, limb.knee, limb.heel):
            local_locations[:, limb.heel] = _in_parent(clip, limb.heel, pose.heel_position)
    return clip.moved(local_rotations, local_locations)


def _in_parent(clip: Clip, joint: int, positions: FloatArray) -> FloatArray:
    """Return world ``positions`` (F, 3) in the frame of a joint's parent."""
    parent = clip.skeleton.parents[joint]
    if parent < 0:
        return positions
    return rotations.rotate(rotations.inverse(clip.rotations[:, parent]), positions - clip.positions[:, parent])


def _toe_rotation(clip: Clip, limb: Limb, pose: LimbPose, ground: Ground, settings: LimbSettings) -> FloatArray:
    """Return the toe joint's world rotation (F, 4): the clip's, bent up where the tip would sink into the ground."""
    assert limb.toe_end is not None
    toe, toe_end = clip.positions[:, limb.toe], clip.positions[:, limb.toe_end]
    tip = toe_end - toe
    if not settings.keep_toe_end_above_ground:
        return clip.rotations[:, limb.toe]
    # A tip that sinks in the clip may stay sunk where the toe was not moved: a pose that nobody asked to change stays.
    moved = np.linalg.norm(pose.toe_position - toe, axis=-1)
    sunk = np.maximum(ground.height(toe_end) - toe_end[:, 2], 0.0)
    lowest = ground.height(pose.toe_position + tip) - np.maximum(sunk - moved, 0.0)
    length = np.linalg.norm(tip, axis=-1)
    rise = np.clip(lowest - pose.toe_position[:, 2], -length, length)
    flat = np.sqrt(np.maximum(length**2 - rise**2, 0.0))
    forward = rotations.normalized(tip * np.array([1.0, 1.0, 0.0]))
    raised = np.concatenate([forward[:, :2] * flat[:, None], rise[:, None]], axis=-1)
    sinks = (tip[:, 2] < rise)[:, None]
    bend = np.where(sinks, rotations.between(tip, raised), rotations.IDENTITY)
    return rotations.multiply(bend, clip.rotations[:, limb.toe])


def _set_world_rotations(clip: Clip, local_rotations: FloatArray, turned: dict[int, FloatArray]) -> None:
    """Write into ``local_rotations`` what gives the joints of ``turned`` their world rotations.

    Joints between two of them (twist or split bones) keep their local rotation, so a run of them stays rigid.
    """
    parents = clip.skeleton.parents
    world: dict[int, FloatArray] = dict(turned)

    def world_rotation(joint: int) -> FloatArray:
        """Return a joint's new world rotation, following its parents up to one that is known or unchanged."""
        if joint not in world:
            if not any(_is_ancestor(parents, changed, joint) for changed in turned):
                world[joint] = clip.rotations[:, joint]
            else:
                world[joint] = rotations.multiply(world_rotation(parents[joint]), clip.local_rotations[:, joint])
        return world[joint]

    for joint, rotation in turned.items():
        if parents[joint] < 0:
            local_rotations[:, joint] = rotation
        else:
            local_rotations[:, joint] = rotations.multiply(rotations.inverse(world_rotation(parents[joint])), rotation)


def _is_ancestor(parents: Sequence[int], ancestor: int, joint: int) -> bool:
    while joint >= 0:
        if joint == ancestor:
            return True
        joint = parents[joint]
    return False
