# SPDX-License-Identifier: GPL-3.0-or-later
"""A biped that walks by formula, so that its contacts and its slide are known and not measured.

Every stride is heel strike, flat, heel off, toe off, swing. What is planted is exactly still before the slide is put
in: the heel (the ankle joint) from strike to heel off, the toe (the ball joint) from flat to toe off. The legs are bent
by a two-bone construction of its own, which shares nothing with the solver that it tests.

The walker looks and walks towards -Y, as Blender's characters do; its left is +X. Its joints' frames are the world's in
the rest pose, in which it stands with straight legs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from toehold.rig.legs.limb_bones import LimbBones
from toehold.solver import rotations
from toehold.solver.clip import Clip, Skeleton
from toehold.solver.contacts import Contacts
from toehold.solver.limb import Limb
from toehold.solver.rotations import FloatArray

FORWARD: FloatArray = np.array([0.0, -1.0, 0.0])
UP: FloatArray = np.array([0.0, 0.0, 1.0])
LATERAL: FloatArray = np.array([1.0, 0.0, 0.0])

# Metres.
THIGH, SHIN = 0.45, 0.43
HIP_TO_SIDE = 0.10
HEEL_HEIGHT, TOE_HEIGHT = 0.08, 0.02
HEEL_TO_TOE, TOE_LENGTH = 0.13, 0.07
STANDING_HEIGHT = THIGH + SHIN + HEEL_HEIGHT
SWING_CLEARANCE = 0.05

# Shares of the stride, from this foot's heel strike on.
FLAT, HEEL_OFF, TOE_OFF = 0.10, 0.36, 0.60
# How far the pelvis is behind the heel that strikes, in strides.
BODY_BEHIND_STRIKE = 0.27

# What the foot does over a stride: share of the stride, pitch in degrees (toes up above 0), slope in degrees a stride.
FOOT_PITCH = (
    (0.0, 18.0, 0.0),
    (FLAT, 0.0, 0.0),
    (HEEL_OFF, 0.0, 0.0),
    (TOE_OFF, -42.0, -180.0),
    (0.70, -50.0, 0.0),
    (0.95, 18.0, 0.0),
    (1.0, 18.0, 0.0),
)

# Joint, its parent, and where it is from it in the rest pose.
JOINTS: tuple[tuple[str, str | None, tuple[float, float, float]], ...] = (
    ("Hips", None, (0.0, 0.0, STANDING_HEIGHT)),
    ("Spine", "Hips", (0.0, 0.0, 0.08)),
    ("Head", "Spine", (0.0, 0.0, 0.48)),
    ("Head_end", "Head", (0.0, 0.0, 0.24)),
    ("LeftArm", "Spine", (0.19, 0.0, 0.42)),
    ("LeftForeArm", "LeftArm", (0.0, 0.0, -0.28)),
    ("LeftForeArm_end", "LeftForeArm", (0.0, 0.0, -0.26)),
    ("RightArm", "Spine", (-0.19, 0.0, 0.42)),
    ("RightForeArm", "RightArm", (0.0, 0.0, -0.28)),
    ("RightForeArm_end", "RightForeArm", (0.0, 0.0, -0.26)),
    ("LeftUpLeg", "Hips", (HIP_TO_SIDE, 0.0, 0.0)),
    ("LeftLeg", "LeftUpLeg", (0.0, 0.0, -THIGH)),
    ("LeftFoot", "LeftLeg", (0.0, 0.0, -SHIN)),
    ("LeftToeBase", "LeftFoot", (0.0, -HEEL_TO_TOE, TOE_HEIGHT - HEEL_HEIGHT)),
    ("LeftToeBase_end", "LeftToeBase", (0.0, -TOE_LENGTH, 0.0)),
    ("RightUpLeg", "Hips", (-HIP_TO_SIDE, 0.0, 0.0)),
    ("RightLeg", "RightUpLeg", (0.0, 0.0, -THIGH)),
    ("RightFoot", "RightLeg", (0.0, 0.0, -SHIN)),
    ("RightToeBase", "RightFoot", (0.0, -HEEL_TO_TOE, TOE_HEIGHT - HEEL_HEIGHT)),
    ("RightToeBase_end", "RightToeBase", (0.0, -TOE_LENGTH, 0.0)),
)
NAMES = tuple(name for name, _, _ in JOINTS)


@dataclass(frozen=True)
class _Leg:
    """strike : when its heel strikes, in strides.  hip_offset : from the pelvis to the hip (3,)."""

    side: str
    strike: float
    hip_offset: FloatArray


LEGS = (_Leg("Left", 0.0, HIP_TO_SIDE * LATERAL), _Leg("Right", 0.5, -HIP_TO_SIDE * LATERAL))


@dataclass(frozen=True)
class Walk:
    """A walk and what is known of it.

    contacts : 1 where heel and toe were exactly still before the slide was put in, else 0; limbs are left, right.
    slide_mm_s : speed, straight ahead and constant, that everything was then given on top.
    """

    clip: Clip
    limbs: tuple[Limb, ...]
    contacts: Contacts
    slide_mm_s: float


def walk(
    strides: float = 4.0,
    fps: float = 60.0,
    stride_length: float = 1.2,
    stride_seconds: float = 1.1,
    slide_mm_s: float = 0.0,
) -> Walk:
    """Return a steady walk on the floor at height 0, beginning with the left heel's strike.

    stride_length : metres that the body travels from one left strike to the next, up to about 1.3.
    slide_mm_s : what the root travels too fast (below 0: too slow), so how fast every planted foot slides.
    """
    seconds = np.arange(round(strides * stride_seconds * fps) + 1) / fps
    stride = seconds / stride_seconds
    hips = _hips(stride, stride_length)
    world = {"Hips": np.tile(rotations.IDENTITY, (len(stride), 1))}
    toe, heel = np.zeros((2, len(stride), len(LEGS)))
    for limb, leg in enumerate(LEGS):
        phase = (stride - leg.strike) % 1.0
        heel[:, limb] = phase <= HEEL_OFF
        toe[:, limb] = (phase >= FLAT) & (phase <= TOE_OFF)
        _pose_leg(world, leg, hips, stride - leg.strike, stride_length)
        _pose_arm(world, leg.side, stride - leg.strike)
    slide = 1e-3 * slide_mm_s * seconds[:, None] * FORWARD
    return Walk(_clip(world, hips + slide, fps), limbs(), Contacts(toe, heel), slide_mm_s)


def skeleton() -> Skeleton:
    """Return the walker's skeleton, standing."""
    return Skeleton(
        names=NAMES,
        parents=tuple(-1 if parent is None else NAMES.index(parent) for _, parent, _ in JOINTS),
        rest_rotations=np.tile(rotations.IDENTITY, (len(NAMES), 1)),
        rest_locations=np.array([offset for _, _, offset in JOINTS]),
    )


def limbs() -> tuple[Limb, ...]:
    """Return the left and the right leg."""
    joints = ("UpLeg", "Leg", "Foot", "ToeBase", "ToeBase_end")
    return tuple(
        Limb(leg.side, NAMES.index("Hips"), *(NAMES.index(leg.side + joint) for joint in joints)) for leg in LEGS
    )


def limb_bones() -> list[LimbBones]:
    """Return the left and the right leg by the names of their bones."""
    joints = ("UpLeg", "Leg", "Foot", "ToeBase")
    return [LimbBones(leg.side, "Hips", *(leg.side + joint for joint in joints)) for leg in LEGS]


def _hips(stride: FloatArray, stride_length: float) -> FloatArray:
    """Return the pelvis (F, 3): it sways over the standing foot and is lowest while both feet are down."""
    ahead = stride_length * (stride - BODY_BEHIND_STRIKE)
    sway = 0.02 * np.cos(2.0 * np.pi * (stride - 0.5 * (FLAT + HEEL_OFF)))
    height = STANDING_HEIGHT - 0.075 - 0.02 * np.cos(4.0 * np.pi * stride)
    return ahead[:, None] * FORWARD + sway[:, None] * LATERAL + height[:, None] * UP


def _pose_leg(
    world: dict[str, FloatArray], leg: _Leg, hips: FloatArray, stride: FloatArray, stride_length: float
) -> None:
    """Add the world rotations (F, 4) of one leg's joints to ``world``; ``stride`` is counted from its own strikes."""
    phase = stride % 1.0
    pitch = _foot_pitch(phase)
    foot = _pitched(pitch)
    swing = np.clip((phase - TOE_OFF) / (1.0 - TOE_OFF), 0.0, 1.0)
    # The toe lies on the ground until it is lifted, then straightens, a little later than the foot turns.
    straightened = _eased(swing / 0.6)
    toe_pitch = np.where(phase < FLAT, pitch, np.where(swing > 0.0, straightened * pitch, 0.0))
    heel = _toe_path(leg, stride, swing, stride_length) - rotations.rotate(foot, _offset("ToeBase"))
    hip = hips + leg.hip_offset
    reach = heel - hip
    distance = np.linalg.norm(reach, axis=-1, keepdims=True)
    down = reach / distance
    side_axis = np.cross(FORWARD, down)
    side_axis /= np.linalg.norm(side_axis, axis=-1, keepdims=True)
    # Law of cosines: how far the knee is along the line from hip to heel, and how far off it.
    along = (distance**2 + THIGH**2 - SHIN**2) / (2.0 * distance)
    knee = hip + along * down + np.sqrt(THIGH**2 - along**2) * np.cross(down, side_axis)
    world[f"{leg.side}UpLeg"] = _hanging((knee - hip) / THIGH, side_axis)
    world[f"{leg.side}Leg"] = _hanging((heel - knee) / SHIN, side_axis)
    world[f"{leg.side}Foot"] = foot
    world[f"{leg.side}ToeBase"] = world[f"{leg.side}ToeBase_end"] = _pitched(toe_pitch)


def _toe_path(leg: _Leg, stride: FloatArray, swing: FloatArray, stride_length: float) -> FloatArray:
    """Return where the toe joint is (F, 3): hanging on the still heel at first, then still itself, then swinging."""
    ahead = (stride_length * (np.floor(stride) + leg.strike))[:, None] * FORWARD
    heel = ahead + leg.hip_offset + HEEL_HEIGHT * UP
    phase = stride % 1.0
    planted = heel + rotations.rotate(_pitched(np.where(phase < FLAT, _foot_pitch(phase), 0.0)), _offset("ToeBase"))
    at_strike = rotations.rotate(_pitched(_foot_pitch(np.zeros(1))), _offset("ToeBase"))
    next_strike = heel + stride_length * FORWARD + at_strike
    lifted = 64.0 * SWING_CLEARANCE * (swing * (1.0 - swing)) ** 3
    # From rest to rest, but with a push and a stop that are felt, as at a real toe-off and heel strike.
    gone = swing**2 * (3.0 - 2.0 * swing)
    return planted + gone[:, None] * (next_strike - planted) + lifted[:, None] * UP


def _pose_arm(world: dict[str, FloatArray], side: str, stride: FloatArray) -> None:
    """Add the world rotations of one arm, which swings against the leg of its side."""
    swing = -np.cos(2.0 * np.pi * (stride - 0.05))
    world[f"{side}Arm"] = _pitched(np.radians(24.0 * swing))
    world[f"{side}ForeArm"] = world[f"{side}ForeArm_end"] = _pitched(np.radians(24.0 * swing + 18.0 + 8.0 * swing))


def _clip(world: dict[str, FloatArray], hips: FloatArray, fps: float) -> Clip:
    """Return the clip whose joints have these world rotations (F, 4), bones keeping their lengths."""
    tree = skeleton()
    local_rotations = np.empty((len(hips), len(NAMES), 4))
    local_locations = np.tile(tree.rest_locations, (len(hips), 1, 1))
    local_locations[:, 0] = hips
    turned = [world.get(name, world["Hips"]) for name in NAMES]
    for joint, parent in enumerate(tree.parents):
        local = turned[joint] if parent < 0 else rotations.multiply(rotations.inverse(turned[parent]), turned[joint])
        local_rotations[:, joint] = local
    return Clip(tree, fps, local_rotations, local_locations)


def _offset(joint: str) -> FloatArray:
    """Return where a left leg's joint is from its parent in the rest pose (3,); the right leg's are the same."""
    return np.array(JOINTS[NAMES.index(f"Left{joint}")][2])


def _pitched(angle: FloatArray) -> FloatArray:
    """Return the rotation (F, 4) that lifts the toes by ``angle`` radians (F,)."""
    return rotations.from_axis_angle(-LATERAL, angle)


def _hanging(direction: FloatArray, side_axis: FloatArray) -> FloatArray:
    """Return the rotation (F, 4) of a bone that hangs straight down at rest and now points along ``direction``."""
    return rotations.from_matrices(np.stack([side_axis, np.cross(side_axis, direction), -direction], axis=-1))


def _eased(share: FloatArray) -> FloatArray:
    """Return 0..1 for 0..1, with speed and acceleration 0 at both ends."""
    s = np.clip(share, 0.0, 1.0)
    return s**3 * (10.0 + s * (6.0 * s - 15.0))


def _foot_pitch(phase: FloatArray) -> FloatArray:
    """Return the foot's pitch in radians: quintic pieces between FOOT_PITCH's points, with no acceleration at them."""
    shares, pitches, slopes = np.array(FOOT_PITCH).T
    piece = np.clip(np.searchsorted(shares, phase, side="right") - 1, 0, len(shares) - 2)
    length = shares[piece + 1] - shares[piece]
    s = (phase - shares[piece]) / length
    start_slope, end_slope = slopes[piece] * length, slopes[piece + 1] * length
    rise = pitches[piece + 1] - pitches[piece]
    from_start = s - s**3 * (6.0 + s * (3.0 * s - 8.0))
    from_end = s**3 * (-4.0 + s * (7.0 - 3.0 * s))
    return np.radians(pitches[piece] + rise * _eased(s) + start_slope * from_start + end_slope * from_end)
