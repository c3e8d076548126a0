# SPDX-License-Identifier: GPL-3.0-or-later
"""How far a limb that controls move is longer or shorter than it may be: rigs that stretch must not be made to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...solver import rotations
from ...solver.clip import Clip
from ...solver.limb import Limb
from ...solver.rotations import FloatArray

# By which share parts of rigs that can stretch are shorter where the limb is bent.
_GIVES = 0.03


@dataclass(frozen=True)
class Lengths:
    """Between which lengths the parts of a limb may be: that of the source, and its natural one.

    chain : the joints from hip to toe, each of which is seen where its bone is evaluated.
    shortest, longest : ``(F, N)`` metres of each part, from one joint to the next.
    """

    chain: list[int]
    shortest: FloatArray
    longest: FloatArray

    def too_long(self, shown: Clip) -> tuple[FloatArray, FloatArray]:
        """Return metres ``(F,)`` by which all parts together are too long, and by which the worst is, or is too short.

        A part is also too long where its joint has left the one that it hangs from.
        """
        parts = _parts(shown, self.chain)
        longer = np.maximum(parts - self.longest, 0.0)
        return longer.sum(axis=1), np.maximum(longer, self.shortest - parts).max(axis=1)


def lengths_of(source: Clip, limb: Limb) -> Lengths:
    """Return what a limb of the ``source`` may be like.

    What is stretched there may become less so. Rigs that can stretch give by a few hundredths as a limb bends (Rigify's
    legs do): so a part may be a little shorter than it is on any frame, and as long as it is at rest. The rest says
    nothing of parts that are much shorter or longer than at rest throughout, as those of a scaled rig are.
    """
    chain = chain_of(source, limb)
    parts = _parts(source, chain)
    at_rest = np.linalg.norm(source.skeleton.rest_locations[chain[1:]], axis=-1)
    natural = np.clip(at_rest, parts.min(axis=0), parts.max(axis=0) * (1.0 + _GIVES))
    shortest = np.broadcast_to((1.0 - _GIVES) * np.minimum(parts.min(axis=0), natural), parts.shape)
    return Lengths(chain, shortest, np.maximum(parts, natural))


def chain_of(clip: Clip, limb: Limb) -> list[int]:
    """Return the joints from hip to toe; only those of the limb where they do not hang from each other."""
    parents = clip.skeleton.parents
    chain = [limb.toe]
    while chain[-1] != limb.hip and parents[chain[-1]] >= 0:
        chain.append(parents[chain[-1]])
    whole = chain[::-1]
    return whole if whole[0] == limb.hip else [*limb.joints, limb.toe]


def towards_hip(clip: Clip, limb: Limb) -> FloatArray:
    """Return the directions ``(F, 3)`` in which a foot comes nearer to its hip."""
    return rotations.normalized(clip.positions[:, limb.hip] - clip.positions[:, limb.heel])


def _parts(clip: Clip, chain: Sequence[int]) -> FloatArray:
    return np.asarray(np.linalg.norm(np.diff(clip.positions[:, list(chain)], axis=1), axis=-1))
