# SPDX-License-Identifier: GPL-3.0-or-later
"""What an armature's bones do in a clip, as evidence of which of them are limbs. No bpy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...solver.arrays import FloatArray
from .bone_tree import BoneTree

# Bones that come no farther apart than this over the clip, as a share of the skeleton's size, have never moved.
_STILL = 0.01
# An end this near to the lowest end of its frame, as a share of the length of its limb, is down.
_DOWN = 0.15


@dataclass(frozen=True)
class Motion:
    """Where each bone of a ``BoneTree`` begins and ends on some frames of a clip, spread over all of it.

    heads, tails : (F, B, 3) metres in the world, Z up.
    """

    heads: FloatArray
    tails: FloatArray


def evidence_in(tree: BoneTree, motion: Motion | None) -> Motion | None:
    """Return the motion if it tells more than the pose at rest does: bones moved from each other, else None."""
    if motion is None or len(motion.heads) < 2:
        return None
    from_first = motion.heads - motion.heads[:, :1]
    moved = np.linalg.norm(np.ptp(from_first, axis=0), axis=-1).max()
    return motion if moved > _STILL * float(np.ptp(tree.heads, axis=0).max()) else None


def usual_pose(tree: BoneTree, motion: Motion) -> BoneTree:
    """Return the tree as it usually stands in the clip in place of how it rests.

    Each frame is turned about the upright and moved onto the first (least squares over all bones), its lowest bone on
    the ground; of the places that a bone then has, the median is taken. A body that walks is nearly symmetric there.
    """
    heads, tails = on_the_spot(tree, motion)
    return replace(tree, heads=np.median(heads, axis=0), tails=np.median(tails, axis=0))


def on_the_spot(tree: BoneTree, motion: Motion) -> tuple[FloatArray, FloatArray]:
    """Return heads and tails ``(F, B, 3)`` without the body's travel: each frame as ``usual_pose`` moves it."""
    first = motion.heads[0, :, :2] - motion.heads[0, :, :2].mean(axis=0)
    middles = motion.heads[:, :, :2].mean(axis=1)
    level = motion.heads[:, :, :2] - middles[:, None]
    cross = (level[..., 0] * first[:, 1] - level[..., 1] * first[:, 0]).sum(axis=1)
    angles = np.arctan2(cross, (level * first).sum(axis=(1, 2)))
    cosines, sines = np.cos(angles)[:, None], np.sin(angles)[:, None]
    floors = _floors(tree, motion)[:, None]

    def moved(points: FloatArray) -> FloatArray:
        x, y = (points[..., axis] - middles[:, None, axis] for axis in (0, 1))
        return np.stack([cosines * x - sines * y, sines * x + cosines * y, points[..., 2] - floors], axis=-1)

    return moved(motion.heads), moved(motion.tails)


def _floors(tree: BoneTree, motion: Motion) -> FloatArray:
    """Return the height of the lowest bone that moves the mesh on each frame ``(F,)``."""
    deform = np.array(tree.deform)
    heights = motion.heads[..., 2][:, deform if deform.any() else slice(None)]
    return np.asarray(heights.min(axis=1))


def heights_of_ends(motion: Motion, ends: Sequence[Sequence[int]]) -> FloatArray:
    """Return how high limbs end above the lowest of their ends ``(F, L)``.

    ends : of each limb the bones of its foot or hand.
    """
    lowest = np.stack([_lowest(motion, bones) for bones in ends], axis=-1)
    return np.asarray(lowest - lowest.min(axis=1, keepdims=True))


def _lowest(motion: Motion, bones: Sequence[int]) -> FloatArray:
    heads = motion.heads[:, list(bones), 2]
    return np.asarray(np.minimum(heads.min(axis=1), motion.tails[:, bones[-1], 2]))


def shares_down(motion: Motion, ends: Sequence[Sequence[int]], lengths: Sequence[float]) -> FloatArray:
    """Return on which share of the frames each of some limbs ``(L,)`` is down, of which one always is.

    lengths : of the limbs, metres.
    """
    return np.asarray((heights_of_ends(motion, ends) <= _DOWN * np.array(lengths)).mean(axis=0))


def looseness(motion: Motion, bone: int, others: Sequence[int]) -> FloatArray:
    """Return how much the distance from where ``bone`` begins to each of ``others`` ``(N,)`` changes over the clip.

    In metres, the spread (standard deviation) of the distance to its head or its tail, whichever keeps it better: a
    foot keeps its distance from the knee that it belongs to, whatever else moves it.
    """
    spreads = [
        np.linalg.norm(ends[:, list(others)] - motion.heads[:, bone, None], axis=-1).std(axis=0)
        for ends in (motion.heads, motion.tails)
    ]
    return np.asarray(np.minimum(*spreads))
