# SPDX-License-Identifier: GPL-3.0-or-later
"""Where feet are, where their contacts hold them, and how far they are from there: what is drawn of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from . import signals
from .clip import Clip
from .contact_heights import ON_SOMETHING_ELSE
from .contacts import Contacts, runs
from .ground import Ground
from .limb import Limb
from .rotations import FloatArray
from .signals import BoolArray
from .sole import HIGHEST_ANKLE, heel_offsets, heel_points

HEEL, TOE, TOE_END = 0, 1, 2

# Metres for a 0.9 m leg: what is drawn on a floor lies this much above it.
LIFT = 0.003


@dataclass(frozen=True)
class Feet:
    """The feet of a clip, as seen from what they stand on: on a treadmill, as on its belt.

    names : of the limbs.
    fps : frames a second.
    points : (F, L, 3, 3) metres, heel point (sole.py), toe and toe end of each limb; the toe where there is no toe end.
    toe_planted, heel_planted : (F, L).
    floor : (F, L) metres, height of the ground under each toe.
    ridden : (F, 3) metres that the ground has gone since the first frame: add it to see things in the world.
    scales : (L,) what to multiply lengths meant for a 0.9 m leg by.
    """

    names: tuple[str, ...]
    fps: float
    points: FloatArray
    toe_planted: BoolArray
    heel_planted: BoolArray
    floor: FloatArray
    ridden: FloatArray
    scales: FloatArray


@dataclass(frozen=True)
class Step:
    """One contact: which point stands where, and how far it gets from there.

    joint : HEEL where the heel alone is planted, else TOE.
    first, last : frames, indices into the clip.
    anchor : (3,) metres, the mean of the planted point, on what it stands on.
    direction : (2,) unit, where the foot points, level.
    drift_mm : (last - first + 1,) level distance of the planted point from the anchor.
    """

    limb: int
    joint: int
    first: int
    last: int
    anchor: FloatArray
    direction: FloatArray
    drift_mm: FloatArray


def feet_of(clip: Clip, limbs: Sequence[Limb], contacts: Contacts, ground: Ground) -> Feet:
    """Return the feet of ``limbs``; of a ground that moves in several ways at once, the mean way under the toes."""
    joints = [(limb.heel, limb.toe, limb.toe if limb.toe_end is None else limb.toe_end) for limb in limbs]
    points = clip.positions[:, np.array(joints, dtype=np.intp).reshape(-1, 3)]
    points[:, :, HEEL] = heel_points(clip, limbs, heel_offsets(clip, limbs, contacts, ground))
    toes = points[:, :, TOE]
    ridden = signals.carried(ground.velocity(toes).mean(axis=1), clip.fps)
    return Feet(
        names=tuple(limb.name for limb in limbs),
        fps=clip.fps,
        points=points - ridden[:, None, None],
        toe_planted=contacts.toe_planted,
        heel_planted=contacts.heel_planted,
        floor=ground.height(toes),
        ridden=ridden,
        scales=np.array([limb.scale(clip) or 1.0 for limb in limbs]),
    )


def steps_of(feet: Feet) -> list[Step]:
    """Return every contact: of the toe, and of the heel where it alone is planted."""
    found = []
    for limb in range(len(feet.names)):
        toe = feet.toe_planted[:, limb]
        for joint, planted in ((TOE, toe), (HEEL, feet.heel_planted[:, limb] & ~toe)):
            found += [_step(feet, limb, joint, first, last) for first, last in runs(planted)]
    return found


def _step(feet: Feet, limb: int, joint: int, first: int, last: int) -> Step:
    span = slice(first, last + 1)
    foot = feet.points[span, limb]
    mean = foot[:, joint].mean(axis=0)
    # The sole is where the lowest of its joints is, unless that is the floor but for a floor that is a little off.
    sole = float(np.median(foot[..., 2].min(axis=1)))
    floor = float(np.median(feet.floor[span, limb]))
    # Where a heel alone stands, its ankle may be all that is known of it, which is above its sole.
    above = HIGHEST_ANKLE if joint == HEEL else ON_SOMETHING_ELSE
    near = -ON_SOMETHING_ELSE * feet.scales[limb] < sole - floor < above * feet.scales[limb]
    height = (floor if near else sole) + LIFT * feet.scales[limb]
    ahead = (foot[:, TOE_END] - foot[:, HEEL])[:, :2].mean(axis=0)
    length = float(np.linalg.norm(ahead))
    return Step(
        limb=limb,
        joint=joint,
        first=first,
        last=last,
        anchor=np.array([mean[0], mean[1], height]),
        direction=ahead / length if length > 1e-9 else np.array([0.0, -1.0]),
        drift_mm=np.linalg.norm(foot[:, joint, :2] - mean[:2], axis=-1) * 1000.0,
    )
