# SPDX-License-Identifier: GPL-3.0-or-later
"""What follows the gait without carrying it: pelvis and shoulders, arms, head and tail, each by its style share.

Angles after people's and dogs' recordings (LOCOMOTION 4.2): a pelvis turns by 7 degrees each way at 1.26 m/s and the
shoulders by half of it the other way, arms swing against the legs, heads give back most of the trunk's pitch and roll.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from .. import rotations
from ..clip import Clip
from ..limb import Limb
from ..rotations import FloatArray
from ..signals import BoolArray
from .plan import MotionPlan
from .template import arms_of, below

SHARES = ("pelvis", "arms", "head", "tail")
# Degrees each way where a stride is _USUAL_STRIDE hip heights long; the shoulders' share of the pelvis' turn.
_PELVIS, _ARM, _RUNNING_ARM, _USUAL_STRIDE, _SHOULDERS = 7.0, 11.0, 18.0, 1.6, -0.5
_ELBOW, _RUNNING_ELBOW = 8.0, 65.0
_STEADY_HEAD = 0.7
# Degrees of each joint of a tail to the sides, and the share of a stride that each follows the one above.
_TAIL, _TAIL_LAG = 6.0, 0.1


@dataclass(frozen=True)
class Parts:
    """Joints of a skeleton by what they do; None and empty where there are none.

    pelvis : carries all legs. chest : what the pelvis carries besides legs. arms : shoulder, elbow of each, and
    whether it is on the left. neck : the first joint of the head alone. tail : from its root to its tip.
    """

    pelvis: int | None
    chest: tuple[int, ...]
    arms: tuple[tuple[int, int | None, bool], ...]
    neck: int | None
    tail: tuple[int, ...]


def parts_of(stand: Clip, limbs: Sequence[Limb], axes: FloatArray) -> Parts:
    """Return the parts of what stands as in the first frame of ``stand``; ``axes`` (3, 3) as of the template."""
    parents = np.array(stand.skeleton.parents)
    legs = np.any([below(parents, limb.hip) for limb in limbs], axis=0)
    carries = np.array([any(below(parents, joint)[limb.hip] for limb in limbs) for joint in range(len(parents))])
    places = stand.positions[0] @ axes
    upright = len(limbs) == 2
    shoulders = arms_of(stand, limbs, legs, axes[:, 0]) if upright else []
    arms = np.any([below(parents, arm) for arm in shoulders], axis=0) if shoulders else np.zeros(len(parents), bool)
    carries_arm = np.array([any(below(parents, joint)[arm] for arm in shoulders) for joint in range(len(parents))])
    free = ~(legs | arms | carries | carries_arm)
    head = _chain(parents, free, places[:, 2] if upright else places[:, 0])
    hips = places[[limb.hip for limb in limbs]]
    ahead = hips[:, 2].max() if upright else hips[:, 0].max()
    if head and (places[head[-1], 2] if upright else places[head[-1], 0]) < ahead:
        head = ()
    tail = _chain(parents, free & ~(below(parents, head[0]) if head else False), -places[:, 0])
    if tail and places[tail[-1], 0] > hips[:, 0].min():
        tail = ()
    pelvis = max((j for j in range(len(parents)) if all(below(parents, j)[x.hip] for x in limbs)), default=None)
    chest = tuple(j for j in np.flatnonzero(parents == pelvis).tolist() if not (legs | carries)[j] and j not in tail)
    return Parts(
        pelvis if upright else None, chest,
        tuple((arm, _elbow(parents, arm), bool(places[arm, 1] > hips[:, 1].mean())) for arm in shoulders),
        head[0] if head else None, tail,
    )  # fmt: skip


def _chain(parents: FloatArray, free: BoolArray, towards: FloatArray) -> tuple[int, ...]:
    """Return the joints from the first free one to that which is farthest ``towards``."""
    if not free.any():
        return ()
    joint = int(np.flatnonzero(free)[towards[free].argmax()])
    found = []
    while joint >= 0 and free[joint]:
        found.append(joint)
        joint = int(parents[joint])
    return tuple(reversed(found))


def _elbow(parents: FloatArray, arm: int) -> int | None:
    """Return the joint after the upper arm: the first that has one child that has a child."""
    children = np.flatnonzero(parents == arm)
    return int(children[0]) if len(children) == 1 and (parents == children[0]).any() else None


@dataclass(frozen=True)
class Rhythm:
    """What free parts follow, over F frames: phase (F, L), strides of each foot since it came down; left (L,).

    reach (F,) : length of the strides, 1 as usual, backward below 0. runs (F,) : 1 where it runs, 0 where it walks.
    nods (F, T) : how far the trunk is pitched, as each of T tail joints sees it. look (F,) : radians the head turns.
    axes (3, 3) : of the body. heading (F, 4) : turns of the world. style : shares, 1 natural.
    """

    phase: FloatArray
    left: BoolArray
    reach: FloatArray
    runs: FloatArray
    nods: FloatArray
    look: FloatArray
    axes: FloatArray
    heading: FloatArray
    style: Mapping[str, float]

    def share(self, name: str) -> float:
        return float(self.style.get(name, 1.0))

    def forward(self, left: bool) -> FloatArray:
        """Return (F,) how far the first leg of a side is forward, -1 to 1."""
        first = np.flatnonzero(self.left == left)
        return np.cos(2.0 * np.pi * self.phase[:, first[0] if len(first) else 0])

    def turned(self, clip: Clip, joint: int, *angles: FloatArray | float) -> Clip:
        """Return the clip with a joint turned by a rotation vector of three angles along the body's axes."""
        vectors = np.stack(np.broadcast_arrays(*angles, np.zeros(len(self.reach)))[:3], axis=-1) @ self.axes.T
        return _turned(clip, joint, rotations.from_vector(rotations.rotate(self.heading, vectors)))


def rhythm_of(plan: MotionPlan, turned: FloatArray, heading: FloatArray, parts: Parts) -> Rhythm:
    """Return what a stride's free parts follow; turned (N, 3) of the trunk in the heading frame, heading (N, 4)."""
    frames = plan.period_frames
    phase = np.arange(frames)[:, None] / frames - plan.phases
    reach = min(float(np.linalg.norm(plan.velocity)) * plan.period / _USUAL_STRIDE, 1.5) * np.cos(plan.wish.direction)
    nod = turned[:, 1] - turned[:, 1].mean()
    nods = [np.roll(nod, round(_TAIL_LAG * frames * (at + 1))) for at in range(len(parts.tail))]
    still = np.zeros(frames)
    return Rhythm(
        phase, plan.template.left, still + reach, still + (plan.duty[0] <= 0.5),
        np.stack([still, *nods], axis=-1)[:, 1:],
        still, plan.template.axes, heading, plan.wish.style,
    )  # fmt: skip


def follow(clip: Clip, rhythm: Rhythm, swayed: FloatArray, parts: Parts) -> Clip:
    """Return the clip (F frames) whose free parts follow the legs; all of it is left alone where its share is 0.

    swayed : (F, 3) by how much the trunk is turned away from its mean, rotation vectors in the heading frame.
    """
    reach, share, runs = rhythm.reach, rhythm.share, rhythm.runs
    across = 0.0 * reach
    if parts.pelvis is not None:
        turn = 0.5 * (rhythm.forward(True) - rhythm.forward(False))
        yaw = -np.radians(_PELVIS) * reach * turn * share("pelvis")
        clip = rhythm.turned(clip, parts.pelvis, 0.0, 0.0, yaw)
        for joint in parts.chest:
            clip = rhythm.turned(clip, joint, 0.0, 0.0, (_SHOULDERS - 1.0) * yaw)
        across = _SHOULDERS * yaw if parts.chest else yaw
    moves = np.minimum(np.abs(reach), 1.0)
    for arm, elbow, left in parts.arms:
        size = np.radians(_ARM + (_RUNNING_ARM - _ARM) * runs) * reach * share("arms")
        clip = rhythm.turned(clip, arm, 0.0, size * rhythm.forward(left), 0.0)
        if elbow is not None and _hangs(clip, arm, elbow):
            bent = np.radians(_ELBOW + (_RUNNING_ELBOW - _ELBOW) * runs) * moves * share("arms")
            clip = rhythm.turned(clip, elbow, 0.0, -bent * (1.0 - 0.3 * rhythm.forward(left)), 0.0)
    if parts.neck is not None:
        own = -_STEADY_HEAD * swayed * share("head")
        clip = rhythm.turned(clip, parts.neck, own[:, 0], own[:, 1], (rhythm.look - across) * share("head"))
    for at, joint in enumerate(parts.tail):
        swing = np.cos(2.0 * np.pi * (rhythm.phase[:, 0] - _TAIL_LAG * at))
        sway = np.radians(_TAIL) * moves * swing
        clip = rhythm.turned(clip, joint, 0.0, -0.5 * rhythm.nods[:, at] * share("tail"), sway * share("tail"))
    return clip


def _hangs(clip: Clip, arm: int, elbow: int) -> bool:
    way = clip.positions[0, elbow] - clip.positions[0, arm]
    return bool(-way[2] > 0.7 * np.linalg.norm(way))


def _turned(clip: Clip, joint: int, turn: FloatArray) -> Clip:
    """Return the clip with a joint, and all that hangs from it, turned by ``turn`` (F, 4) of the world."""
    parent = clip.skeleton.parents[joint]
    local = clip.local_rotations.copy()
    if parent >= 0:
        above = clip.rotations[:, parent]
        turn = rotations.multiply(rotations.multiply(rotations.inverse(above), turn), above)
    local[:, joint] = rotations.multiply(turn, local[:, joint])
    return clip.moved(local)
