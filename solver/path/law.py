# SPDX-License-Identifier: GPL-3.0-or-later
"""What a gait is at each moment of a way whose speed changes: the gaits of a body, blended by Froude number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .. import signals
from ..gait.gaits import Gait, touch_downs
from ..gait.template import Template
from ..rotations import FloatArray

# A transition takes this share of the Froude number to either side of where it lies, and at least so long (√(h/g)).
_BLEND, _TRANSITION = 0.15, 2.5
# The longest time that a foot is in the air, and the longest stride, √(h/g).
_LONGEST_SWING = 2.0
_SLOWEST = 1e-3


@dataclass(frozen=True)
class Law:
    """The gaits at each of G moments.

    gaits : in the order of their speeds. shares (G, K) : of each gait, 1 in sum.
    rate (G,) : strides in √(h/g). duty (G,). offsets (G, L) : of touch-downs, shares of a stride, nowhere jumping.
    lift, pitch (G,) : height of swings, and how firmly the trunk is kept from pitching.
    """

    gaits: tuple[Gait, ...]
    shares: FloatArray
    rate: FloatArray
    duty: FloatArray
    offsets: FloatArray
    lift: FloatArray
    pitch: FloatArray


def law_of(
    body: Template, gaits: Sequence[Gait], borders: Sequence[float], motion: tuple[FloatArray, FloatArray], dt: float,
    stride: FloatArray, floor: FloatArray,
) -> Law:  # fmt: skip
    """Return the gaits at each moment.

    borders : Froude numbers between one gait and the next. motion : speed and turn (G,), √(g h) and radians a √(h/g).
    stride (G,) : share of the usual length of strides. floor (G,) : the least rate.
    """
    speed, turn = motion
    froude = np.maximum(np.maximum(speed, 0.6 * np.abs(turn)) ** 2, _SLOWEST)
    beyond = [_stepped(froude, border) for border in borders]
    beyond = [signals.smoothed(part, 0.4 * _TRANSITION / dt) for part in beyond]
    edges = [np.ones_like(froude), *beyond, np.zeros_like(froude)]
    shares = np.stack([edges[k] - edges[k + 1] for k in range(len(gaits))], axis=-1)

    def mixed(values: Sequence[FloatArray | float]) -> FloatArray:
        return np.asarray(sum(shares[:, k] * value for k, value in enumerate(values)))

    length = mixed([gait.stride[0] * froude ** gait.stride[1] for gait in gaits]) * stride
    rate = np.sqrt((np.maximum(speed, 0.6 * np.abs(turn)) / length) ** 2 + floor**2)
    # Not more than 30 degrees while a foot stands.
    rate = np.maximum(rate, np.abs(turn) * 0.6 / np.radians(30.0))
    duty = mixed([np.clip(gait.duty[0] * froude ** gait.duty[1], 0.15, 0.85) for gait in gaits])
    duty = np.maximum(duty, 1.0 - _LONGEST_SWING * rate)
    offsets = [touch_downs(gait, body.rows, body.left) for gait in gaits]
    whole = np.broadcast_to(offsets[0], (len(froude), len(offsets[0]))).copy()
    for k in range(1, len(gaits)):
        whole += beyond[k - 1][:, None] * _nearest(offsets[k] - offsets[k - 1])
    return Law(
        tuple(gaits), shares, rate, duty, whole, mixed([gait.clearance for gait in gaits]),
        mixed([gait.pitch_weight for gait in gaits]),
    )  # fmt: skip


def _stepped(froude: FloatArray, border: float) -> FloatArray:
    at = np.clip(0.5 + (froude / border - 1.0) / (2.0 * _BLEND), 0.0, 1.0)
    return np.asarray(at * at * (3.0 - 2.0 * at))


def _nearest(change: FloatArray) -> FloatArray:
    """Return the changes of phase (L,) as the shortest ways round, all legs moved by one common share to keep them \
short."""
    tried = np.arange(0.0, 1.0, 0.01)[:, None]
    ways = (change + tried + 0.5) % 1.0 - 0.5
    return np.asarray(ways[np.abs(ways).max(axis=-1).argmin()])
