# SPDX-License-Identifier: GPL-3.0-or-later
"""A limb: the joints from the root to the toes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limb:
    """Indices of a limb's joints in its clip's skeleton.

    root : the joint that carries the body (the pelvis), an ancestor of the hip or the hip's parent's kin.
    heel : the ankle joint.
    toe : the ball joint; where there is no toe bone, the tip of the foot bone.
    toe_end : the tip of the toes, None where there is none.
    knee_side_axis : direction in the knee's own frame that the knee bends about, None to find it from the clip.
    """

    name: str
    root: int
    hip: int
    knee: int
    heel: int
    toe: int
    toe_end: int | None = None
    knee_side_axis: tuple[float, float, float] | None = None
