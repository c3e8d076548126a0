# SPDX-License-Identifier: GPL-3.0-or-later
"""A clip in a few lines: stick figures and the speed of a toe, small enough to put thousands on a page."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..solver.arrays import FloatArray
from ..solver.clip import Clip
from ..solver.contacts import Contacts, runs
from ..solver.limb import Limb, joint_positions
from .records import Record

# Stick figures in a strip, and the most points of a curve.
POSES, POINTS = 8, 240


def sketch(before: Clip, after: Clip | None, limbs: Sequence[Limb], contacts: Contacts) -> Record:
    """Return what a summary draws of a clip, and of what it became.

    poses : of each moment the figures, seen from the side: of each joint how far it is from the root along the way that
        the toes go, and how high, millimetres.
    bones : pairs of joints.
    down : of each figure, the joints that stand.
    speed : mm/s of the toe that slides most, level; where there are more frames than points, the fastest of each few.
    planted : spans of that toe's contacts, as shares of the clip.
    """
    count = before.frame_count
    shown = np.unique(np.linspace(0, count - 1, min(POSES, count)).round().astype(np.int64))
    across = _way(before, limbs)
    speeds = _toe_speeds(before, limbs)
    limb = _worst(speeds, contacts)
    # Another timing has other frames.
    same = after is None or after.frame_count == count
    record: Record = {
        "limb": limbs[limb].name,
        "bones": [[parent, joint] for joint, parent in enumerate(before.skeleton.parents) if parent >= 0],
        "down": [[limbs[int(at)].toe for at in np.flatnonzero(contacts.foot_down[frame])] for frame in shown]
        if same and len(contacts.foot_down) == count
        else [[] for _ in shown],
        "poses": {"before": _poses(before, limbs, shown, across)},
        "speed": {"before": _thinned(speeds[:, limb])},
        "seconds": count / before.fps,
        "planted": [
            [round(start / count, 4), round((end + 1) / count, 4)] for start, end in runs(contacts.toe_planted[:, limb])
        ],
    }
    if after is not None:
        frames = np.round(shown * (after.frame_count - 1) / max(count - 1, 1)).astype(np.int64)
        record["poses"]["after"] = _poses(after, limbs, frames, across)
        record["speed"]["after"] = _thinned(_toe_speeds(after, limbs)[:, limb])
    return record


def _toe_speeds(clip: Clip, limbs: Sequence[Limb]) -> FloatArray:
    """(F, L) level, mm/s: each frame's is that of the step that leads to it, the first's that of the first step."""
    toes = joint_positions(clip, limbs, "toe")[..., :2]
    if len(toes) < 2:
        return np.zeros(toes.shape[:2])
    steps = np.linalg.norm(np.diff(toes, axis=0), axis=-1) * clip.fps * 1000.0
    return np.concatenate([steps[:1], steps])


def _worst(speeds: FloatArray, contacts: Contacts) -> int:
    """Return the limb whose toe slides most while it is planted."""
    if len(contacts.toe_planted) != len(speeds):
        return 0
    planted = contacts.toe_planted
    mean = np.where(planted, speeds, 0.0).sum(axis=0) / np.maximum(planted.sum(axis=0), 1)
    return int(np.argmax(mean))


def _way(clip: Clip, limbs: Sequence[Limb]) -> FloatArray:
    """(2,) level direction that the toes go along most, to and fro; the first that is seen from the side."""
    toes = joint_positions(clip, limbs, "toe")[..., :2]
    roots = clip.positions[:, limbs[0].root, :2]
    travelled = roots[-1] - roots[0]
    away = (toes - roots[:, None]).reshape(-1, 2)
    _, _, axes = np.linalg.svd(away - away.mean(axis=0), full_matrices=False)
    way = axes[0]
    return -way if way @ travelled < 0.0 else way


def _poses(clip: Clip, limbs: Sequence[Limb], frames: np.ndarray, way: FloatArray) -> list[list[list[int]]]:
    positions = clip.positions[frames]
    root = positions[:, limbs[0].root, :2]
    along = (positions[..., :2] - root[:, None]) @ way
    seen = np.nan_to_num(np.stack([along, positions[..., 2]], axis=-1) * 1000.0)
    return np.round(seen).astype(np.int64).tolist()


def _thinned(values: FloatArray) -> list[int]:
    edges = np.unique(np.linspace(0, len(values), min(POINTS, len(values)) + 1).astype(np.int64))[:-1]
    thinned = np.maximum.reduceat(np.nan_to_num(values), edges) if len(values) else values
    return np.round(thinned).astype(np.int64).tolist()
