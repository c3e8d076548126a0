# SPDX-License-Identifier: GPL-3.0-or-later
"""How a push that is too hard begins, and how the body that fell gets up into its clip again (mathematics.md, 11.6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .. import rotations
from ..clip import Clip
from ..ground import FlatGround
from ..limb import Limb, LimbSettings, joint_positions, solve_limbs
from ..rotations import FloatArray
from ..signals import BoolArray
from .push_horizon import PUSH_TIME, Pushed, Subject
from .push_pose import carried, carriers_of
from .stances import eased

# The body turns by the push no faster than this (radians for √(h/g)).
_SPIN = 0.6
# Getting up takes this long, of which feet are brought to their places in this share (√(h/g)).
GETS_UP, _FEET_FIRST = 6.5, 0.45
_FOOT_LIFT = 0.05


def struck(subject: Subject, push: Pushed) -> tuple[Clip, int]:
    """Return the clip while the push lasts (its first frame stays), and the last frame of that.

    Feet that stand stay where they are; all else goes along with the body, which gets its speed and its spin.
    """
    clip, body = subject.clip, subject.template
    last = max(2, int(np.ceil(PUSH_TIME * body.time * clip.fps)))
    last = min(last, clip.frame_count - 1)
    frames = np.arange(last + 1)
    share = np.clip(frames / last, 0.0, 1.0)
    # The speed rises as (1 - cos) / 2 does.
    gone = (share - np.sin(np.pi * share) / np.pi) * 0.5 * last / clip.fps
    way = gone[:, None] * push.delta_v
    arm = (push.place - subject.com[0]) / body.height
    spin = np.linalg.solve(body.axes @ body.inertia @ body.axes.T, np.cross(arm, push.delta_v * body.time / body.height))
    size = float(np.linalg.norm(spin))
    spin = spin * min(1.0, _SPIN / max(size, 1e-9)) / body.time
    turn = rotations.from_vector(gone[:, None] * spin)
    short = clip.during(slice(0, last + 1))
    moved = carried(short, short, carriers_of(clip, body.masses), subject.com[: last + 1], turn, way)
    limbs = list(subject.limbs)
    down = subject.footfall.contacts.foot_down[: last + 1]
    stays = np.cumprod(down, axis=0).astype(bool)[..., None]
    toes = np.where(stays, joint_positions(short, limbs, "toe"), joint_positions(moved, limbs, "toe"))
    heels = np.where(stays, joint_positions(short, limbs, "heel"), joint_positions(moved, limbs, "heel"))
    result = solve_limbs(moved, limbs, toes, FlatGround(subject.ground), LimbSettings(), short, heels)
    return result, last


@dataclass(frozen=True)
class Rising:
    """When a body gets up: from frame ``first``, in which it lies, to ``last``, in which it is in its clip again."""

    first: int
    last: int


def rising(subject: Subject, lies: int) -> Rising | None:
    """Return when the body that lies from frame ``lies`` on gets up; None where the clip is over before."""
    clip, body = subject.clip, subject.template
    earliest = lies + int(np.ceil(GETS_UP * body.time * clip.fps))
    down = subject.footfall.contacts.toe_planted[earliest : clip.frame_count - 1].sum(axis=1)
    if not len(down) or not down.any():
        return None
    # Nearly all that stands at once in this clip has to stand: in a run that is one foot, in a walk both.
    return Rising(lies, earliest + int(np.argmax(down >= 0.9 * down.max())))


def risen(subject: Subject, lying: Clip, when: Rising) -> Clip:
    """Return how the body gets up (frames after ``when.first`` up to the clip's end) from the last frame of ``lying``.

    Feet go to their places first, low over the ground, and then stand while the body rises over them. It goes on in
    its clip from where it lies, as the clip is turned.
    """
    clip, limbs, body = subject.clip, list(subject.limbs), subject.template
    carriers = carriers_of(clip, body.masses)
    aside = lying.positions[-1, carriers[0]] - clip.positions[when.last, carriers[0]]
    aside[2] = 0.0
    target = _shifted(clip.during(slice(when.first + 1, None)), carriers, np.broadcast_to(aside, (1, 3)))
    count = when.last - when.first
    share = np.arange(1, target.frame_count + 1) / count
    body_share = eased((share - 0.2) / 0.8)
    held = lying.during(slice(-1, None))
    blended = _blended(held, target, carriers, body_share)
    standing = subject.footfall.contacts.foot_down[when.last]
    feet_share = np.where(standing, eased(share / _FEET_FIRST)[:, None], eased(share)[:, None])
    lift = np.where(standing, np.sin(np.pi * np.clip(share / _FEET_FIRST, 0.0, 1.0))[:, None] ** 2, 0.0)
    toes, heels = (_feet(held, target, limbs, part, (count, standing, feet_share)) for part in ("toe", "heel"))
    for path in (toes, heels):
        path[..., 2] += lift * _FOOT_LIFT * body.height
    result = solve_limbs(blended, limbs, toes, FlatGround(subject.ground), LimbSettings(), blended, heels)
    turned, located = result.local_rotations.copy(), result.local_locations.copy()
    turned[count - 1 :], located[count - 1 :] = target.local_rotations[count - 1 :], target.local_locations[count - 1 :]
    return result.moved(turned, located)


def _feet(
    held: Clip, target: Clip, limbs: Sequence[Limb], part: str, how: tuple[int, BoolArray, FloatArray]
) -> FloatArray:
    """Return the way (F, L, 3) of a joint of the feet from where it lies to where it stands at the end."""
    count, standing, share = how
    there = joint_positions(target, limbs, part)
    there[:count] = np.where(standing[:, None], there[count - 1], there[:count])
    start = joint_positions(held, limbs, part)[0]
    return np.asarray(start + share[..., None] * (there - start))


def _blended(held: Clip, target: Clip, carriers: list[int], share: FloatArray) -> Clip:
    """Return the clip that goes from the pose ``held`` (one frame) over to ``target`` (F frames) by ``share`` (F,)."""
    turned = _between(held.local_rotations, target.local_rotations, share)
    located = held.local_locations + share[:, None, None] * (target.local_locations - held.local_locations)
    clip = target.moved(turned, located)
    for joint in carriers:
        parent = clip.skeleton.parents[joint]
        world = _between(held.rotations[:, [joint]], target.rotations[:, [joint]], share)[:, 0]
        place = held.positions[:, joint] + share[:, None] * (target.positions[:, joint] - held.positions[:, joint])
        if parent >= 0:
            back = rotations.inverse(clip.rotations[:, parent])
            place, world = rotations.rotate(back, place - clip.positions[:, parent]), rotations.multiply(back, world)
        turned[:, joint], located[:, joint] = world, place
        clip = target.moved(turned, located)
    return clip


def _between(first: FloatArray, second: FloatArray, share: FloatArray) -> FloatArray:
    """Return rotations (F, J, 4) at a share (F,) of the shorter way from ``first`` (1, J, 4) to ``second``."""
    way = rotations.multiply(rotations.inverse(np.broadcast_to(first, second.shape)), second)
    way = np.where(way[..., :1] < 0.0, -way, way)
    angle = 2.0 * np.arctan2(np.linalg.norm(way[..., 1:], axis=-1), way[..., 0])
    part = rotations.from_axis_angle(rotations.normalized(way[..., 1:]), angle * share[:, None])
    return rotations.multiply(np.broadcast_to(first, second.shape), part)


def _shifted(clip: Clip, carriers: list[int], by: FloatArray) -> Clip:
    """Return the clip moved by (F, 3) metres in the world."""
    located = clip.local_locations.copy()
    for joint in carriers:
        parent = clip.skeleton.parents[joint]
        back = rotations.IDENTITY if parent < 0 else rotations.inverse(clip.rotations[:, parent])
        located[:, joint] += rotations.rotate(back, np.broadcast_to(by, (clip.frame_count, 3)))
    return clip.moved(None, located)


def above_ground(clip: Clip, carriers: list[int], lowest: float) -> Clip:
    """Return the clip lifted by what of it is below ``lowest`` (metres), gently."""
    under = np.maximum(lowest - clip.positions[..., 2].min(axis=1), 0.0)
    if not under.any():
        return clip
    reach = max(int(0.1 * clip.fps), 1)
    padded = np.pad(under, reach, mode="edge")
    highest = np.lib.stride_tricks.sliding_window_view(padded, 2 * reach + 1).max(axis=1)
    padded = np.pad(highest, reach, mode="edge")
    lift = np.lib.stride_tricks.sliding_window_view(padded, 2 * reach + 1).mean(axis=1)
    up = np.zeros((len(lift), 3))
    up[:, 2] = lift
    return _shifted(clip, carriers, up)
