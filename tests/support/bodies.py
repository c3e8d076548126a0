# SPDX-License-Identifier: GPL-3.0-or-later
"""Whole bodies as many programs name and pose them, and what else may hang from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from .makes import MAKES
from .rigs import Bone, Vector

# Joints of a leg and of an arm from where it leaves the body, for the left side.
_LEG = np.array([(0.1, 0.0, 0.9), (0.1, -0.03, 0.5), (0.1, 0.0, 0.08), (0.1, -0.13, 0.02), (0.1, -0.2, 0.0)])
_ALONG_ARM = (0.0, 0.15, 0.43, 0.68, 0.77)
_SHOULDER = np.array([0.03, 0.0, 1.42])
_POSES = {"T": (1.0, 0.0, 0.0), "A": (0.7, 0.0, -0.7), "hanging": (0.1, 0.0, -1.0)}


@dataclass(frozen=True)
class Body:
    """Bones, and the names of the joints of each limb, left and right: hip, knee, heel and toe; arms likewise."""

    bones: list[Bone]
    legs: list[list[str]]
    arms: list[list[str]]


def body(make: str, pose: str = "T") -> Body:
    """Return a person as a program names the bones, with fingers; facing -Y, metres."""
    hips, legs, arms = MAKES[make]
    bones = [
        Bone(hips, "", (0.0, 0.0, 0.95), (0.0, 0.0, 1.1)),
        Bone("Trunk", hips, (0.0, 0.0, 1.1), (0.0, 0.0, 1.3)),
        Bone("Breast", "Trunk", (0.0, 0.0, 1.3), (0.0, 0.0, 1.45)),
        Bone("Neck", "Breast", (0.0, 0.0, 1.45), (0.0, 0.0, 1.55)),
        Bone("Head", "Neck", (0.0, 0.0, 1.55), (0.0, 0.0, 1.75)),
    ]
    direction = np.array(_POSES[pose]) / np.linalg.norm(_POSES[pose])
    joints: dict[str, list[list[str]]] = {"legs": [], "arms": []}
    for side, mirror in enumerate((1.0, -1.0)):
        leg = _spelled(legs, side)
        bones += _chain(leg, hips, _leg_points(leg), mirror)
        joints["legs"].append([name for name, counts in leg if counts])
        arm = _spelled(arms, side)
        along = (
            _ALONG_ARM if len(arm) == 4 else tuple(np.interp(np.linspace(0.0, 4.0, len(arm) + 1), range(5), _ALONG_ARM))
        )
        points = [_SHOULDER + direction * distance for distance in along]
        bones += _chain(arm, "Breast", points, mirror)
        bones += _fingers(arm[-1][0], points[-1], direction, mirror)
        joints["arms"].append([name for name, counts in arm if counts])
    return Body(bones, joints["legs"], joints["arms"])


def nameless(bones: Sequence[Bone], seed: int = 3) -> tuple[list[Bone], dict[str, str]]:
    """Return bones called Bone.000 and so on in no order, and what each was called."""
    order = np.random.default_rng(seed).permutation(len(bones))
    new = {bone.name: f"Bone.{number:03}" for bone, number in zip(bones, order, strict=True)} | {"": ""}
    renamed = [replace(bone, name=new[bone.name], parent=new[bone.parent]) for bone in bones]
    return renamed, {number: name for name, number in new.items()}


def turned(bones: Sequence[Bone], degrees: float, scale: float = 1.0) -> list[Bone]:
    """Return bones turned about the upright axis in the armature's own space, and scaled."""
    cosine, sine = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))

    def moved(point: Vector) -> Vector:
        x, y, z = point
        return (scale * (cosine * x - sine * y), scale * (sine * x + cosine * y), scale * z)

    return [replace(bone, head=moved(bone.head), tail=moved(bone.tail)) for bone in bones]


def chain(name: str, parent: str, points: Sequence[Vector]) -> list[Bone]:
    """Return bones from point to point, called by a name and their number."""
    names = [f"{name}{number}" for number in range(len(points) - 1)]
    return [Bone(own, [parent, *names][at], points[at], points[at + 1]) for at, own in enumerate(names)]


def pair(name: str, parent: str, points: Sequence[Vector]) -> list[Bone]:
    """Return a chain on the left, called P, and its mirror image on the right, called Q."""
    return chain(f"{name}P", parent, points) + chain(f"{name}Q", parent, [(-x, y, z) for x, y, z in points])


def _spelled(pattern: str, side: int) -> list[tuple[str, bool]]:
    """Return the names of one side, and whether each is a joint of the limb."""
    first = pattern[pattern.index("{") + 1 : pattern.index("}")].split("|")[side]
    found = []
    for part in pattern.split("," if "," in pattern else " "):
        name = part.rstrip("*").replace("{}", first)
        while "{" in name:
            start, end = name.index("{"), name.index("}")
            name = name[:start] + name[start + 1 : end].split("|")[side] + name[end + 1 :]
        found.append((name, not part.endswith("*")))
    return found


def _leg_points(leg: Sequence[tuple[str, bool]]) -> list[np.ndarray]:
    joints = [at for at, (_, counts) in enumerate(leg) if counts]
    points = []
    for at in range(len(leg)):
        before, after = [one for one in joints if one <= at], [one for one in joints if one >= at]
        if not before:
            points.append(np.array([0.03, 0.0, 0.95]))
        elif not after:
            points.append(np.array([0.1, -0.17, 0.01]))
        else:
            one, other = _LEG[joints.index(before[-1])], _LEG[joints.index(after[0])]
            share = (at - before[-1]) / max(after[0] - before[-1], 1)
            points.append(one + share * (other - one))
    return [*points, _LEG[4]]


def _chain(names: Sequence[tuple[str, bool]], parent: str, points: Sequence[np.ndarray], mirror: float) -> list[Bone]:
    at = [(mirror * x, y, z) for x, y, z in points]
    above = [parent, *(name for name, _ in names)]
    return [Bone(name, above[number], at[number], at[number + 1]) for number, (name, _) in enumerate(names)]


def _fingers(hand: str, tip: np.ndarray, direction: np.ndarray, mirror: float) -> list[Bone]:
    """Return five fingers of three bones from the tip of the hand on, the middle one the longest."""
    bones = []
    for finger, length in enumerate((0.02, 0.028, 0.03, 0.028, 0.024)):
        joints = [tip + direction * length * bone + np.array([0.0, 0.015 * finger - 0.03, 0.0]) for bone in range(4)]
        names = [(f"{hand} digit {finger}{bone}", False) for bone in range(3)]
        bones += _chain(names, hand, joints, mirror)
    return bones
