# SPDX-License-Identifier: GPL-3.0-or-later
"""A body that falls: the rigid parts of a skeleton and how far its joints go, and the clip that they come to.

Nothing here simulates: parts go to a rigid-body engine, and their motion comes back (docs/mathematics.md, 11.6).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .. import rotations
from ..clip import Clip
from ..limb import Limb, knee_side_axis
from ..rotations import FloatArray
from .push_pose import carriers_of
from .template import Template, below

# Bones shorter than this, and lighter (hip heights, shares), belong to the part that they hang from.
_SHORT, _LIGHT = 0.06, 0.003
# Flesh weighs this much (kg / m³); parts are no thinner and no thicker than this (hip heights).
_DENSITY, _THIN, _THICK = 1000.0, 0.012, 0.14
# Joints go this much further than in the clip (radians), hips and shoulders that much, and a knee bends up to so far.
_MORE, _BALL, _KNEE = np.radians(20.0), np.radians(35.0), np.radians(130.0)
# The second angle of three is only told to a right angle.
_SECOND = np.radians(80.0)
# Seconds in which what is no part of its own comes to rest.
_COASTS = 0.15


@dataclass(frozen=True)
class Part:
    """A rigid part: a box that goes with a joint.

    parent : index of the part it hangs from, -1 of the first.
    centre, size : (3,) metres in the joint's own frame. mass : kg.
    axes : (4,) from the joint's own frame to the one that ``lower`` and ``upper`` (3,) are angles about, in the order
        X, Y, Z, radians from the pose that the parts were made for.
    """

    joint: int
    parent: int
    centre: FloatArray
    size: FloatArray
    mass: float
    axes: FloatArray
    lower: FloatArray
    upper: FloatArray


def parts_of_body(
    clip: Clip, limbs: Sequence[Limb], body: Template, mass: float, ground: float, frame: int
) -> list[Part]:
    """Return the parts of a body as it is in ``frame`` of its clip, from the first that carries all others."""
    parents = np.array(clip.skeleton.parents)
    count = len(parents)
    owner = _owners(clip, body)
    carriers = carriers_of(clip, body.masses)
    joints = sorted({int(o) for o in owner if o >= 0}, key=lambda j: (j != carriers[0], j))
    index = {joint: at for at, joint in enumerate(joints)}
    balls = {limb.hip for limb in limbs}
    knees = {limb.knee: limb for limb in limbs}
    parts = []
    for joint in joints:
        mine = [k for k in range(count) if owner[k] == joint]
        ends = [k for k in range(count) if k in mine or (parents[k] >= 0 and owner[parents[k]] == joint)]
        share = float(body.masses[mine].sum())
        centre, size = _box(clip, joint, ends, share * mass, body.height, ground, frame)
        parent = -1 if joint == carriers[0] else index[int(owner[parents[joint]])] if parents[joint] >= 0 and owner[parents[joint]] >= 0 else 0  # fmt: skip
        axes, lower, upper = _limits(clip, joint, knees.get(joint), _BALL if joint in balls else _MORE, frame)
        parts.append(Part(joint, parent, centre, size, max(share, 2e-3) * mass, axes, lower, upper))
    return parts


def _owners(clip: Clip, body: Template) -> FloatArray:
    """Return (J,) the joint of the part that each joint goes with, -1 above the body."""
    parents = clip.skeleton.parents
    count = len(parents)
    owner = np.full(count, -1)
    carriers = carriers_of(clip, body.masses)
    under = np.any([below(np.array(parents), joint) for joint in carriers], axis=0)
    for joint in range(count):
        if not under[joint]:
            continue
        children = [k for k in range(count) if parents[k] == joint]
        length = max((float(np.linalg.norm(clip.local_locations[0, k])) for k in children), default=0.0)
        heavy = body.masses[joint] > _LIGHT
        if joint in carriers or (children and length > _SHORT * body.height and heavy):
            owner[joint] = joint
        else:
            owner[joint] = owner[parents[joint]]
    return owner


def _box(
    clip: Clip, joint: int, ends: Sequence[int], mass: float, height: float, ground: float, frame: int
) -> tuple[FloatArray, FloatArray]:
    places = clip.positions[frame, list(ends)]
    back = rotations.inverse(clip.rotations[frame, joint])
    own = rotations.rotate(np.broadcast_to(back, (len(ends), 4)), places - clip.positions[frame, joint])
    low, high = own.min(axis=0), own.max(axis=0)
    length = max(float((high - low).max()), 0.02 * height)
    radius = np.clip(np.sqrt(max(mass, 1e-6) / (np.pi * _DENSITY * length)), _THIN * height, _THICK * height)
    radius = min(float(radius), max(0.9 * (float(places[:, 2].min()) - ground), _THIN * height))
    size = high - low + 2.0 * radius
    size[np.argmax(high - low)] = (high - low).max()
    return 0.5 * (low + high), np.maximum(size, 2.0 * _THIN * height)


def _limits(
    clip: Clip, joint: int, knee: Limb | None, more: float, frame: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return axes and the least and greatest angles about them, from the joint's pose in ``frame``."""
    axes = rotations.IDENTITY
    if knee is not None:
        axes = rotations.between(np.array([1.0, 0.0, 0.0]), knee_side_axis(clip, knee))
    local = clip.local_rotations[:, joint]
    relative = rotations.multiply(rotations.inverse(local[frame]), local)
    angles = angles_about(axes, relative)
    lower, upper = angles.min(axis=0) - more, angles.max(axis=0) + more
    if knee is not None:
        shin = clip.positions[frame, [knee.hip, knee.knee, knee.upper_end]]
        bent = float(np.arccos(np.clip(rotations.normalized(shin[1] - shin[0]) @ rotations.normalized(shin[2] - shin[1]), -1, 1)))  # fmt: skip
        # About the knee's own axis it bends on, and hardly further back than straight.
        lower[0], upper[0] = min(-bent, float(angles[:, 0].min())) - 0.05, _KNEE - bent
    lower[1], upper[1] = max(lower[1], -_SECOND), min(upper[1], _SECOND)
    return axes, np.maximum(lower, -0.95 * np.pi), np.minimum(upper, 0.95 * np.pi)


def angles_about(axes: FloatArray, relative: FloatArray) -> FloatArray:
    """Return (..., 3) angles X, Y, Z of rotations (..., 4) seen in ``axes``: R = Rx Ry Rz."""
    seen = rotations.multiply(rotations.multiply(rotations.inverse(axes), relative), axes)
    m = rotations.to_matrices(seen)
    second = np.arcsin(np.clip(m[..., 0, 2], -1.0, 1.0))
    first = np.arctan2(-m[..., 1, 2], m[..., 2, 2])
    third = np.arctan2(-m[..., 0, 1], m[..., 0, 0])
    return np.stack([first, second, third], axis=-1)


def placed(clip: Clip, parts: Sequence[Part]) -> tuple[FloatArray, FloatArray]:
    """Return where the boxes' centres are (F, P, 3) and how they are turned (F, P, 4)."""
    joints = [part.joint for part in parts]
    turned = clip.rotations[:, joints]
    centres = clip.positions[:, joints] + rotations.rotate(turned, np.array([part.centre for part in parts]))
    return centres, turned


def fallen_clip(clip: Clip, parts: Sequence[Part], centres: FloatArray, turned: FloatArray, frame: int) -> Clip:
    """Return the clip in which parts lie as they fell: (F, P, 3) and (F, P, 4), its first frame after ``frame``.

    Bones keep their lengths, since only the first part is placed; what is no part comes to rest in a moment.
    """
    count = len(centres)
    later = frame + 1 + np.arange(count)
    seconds = np.arange(1, count + 1) / clip.fps
    coasted = frame + _COASTS * (1.0 - np.exp(-seconds / _COASTS)) * clip.fps
    local = _between_frames(clip.local_rotations, np.minimum(coasted, clip.frame_count - 1.0))
    located = np.repeat(clip.local_locations[frame : frame + 1], count, axis=0)
    parents = clip.skeleton.parents
    of_joint = {part.joint: at for at, part in enumerate(parts)}
    world = np.empty_like(local)
    place = np.empty_like(located)
    above = np.minimum(later, clip.frame_count - 1)
    under = np.any([below(np.array(parents), part.joint) for part in parts], axis=0)
    roots = {part.joint for part in parts if part.parent < 0 or parents[part.joint] < 0}
    for joint, parent in enumerate(parents):
        if not under[joint]:
            local[:, joint], located[:, joint] = clip.local_rotations[above, joint], clip.local_locations[above, joint]
        up = rotations.IDENTITY if parent < 0 else world[:, parent]
        at = of_joint.get(joint)
        world[:, joint] = rotations.multiply(up, local[:, joint]) if at is None else turned[:, at]
        local[:, joint] = rotations.multiply(rotations.inverse(up), world[:, joint])
        base = np.zeros(3) if parent < 0 else place[:, parent]
        if joint in roots:
            assert at is not None
            place[:, joint] = centres[:, at] - rotations.rotate(turned[:, at], parts[at].centre)
            located[:, joint] = rotations.rotate(rotations.inverse(up), place[:, joint] - base)
        else:
            place[:, joint] = base + rotations.rotate(up, located[:, joint])
    return clip.moved(local, located)


def _between_frames(values: FloatArray, times: FloatArray) -> FloatArray:
    """Return rotations (T, J, 4) at ``times`` (T,) between the frames of ``values`` (F, J, 4)."""
    before = np.minimum(np.floor(times).astype(np.intp), len(values) - 2)
    share = (times - before)[:, None, None]
    first, second = values[before], values[before + 1]
    second = np.where((first * second).sum(axis=-1, keepdims=True) < 0.0, -second, second)
    return rotations.normalized(first * (1.0 - share) + second * share, rotations.IDENTITY)
