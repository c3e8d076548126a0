# SPDX-License-Identifier: GPL-3.0-or-later
"""A person with hands who crawls, turns a cartwheel and climbs by formula: what is planted when is known.

Planted points are exactly still before the slide is put in: of a hand the knuckle in the middle, of a foot the ball.
The limbs are bent by a two-bone construction of its own, which shares nothing with the solver that it tests. It looks
towards -Y; its left is +X; its joints' frames are the world's in the rest pose, in which its arms hang down.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from toehold.rig.legs.limb_bones import LimbBones
from toehold.solver import rotations
from toehold.solver.clip import Clip, Skeleton
from toehold.solver.contacts import Contacts
from toehold.solver.limb import Limb
from toehold.solver.rotations import FloatArray

from .walker import FORWARD, LATERAL, UP, Walk

# Metres.
THIGH, SHIN, UPPER_ARM, FOREARM = 0.45, 0.43, 0.29, 0.26
FOOT = np.array([0.0, -0.13, -0.06])
HAND = np.array([0.0, 0.0, -0.09])
STANDING_HEIGHT = THIGH + SHIN + 0.08
TOE_HEIGHT, KNUCKLE_HEIGHT = 0.02, 0.025
SHOULDER = np.array([0.19, 0.0, 0.50])
HIP = np.array([0.10, 0.0, 0.0])

JOINTS: tuple[tuple[str, str | None, tuple[float, float, float]], ...] = (
    ("Hips", None, (0.0, 0.0, STANDING_HEIGHT)),
    ("Spine", "Hips", (0.0, 0.0, 0.08)),
    ("Head", "Spine", (0.0, 0.0, 0.48)),
    ("Head_end", "Head", (0.0, 0.0, 0.24)),
    *(
        joint
        for side, x in (("Left", 1.0), ("Right", -1.0))
        for joint in (
            (f"{side}Arm", "Spine", (0.19 * x, 0.0, 0.42)),
            (f"{side}ForeArm", f"{side}Arm", (0.0, 0.0, -UPPER_ARM)),
            (f"{side}Hand", f"{side}ForeArm", (0.0, 0.0, -FOREARM)),
            (f"{side}HandMiddle1", f"{side}Hand", (0.0, 0.0, -0.09)),
            (f"{side}HandMiddle1_end", f"{side}HandMiddle1", (0.0, 0.0, -0.08)),
            (f"{side}UpLeg", "Hips", (0.10 * x, 0.0, 0.0)),
            (f"{side}Leg", f"{side}UpLeg", (0.0, 0.0, -THIGH)),
            (f"{side}Foot", f"{side}Leg", (0.0, 0.0, -SHIN)),
            (f"{side}ToeBase", f"{side}Foot", (0.0, -0.13, -0.06)),
            (f"{side}ToeBase_end", f"{side}ToeBase", (0.0, -0.07, 0.0)),
        )
    ),
)
NAMES = tuple(name for name, _, _ in JOINTS)
LIMBS = ("Left Leg", "Right Leg", "Left Hand", "Right Hand")


@dataclass(frozen=True)
class _End:
    """Where a limb's planted point is (F, 3), and how its foot or hand is turned in the world (F, 4)."""

    point: FloatArray
    turn: FloatArray


def limbs() -> tuple[Limb, ...]:
    """Return the legs and then the hands, left before right."""
    return tuple(
        Limb(
            limb.name,
            *(NAMES.index(getattr(limb, part)) for part in ("root", "hip", "knee", "heel", "toe")),
            toe_end=None if limb.hand else NAMES.index(f"{limb.toe}_end"),
            hand=limb.hand,
        )
        for limb in limb_bones()
    )


def limb_bones() -> list[LimbBones]:
    """Return the legs and then the hands by the names of their bones."""
    legs = [
        LimbBones(f"{side} Leg", "Hips", *(side + part for part in ("UpLeg", "Leg", "Foot", "ToeBase")))
        for side in ("Left", "Right")
    ]
    return legs + [
        LimbBones(
            f"{side} Hand", "Hips", *(side + part for part in ("Arm", "ForeArm", "Hand", "HandMiddle1")), hand=True
        )
        for side in ("Left", "Right")
    ]


def crawl(strides: float = 4.0, fps: float = 60.0, slide_mm_s: float = 0.0) -> Walk:
    """Return a crawl on hands and toes, one limb in the air at a time."""
    length, duration, duty = 0.4, 1.2, 0.7
    seconds = np.arange(round(strides * duration * fps) + 1) / fps
    stride = seconds / duration
    hips = length * stride[:, None] * FORWARD + 0.62 * UP + 0.01 * np.sin(4.0 * np.pi * stride)[:, None] * UP
    trunk = _turned(LATERAL, np.full(len(stride), np.radians(98.0)))
    ends, planted = {}, {}
    for limb, offset in zip(LIMBS, (0.0, 0.5, 0.75, 0.25), strict=True):
        hand = "Hand" in limb
        phase = (stride + offset) % 1.0
        steps = np.floor(stride + offset) - offset
        swing = np.clip((phase - duty) / (1.0 - duty), 0.0, 1.0)
        gone = swing**2 * (3.0 - 2.0 * swing)
        ahead = length * (steps + gone + 0.5 * duty) + (0.52 if hand else -0.42)
        height = (KNUCKLE_HEIGHT if hand else TOE_HEIGHT) + 0.07 * 64.0 * (swing * (1.0 - swing)) ** 3
        side = (0.17 if hand else 0.11) * (1.0 if limb.startswith("Left") else -1.0)
        point = ahead[:, None] * FORWARD + height[:, None] * UP + side * LATERAL
        ends[limb] = _End(point, _turned(LATERAL, np.full(len(stride), np.radians(-70.0 if hand else 60.0))))
        planted[limb] = phase <= duty
    return _acrobatics((hips, trunk), ends, planted, fps, slide_mm_s)


def cartwheel(fps: float = 60.0, slide_mm_s: float = 0.0) -> Walk:
    """Return a cartwheel to the left from standing to standing: feet, left hand, right hand, feet."""
    pause, turning = 0.6, 1.6
    seconds = np.arange(round((2.0 * pause + turning) * fps) + 1) / fps
    share = np.clip((seconds - pause) / turning, 0.0, 1.0)
    turn = 2.0 * np.pi * share**2 * (3.0 - 2.0 * share)
    upside_down = 0.5 * (1.0 - np.cos(turn))
    hips = 0.42 * turn[:, None] * LATERAL + (0.78 + 0.21 * upside_down)[:, None] * UP
    trunk = _turned(-FORWARD, turn)
    ends, planted = {}, {}
    # Spokes of a wheel, by how far the wheel has turned when each points straight down.
    for limb, down in zip(LIMBS, (0.3, -0.3, np.pi - 0.25, np.pi + 0.25), strict=True):
        hand = "Hand" in limb
        passing = np.stack([np.abs(turn - down), np.abs(turn - down - 2.0 * np.pi)]).min(axis=0)
        stands = np.clip((0.9 - passing) / 0.45, 0.0, 1.0)
        stands = stands**3 * (10.0 + stands * (6.0 * stands - 15.0))
        lap = np.where(np.abs(turn - down) > np.abs(turn - down - 2.0 * np.pi), 2.0 * np.pi, 0.0)
        place = 0.42 * (down + lap)[:, None] * LATERAL + (KNUCKLE_HEIGHT if hand else TOE_HEIGHT) * UP
        spoke = (0.92 if hand else 0.80) * np.array([np.sin(down), 0.0, -np.cos(down)])
        free = hips + rotations.rotate(trunk, spoke)
        point = free + stands[:, None] * (place + 0.05 * FORWARD - free)
        flat = _turned(LATERAL, np.full(len(turn), np.radians(-85.0 if hand else 0.0)))
        loose = rotations.multiply(trunk, _turned(LATERAL, np.full(len(turn), np.pi if hand else 0.0)))
        ends[limb] = _End(point, _between(loose, flat, stands))
        planted[limb] = stands >= 1.0
    return _acrobatics((hips, trunk), ends, planted, fps, slide_mm_s)


def climb(fps: float = 60.0, slide_mm_s: float = 0.0) -> Walk:
    """Return a climb up a wall in front, hand over hand and foot over foot; the slide is downwards."""
    length, duration, duty, strides = 0.4, 1.6, 0.75, 3.0
    seconds = np.arange(round(strides * duration * fps) + 1) / fps
    stride = seconds / duration
    hips = (1.2 + length * stride)[:, None] * UP
    trunk = np.tile(rotations.IDENTITY, (len(stride), 1))
    ends, planted = {}, {}
    for limb, offset in zip(LIMBS, (0.0, 0.5, 0.5, 0.0), strict=True):
        hand = "Hand" in limb
        phase = (stride + offset) % 1.0
        swing = np.clip((phase - duty) / (1.0 - duty), 0.0, 1.0)
        gone = swing**2 * (3.0 - 2.0 * swing)
        up = 1.2 + length * (np.floor(stride + offset) - offset + gone + 0.5 * duty) + (0.72 if hand else -0.72)
        out = 0.36 - 0.06 * 64.0 * (swing * (1.0 - swing)) ** 3
        side = (0.22 if hand else 0.14) * (1.0 if limb.startswith("Left") else -1.0)
        point = out[:, None] * FORWARD + up[:, None] * UP + side * LATERAL
        ends[limb] = _End(point, _turned(LATERAL, np.full(len(stride), np.radians(-160.0 if hand else 0.0))))
        planted[limb] = phase <= duty
    made = _acrobatics((hips, trunk), ends, planted, fps, 0.0)
    sliding = made.clip.local_locations.copy()
    sliding[:, 0] -= 1e-3 * slide_mm_s * seconds[:, None] * UP
    return Walk(made.clip.moved(made.clip.local_rotations, sliding), made.limbs, made.contacts, slide_mm_s)


def _acrobatics(
    body: tuple[FloatArray, FloatArray],
    ends: Mapping[str, _End],
    planted: Mapping[str, FloatArray],
    fps: float,
    slide_mm_s: float,
) -> Walk:
    """Return the motion of a body, where its hips are (F, 3) and how its trunk is turned (F, 4), with these ends."""
    hips, trunk = body
    world = {"Hips": trunk}
    for limb, end in ends.items():
        _pose(world, limb, hips, trunk, end)
    toe = np.stack([planted[limb] for limb in LIMBS], axis=-1).astype(np.float64)
    slide = 1e-3 * slide_mm_s * np.arange(len(hips))[:, None] / fps * FORWARD
    return Walk(_clip(world, hips + slide, fps), limbs(), Contacts(toe, np.zeros_like(toe)), slide_mm_s)


def _pose(world: dict[str, FloatArray], limb: str, hips: FloatArray, trunk: FloatArray, end: _End) -> None:
    """Add the world rotations (F, 4) of a limb's joints to ``world``: knees bend forwards, elbows backwards."""
    side, kind = limb.split()
    hand = kind == "Hand"
    upper, lower = (UPPER_ARM, FOREARM) if hand else (THIGH, SHIN)
    mirror = np.array([1.0 if side == "Left" else -1.0, 1.0, 1.0])
    top = hips + rotations.rotate(trunk, (SHOULDER if hand else HIP) * mirror)
    ankle = end.point - rotations.rotate(end.turn, HAND if hand else FOOT)
    bends_to = rotations.rotate(trunk, -FORWARD if hand else FORWARD)
    reach = ankle - top
    distance = np.linalg.norm(reach, axis=-1, keepdims=True)
    assert distance.max() < upper + lower, f"{limb} is {distance.max() - upper - lower:.3f} m too short"
    down = reach / distance
    across = np.cross(bends_to, down)
    across /= np.linalg.norm(across, axis=-1, keepdims=True)
    along = (distance**2 + upper**2 - lower**2) / (2.0 * distance)
    middle = top + along * down + np.sqrt(upper**2 - along**2) * np.cross(down, across)
    axis = -across if hand else across
    names = ("Arm", "ForeArm", "Hand", "HandMiddle1") if hand else ("UpLeg", "Leg", "Foot", "ToeBase")
    world[side + names[0]] = _hanging((middle - top) / upper, axis)
    world[side + names[1]] = _hanging((ankle - middle) / lower, axis)
    world[side + names[2]] = end.turn
    level = np.tile(rotations.IDENTITY, (len(hips), 1))
    world[side + names[3]] = world[f"{side}{names[3]}_end"] = end.turn if hand else level


def _clip(world: dict[str, FloatArray], hips: FloatArray, fps: float) -> Clip:
    """Return the clip whose joints have these world rotations (F, 4), bones keeping their lengths."""
    parents = tuple(-1 if parent is None else NAMES.index(parent) for _, parent, _ in JOINTS)
    rest = np.array([offset for _, _, offset in JOINTS])
    tree = Skeleton(NAMES, parents, np.tile(rotations.IDENTITY, (len(NAMES), 1)), rest)
    local_rotations = np.empty((len(hips), len(NAMES), 4))
    local_locations = np.tile(rest, (len(hips), 1, 1))
    local_locations[:, 0] = hips
    turned = [world.get(name, world["Hips"]) for name in NAMES]
    for joint, parent in enumerate(parents):
        local_rotations[:, joint] = (
            turned[joint] if parent < 0 else rotations.multiply(rotations.inverse(turned[parent]), turned[joint])
        )
    return Clip(tree, fps, local_rotations, local_locations)


def _turned(axis: FloatArray, angle: FloatArray) -> FloatArray:
    return rotations.from_axis_angle(np.broadcast_to(axis, (len(angle), 3)), angle)


def _between(one: FloatArray, other: FloatArray, share: FloatArray) -> FloatArray:
    """Return rotations (F, 4) this share (F,) of the shorter way from one to the other."""
    other = np.where(np.sum(one * other, axis=-1, keepdims=True) < 0.0, -other, other)
    return rotations.normalized(one + share[:, None] * (other - one))


def _hanging(direction: FloatArray, side_axis: FloatArray) -> FloatArray:
    """Return the rotation (F, 4) of a bone that hangs straight down at rest and now points along ``direction``."""
    return rotations.from_matrices(np.stack([side_axis, np.cross(side_axis, direction), -direction], axis=-1))
