# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys that lie between frames, as clips of another frame rate have them: where a pose is held up to a whole frame."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ...solver.rotations import FloatArray
from .channels import TRANSFORMS, Channels, has_active_modifiers

# A key this near to a frame, in frames, is meant for it.
_SAME_FRAME = 1e-3


def held_ends(channels: Channels, bone_names: Iterable[str], frames: FloatArray) -> tuple[float, float]:
    """Return for how long, in frames, nothing moves after the first and before the last of ``frames`` (F,).

    That is where the first key comes after a whole frame, and the last before one; zero where curves go on outside
    their keys.
    """
    known = set(bone_names)
    curves = [
        curve
        for (bone, name), group in channels.of_bones.items()
        if name in TRANSFORMS and bone in known
        for curve in group.values()
    ]
    curves += [curve for name, group in channels.of_object.items() if name in TRANSFORMS for curve in group.values()]
    keyed = [curve for curve in curves if not curve.is_empty and not curve.mute]
    if not keyed or any(has_active_modifiers(curve) or curve.extrapolation != "CONSTANT" for curve in keyed):
        return 0.0, 0.0
    starts, ends = np.array([curve.range() for curve in keyed]).T
    first, last = float(starts.min() - frames[0]), float(frames[-1] - ends.max())
    return _within_a_step(first), _within_a_step(last)


def _within_a_step(share: float) -> float:
    return share if _SAME_FRAME < share < 1.0 - _SAME_FRAME else 0.0
