# SPDX-License-Identifier: GPL-3.0-or-later
"""A body that falls: the rigid parts of a skeleton and how far its joints go, and the clip that they come to.

Nothing here simulates: parts go to a rigid-body engine, and their motion comes back (docs/mathematics.md, 11.6).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .. import rotations
from ..arrays import BoolArray, FloatArray, IntArray
from ..clip import Clip
from ..limb import Limb, knee_side_axis
from .push_pose import carriers_of
from .template import Template, below

# Bones shorter than this, lighter, or nearer to the joint of the part that they hang from belong to that part (hip
# heights, shares).
_SHORT, _LIGHT, _APART = 0.08, 0.003, 0.18
# Flesh weighs this much (kg / m³); parts are no thinner and no thicker than this (hip heights), and no
# lighter than that (share).
_DENSITY, _THIN, _THICK, _LEAST = 1000.0, 0.012, 0.14, 2e-3
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
    clip: Clip, led: Clip, limbs: Sequence[Limb], body: Template, mass: float, ground: float
) -> list[Part]:
    """Return the parts of a body that is let go after ``led`` (limits of its joints count from its first frame).

    The first part carries all others. clip : what its joints do at other times. ground : metres; no box begins in it.
    """
    parents = clip.skeleton.parents
    count = len(parents)
    owner = _owners(clip, limbs, body)
    first = carriers_of(clip, body.masses)[0]
    joints = sorted({int(o) for o in owner if o >= 0}, key=lambda joint: (joint != first, joint))
    index = {joint: at for at, joint in enumerate(joints)}
    balls = {limb.hip for limb in limbs}
    knees = {limb.knee: limb for limb in limbs}
    seen = clip.moved(
        np.concatenate([led.local_rotations, clip.local_rotations]),
        np.concatenate([led.local_locations, clip.local_locations]),
    )
    parts = []
    for joint in joints:
        mine = [k for k in range(count) if owner[k] == joint]
        ends = [k for k in range(count) if k in mine or (parents[k] >= 0 and owner[parents[k]] == joint)]
        share = max(float(body.masses[mine].sum()), _LEAST)
        centre, size = _box(led, joint, ends, share * mass, body.height, ground)
        up = parents[joint]
        parent = -1 if joint == first else index[int(owner[up])] if up >= 0 and owner[up] >= 0 else 0
        axes, lower, upper = _limits(seen, joint, knees.get(joint), _BALL if joint in balls else _MORE)
        parts.append(Part(joint, parent, centre, size, share * mass, axes, lower, upper))
    return parts


def _owners(clip: Clip, limbs: Sequence[Limb], body: Template) -> IntArray:
    """Return (J,) the joint of the part that each joint goes with, -1 above the body.

    Legs bend at all their joints; elsewhere a part begins where the one above it is long enough to be one.
    """
    parents, positions = clip.skeleton.parents, clip.positions[0]
    count = len(parents)
    owner = np.full(count, -1)
    carriers = carriers_of(clip, body.masses)
    bending = {joint for limb in limbs for joint in limb.joints}
    over_legs = np.any([_above(parents, limb.hip) for limb in limbs], axis=0)
    under = np.any([below(np.array(parents), joint) for joint in carriers], axis=0)
    for joint in range(count):
        if not under[joint]:
            continue
        if joint in carriers or joint in bending:
            owner[joint] = joint
            continue
        up = owner[parents[joint]]
        children = [k for k in range(count) if parents[k] == joint]
        length = max((float(np.linalg.norm(positions[k] - positions[joint])) for k in children), default=0.0)
        away = float(np.linalg.norm(positions[joint] - positions[up]))
        of_leg = any(below(np.array(parents), limb.hip)[joint] for limb in limbs)
        is_part = length > _SHORT * body.height and away > _APART * body.height and body.masses[joint] > _LIGHT
        owner[joint] = joint if is_part and not over_legs[joint] and not of_leg else up
    return owner


def _above(parents: Sequence[int], joint: int) -> BoolArray:
    """Return which joints (J,) ``joint`` hangs from."""
    found = np.zeros(len(parents), dtype=bool)
    while (joint := parents[joint]) >= 0:
        found[joint] = True
    return found


def _box(
    led: Clip, joint: int, ends: Sequence[int], mass: float, height: float, ground: float
) -> tuple[FloatArray, FloatArray]:
    """Return centre and size in the joint's frame: around all that the part carries, as thick as it weighs."""
    turn = led.rotations[-1, joint]
    places = led.positions[-1, list(ends)] - led.positions[-1, joint]
    own = rotations.rotate(np.broadcast_to(rotations.inverse(turn), (len(ends), 4)), places)
    low, high = own.min(axis=0), own.max(axis=0)
    long = int(np.argmax(high - low))
    length = max(float((high - low)[long]), 0.02 * height)
    radius = float(np.clip(np.sqrt(mass / (np.pi * _DENSITY * length)), _THIN * height, _THICK * height))
    lowest = float(led.positions[-1, list(ends), 2].min()) - ground
    radius = max(min(radius, lowest), _THIN * height)
    size = high - low + 2.0 * radius
    size[long] = length
    # A box that begins in the floor would be thrown out of it.
    centre = 0.5 * (low + high)
    corners = np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]) * size + centre
    bottom = rotations.rotate(np.broadcast_to(turn, (8, 4)), corners)[:, 2].min() + led.positions[-1, joint, 2]
    up = np.array([0.0, 0.0, max(ground - float(bottom), 0.0)])
    return centre + rotations.rotate(rotations.inverse(turn), up), size


def _limits(seen: Clip, joint: int, knee: Limb | None, more: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return axes and the least and greatest angles about them, from the joint's pose in the first frame."""
    axes = rotations.IDENTITY
    if knee is not None:
        axes = rotations.between(np.array([1.0, 0.0, 0.0]), knee_side_axis(seen, knee))
    local = seen.local_rotations[:, joint]
    angles = angles_about(axes, rotations.multiply(rotations.inverse(local[0]), local))
    lower, upper = angles.min(axis=0) - more, angles.max(axis=0) + more
    if knee is not None:
        leg = np.diff(seen.positions[0, [knee.hip, knee.knee, knee.upper_end]], axis=0)
        thigh, shin = rotations.normalized(leg)
        bent = float(np.arccos(np.clip(thigh @ shin, -1.0, 1.0)))
        # About the knee's own axis it bends on, and hardly further back than straight.
        lower[0], upper[0] = bent - _KNEE, max(bent, float(angles[:, 0].max())) + 0.05
    lower[1], upper[1] = max(lower[1], -_SECOND), min(upper[1], _SECOND)
    return axes, np.maximum(lower, -0.95 * np.pi), np.minimum(upper, 0.95 * np.pi)


def angles_about(axes: FloatArray, relative: FloatArray) -> FloatArray:
    """Return (..., 3) angles as Bullet's joints count them: of the way back, seen in ``axes``, R⁻¹ = Rx Ry Rz."""
    seen = rotations.multiply(rotations.multiply(rotations.inverse(axes), rotations.inverse(relative)), axes)
    m = rotations.to_matrices(seen)
    second = np.arcsin(np.clip(m[..., 0, 2], -1.0, 1.0))
    first = np.arctan2(-m[..., 1, 2], m[..., 2, 2])
    third = np.arctan2(-m[..., 0, 1], m[..., 0, 0])
    return np.stack([first, second, third], axis=-1)


def carries_parts(clip: Clip, parts: Sequence[Part]) -> BoolArray:
    """Return which joints (J,) other parts hang from, without being parts of their own."""
    parents = clip.skeleton.parents
    joints = {part.joint for part in parts}
    firm = np.zeros(len(parents), dtype=bool)
    for joint in joints:
        up = parents[joint]
        while up >= 0 and up not in joints:
            firm[up] = True
            up = parents[up]
    return firm


def stiffened(clip: Clip, parts: Sequence[Part]) -> Clip:
    """Return the clip in which whatever is no part of its own holds still as in the last frame."""
    firm = carries_parts(clip, parts)
    turned = clip.local_rotations.copy()
    turned[:, firm] = turned[-1, firm]
    return clip.moved(turned)


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
    firm = carries_parts(clip, parts)
    local[:, firm] = clip.local_rotations[frame, firm]
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
