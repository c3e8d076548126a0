# SPDX-License-Identifier: GPL-3.0-or-later
"""The states that animated switches put a rig in, and the frames of each from which its controls are best learned."""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import numpy as np
from numpy.typing import NDArray

from ...solver.rotations import FloatArray
from ...solver.signals import BoolArray
from ..contacts.properties import ALL as CONTACT_PROPERTIES
from ..curves.channels import TRANSFORMS, Channels, custom_property, evaluate

# The most states in which a rig is probed whose settings are animated.
MOST_STATES = 12


@dataclass(frozen=True)
class States:
    """The states that animated switches put a rig in.

    sampled : ``(F,)`` the scene frames of the sample.
    first : index among these of one frame of each state.
    of_frame : ``(F,)`` the state that each frame is in, or is nearest to.
    wholly : ``(F,)`` where a frame is in its state, not only near to it.
    """

    sampled: FloatArray
    first: NDArray[np.intp]
    of_frame: NDArray[np.intp]
    wholly: BoolArray

    def __len__(self) -> int:
        return len(self.first)

    def frames(self, state: int, strain: FloatArray) -> list[float]:
        """Return scene frames to learn from in a state, best first: with the least ``strain`` ``(F,)``, half way, and
        the first."""
        there = np.flatnonzero((self.of_frame == state) & self.wholly)
        order = there[np.argsort(strain[there], kind="stable")]
        chosen = [order[0], order[len(order) // 2], self.first[state]]
        return [float(self.sampled[at]) for at in dict.fromkeys(chosen)]


def states_of(channels: Channels, frames: FloatArray) -> States:
    """Return the states by what is animated beside transforms: custom properties, the influence of constraints."""
    contacts = {custom_property(name) for name in CONTACT_PROPERTIES}
    switches = [
        curve
        for (_, name), curves in channels.of_bones.items()
        if name not in TRANSFORMS and name not in contacts
        for curve in curves.values()
    ]
    switches += [
        curve for name, curves in channels.of_object.items() if name not in TRANSFORMS for curve in curves.values()
    ]
    switches = [curve for curve in switches if not curve.mute and not curve.is_empty]
    if not switches:
        alone = np.zeros(len(frames), dtype=np.intp)
        return States(frames, alone[:1], alone, np.ones(len(frames), dtype=np.bool_))
    values = np.round(np.stack([evaluate(curve, frames) for curve in switches], axis=1), 4)
    _, first, of_frame = np.unique(values, axis=0, return_index=True, return_inverse=True)
    of_frame = of_frame.ravel().astype(np.intp)
    if len(first) > MOST_STATES:
        # Switches that are blended over many frames: probe some of these, evenly spread.
        first = np.unique(np.linspace(0, len(frames) - 1, MOST_STATES).astype(np.intp))
        of_frame = np.abs(values[:, None] - values[first][None]).sum(axis=-1).argmin(axis=1)
    wholly = np.all(values == values[first][of_frame], axis=1)
    return States(frames, first.astype(np.intp), of_frame, wholly)


def show(frame: float) -> None:
    """Bring the scene to a frame."""
    whole = int(np.floor(frame))
    bpy.context.scene.frame_set(whole, subframe=frame - whole)
