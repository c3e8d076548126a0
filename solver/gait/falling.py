# SPDX-License-Identifier: GPL-3.0-or-later
"""How a push that is too hard begins, and how the body that fell gets up into its clip again (mathematics.md, 11.6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .. import rotations
from ..arrays import BoolArray, FloatArray
from ..clip import Clip
from ..contacts import Contacts
from ..ground import FlatGround
from ..limb import Limb, LimbSettings, joint_positions, solve_limbs
from .footfall import eased
from .push_horizon import PUSH_TIME, Pushed, Subject
from .push_pose import carried, carriers_of
from .template import Template

# The body turns by the push no faster than this (radians for √(h/g)).
_SPIN = 0.6
# A foot stays where it stands up to this share of its leg's reach, and is let go over this much more.
_HELD, _LET_GO = 0.85, 0.1
# Getting up takes this long, of which feet are at their places after this share (√(h/g)): sooner, a leg that
# lies would have to swing round to reach them.
GETS_UP, _FEET_FIRST = 6.5, 0.75
_FOOT_LIFT = 0.05
# A body lies still below this speed (√(g h)), and is eased into that in so many seconds.
_STILL, _SETTLES = 0.06, 0.25


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
    spin = np.linalg.solve(
        body.axes @ body.inertia @ body.axes.T, np.cross(arm, push.delta_v * body.time / body.height)
    )
    size = float(np.linalg.norm(spin))
    spin = spin * min(1.0, _SPIN / max(size, 1e-9)) / body.time
    turn = rotations.from_vector(gone[:, None] * spin)
    short = clip.during(slice(0, last + 1))
    moved = carried(short, short, carriers_of(clip, body.masses), subject.com[: last + 1], turn, way)
    limbs = list(subject.limbs)
    down = subject.footfall.contacts.foot_down[: last + 1]
    stays = np.cumprod(down, axis=0).astype(np.float64)[..., None]
    # A foot that its leg does not reach any more comes along.
    far = joint_positions(short, limbs, "heel") - joint_positions(moved, limbs, "hip")
    reached = np.linalg.norm(far, axis=-1) / (body.reach * body.height)
    usual = np.linalg.norm(joint_positions(short, limbs, "heel") - joint_positions(short, limbs, "hip"), axis=-1)
    usual = np.maximum(usual / (body.reach * body.height), _HELD)
    stays = stays * (1.0 - eased((reached - usual) / _LET_GO))[..., None]
    toes, heels = (
        stays * joint_positions(short, limbs, part) + (1.0 - stays) * joint_positions(moved, limbs, part)
        for part in ("toe", "heel")
    )
    result = solve_limbs(moved, limbs, toes, FlatGround(subject.ground), LimbSettings(), short, heels)
    return result, last


def joined(clips: Sequence[Clip]) -> Clip:
    """Return clips of one skeleton one after the other."""
    return clips[0].moved(
        np.concatenate([clip.local_rotations for clip in clips]),
        np.concatenate([clip.local_locations for clip in clips]),
    )


def at_rest(centres: FloatArray, fps: float, body: Template) -> int:
    """Return the first frame from which on parts (F, P, 3) move no more, else the last."""
    speed = np.linalg.norm(np.diff(centres, axis=0), axis=-1).max(axis=1) * fps * body.time / body.height
    moves = np.flatnonzero(speed > _STILL)
    return min(int(moves[-1]) + 1 if len(moves) else 0, len(centres) - 1)


def lying(fallen: Clip) -> Clip:
    """Return the fall eased out, so that it ends with no speed: what is left of it is spread over a moment."""
    count = max(int(_SETTLES * fallen.fps), 2)
    time = np.arange(1, 2 * count + 1) / (2.0 * count)
    # From the speed of one frame a frame down to none.
    along = np.clip(fallen.frame_count - 1 - count + count * time * (2.0 - time), 0.0, fallen.frame_count - 1.0)
    before = np.minimum(np.floor(along).astype(np.intp), fallen.frame_count - 2)
    share = along - before
    turned = np.stack([_between(fallen.local_rotations[[a]], fallen.local_rotations[[a + 1]], np.array([s]))[0]
                       for a, s in zip(before.tolist(), share.tolist(), strict=True)])  # fmt: skip
    located = fallen.local_locations[before] * (1.0 - share[:, None, None])
    located = located + fallen.local_locations[before + 1] * share[:, None, None]
    kept = fallen.frame_count - 1 - count
    head = fallen.during(slice(0, max(kept + 1, 0)))
    return joined([head, fallen.moved(turned, located)])


def onward_lying(clip: Clip, count: int) -> Clip:
    """Return the clip with its last pose held until it has ``count`` frames."""
    order = np.minimum(np.arange(max(count, clip.frame_count)), clip.frame_count - 1)
    return clip.moved(clip.local_rotations[order], clip.local_locations[order])


def contacts_after(subject: Subject, struck_last: int, count: int, when: Rising | None) -> Contacts:
    """Return contacts (count, L): as they were until the body is let go, none in the fall, and the clip's once up."""
    own = subject.footfall.contacts
    toe, heel = np.zeros((count, own.toe.shape[1])), np.zeros((count, own.toe.shape[1]))
    stays = np.cumprod(own.foot_down[: struck_last + 1], axis=0)
    toe[: struck_last + 1] = own.toe[: struck_last + 1] * stays
    heel[: struck_last + 1] = own.heel[: struck_last + 1] * stays
    if when is not None:
        toe[when.last :], heel[when.last :] = own.toe[when.last : count], own.heel[when.last : count]
        stands = when.first + int(np.ceil(_FEET_FIRST * (when.last - when.first))) + 1
        toe[stands : when.last], heel[stands : when.last] = own.toe[when.last], own.heel[when.last]
    return Contacts(toe, heel)


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

    Feet are at their places at _FEET_FIRST of the way, and stand while the body rises over them. It goes on in
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
    toes, heels = (_feet(blended, target, limbs, part, (count, standing, feet_share)) for part in ("toe", "heel"))
    for path in (toes, heels):
        path[..., 2] += lift * _FOOT_LIFT * body.height
    result = solve_limbs(blended, limbs, toes, FlatGround(subject.ground), LimbSettings(), blended, heels)
    turned, located = result.local_rotations.copy(), result.local_locations.copy()
    turned[count - 1 :], located[count - 1 :] = target.local_rotations[count - 1 :], target.local_locations[count - 1 :]
    return result.moved(turned, located)


def _feet(
    blended: Clip, target: Clip, limbs: Sequence[Limb], part: str, how: tuple[int, BoolArray, FloatArray]
) -> FloatArray:
    """Return the way (F, L, 3) of a joint of the feet: with the pose at first, at last where it stands at the end."""
    count, standing, share = how
    there = joint_positions(target, limbs, part)
    there[:count] = np.where(standing[:, None], there[count - 1], there[:count])
    along = joint_positions(blended, limbs, part)
    # The way of the pose itself may lead through the floor.
    along[..., 2] = np.maximum(along[..., 2], np.minimum(there[..., 2], along[:1, :, 2]))
    return np.asarray(along + share[..., None] * (there - along))


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
