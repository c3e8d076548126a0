# SPDX-License-Identifier: GPL-3.0-or-later
"""An animator's own cycle, unrolled along a line at its own pace: each pose is the cycle's, the way is the line's.

Feet that stood in the cycle stand where the line brings them, and the clean-up makes them stand still there. Metres
and seconds; the world's axes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .. import rotations, signals
from ..arrays import FloatArray
from ..cleanup import clean
from ..clip import Clip
from ..contacts import Contacts
from ..detection import find_contacts
from ..gait.plan import PlanError
from ..ground import FlatGround, Ground
from ..limb import Limb, joint_positions
from ..loops import find_loop
from ..terrain import TerrainSettings, adapted
from ..treadmill import estimate_treadmill_velocity, on_treadmill
from .line import SPACING, Line

# Sideways acceleration in turns, metres a second squared, at most; the slowest cycle, leg lengths a second.
_SIDEWAYS, _SLOWEST = 3.0, 0.05


@dataclass(frozen=True)
class OwnCycle:
    """A cycle. clip : at least ``period`` frames of it. contacts : on the same frames.

    travel (3,) : metres that it moves on in a period, as it is keyed; velocity (2,) : over its ground, metres a second.
    floor : height of what it stands on.
    """

    clip: Clip
    contacts: Contacts
    period: int
    travel: FloatArray
    velocity: FloatArray
    floor: float

    @property
    def speed(self) -> float:
        return float(np.linalg.norm(self.velocity))

    @property
    def stride(self) -> float:
        """Metres that it goes in a period."""
        return self.speed * self.period / self.clip.fps


def own_cycle(clip: Clip, limbs: Sequence[Limb], contacts: Contacts | None = None) -> OwnCycle:
    """Return the cycle that a clip is, in place or travelling; PlanError where it is none, or goes nowhere.

    contacts : (F, L) as the animator has them; None to find them.
    """
    root = limbs[0].root
    loop = find_loop(clip, root)
    if loop is None:
        raise PlanError("the action is no cycle: its last pose has to be its first again, but for its travel")
    toes = joint_positions(clip, limbs, "toe")
    floor = float(np.percentile(toes[..., 2], 2.0))
    belt = estimate_treadmill_velocity(clip, limbs)
    velocity = loop.travel[:2] / loop.period * clip.fps - (0.0 if belt is None else belt[:2])
    if np.linalg.norm(velocity) < _SLOWEST * limbs[0].length(clip):
        raise PlanError("the cycle goes nowhere: neither does it travel nor do its feet move back while they stand")
    if contacts is None:
        contacts = find_contacts(clip, limbs, on_treadmill(clip, limbs, FlatGround(floor)), belt_known=True)
    return OwnCycle(clip, contacts, loop.period, loop.travel, velocity, floor)


def unrolled(cycle: OwnCycle, limbs: Sequence[Limb], line: Line, height: float, speed: float) -> tuple[Clip, Contacts]:
    """Return the cycle along a line, in hip ``height`` metres, at ``speed`` metres a second, played as fast.

    Feet are not where they should be yet: see the clean-up.
    """
    way, heading, places = _gone(line, height, speed, cycle.clip.fps)
    clip, period = cycle.clip, cycle.period
    at = way / cycle.stride * period % period
    before = np.minimum(at.astype(np.intp), period - 1)
    after, part = (before + 1) % period, (at - before)[:, None, None]
    start, end = clip.local_rotations[before], clip.local_rotations[after]
    end = np.where((start * end).sum(axis=-1, keepdims=True) < 0.0, -end, end)
    turned = rotations.normalized(start + part * (end - start))
    roots = np.array([parent < 0 for parent in clip.skeleton.parents])
    located = _interpolated(clip.local_locations, cycle, before, part, roots)
    own = float(np.arctan2(cycle.velocity[1], cycle.velocity[0]))
    upright = rotations.from_axis_angle(np.array([0.0, 0.0, 1.0]), heading - own)
    middle = _middle(cycle, limbs[0].root)
    for root in np.flatnonzero(roots):
        turned[:, root] = rotations.multiply(upright, turned[:, root])
        located[:, root] = places + rotations.rotate(upright, located[:, root] - middle)
    nearest = np.round(at).astype(np.intp) % period
    contacts = Contacts(cycle.contacts.toe[nearest], cycle.contacts.heel[nearest], cycle.contacts.foot_down[nearest])
    return clip.moved(turned, located), contacts


def _middle(cycle: OwnCycle, root: int) -> FloatArray:
    """Return (3,) where the cycle's root is on average, on its floor, seen from the start of its travel."""
    period = cycle.period
    places = cycle.clip.positions[:period, root] - np.arange(period)[:, None] / period * cycle.travel
    return np.array([*places[:, :2].mean(axis=0), cycle.floor])


def _interpolated(
    located: FloatArray, cycle: OwnCycle, before: FloatArray, part: FloatArray, roots: FloatArray
) -> FloatArray:
    """Return local places (F, J, 3) between the cycle's frames; those of roots are seen from where the travel is."""
    period = cycle.period
    still = located[:period].copy()
    still[:, roots] -= (np.arange(period)[:, None] / period * cycle.travel)[:, None]
    return np.asarray(still[before] + part * (still[(before + 1) % period] - still[before]))


def _gone(line: Line, height: float, speed: float, fps: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return way (F,) in metres, heading (F,) and places (F, 3) of the frames in which the line is gone along."""
    if not (np.isfinite(speed) and speed > 0.0):
        raise PlanError(f"a speed along the path is {speed:g} m/s: make it a number above 0")
    length = line.length * height
    count = max(int(np.ceil(line.length / SPACING)), 8)
    way = np.linspace(0.0, length, count + 1)
    bend = np.abs(np.gradient(line.heading_at(way / height), way[1]))
    fastest = np.minimum(speed, np.sqrt(_SIDEWAYS / np.maximum(bend, 1e-6)))
    slowed = signals.smoothed(-signals.envelope(-fastest, 0.5 * speed * way[1] / height)[:, None], 2.0)[:, 0]
    times = np.concatenate([[0.0], np.cumsum(2.0 * way[1] / (slowed[1:] + slowed[:-1]))])
    if times[-1] > 1800.0:
        raise PlanError(
            f"the path takes {times[-1] / 60.0:.0f} minutes at this speed, at most 30: go faster, or cut it"
        )
    frames = np.arange(max(round(times[-1] * fps), 1) + 1) / fps
    gone = np.interp(frames, times, way)
    return gone, line.heading_at(gone / height), line.at(gone / height) * height


def gone_along(line: Line, height: float, speed: float, clip: Clip) -> FloatArray:
    """Return how far (F,), hip heights, a clip made by ``along_line`` has come."""
    return _gone(line, height, speed, clip.fps)[0] / height


@dataclass(frozen=True)
class LineGround(Ground):
    """The line as a ground (metres): in each frame it is level across the line, where the body is on it then.

    way (F,) : in hip heights of ``height`` metres.
    """

    line: Line
    height_m: float
    way: FloatArray

    def _along(self, points: FloatArray) -> FloatArray:
        way = self.way.reshape(-1, *[1] * (points.ndim - 2))
        heading = self.line.heading_at(way)
        off = points[..., :2] / self.height_m - self.line.at(way)[..., :2]
        return way + np.cos(heading) * off[..., 0] + np.sin(heading) * off[..., 1]

    def height(self, points: FloatArray) -> FloatArray:
        return self.line.at(self._along(points))[..., 2] * self.height_m

    def normal(self, points: FloatArray) -> FloatArray:
        along = self._along(points)
        slope, heading = self.line.slope_at(along), self.line.heading_at(along)
        up = np.stack([-slope * np.cos(heading), -slope * np.sin(heading), np.ones_like(slope)], axis=-1)
        return rotations.normalized(up)

    def velocity(self, points: FloatArray) -> FloatArray:
        return np.zeros_like(points)

    def during(self, window: slice) -> LineGround:
        return LineGround(self.line, self.height_m, self.way[window])


def along_line(
    cycle: OwnCycle, limbs: Sequence[Limb], line: Line, height: float, speed: float, ground: Ground | None = None
) -> tuple[Clip, Contacts, Ground]:
    """Return the cycle along a line with its feet still on the ground, its contacts, and what it stands on.

    ground : metres; None for the line itself.
    """
    rolled, contacts = unrolled(cycle, limbs, line, height, speed)
    level = float(np.ptp(line.places[:, 2])) < 1e-9
    floor = float(line.places[0, 2]) * height
    way = _gone(line, height, speed, cycle.clip.fps)[0] / height
    stood: Ground = ground or (FlatGround(floor) if level else LineGround(line, height, way))
    if not level or not isinstance(stood, FlatGround):
        # Brought onto the ground from a level floor: the line's own height is in the ground.
        roots = [joint for joint, parent in enumerate(rolled.skeleton.parents) if parent < 0]
        located = rolled.local_locations.copy()
        located[:, roots, 2] += (floor - line.at(way)[:, 2] * height)[:, None]
        flat = rolled.moved(local_locations=located)
        rolled = adapted(flat, limbs, contacts, stood, TerrainSettings(floor_height=floor))
    return clean(rolled, limbs, contacts, stood)[0], contacts, stood
