# SPDX-License-Identifier: GPL-3.0-or-later
"""Where toes and heels are in every frame: on their foothold in stance, on a lifted path to the next in the swing."""

from __future__ import annotations

import numpy as np

from ..rotations import FloatArray
from .solve import GaitSolution

# Powers of the swing's height over its way: early highest, the hind foot's; the peak is one.
_LIFT = (1.3, 1.8)


def foot_paths(solution: GaitSolution) -> tuple[FloatArray, FloatArray]:
    """Return toe and heel joints (T, L, 3) in the heading frame of each grid frame, in hip heights.

    A swing leaves and lands at rest: its level way is the minimum-jerk one between the two footholds.
    """
    plan = solution.plan
    stride = plan.period
    elapsed = (plan.stance - 0.5) * plan.duty * stride
    here = plan.seen(elapsed, solution.state.footholds)
    there = plan.seen(elapsed - stride, solution.state.footholds)
    share = np.clip((plan.stance - 1.0) / (1.0 / plan.duty - 1.0), 0.0, 1.0)
    along = plan.swung[..., None]
    foothold = (1.0 - along) * here + along * there
    rise, fall = _LIFT
    peak = rise / (rise + fall)
    lift = share**rise * (1.0 - share) ** fall / (peak**rise * (1.0 - peak) ** fall)
    lift = lift * plan.wish.gait.clearance * plan.wish.share("lift")
    toe, heel = plan.toe.copy(), plan.heel.copy()
    for path in (toe, heel):
        path[..., :2] += foothold
        path[..., 2] += lift
    return toe, heel
