# SPDX-License-Identifier: GPL-3.0-or-later
"""What a BVH's channels mean: joint transforms of channels, channels of joint transforms, and the way to a Clip.

BVH has Y up and its own unit. Blender's world has Z up and metres: the file's ``(x, y, z)`` is at ``(x, -z, y)``.
"""

from __future__ import annotations

import numpy as np

from ..solver import rotations
from ..solver.arrays import FloatArray
from ..solver.clip import Clip, Skeleton
from .bvh import Bvh

_AXES = "XYZ"

# Where the middle angle is this close to a right angle (its cosine), the outer two turn about the same axis.
_GIMBAL_LOCK = 1e-7

# Metres of units that files are written in: metres, centimetres, inches, millimetres, and CMU's 1/0.45 inches.
_KNOWN_UNITS = (
    (1.0, "metres"),
    (0.01, "centimetres"),
    (0.0254, "inches"),
    (0.001, "millimetres"),
    (0.0254 / 0.45, "CMU's units"),
)
_LEG_LENGTHS = (0.6, 1.15)
_USUAL_LEG_LENGTH = 0.9
# Animals are of any size: a mouse's leg, and a giraffe's.
_ANIMALS_LEG_LENGTHS = (0.02, 2.5)


def local_transforms(bvh: Bvh, values: FloatArray | None = None) -> tuple[FloatArray, FloatArray]:
    """Return each joint's rotation ``(F, J, 4)`` and location ``(F, J, 3)`` in its parent's frame.

    In the file's axes and unit. A joint's position channels stand in place of its offset, as Blender reads them.
    """
    values = bvh.values if values is None else values
    frames, joints = len(values), len(bvh.names)
    turned = np.tile(rotations.IDENTITY, (frames, joints, 1))
    locations = np.tile(bvh.offsets, (frames, 1, 1))
    for joint, first in enumerate(bvh.first_channels):
        for column, channel in enumerate(bvh.channels[joint], start=first):
            axis = _AXES.index(channel[0])
            if channel.endswith("position"):
                locations[:, joint, axis] = values[:, column]
            else:
                turn = rotations.from_axis_angle(np.eye(3)[axis], np.radians(values[:, column]))
                turned[:, joint] = rotations.multiply(turned[:, joint], turn)
    return turned, locations


def to_clip(bvh: Bvh, metres_per_unit: float, values: FloatArray | None = None) -> Clip:
    """Return the motion as a Clip: Z up, metres. Every joint's frame is the world's in the rest pose."""
    turned, locations = local_transforms(bvh, values)
    rest = np.tile(rotations.IDENTITY, (len(bvh.names), 1))
    skeleton = Skeleton(bvh.names, bvh.parents, rest, z_up(bvh.offsets) * metres_per_unit)
    return Clip(skeleton, 1.0 / bvh.frame_time, z_up_rotations(turned), z_up(locations) * metres_per_unit)


def z_up(points: FloatArray) -> FloatArray:
    """Return points ``(..., 3)`` of a file in Blender's axes."""
    return np.stack([points[..., 0], -points[..., 2], points[..., 1]], axis=-1)


def y_up(points: FloatArray) -> FloatArray:
    """Return points ``(..., 3)`` of Blender's world in a file's axes."""
    return np.stack([points[..., 0], points[..., 2], -points[..., 1]], axis=-1)


def z_up_rotations(q: FloatArray) -> FloatArray:
    """Return rotations ``(..., 4)`` of a file in Blender's axes."""
    return np.concatenate([q[..., :1], z_up(q[..., 1:])], axis=-1)


def y_up_rotations(q: FloatArray) -> FloatArray:
    """Return rotations ``(..., 4)`` of Blender's world in a file's axes."""
    return np.concatenate([q[..., :1], y_up(q[..., 1:])], axis=-1)


def rotation_channels(order: str, q: FloatArray, near: FloatArray) -> FloatArray:
    """Return the angles that turn as rotations ``q`` do.

    order : the axes in the file's order, as ``"ZXY"``: the first turns last. Fewer than three turn as near as they can.
    q : (F, 4)
    near : (F, len(order)) degrees. Of the two sets of angles, and of all whole turns, the nearest to these is returned.
    """
    if not order:
        return near.copy()
    missing = "".join(axis for axis in _AXES if axis not in order)
    full = order + missing
    known = np.radians(np.concatenate([near, np.zeros((len(near), len(missing)))], axis=1))
    first, middle, last = (_AXES.index(axis) for axis in full)
    sign = 1.0 if (middle - first) % 3 == 1 else -1.0
    m = rotations.to_matrices(q)
    cosine = np.hypot(m[:, first, first], m[:, first, middle])
    angles = np.stack(
        [
            np.arctan2(-sign * m[:, middle, last], m[:, last, last]),
            np.arctan2(sign * m[:, first, last], cosine),
            np.arctan2(-sign * m[:, first, middle], m[:, first, first]),
        ],
        axis=1,
    )
    locked = cosine < _GIMBAL_LOCK
    if locked.any():
        # One of the outer angles is free there: keep the first as it was.
        turned_back = rotations.from_axis_angle(np.eye(3)[first], -known[:, 0])
        rest = rotations.to_matrices(rotations.multiply(turned_back, q))
        alone = np.arctan2(sign * rest[:, middle, first], rest[:, middle, middle])
        angles = np.where(locked[:, None], np.stack([known[:, 0], angles[:, 1], alone], axis=1), angles)
    other = np.stack([angles[:, 0] + np.pi, np.pi - angles[:, 1], angles[:, 2] + np.pi], axis=1)
    both = np.stack([angles, np.where(locked[:, None], angles, other)])
    both += 2.0 * np.pi * np.round((known - both) / (2.0 * np.pi))
    far = np.sum((both - known)[..., : len(order)] ** 2, axis=-1)
    best = np.where((far[0] <= far[1])[:, None], both[0], both[1])
    nearest: FloatArray = np.degrees(best[:, : len(order)])
    return nearest


def guess_metres_per_unit(leg_length: float, legs: int = 2) -> tuple[float, str]:
    """Return metres per unit of a file whose legs, hip to heel, are ``leg_length`` units long, and what that is called.

    A unit that files are known to be written in, where that makes the leg a person's, or on more than two ``legs`` an
    animal's, with metres and centimetres before others; else the leg becomes 0.9 m.
    """
    shortest, longest = _LEG_LENGTHS if legs <= 2 else _ANIMALS_LEG_LENGTHS
    for metres, name in _KNOWN_UNITS:
        if shortest <= leg_length * metres <= longest:
            return metres, name
    return (_USUAL_LEG_LENGTH / leg_length if leg_length > 0.0 else 1.0), "from the leg"
