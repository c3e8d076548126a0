# SPDX-License-Identifier: GPL-3.0-or-later
"""The faults that networks and retargeting put into clips, on the places of joints alone, and where feet stood before.

A slid clip keeps its names and its rate; its joints hang on nothing, since lengths are no longer kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from toehold.solver import signals
from toehold.solver.clip import Clip, Skeleton
from toehold.solver.limb import Limb
from toehold.solver.rotations import FloatArray
from toehold.solver.signals import BoolArray

UNTURNED: FloatArray = np.tile([1.0, 0.0, 0.0, 0.0], (11, 1))


@dataclass(frozen=True)
class Faults:
    """What is done to a clip, metres and seconds.

    travel : factor on the root's level path; everything slides along by the difference.
    drift : m/s, how fast the whole body drifts over the floor, in waves of some seconds.
    blur : deviation of a Gaussian over the pose as seen from its root: feet never stop.
    wander : m, how far each foot wanders about by itself, to the sides, and by 0.4 of it up and down.
    bob : m, how far the whole body rises and sinks, feet and all.
    """

    travel: float = 1.0
    drift: float = 0.0
    blur: float = 0.0
    wander: float = 0.0
    bob: float = 0.0


def from_positions(clip: Clip, positions: FloatArray, fps: float | None = None) -> Clip:
    """Return the clip with its joints at these places (F, J, 3)."""
    skeleton = replace(clip.skeleton, parents=(-1,) * len(clip.skeleton.names))
    unturned = np.tile([1.0, 0.0, 0.0, 0.0], (*positions.shape[:2], 1))
    return Clip(skeleton, fps or clip.fps, unturned, np.ascontiguousarray(positions))


def with_faults(clip: Clip, limbs: Sequence[Limb], faults: Faults) -> Clip:
    """Return what a network might have made of a clip."""
    places, seconds = clip.positions.copy(), np.arange(clip.frame_count) / clip.fps
    root = places[:, [limbs[0].root]].copy()
    level = np.array([1.0, 1.0, 0.0])
    places += (faults.travel - 1.0) * (root - root[:1]) * level
    root += (faults.travel - 1.0) * (root - root[:1]) * level
    if faults.blur:
        places = root + signals.smoothed((places - root).reshape(len(places), -1), faults.blur * clip.fps).reshape(
            places.shape
        )
    velocity = faults.drift * np.stack([_waves(seconds, (1.1, 2.3), 0.4), _waves(seconds, (1.7, 2.9), 1.9)], axis=-1)
    places[..., :2] += (np.cumsum(velocity, axis=0) / clip.fps)[:, None]
    places[..., 2] += (faults.bob * _waves(seconds, (0.9, 1.9), 2.6))[:, None]
    for at, limb in enumerate(limbs):
        about = np.stack([_waves(seconds, (0.7, 1.3), at + phase) for phase in (0.3, 1.1, 2.2)], axis=-1)
        about *= faults.wander * np.array([1.0, 1.0, 0.4])
        foot = [limb.heel, limb.toe] + ([] if limb.toe_end is None else [limb.toe_end])
        places[:, foot] += about[:, None]
        places[:, limb.knee] += 0.5 * about
    return from_positions(clip, places)


# Joints of the jumper: metres forwards and up in the rest pose, and how much of the pelvis' rise they take part in.
JUMPER = ((0.0, 0.9, 1.0), (0.1, 0.48, 0.5), (0.0, 0.08, 0.0), (0.13, 0.02, 0.0), (0.2, 0.02, 0.0))
CROUCH, RISE, LEAP = 0.3, 0.25, 1.2


def standing_jump(fps: float) -> tuple[Clip, tuple[Limb, ...], BoolArray]:
    """Return a jump forwards from both feet, its limbs, and when each foot is on the floor (F, 2).

    The jumper crouches for 0.7 s, pushes off, flies as things that fall do, lands in a crouch.
    """
    take_off = np.sqrt(2.0 * 9.81 * RISE)
    flight, push = 2.0 * take_off / 9.81, 2.0 * CROUCH / take_off
    seconds = np.arange(round((1.7 + push + flight) * fps)) / fps - 0.7 - push
    airborne = (seconds > 0.0) & (seconds < flight)
    fall = take_off * seconds - 0.5 * 9.81 * seconds**2
    before = -CROUCH * _eased(np.clip((seconds + push + 0.7) / 0.7, 0.0, 1.0))
    pushing = -CROUCH * (1.0 - (seconds / push + 1.0) ** 2)
    after = -CROUCH * np.sin(0.5 * np.pi * np.clip((seconds - flight) / 0.3, 0.0, 1.0))
    up = np.select([seconds < -push, seconds <= 0.0, airborne], [before, pushing, fall], after)
    feet_up = np.where(airborne, 0.8 * fall, 0.0)
    along = -LEAP * np.clip(seconds / flight, 0.0, 1.0)
    places = np.zeros((len(seconds), 11, 3))
    places[:, 0] = np.stack([0.0 * up, along, 0.95 + up], axis=-1)
    for side in range(2):
        for joint, (forward, height, share) in enumerate(JUMPER):
            rises = height + share * up + (1.0 - share) * feet_up
            places[:, 1 + 5 * side + joint] = np.stack([0.0 * up + 0.1 - 0.2 * side, along - forward, rises], axis=-1)
    skeleton = Skeleton(tuple(f"joint{joint}" for joint in range(11)), (-1,) * 11, UNTURNED[:11], places[0])
    legs = tuple(Limb(name, 0, *range(1 + 5 * at, 6 + 5 * at)) for at, name in enumerate(("Left", "Right")))
    clip = Clip(skeleton, fps, np.broadcast_to(UNTURNED, (len(seconds), 11, 4)).copy(), places)
    return clip, legs, np.stack([~airborne, ~airborne], axis=-1)


def stands(clip: Clip, limbs: Sequence[Limb]) -> BoolArray:
    """Return (F, L) where each toe is low and slow for at least 0.1 s: what is to be found in the clip with faults."""
    toes = clip.positions[:, [limb.toe for limb in limbs]]
    speed = np.linalg.norm(np.gradient(toes, axis=0), axis=-1)
    low = toes[..., 2] < np.percentile(toes[..., 2], 2.0, axis=0) + 0.1
    slow = low & (speed < 0.18 * np.percentile(speed, 95.0, axis=0))
    return np.stack([signals.without_short(foot, 0.1 * clip.fps, at_ends=True) for foot in slow.T], axis=-1)


def _waves(seconds: FloatArray, lengths: Sequence[float], phase: float) -> FloatArray:
    """Return waves of these lengths in seconds, together with a deviation of 1."""
    return np.asarray(
        sum(np.sin(2.0 * np.pi * seconds / length + phase * (1 + at)) for at, length in enumerate(lengths))
    )


def _eased(share: FloatArray) -> FloatArray:
    return np.asarray(share * share * (3.0 - 2.0 * share))
