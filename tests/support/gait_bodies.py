# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies by formula that stand and have never moved: any number of pairs of legs, any proportions, any size."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from toehold.solver import rotations
from toehold.solver.clip import Clip, Skeleton
from toehold.solver.limb import Limb


@dataclass(frozen=True)
class Build:
    """Proportions, metres. A body of one pair of legs stands upright and has feet to roll over."""

    pairs: int = 2
    thigh: float = 0.22
    shank: float = 0.24
    trunk: float = 0.55
    width: float = 0.09
    neck: float = 0.3
    size: float = 1.0


def standing(build: Build, fps: float = 60.0) -> tuple[Clip, tuple[Limb, ...]]:
    """Return one frame of a body that faces along -Y, the soles on the floor, and its limbs."""
    names, parents, places = ["Hips"], [-1], [np.zeros(3)]
    foot = np.array([0.0, -0.14, -0.07]) if build.pairs == 1 else np.array([0.0, -0.03, -0.01])
    height = build.thigh + build.shank - foot[2] + 0.03
    places[0][2] = height

    def add(name: str, parent: int, offset: tuple[float, float, float]) -> int:
        names.append(name)
        parents.append(parent)
        places.append(np.array(offset))
        return len(names) - 1

    spine = [0]
    for part in range(1, build.pairs):
        spine.append(add(f"Spine{part}", spine[-1], (0.0, -build.trunk / (build.pairs - 1), 0.0)))
    rise = (0.0, 0.0, build.trunk) if build.pairs == 1 else (0.0, -0.1, 0.12)
    neck = add("Neck", spine[-1], rise)
    add("Head", neck, (0.0, 0.0, build.neck))
    limbs = []
    for row, root in enumerate(spine):
        for side, sign in (("Left", 1.0), ("Right", -1.0)):
            hip = add(f"{side}UpLeg{row}", root, (sign * build.width, 0.0, -0.03))
            knee = add(f"{side}Leg{row}", hip, (0.0, -0.03, -build.thigh))
            heel = add(f"{side}Foot{row}", knee, (0.0, 0.03, -build.shank))
            toe = add(f"{side}Toe{row}", heel, tuple(foot))
            limbs.append(Limb(f"{side} Leg {row}", 0, hip, knee, heel, toe))
    count = len(names)
    still = np.tile(rotations.IDENTITY, (count, 1))
    located = np.array(places) * build.size
    return Clip(Skeleton(tuple(names), tuple(parents), still, located), fps, still[None], located[None]), tuple(limbs)
