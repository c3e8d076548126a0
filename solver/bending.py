# SPDX-License-Identifier: GPL-3.0-or-later
"""Bending two segments about an axis: what every limb's solve is made of (docs/mathematics.md, 2.1 to 2.3)."""

from __future__ import annotations

import numpy as np

from . import rotations
from .arrays import FloatArray

# How strongly the pose's own plane of bending counts against the limb's usual one: at sin(bend) = 1/8 (7 degrees) both
# count alike, so that a nearly straight leg does not take its axis from noise and a bent one keeps its own.
POSE_AXIS_WEIGHT = 8.0


def soft_reach(wanted: FloatArray, given: FloatArray, longest: FloatArray, softening: float) -> FloatArray:
    """Return the reach that a limb takes for the one that is wanted (all (F,) metres).

    A reach up to ``max(given, longest - softening)`` is untouched: the input pose's own always is, and the slope has
    no step where the softening begins (docs/mathematics.md, 2.2). The result never exceeds ``max(longest, given)``.
    """
    begin = np.maximum(given, longest - softening)
    band = np.maximum(longest - begin, 0.0)
    beyond = np.maximum(wanted - begin, 0.0)
    # With no band left the exponential is a step; the division is kept away from zero, its result then unused.
    softened = begin + band * -np.expm1(-beyond / np.where(band > rotations.TINY, band, 1.0))
    return np.where(beyond > 0.0, softened, wanted)


def bending_axis(upper: FloatArray, lower: FloatArray, side: FloatArray) -> FloatArray:
    """Return the unit axis (F, 3) to bend about: the pose's own, or the limb's ``side`` where the two are in line.

    A limb bent backwards keeps the axis of one bent forwards, so that bending it further never folds it backwards.
    """
    own = rotations.cross(rotations.normalized(upper), rotations.normalized(lower))
    agreement = np.sum(rotations.normalized(own) * side, axis=-1, keepdims=True)
    return rotations.normalized(side + POSE_AXIS_WEIGHT * agreement * own, side)


def bend_of(upper: FloatArray, lower: FloatArray, axis: FloatArray) -> FloatArray:
    """Return the angle (F,) by which ``lower`` is turned from ``upper`` about unit ``axis``, -pi to pi."""
    along = np.sum(upper * axis, axis=-1) * np.sum(lower * axis, axis=-1)
    across = np.sum(axis * rotations.cross(upper, lower), axis=-1)
    return np.arctan2(across, np.sum(upper * lower, axis=-1) - along)


def bend_change(upper: FloatArray, lower: FloatArray, axis: FloatArray, reach: FloatArray) -> FloatArray:
    """Return the angle (F,) to turn ``lower`` by about ``axis``, so that both together span ``reach`` metres.

    With t the upper segment, s the lower and n the axis, ``|t + Rot(n, angle) s| = reach`` reads
    ``a cos(angle) + b sin(angle) = c``, solved in closed form for any axis, not only one square to the limb's plane.
    """
    along = np.sum(upper * axis, axis=-1) * np.sum(lower * axis, axis=-1)
    a = np.sum(upper * lower, axis=-1) - along
    b = np.sum(upper * rotations.cross(axis, lower), axis=-1)
    c = 0.5 * (reach**2 - np.sum(upper**2, axis=-1) - np.sum(lower**2, axis=-1)) - along
    radius = np.hypot(a, b)
    bent = np.arctan2(-b, a)
    wanted = np.arccos(np.clip(c / np.where(radius > rotations.TINY, radius, 1.0), -1.0, 1.0))
    # A limb bent backwards by some degrees in the input stays as it is where nothing is asked of it, and goes through
    # straight to bend forwards, twice as fast until it has caught up; a jump would be seen, half a millimetre of
    # reach at two degrees is not.
    backwards = np.maximum(-bent, 0.0)
    catching_up = np.minimum(2.0 * wanted - 3.0 * backwards, wanted)
    new = np.where(wanted < backwards, -wanted, catching_up)
    return np.where(radius > rotations.TINY, new - bent, 0.0)


def two_bone(
    upper: FloatArray, lower: FloatArray, side: FloatArray, wanted: FloatArray, reach: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Bend and swing two segments (F, 3) so that they end ``reach`` (F,) metres away in the direction ``wanted``.

    Returns
    -------
    swing : (F, 4) world rotation of both.
    bend : (F, 4) world rotation of the lower one before that.
    end : (F, 3) where they end, from where the upper one begins; short of ``reach`` where they are too short for it.
    """
    axis = bending_axis(upper, lower, side)
    bend = rotations.from_axis_angle(axis, bend_change(upper, lower, axis, reach))
    whole = upper + rotations.rotate(bend, lower)
    swing = rotations.between(whole, wanted)
    return swing, bend, rotations.rotate(swing, whole)


def soft_excess(value: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return a smooth ``max(value, 0)`` and its slope, which is above 0 everywhere."""
    value = np.maximum(value, -40.0)
    return np.logaddexp(0.0, value), 1.0 / (1.0 + np.exp(-value))
