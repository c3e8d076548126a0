# SPDX-License-Identifier: GPL-3.0-or-later
"""A skeleton and its motion, and where every joint is in the world."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from . import rotations
from .rotations import FloatArray


@dataclass(frozen=True)
class Skeleton:
    """The tree of joints, parents before their children.

    names : of the joints. The tip of a bone that no other bone starts at is a joint too, named ``<bone>_end``.
    parents : index of each joint's parent, -1 for a root.
    rest_rotations : (J, 4) of each joint in its parent's frame, in the rest pose; a root's in the world's.
    rest_locations : (J, 3) metres, likewise.
    """

    names: tuple[str, ...]
    parents: tuple[int, ...]
    rest_rotations: FloatArray
    rest_locations: FloatArray

    def __post_init__(self) -> None:
        count = len(self.names)
        if len(self.parents) != count or self.rest_rotations.shape != (count, 4):
            shape = self.rest_rotations.shape
            raise ValueError(f"{count} joints, but {len(self.parents)} parents and rest rotations {shape}")
        if self.rest_locations.shape != (count, 3):
            raise ValueError(f"{count} joints, but rest locations {self.rest_locations.shape}")
        for joint, parent in enumerate(self.parents):
            if not -1 <= parent < joint:
                raise ValueError(f"joint {self.names[joint]!r} stands before its parent")

    def index(self, name: str) -> int:
        """Return the joint called ``name``; KeyError if there is none."""
        try:
            return self.names.index(name)
        except ValueError:
            raise KeyError(name) from None

    @cached_property
    def rest_positions(self) -> FloatArray:
        """(J, 3) metres in the world, in the rest pose."""
        positions, _ = forward_kinematics(self.parents, self.rest_rotations[None], self.rest_locations[None])
        return positions[0]


@dataclass(frozen=True)
class Clip:
    """The motion of a skeleton: each joint's transform in its parent's frame (a root's in the world's), frame by frame.

    local_rotations : (F, J, 4), the rest pose's share included.
    local_locations : (F, J, 3) metres, likewise.
    held : shares of the first and of the last step from frame to frame in which nothing moves: keys that begin or end
        between two frames hold their pose up to the whole frame.
    """

    skeleton: Skeleton
    fps: float
    local_rotations: FloatArray
    local_locations: FloatArray
    held: tuple[float, float] = (0.0, 0.0)
    _derived: dict[str, FloatArray] = field(default_factory=dict, repr=False, compare=False)

    def __post_init__(self) -> None:
        joints = len(self.skeleton.names)
        frames = self.local_rotations.shape[0]
        if self.local_rotations.shape != (frames, joints, 4) or self.local_locations.shape != (frames, joints, 3):
            shapes = f"rotations {self.local_rotations.shape} and locations {self.local_locations.shape}"
            raise ValueError(f"{joints} joints, but {shapes}")
        if not self.fps > 0.0:
            raise ValueError(f"the frame rate is {self.fps}, it has to be above 0")

    @property
    def frame_count(self) -> int:
        return self.local_rotations.shape[0]

    @property
    def frame_times(self) -> FloatArray:
        """(F,) frames: when each pose is reached, whole numbers but for what is held."""
        times = np.arange(self.frame_count, dtype=np.float64)
        times[0] += self.held[0]
        times[-1] -= self.held[1]
        return times

    @property
    def positions(self) -> FloatArray:
        """(F, J, 3) metres in the world."""
        self._derive()
        return self._derived["positions"]

    @property
    def rotations(self) -> FloatArray:
        """(F, J, 4) in the world."""
        self._derive()
        return self._derived["rotations"]

    def moved(self, local_rotations: FloatArray | None = None, local_locations: FloatArray | None = None) -> Clip:
        """Return the same clip with other local transforms."""
        return replace(
            self,
            local_rotations=self.local_rotations if local_rotations is None else local_rotations,
            local_locations=self.local_locations if local_locations is None else local_locations,
            _derived={},
        )

    def during(self, window: slice) -> Clip:
        """Return the frames in ``window`` only."""
        self._derive()
        first, end, _ = window.indices(self.frame_count)
        return replace(
            self,
            local_rotations=self.local_rotations[window],
            local_locations=self.local_locations[window],
            held=(self.held[0] if first == 0 else 0.0, self.held[1] if end == self.frame_count else 0.0),
            _derived={name: values[window] for name, values in self._derived.items()},
        )

    def _derive(self) -> None:
        if not self._derived:
            positions, turned = forward_kinematics(self.skeleton.parents, self.local_rotations, self.local_locations)
            self._derived.update(positions=positions, rotations=turned)


def forward_kinematics(
    parents: tuple[int, ...], local_rotations: FloatArray, local_locations: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return world positions ``(F, J, 3)`` and rotations ``(F, J, 4)`` of local ones, all frames at once."""
    positions = np.empty_like(local_locations)
    turned = np.empty_like(local_rotations)
    for joint, parent in enumerate(parents):
        if parent < 0:
            positions[:, joint] = local_locations[:, joint]
            turned[:, joint] = local_rotations[:, joint]
        else:
            parent_turned = turned[:, parent]
            positions[:, joint] = positions[:, parent] + rotations.rotate(parent_turned, local_locations[:, joint])
            turned[:, joint] = rotations.multiply(parent_turned, local_rotations[:, joint])
    return positions, turned
