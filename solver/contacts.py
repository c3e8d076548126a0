# SPDX-License-Identifier: GPL-3.0-or-later
"""When each foot is planted, found from how its points move."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .clip import Clip
from .ground import Ground
from .limb import Limb
from .rotations import FloatArray

BoolArray = NDArray[np.bool_]

# A contact signal runs from 0 (lifted) to 1 (planted); a foot counts as planted above this.
PLANTED = 0.5

# The leg that every threshold in metres is meant for; they grow and shrink with the limb at hand.
REFERENCE_LEG = 0.9


@dataclass(frozen=True)
class ContactSettings:
    """What counts as planted. Metres and metres a second are for a 0.9 m leg and scale with the limb's length.

    toe_share, heel_share : a point is still while slower than this share of its own swing speed around that time.
    entry : a contact has to be slower than this part of the threshold somewhere, or it is no contact (hysteresis).
    floor_speed : m/s, slower than this is still whatever the swing.
    memory : seconds over which a swing's speed is forgotten.
    height : metres that a planted point may be above the lowest it gets.
    vote_time, min_contact_time, min_gap_time, blend_time : seconds of the majority vote, the shortest contact, the
        shortest gap between two contacts, and the rise of the signal from 0 to 1.
    """

    toe_share: float = 0.25
    heel_share: float = 0.15
    entry: float = 0.75
    floor_speed: float = 0.2
    memory: float = 2.0
    height: float = 0.1
    vote_time: float = 5.0 / 60.0
    min_contact_time: float = 0.08
    min_gap_time: float = 0.08
    blend_time: float = 0.1


@dataclass(frozen=True)
class Contacts:
    """How firmly toe and heel of each limb are planted, 0 to 1. Both are (F, L)."""

    toe: FloatArray
    heel: FloatArray

    @property
    def toe_planted(self) -> BoolArray:
        return self.toe > PLANTED

    @property
    def heel_planted(self) -> BoolArray:
        return self.heel > PLANTED

    @property
    def foot_down(self) -> BoolArray:
        """Heel or toe: what a force plate under the foot sees."""
        return self.toe_planted | self.heel_planted


def runs(planted: BoolArray) -> list[tuple[int, int]]:
    """Return the first and last frame, inclusive, of each unbroken run of True in ``(F,)``."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], planted, [False]]).astype(np.int8)))
    return [(int(start), int(end) - 1) for start, end in edges.reshape(-1, 2)]


def limb_length(clip: Clip, limb: Limb) -> float:
    """Return hip to knee to heel in metres, the clip's median; the reference leg where the limb has no length."""
    hip, knee, heel = (clip.positions[:, joint] for joint in (limb.hip, limb.knee, limb.heel))
    length = float(np.median(np.linalg.norm(hip - knee, axis=-1) + np.linalg.norm(knee - heel, axis=-1)))
    return length if length > 1e-9 else REFERENCE_LEG


def annotate(
    clip: Clip, limbs: Sequence[Limb], ground: Ground, settings: ContactSettings = ContactSettings()
) -> Contacts:
    """Return when toe and heel of each limb are planted on ``ground``."""
    found = np.zeros((2, clip.frame_count, len(limbs)))
    for number, limb in enumerate(limbs):
        scale = REFERENCE_LEG / limb_length(clip, limb)
        for row, (joint, share) in enumerate(((limb.toe, settings.toe_share), (limb.heel, settings.heel_share))):
            found[row, :, number] = _point_signal(clip, joint, ground, share, scale, settings)
    return Contacts(toe=found[0], heel=found[1])


def _point_signal(
    clip: Clip, joint: int, ground: Ground, share: float, scale: float, settings: ContactSettings
) -> FloatArray:
    """Return the contact signal ``(F,)`` of one joint; ``scale`` makes the leg 0.9 m."""
    track = clip.positions[:, joint]
    fine = max(1, int(np.ceil(60.0 / clip.fps - 0.01)))
    rate = clip.fps * fine
    slip = upsampled((_velocity(track, clip.fps) - ground.velocity(track)) * scale, fine)
    if fine > 1:
        slip = (_velocity(upsampled(track, fine), rate) - upsampled(ground.velocity(track), fine)) * scale
    height = upsampled((track[:, 2] - ground.height(track)) * scale, fine)
    speed = np.linalg.norm(slip, axis=-1)
    threshold = np.maximum(settings.floor_speed, share * _swing_speed(speed, rate, settings))
    low = height < np.percentile(height, 2.0) + settings.height
    still = _hysteresis(low & (speed < threshold), low & (speed < settings.entry * threshold))
    still = _majority(still, _odd(settings.vote_time * rate))
    still = ~_without_short(~still, settings.min_gap_time * rate)
    still = _without_short(still, settings.min_contact_time * rate)
    return _eased(still, settings.blend_time * rate)[::fine]


def upsampled(values: FloatArray, factor: int) -> FloatArray:
    """Return ``(F, ...)`` at ``factor`` times the rate, ``((F - 1) factor + 1, ...)``, by Catmull-Rom cubics."""
    count = len(values)
    if factor == 1 or count < 2:
        return values
    slope = np.gradient(values, axis=0)
    at = np.arange((count - 1) * factor + 1)
    left = np.minimum(at // factor, count - 2)
    t = (at / factor - left).reshape(-1, *([1] * (values.ndim - 1)))
    a, b, da, db = values[left], values[left + 1], slope[left], slope[left + 1]
    return np.asarray(
        (1 + 2 * t) * (1 - t) ** 2 * a + t * (1 - t) ** 2 * da + t * t * (3 - 2 * t) * b - t * t * (1 - t) * db
    )


def _velocity(track: FloatArray, rate: float) -> FloatArray:
    """Return velocity ``(F, 3)`` over a sixtieth of a second to either side, shorter at the ends."""
    count = len(track)
    reach = max(1, round(rate / 60.0))
    after = np.minimum(np.arange(count) + reach, count - 1)
    before = np.maximum(np.arange(count) - reach, 0)
    return (track[after] - track[before]) * (rate / np.maximum(after - before, 1))[:, None]


def _swing_speed(speed: FloatArray, rate: float, settings: ContactSettings) -> FloatArray:
    """Return how fast the point swings around each frame ``(F,)``: its peaks, forgotten exponentially either way."""
    steady = np.log(np.maximum(_rolling(speed, _odd(settings.vote_time * rate), np.median), 1e-12))
    age = np.arange(len(speed)) / (rate * settings.memory)
    past = np.maximum.accumulate(steady + age) - age
    coming = np.maximum.accumulate((steady - age)[::-1])[::-1] + age
    return np.exp(np.maximum(past, coming))


def _odd(frames: float) -> int:
    return 2 * int(frames / 2.0) + 1


def _rolling(values, width, function):
    padded = np.pad(values, width // 2, mode="edge")
    return function(np.lib.stride_tricks.sliding_window_view(padded, width), axis=-1)


def _majority(planted: BoolArray, width: int) -> BoolArray:
    return np.asarray(_rolling(planted.astype(float), width, np.mean) > 0.5)


def _hysteresis(loose: BoolArray, strict: BoolArray) -> BoolArray:
    """Return the runs of ``loose`` that hold a frame of ``strict``."""
    spans = runs(loose)
    kept = np.zeros_like(loose)
    for a, b in spans:
        kept[a : b + 1] = strict[a : b + 1].any()
    return kept


def _without_short(planted: BoolArray, frames: float) -> BoolArray:
    """Return ``planted`` without runs shorter than ``frames``, except those that the clip's ends cut off."""
    kept = planted.copy()
    for a, b in runs(planted):
        if a > 0 and b < len(planted) - 1 and b + 1 - a < frames - 1e-6:
            kept[a : b + 1] = False
    return kept


def _eased(planted: BoolArray, frames: float) -> FloatArray:
    """Return a smooth signal that crosses 0.5 where ``planted`` changes, halfway between two frames."""
    edges = np.flatnonzero(planted[1:] != planted[:-1]) + 0.5
    if len(edges) == 0:
        return planted.astype(np.float64)
    at = np.arange(len(planted))
    right = np.searchsorted(edges, at)
    distance = np.minimum(
        np.abs(at - edges[np.maximum(right - 1, 0)]), np.abs(edges[np.minimum(right, len(edges) - 1)] - at)
    )
    t = np.clip(0.5 + np.where(planted, distance, -distance) / max(frames, 1e-9), 0.0, 1.0)
    return np.asarray(t * t * (3.0 - 2.0 * t))
