# SPDX-License-Identifier: GPL-3.0-or-later
"""The walker standing, and making one step without any slide: onto its toes, onto a box, down a kerb, onto a knee."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from support import walker
from toehold.solver import rotations
from toehold.solver.arrays import FloatArray
from toehold.solver.clip import Clip
from toehold.solver.contacts import Contacts

STEP_SECONDS = 0.4


@dataclass(frozen=True)
class Stand:
    """How a foot stands: metres ahead, the floor's height, how far its heel is raised about the tip of its toes."""

    ahead: float = 0.0
    floor: float = 0.0
    pitch_deg: float = 0.0


def step(
    first: Stand, then: Stand, seconds: tuple[float, float] = (1.0, 2.0), fps: float = 60.0, size: float = 1.0
) -> tuple[Clip, Contacts]:
    """Return the clip of a step of the right foot, the left one flat on the floor at 0, and its true contacts.

    size : how many times as large as the walker the character is.
    """
    stands, swings = (round(fps * seconds[0]), round(fps * seconds[1])), round(fps * STEP_SECONDS)
    count = sum(stands) + swings
    share = np.clip((np.arange(count) - stands[0] + 1) / (swings + 1), 0.0, 1.0)
    gone = share * share * (3.0 - 2.0 * share)
    lifted = 64.0 * 0.1 * (share * (1.0 - share)) ** 3
    ahead, floor, pitch = (a + gone * (b - a) for a, b in zip(_numbers(first), _numbers(then), strict=True))
    world = {"Hips": np.tile(rotations.IDENTITY, (count, 1))}
    height = walker.STANDING_HEIGHT - 0.14 + (1.0 - gone) * min(first.floor, 0.0) + gone * min(then.floor, 0.0)
    hips = gone[:, None] * 0.4 * then.ahead * walker.FORWARD + height[:, None] * walker.UP
    zero = np.zeros(count)
    for leg, where in zip(walker.LEGS, ((zero, zero, zero), (ahead, floor + lifted, pitch)), strict=True):
        _pose(world, leg.side, hips + leg.hip_offset, leg.hip_offset, where)
    moving = (share > 0.0) & (share < 1.0)
    flat = (first.pitch_deg == 0.0, then.pitch_deg == 0.0)
    toe, heel = np.ones((2, count, 2))
    toe[moving, 1] = 0.0
    heel[:, 1] = np.where(share == 0.0, flat[0], np.where(share == 1.0, flat[1], 0.0))
    return _sized(walker._clip(world, hips, fps), size), Contacts(toe, heel)


def _numbers(stand: Stand) -> tuple[float, float, float]:
    return stand.ahead, stand.floor, float(np.radians(stand.pitch_deg))


def _pose(
    world: dict[str, FloatArray],
    side: str,
    hip: FloatArray,
    hip_offset: FloatArray,
    where: tuple[FloatArray, FloatArray, FloatArray],
) -> None:
    """Add the world rotations of a leg whose foot is ``where``: ahead, height of its floor, heel raised (radians)."""
    ahead, floor, raised = where
    foot = walker._pitched(-raised)
    length = walker.HEEL_TO_TOE + walker.TOE_LENGTH
    tip = hip_offset + ahead[:, None] * walker.FORWARD + (floor + walker.TOE_HEIGHT)[:, None] * walker.UP
    tip = tip + length * walker.FORWARD
    heel = tip - rotations.rotate(foot, length * walker.FORWARD - (walker.HEEL_HEIGHT - walker.TOE_HEIGHT) * walker.UP)
    thigh, shin, side_axis = _bent(hip, heel)
    world[f"{side}UpLeg"] = walker._hanging(thigh, side_axis)
    world[f"{side}Leg"] = walker._hanging(shin, side_axis)
    world[f"{side}Foot"] = world[f"{side}ToeBase"] = world[f"{side}ToeBase_end"] = foot


def _bent(hip: FloatArray, heel: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the unit directions (F, 3) of thigh and shin from hip to heel, and the axis that the knee bends about."""
    reach = heel - hip
    distance = np.linalg.norm(reach, axis=-1, keepdims=True)
    side_axis = np.cross(walker.FORWARD, reach / distance)
    side_axis /= np.linalg.norm(side_axis, axis=-1, keepdims=True)
    along = (distance**2 + walker.THIGH**2 - walker.SHIN**2) / (2.0 * distance)
    off = np.sqrt(walker.THIGH**2 - along**2)
    knee = hip + along * reach / distance + off * np.cross(reach / distance, side_axis)
    return (knee - hip) / walker.THIGH, (heel - knee) / walker.SHIN, side_axis


def _sized(clip: Clip, size: float) -> Clip:
    tree = replace(clip.skeleton, rest_locations=size * clip.skeleton.rest_locations)
    return replace(clip, skeleton=tree, local_locations=size * clip.local_locations, _derived={})
