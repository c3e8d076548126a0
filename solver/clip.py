# SPDX-License-Identifier: GPL-3.0-or-later
"""A skeleton and its motion, and where every joint is in the world."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from . import rotations
from .arrays import FloatArray


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
    end_holds : fractions of the first and of the last frame step in which nothing moves: keys that begin or end between
        two frames hold their pose up to the whole frame.
    """

    skeleton: Skeleton
    fps: float
    local_rotations: FloatArray
    local_locations: FloatArray
    end_holds: tuple[float, float] = (0.0, 0.0)
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
        times[0] += self.end_holds[0]
        times[-1] -= self.end_holds[1]
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

    def with_world(
        self, world_rotations: Mapping[int, FloatArray], world_positions: Mapping[int, FloatArray] | None = None
    ) -> Clip:
        """Return the clip with some joints at world rotations (F, 4) and positions (F, 3), given by joint index.

        Every other joint keeps its local transform, so that what is below a given joint comes along.
        """
        return _WithWorld(self, world_rotations, world_positions or {}).clip()

    def along_parent(self, joint: int, vectors: FloatArray) -> FloatArray:
        """Return world vectors (F, 3) along the axes of a joint's parent."""
        parent = self.skeleton.parents[joint]
        return vectors if parent < 0 else rotations.rotate(rotations.inverse(self.rotations[:, parent]), vectors)

    def during(self, window: slice) -> Clip:
        """Return the frames in ``window`` only."""
        self._derive()
        first, end, _ = window.indices(self.frame_count)
        return replace(
            self,
            local_rotations=self.local_rotations[window],
            local_locations=self.local_locations[window],
            end_holds=(self.end_holds[0] if first == 0 else 0.0, self.end_holds[1] if end == self.frame_count else 0.0),
            _derived={name: values[window] for name, values in self._derived.items()},
        )

    def _derive(self) -> None:
        if not self._derived:
            positions, turned = forward_kinematics(self.skeleton.parents, self.local_rotations, self.local_locations)
            self._derived.update(positions=positions, rotations=turned)


@dataclass
class _WithWorld:
    """A clip on the way to one with some world transforms; those of joints above them are found as they are asked for.

    rotations, positions : of joints, by index, in the world.
    """

    given: Clip
    rotations: Mapping[int, FloatArray]
    positions: Mapping[int, FloatArray]
    _known: dict[int, tuple[FloatArray, FloatArray]] = field(default_factory=dict)

    def clip(self) -> Clip:
        clip, parents = self.given, self.given.skeleton.parents
        local_rotations, local_locations = clip.local_rotations.copy(), clip.local_locations.copy()
        for joint, turned in self.rotations.items():
            above = self._world(parents[joint])[0] if parents[joint] >= 0 else None
            local = turned if above is None else rotations.multiply(rotations.inverse(above), turned)
            local_rotations[:, joint] = local
        for joint, place in self.positions.items():
            if parents[joint] >= 0:
                above, origin = self._world(parents[joint])
                place = rotations.rotate(rotations.inverse(above), place - origin)
            local_locations[:, joint] = place
        return clip.moved(local_rotations, local_locations)

    def _world(self, joint: int) -> tuple[FloatArray, FloatArray]:
        """Return a joint's new rotation (F, 4) and position (F, 3): derived anew if it or a joint above it changes."""
        if joint not in self._known:
            clip = self.given
            if not self._changes(joint):
                self._known[joint] = clip.rotations[:, joint], clip.positions[:, joint]
            else:
                parent = clip.skeleton.parents[joint]
                turned, place = clip.local_rotations[:, joint], clip.local_locations[:, joint]
                if parent >= 0:
                    above, origin = self._world(parent)
                    turned, place = rotations.multiply(above, turned), origin + rotations.rotate(above, place)
                self._known[joint] = self.rotations.get(joint, turned), self.positions.get(joint, place)
        return self._known[joint]

    def _changes(self, joint: int) -> bool:
        """Whether a joint or one above it has a new transform."""
        while joint >= 0:
            if joint in self.rotations or joint in self.positions:
                return True
            joint = self.given.skeleton.parents[joint]
        return False


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
