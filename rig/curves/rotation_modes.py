# SPDX-License-Identifier: GPL-3.0-or-later
"""A bone's rotation channels as unit quaternions and back, in any of Blender's rotation modes, all frames at once."""

from __future__ import annotations

import numpy as np

from ...solver import rotations
from ...solver.arrays import FloatArray

# Closer than this to a quarter turn of the middle angle, the outer two Euler angles cannot be told apart.
_GIMBAL_COSINE = 1e-6


def property_of(rotation_mode: str) -> str:
    """Return the name of the property that holds a bone's rotation in this mode."""
    return {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}.get(
        rotation_mode, "rotation_euler"
    )


def to_quaternions(rotation_mode: str, values: FloatArray) -> FloatArray:
    """Return quaternions ``(..., 4)`` of a mode's values: four of a quaternion, angle and axis, or three radians."""
    if rotation_mode == "QUATERNION":
        return rotations.normalized(values, rotations.IDENTITY)
    if rotation_mode == "AXIS_ANGLE":
        return rotations.normalized(
            rotations.from_axis_angle(rotations.normalized(values[..., 1:]), values[..., 0]), rotations.IDENTITY
        )
    turned: FloatArray | None = None
    # The letter that comes first turns first.
    for letter in rotation_mode:
        axis = "XYZ".index(letter)
        step = rotations.from_axis_angle(np.eye(3)[axis], values[..., axis])
        turned = step if turned is None else rotations.multiply(step, turned)
    assert turned is not None
    return turned


def from_quaternions(rotation_mode: str, quaternions: FloatArray, like: FloatArray, goes_on: bool) -> FloatArray:
    """Return the channel values of ``quaternions`` ``(F, 4)``, choosing among the many values that a rotation has.

    A quaternion has two signs, an axis two directions, an angle whole turns, a rotation two triples of Euler angles.
    They start out near those of ``like``, what the channel had in these frames, and stay continuous.

    goes_on : whether there are other keys after the last frame, which the values there have to fit as ``like`` does.
    """
    if rotation_mode == "QUATERNION":
        return quaternions * _sides(quaternions, like, goes_on)[:, None]
    if rotation_mode == "AXIS_ANGLE":
        return _axis_angle(quaternions, like, goes_on)
    return _euler(rotation_mode, quaternions, like)


def _sides(directions: FloatArray, like: FloatArray, goes_on: bool) -> FloatArray:
    """Return the sign ``(F,)`` of each direction with which none turns its back to the one before it."""
    near_like = np.where(np.sum(directions * like, axis=-1) < 0.0, -1.0, 1.0)
    flips = np.where(np.sum(directions[1:] * directions[:-1], axis=-1) < 0.0, -1.0, 1.0)
    sides = near_like[0] * np.cumprod(np.concatenate([[1.0], flips]))
    # What was there turned its back an odd number of times: only by doing the same is the next key met.
    return near_like if goes_on and sides[-1] != near_like[-1] else sides


def _axis_angle(quaternions: FloatArray, like: FloatArray, goes_on: bool) -> FloatArray:
    """Return angle and axis ``(F, 4)``; where nothing turns, the axis stays the one of ``like``."""
    length = np.linalg.norm(quaternions[:, 1:], axis=-1)
    axis_before = rotations.normalized(like[:, 1:], np.array([0.0, 1.0, 0.0]))
    axis = np.where(length[:, None] > 1e-9, quaternions[:, 1:] / np.maximum(length, 1e-9)[:, None], axis_before)
    side = _sides(axis, axis_before, goes_on)
    angle = side * 2.0 * np.arctan2(length, quaternions[:, 0])
    return np.concatenate([_nearest_turn(angle, like[:, 0])[:, None], side[:, None] * axis], axis=-1)


def _euler(order: str, quaternions: FloatArray, like: FloatArray) -> FloatArray:
    """Return Euler angles ``(F, 3)`` as x, y, z.

    For rotation first about i, then j, then k the matrix is R_k R_j R_i, so that its entry (k, i) is -+ sin of the
    middle angle, and the other two follow from the row and the column through it.
    """
    i, j, k = ("XYZ".index(letter) for letter in order)
    odd = 1.0 if (j - i) % 3 == 1 else -1.0
    matrices = rotations.to_matrices(quaternions)
    cosine = np.hypot(matrices[:, i, i], matrices[:, j, i])
    middle = np.arctan2(-odd * matrices[:, k, i], cosine)
    first = np.arctan2(odd * matrices[:, k, j], matrices[:, k, k])
    last = np.arctan2(odd * matrices[:, j, i], matrices[:, i, i])
    locked = cosine < _GIMBAL_COSINE
    if np.any(locked):
        # Only the sum or the difference of the outer two is known: keep the first as it was.
        first = np.where(locked, like[:, i], first)
        unturned = rotations.from_axis_angle(np.eye(3)[i], -first)
        rest = rotations.to_matrices(rotations.multiply(quaternions, unturned))
        last = np.where(locked, np.arctan2(-odd * rest[:, i, j], rest[:, j, j]), last)
    one = _nearest_turn(np.stack([first, middle, last], axis=-1), like[:, [i, j, k]])
    other = _nearest_turn(np.stack([first + np.pi, np.pi - middle, last + np.pi], axis=-1), like[:, [i, j, k]])
    farther = np.abs(one - like[:, [i, j, k]]).sum(axis=-1) > np.abs(other - like[:, [i, j, k]]).sum(axis=-1)
    angles = np.empty_like(one)
    angles[:, [i, j, k]] = np.where(farther[:, None], other, one)
    return angles


def _nearest_turn(angles: FloatArray, like: FloatArray) -> FloatArray:
    """Add whole turns so that ``angles`` lie within half a turn of ``like``."""
    return angles - 2.0 * np.pi * np.round((angles - like) / (2.0 * np.pi))
