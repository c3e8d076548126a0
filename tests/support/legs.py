# SPDX-License-Identifier: GPL-3.0-or-later
"""The legs of the real clips, by the names of their joints."""

from __future__ import annotations

from toehold.solver.clip import Clip
from toehold.solver.limb import Limb


def legs_of(clip: Clip) -> tuple[Limb, Limb]:
    """Return the left and the right leg; in clips by kimodo ``LeftLeg`` is the thigh."""
    index = clip.skeleton.index
    thigh, shin = ("Leg", "Shin") if "LeftShin" in clip.skeleton.names else ("UpLeg", "Leg")
    joints = (thigh, shin, "Foot", "ToeBase", "ToeBase_end")
    left, right = (Limb(side, index("Hips"), *(index(side + joint) for joint in joints)) for side in ("Left", "Right"))
    return left, right
