# SPDX-License-Identifier: GPL-3.0-or-later
"""What a game wants to know of feet: when each touches down and leaves, is planted and is held, and where."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from .arrays import BoolArray, FloatArray
from .clip import Clip
from .contacts import Contacts, runs
from .ground import Ground
from .limb import Limb, joint_positions

Kind = Literal["strike", "off", "contact_begin", "contact_end", "lock_begin", "lock_end"]

# What begins and what ends each kind of span.
SPANS: dict[str, tuple[Kind, Kind]] = {
    "touch": ("strike", "off"),
    "contact": ("contact_begin", "contact_end"),
    "lock": ("lock_begin", "lock_end"),
}


@dataclass(frozen=True)
class FootSpan:
    """A while in which a foot touches the ground ("touch"), is planted ("contact") or is held by the lock ("lock").

    limb, first, last : indices into the clip's limbs and frames.
    positions, normals : (last - first + 1, 3) the ground under the foot in the world, metres, and its direction.
    """

    kind: str
    limb: int
    first: int
    last: int
    positions: FloatArray
    normals: FloatArray


@dataclass(frozen=True)
class FootEvent:
    """The begin or the end of a span.

    kind : "strike" in the first frame of a touch, "off" in the first after it; likewise of the other spans.
    limb, frame : indices into the clip's limbs and frames.
    position, normal : (3,) of the ground under the foot.
    """

    kind: Kind
    limb: int
    frame: int
    position: FloatArray
    normal: FloatArray


@dataclass(frozen=True)
class FootData:
    """What the feet of one clip do.

    name : of the clip.
    limbs : their names.
    frames : (F,) numbers of the frames.
    contacts : (F, L) contact signal of each toe, 0 (lifted) to 1 (planted).
    speed : (F,) m/s of the body over its ground.
    foot_speed : (F, L) m/s of each toe over its ground.
    spans : of touching, being planted and being held; frames and limbs as indices.
    """

    name: str
    fps: float
    limbs: tuple[str, ...]
    frames: tuple[int, ...]
    contacts: FloatArray
    speed: FloatArray
    foot_speed: FloatArray
    spans: tuple[FootSpan, ...]

    @property
    def events(self) -> list[FootEvent]:
        """What begins and ends within the clip, in the order of time."""
        return events_of(self.spans, len(self.frames))

    @property
    def length(self) -> float:
        """Seconds from the first frame to the last."""
        return (len(self.frames) - 1) / self.fps


def foot_spans(
    clip: Clip, limbs: Sequence[Limb], contacts: Contacts, ground: Ground, locked: BoolArray
) -> list[FootSpan]:
    """Return every span, in the order of time; ``locked`` (F, L) is where the runtime lock holds a toe."""
    states = {
        "touch": contacts.foot_down,
        "contact": contacts.toe_planted | contacts.heel_planted,
        "lock": locked,
    }
    found: list[FootSpan] = []
    for index, limb in enumerate(limbs):
        points = _under_foot(clip, limb, contacts, index, ground)
        normals = ground.normal(points)
        for kind, state in states.items():
            for first, last in runs(state[:, index]):
                window = slice(first, last + 1)
                found.append(FootSpan(kind, index, first, last, points[window], normals[window]))
    return sorted(found, key=lambda span: (span.first, span.limb, list(SPANS).index(span.kind)))


def events_of(spans: Sequence[FootSpan], frame_count: int) -> list[FootEvent]:
    """Return begin and end of each span in the order of time; at the clip's own ends nothing begins or ends."""
    found: list[FootEvent] = []
    for span in spans:
        begin, end = SPANS[span.kind]
        if span.first > 0:
            found.append(FootEvent(begin, span.limb, span.first, span.positions[0], span.normals[0]))
        if span.last + 1 < frame_count:
            found.append(FootEvent(end, span.limb, span.last + 1, span.positions[-1], span.normals[-1]))
    order = [kind for kinds in SPANS.values() for kind in kinds]
    return sorted(found, key=lambda event: (event.frame, event.limb, order.index(event.kind)))


def root_speed(clip: Clip, limbs: Sequence[Limb], ground: Ground) -> FloatArray:
    """Return the level speed (F,) in m/s at which the body travels over its ground."""
    if not limbs or clip.frame_count < 2:
        return np.zeros(clip.frame_count)
    root = clip.positions[:, limbs[0].root]
    velocity = np.gradient(root, 1.0 / clip.fps, axis=0) - ground.velocity(root)
    return np.linalg.norm(velocity[:, :2], axis=-1)


def foot_speeds(clip: Clip, limbs: Sequence[Limb], ground: Ground) -> FloatArray:
    """Return the speed (F, L) in m/s of each toe over its ground; all ways, since a foot that rises is not planted."""
    toes = joint_positions(clip, limbs, "toe")
    if clip.frame_count < 2:
        return np.zeros(toes.shape[:2])
    velocity = np.gradient(toes, 1.0 / clip.fps, axis=0) - ground.velocity(toes)
    return np.linalg.norm(velocity, axis=-1)


def _under_foot(clip: Clip, limb: Limb, contacts: Contacts, index: int, ground: Ground) -> FloatArray:
    """Return the ground (F, 3) under a foot's lower end, or under the one that is planted."""
    heel, toe = clip.positions[:, limb.heel], clip.positions[:, limb.toe]
    # The ankle is higher in a flat foot: it is the lower end only where the toes are up.
    usual = np.median(heel[:, 2] - toe[:, 2])
    on_heel = heel[:, 2] - toe[:, 2] < usual
    toe_planted, heel_planted = contacts.toe_planted[:, index], contacts.heel_planted[:, index]
    on_heel = np.where(toe_planted | heel_planted, heel_planted & ~toe_planted, on_heel)
    point = np.where(on_heel[:, None], heel, toe)
    point[:, 2] = ground.height(point)
    return point
