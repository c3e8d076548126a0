# SPDX-License-Identifier: GPL-3.0-or-later
"""Clips that repeat: whether the last pose leads back to the first, and the same motion several times in a row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from . import rotations
from .arrays import FloatArray, IntArray
from .clip import Clip
from .contacts import Contacts
from .ground import Ground
from .limb import Limb

# The last pose is the first one again if joints are this much nearer to it than they usually move in a frame, or within
# this fraction of the skeleton's size; then this much nearer than they ever were away from it, too, since a body that
# hardly moves is near to every pose.
SAME_POSE = 0.25
SAME_POSE_OF_SIZE = 1e-3
COMES_BACK = 0.25

# The last pose is one frame before the first if the step over the seam differs by less than this from its neighbours.
SAME_STEP = 0.5

# Loops made by hand close less well: joints that are no further from the first pose than they usually move in a frame.
NEAR_POSE = 1.0

# The most steps, spread over the clip, that are looked at.
SAMPLES = 1000

# Seconds after which the effect of the far ends of the laps has faded out, before the lap that is kept.
FADED_TIME = 3.0


@dataclass(frozen=True)
class Loop:
    """How a clip repeats.

    period : frames after which it is the same again, F - 1 where the last frame is the first one again, else F.
    travel : (3,) metres, level, by which it has moved on then.
    seam : how long it takes in frames from the last pose to the first, 0 where they are the same.
    """

    period: int
    travel: FloatArray
    seam: float = 0.0


def find_loop(clip: Clip, root: int) -> Loop | None:
    """Return how the clip repeats apart from its travel over the floor, None where it does not, or nothing moves.

    root : index of the joint that carries the body.
    """
    if clip.frame_count < 4:
        return None
    travelled = np.diff(clip.positions[[0, -1], root], axis=0)[0] * np.array([1.0, 1.0, 0.0])
    steps = _some_steps(clip, root)
    usual = _size(steps).mean()
    first, last = _posture(clip, root, np.array([0, -1]))
    seam = first - last
    extent = float(np.linalg.norm(np.ptp(first, axis=0)))
    if usual < SAME_POSE_OF_SIZE * extent / clip.frame_count:
        return None
    comes_back = _size(seam) < SAME_POSE_OF_SIZE * extent and _size(seam) < COMES_BACK * _excursion(clip, root)
    if _size(seam) < SAME_POSE * usual or comes_back:
        return Loop(clip.frame_count - 1, travelled)
    between, length = _step_over(clip, steps, seam)
    is_one_step = _size(seam - length * between) < SAME_STEP * _size(length * between)
    if not is_one_step and _size(seam) >= NEAR_POSE * usual:
        return None
    if length < 0.5:
        return Loop(clip.frame_count - 1, travelled)
    taken = float(np.ptp(clip.frame_times))
    return Loop(clip.frame_count, travelled * (taken + length) / taken, length)


def _some_steps(clip: Clip, root: int) -> FloatArray:
    """Return how joints move over steps (N, J, 3) from frame to frame, the first and the last among them.

    At most SAMPLES of them, enough to know how large steps usually are.
    """
    few = np.linspace(0, clip.frame_count - 2, min(clip.frame_count - 1, SAMPLES)).astype(np.intp)
    return _posture(clip, root, few + 1) - _posture(clip, root, few)


def _excursion(clip: Clip, root: int) -> float:
    """Return how far in metres joints usually get from where they are in the first frame, at most."""
    few = np.linspace(0, clip.frame_count - 1, min(clip.frame_count, SAMPLES)).astype(np.intp)
    postures = _posture(clip, root, few)
    return float(_size(postures - postures[0]).max())


def _posture(clip: Clip, root: int, frames: IntArray) -> FloatArray:
    """Return where joints are in some frames (N, J, 3), seen from the floor under the root."""
    positions = clip.positions[frames]
    return np.asarray(positions - positions[:, [root]] * np.array([1.0, 1.0, 0.0]))


def _step_over(clip: Clip, steps: FloatArray, seam: FloatArray) -> tuple[FloatArray, float]:
    """Return how far joints (J, 3) go in a frame at a clip's two ends, and how many such frames ``seam`` (J, 3) is.

    It is one frame at most, and just one where keys lie on whole frames but for a loop that hardly moves there.
    """
    times = np.diff(clip.frame_times)
    between = 0.5 * (steps[0] / times[0] + steps[-1] / times[-1])
    length = float(np.sum(seam * between)) / max(float(np.sum(between**2)), rotations.TINY)
    whole = clip.end_holds == (0.0, 0.0) and length > 0.5
    return between, 1.0 if whole else float(np.clip(length, 0.0, 1.0))


def nearly_repeats(clip: Clip, root: int) -> bool:
    """Whether the last pose is no further from the first, apart from its travel, than a joint moves in one frame."""
    first, last = _posture(clip, root, np.array([0, -1]))
    largest_step = np.linalg.norm(_some_steps(clip, root), axis=-1).max(initial=0.0)
    return bool(np.linalg.norm(last - first, axis=-1).max() <= largest_step)


def laps(loop: Loop, frame_count: int, times: int) -> tuple[IntArray, IntArray]:
    """Return which frame of the clip each frame of ``times`` laps is, and in which lap: ``times * period`` and the end.

    The end is the first frame again where the clip has it twice, so that laps have as many frames as the clip.
    """
    order = np.arange(times * loop.period + frame_count - loop.period)
    lap = np.minimum(order // loop.period, times - 1)
    return order - lap * loop.period, lap


def repeated(clip: Clip, loop: Loop, times: int) -> Clip:
    """Return the clip ``times`` in a row, each moved on by the loop's travel; the middle lap is the clip itself."""
    order, lap = laps(loop, clip.frame_count, times)
    locations = clip.local_locations[order].copy()
    for joint, parent in enumerate(clip.skeleton.parents):
        if parent < 0:
            locations[:, joint] += (lap - times // 2)[:, None] * loop.travel
    return clip.moved(clip.local_rotations[order], locations)


def middle(loop: Loop, frame_count: int, times: int) -> slice:
    """Return the frames of the lap in the middle of ``times``, as many as the clip has."""
    first = (times // 2) * loop.period
    return slice(first, first + frame_count)


@dataclass(frozen=True)
class Laps:
    """Laps of one clip, each moved on by its travel; the one in the middle is the clip itself.

    clip : all laps.
    ground : what they are on: a belt that waits where the pose is held does so in each lap.
    order : (N,) which frame of the clip each frame of the laps is.
    middle : the frames of the lap that is kept, as many as the clip has.
    """

    clip: Clip
    ground: Ground
    order: IntArray
    middle: slice

    def contacts(self, of_clip: Contacts) -> Contacts:
        """Return the clip's contacts in each lap: a foot planted over the seam is planted there in both its frames."""
        return Contacts(of_clip.toe[self.order], of_clip.heel[self.order])


def laps_on(clip: Clip, limbs: Sequence[Limb], ground: Ground) -> Laps | None:
    """Return the laps of a clip; None where it does not repeat, or its ground would not be the same on the next lap."""
    if not limbs or ground.repeated(np.arange(0)) is None:
        return None
    loop = find_loop(clip, limbs[0].root)
    if loop is None:
        return None
    times = 1 + 2 * max(1, int(np.ceil(FADED_TIME * clip.fps / loop.period)))
    order, _ = laps(loop, clip.frame_count, times)
    on_laps = ground.repeated(order)
    assert on_laps is not None
    return Laps(repeated(clip, loop, times), on_laps, order, middle(loop, clip.frame_count, times))


def _size(moved: FloatArray) -> FloatArray:
    """Return the mean length of ``(..., J, 3)`` over the joints."""
    return np.asarray(np.linalg.norm(moved, axis=-1).mean(axis=-1))
