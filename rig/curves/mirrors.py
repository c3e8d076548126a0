# SPDX-License-Identifier: GPL-3.0-or-later
"""Rotations of what a negative scale of the object mirrors.

Axes that are mirrored are no rotation. With their first axis turned round they are one, which turns in the world as
what is seen does, and stands for them everywhere but where channels are read or written: these are told apart by
``mirrored``. The second axis, along the bone, is the same in both.
"""

from __future__ import annotations

import numpy as np

from ...solver import rotations
from ...solver.arrays import BoolArray, FloatArray

# Factors that make a rotation of axes that are mirrored.
_TURNED_ROUND = np.array([-1.0, 1.0, 1.0])


def turns_of(axes: FloatArray) -> FloatArray:
    """Return the rotations ``(..., 4)`` of axes ``(..., 3, 3)``, their scale left out, mirrored or not."""
    even = axes / np.maximum(np.linalg.norm(axes, axis=-2, keepdims=True), 1e-12)
    across = rotations.cross(even[..., 0], even[..., 1])
    mirrors = np.sum(across * even[..., 2], axis=-1) < 0.0
    return rotations.from_matrices(unmirrored(even, mirrors[..., None, None]) if mirrors.any() else even)


def unmirrored(axes: FloatArray, mirrors: BoolArray | bool) -> FloatArray:
    """Return axes ``(..., 3, 3)`` with the first turned round where ``mirrors``."""
    return np.where(mirrors, axes * _TURNED_ROUND, axes)


def mirrored(turns: FloatArray, mirrors: bool) -> FloatArray:
    """Return rotations ``(..., 4)`` as seen with the first axis turned round, there or back; as they are if not."""
    return turns * np.array([1.0, 1.0, -1.0, -1.0]) if mirrors else turns


def mirrored_steps(steps: FloatArray, mirrors: bool) -> FloatArray:
    """Return vectors ``(..., 3)`` as seen with the first axis turned round, there or back; as they are if not."""
    return steps * _TURNED_ROUND if mirrors else steps
