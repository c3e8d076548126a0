# SPDX-License-Identifier: GPL-3.0-or-later
"""Real clips made to slide by a known amount, and figures of how planted points and poses differ."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from support.clips import bvh_clip
from support.legs import legs_of
from toehold.solver import rotations
from toehold.solver.arrays import BoolArray, FloatArray
from toehold.solver.clip import Clip
from toehold.solver.contacts import Contacts
from toehold.solver.detection import find_contacts
from toehold.solver.ground import FlatGround
from toehold.solver.limb import Limb

CMU_METRES_PER_UNIT = 0.0643


def cmu_walk(data: Path) -> tuple[Clip, tuple[Limb, ...], Contacts]:
    """Return a straight walk of 523 frames at 120 Hz without its T-pose, and the contacts found in it."""
    clip = bvh_clip(data / "cmu" / "cmu_12_01_walk.bvh", CMU_METRES_PER_UNIT)
    clip = clip.moved(clip.local_rotations[1:], clip.local_locations[1:])
    limbs = legs_of(clip)
    return clip, limbs, find_contacts(clip, limbs, FlatGround())


def with_travel_scaled(clip: Clip, factor: float) -> Clip:
    """Return the clip with its root's level travel times ``factor``, so that its feet slide (the article's test)."""
    locations = clip.local_locations.copy()
    root = locations[:, 0, :2]
    locations[:, 0, :2] = root[0] + factor * (root - root[0])
    return clip.moved(local_locations=locations)


def points(clip: Clip, limbs: Sequence[Limb], joint: str = "toe") -> FloatArray:
    """Return (F, L, 3) of one joint of each limb."""
    return np.stack([clip.positions[:, getattr(limb, joint)] for limb in limbs], axis=1)


def slide_mm_s(planted_points: FloatArray, planted: BoolArray, fps: float) -> float:
    """Return the mean level speed of planted points (F, L, 3), between two planted frames."""
    speed = np.linalg.norm(np.diff(planted_points[..., :2], axis=0), axis=-1) * fps * 1000.0
    return float(speed[planted[1:] & planted[:-1]].mean())


def rms(values: FloatArray) -> float:
    """Return the root of the mean of the squared lengths of ``values`` (..., 3)."""
    return float(np.sqrt(np.mean(np.sum(values**2, axis=-1))))


def change_figures(source: Clip, result: Clip, limbs: Sequence[Limb], planted: BoolArray) -> dict[str, float]:
    """Return how a result differs: swing velocity (m/s), pelvis and toe acceleration (m/s²), knees (°), travel."""
    toes = points(result, limbs) - points(source, limbs)
    pelvis = result.positions[:, limbs[0].root] - source.positions[:, limbs[0].root]
    swing = ~(planted[1:] & planted[:-1])
    knees = [limb.knee for limb in limbs]
    turned = np.degrees(rotations.angle_between(source.local_rotations[:, knees], result.local_rotations[:, knees]))
    ways = [np.linalg.norm(np.ptp(clip.positions[[0, -1], limbs[0].root, :2], axis=0)) for clip in (source, result)]
    return {
        "swing_velocity": rms(np.diff(toes, axis=0)[swing]) * source.fps,
        "pelvis_acceleration": rms(np.diff(pelvis, 2, axis=0)) * source.fps**2,
        "toe_acceleration": rms(np.diff(toes, 2, axis=0)) * source.fps**2,
        "knee_mean": float(turned.mean()),
        "knee_max": float(turned.max()),
        "travel": float(ways[1] / ways[0]),
    }
