# SPDX-License-Identifier: GPL-3.0-or-later
"""How spine, head and arms give way to a push: damped springs that are struck once (docs/mathematics.md, 11.5)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .. import rotations
from ..arrays import FloatArray
from ..clip import Clip
from ..limb import Limb
from .secondary import parts_of
from .template import Template, below

# Swings a second of a body with legs of 0.9 m, and their damping: of spine, head, arms.
_SPINE, _HEAD, _ARMS = (1.1, 0.5), (1.6, 0.45), (1.0, 0.4)
# Radians at the most of a push of 1 √(g h): the whole spine, the head against it, an arm; and the most at all.
_SPINE_SIZE, _HEAD_SIZE, _ARM_SIZE, _MOST = 1.1, 0.7, 1.6, 0.5
_USUAL_LEG = 0.9


def flinched(clip: Clip, limbs: Sequence[Limb], body: Template, place: FloatArray, delta_v: FloatArray) -> Clip:
    """Return the clip (F frames, the first stays) whose upper body gives way to a push at ``place`` by ``delta_v``.

    place : (3,) metres in the world at the first frame. delta_v : (3,) metres a second.
    """
    parts = parts_of(clip.during(slice(0, 1)), limbs, body.axes)
    parents = np.array(clip.skeleton.parents)
    ends = [joint for joint in (parts.neck, *(arm for arm, _, _ in parts.arms)) if joint is not None]
    spine = _between(parents, parts.pelvis if parts.pelvis is not None else limbs[0].root, ends)
    strength = delta_v * body.time / body.height
    time = np.arange(clip.frame_count) / clip.fps * np.sqrt(_USUAL_LEG / body.height)
    positions = clip.positions[0]
    up = np.array([0.0, 0.0, 1.0])
    lever = np.clip((place[2] - positions[spine, 2].min()) / (0.5 * body.height), -0.5, 1.0) if spine else 0.0
    bend = np.cross(up, strength) * lever
    for joint in spine:
        clip = _struck(clip, joint, bend * (_SPINE_SIZE / len(spine)), _ring(time, *_SPINE))
    if parts.neck is not None:
        # The head stays behind.
        clip = _struck(clip, parts.neck, -np.cross(up, strength) * _HEAD_SIZE, _ring(time, *_HEAD))
    for arm, _, left in parts.arms:
        side = body.axes[:, 1] * (1.0 if left else -1.0)
        # Arms hang behind, and are thrown out to the side.
        out = -np.cross(side, up) * np.linalg.norm(strength) * 0.5
        hangs = np.cross(up, strength)
        clip = _struck(clip, arm, (hangs + out) * _ARM_SIZE * 0.5, _ring(time, *_ARMS))
    return clip


def _between(parents: FloatArray, pelvis: int, ends: Sequence[int]) -> list[int]:
    """Return the joints above the pelvis that carry head or arms."""
    if not ends:
        return []
    carries = [any(below(parents, joint)[end] for end in ends) for joint in range(len(parents))]
    under = below(parents, pelvis)
    return [j for j in range(len(parents)) if carries[j] and under[j] and j != pelvis and j not in ends]


def _ring(time: FloatArray, swings: float, damping: float) -> FloatArray:
    """Return a struck spring (F,), 0 with no speed at first, 1 at its highest: it takes a while to be struck."""
    rate = 2.0 * np.pi * swings
    own = rate * np.sqrt(1.0 - damping**2)
    rung = np.exp(-damping * rate * time) * np.sin(own * time)
    soft = np.clip(time * swings * 4.0, 0.0, 1.0)
    rung *= soft * soft * (3.0 - 2.0 * soft)
    return np.asarray(rung / max(float(rung.max(initial=0.0)), 1e-9))


def _struck(clip: Clip, joint: int, vector: FloatArray, ring: FloatArray) -> Clip:
    """Return the clip with a joint turned by a rotation vector of the world (3,), over time as ``ring`` (F,)."""
    size = float(np.linalg.norm(vector))
    if size < 1e-9:
        return clip
    vector = vector * (_MOST * np.tanh(size / _MOST) / size)
    turn = rotations.from_vector(ring[:, None] * vector)
    parent = clip.skeleton.parents[joint]
    above = clip.rotations[:, parent] if parent >= 0 else rotations.IDENTITY
    local = clip.local_rotations.copy()
    local[:, joint] = rotations.multiply(
        rotations.multiply(rotations.multiply(rotations.inverse(above), turn), above), local[:, joint]
    )
    return clip.moved(local)
