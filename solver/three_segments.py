# SPDX-License-Identifier: GPL-3.0-or-later
"""A leg of three segments: thigh, shin, and a lowest one from hock to heel.

After Cimen et al., *Interacting with Intelligent Characters in AR* (2017): where hip and heel are given, a leg of three
segments has one degree of freedom more: the lowest segment's angle to upright (its lean) or the distance from knee to
heel (the hock's extension). Both are the input pose's own here unless they are set, so that a target equal to the input
gives the input (docs/mathematics.md, 2.5); where a target lets them not both be, each gives way by half.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from . import rotations
from .arrays import FloatArray
from .bending import bend_change, bend_of, bending_axis, soft_reach, two_bone

DOWN: FloatArray = np.array([0.0, 0.0, -1.0])

# How much the hock's extension counts against the lean where neither is set. On walks, runs and trots of six beasts
# this makes the largest change of a knee's or hock's bend half of what it is with the lean alone.
EVEN = 0.5

# A hock, and a knee with it, bends from straight to this far folded (radians), or as far as it does in the input.
FOLDED = np.radians(150.0)

# How often it is looked for how far a hock that would bend further has to be turned back: to a hundredth of a degree.
STOPPING_STEPS = 6


@dataclass(frozen=True)
class LowerLeg:
    """How the lowest segment is to stand, in stance and in swing; all of it from the animation by default.

    lean_share : 0 to 1, how far the lowest segment is turned from its angle in the animation to the one set.
    stance_lean, swing_lean : radians from upright, above 0 where the hock stands out to the side that it bends to.
    extension_share : 0 to 1, likewise for how far the hock is opened.
    stance_extension, swing_extension : distance from knee to heel over the length of shin and lowest segment; 1 is a
        straight hock.
    stance : (F,) 0 in swing to 1 in stance, between which the values are blended; None to leave all as it is.
    """

    lean_share: float = 0.0
    stance_lean: float = 0.0
    swing_lean: float = 0.0
    extension_share: float = 0.0
    stance_extension: float = 1.0
    swing_extension: float = 1.0
    stance: FloatArray | None = field(default=None, compare=False)

    def during(self, stance: FloatArray, strength: float) -> LowerLeg:
        """Return the settings for a clip with this ``stance`` (F,), by the fraction ``strength``."""
        lean, extension = strength * self.lean_share, strength * self.extension_share
        return replace(self, lean_share=lean, extension_share=extension, stance=stance)


@dataclass(frozen=True)
class Segments:
    """A leg of three segments in a pose.

    thigh, shin, lowest : (F, 3) metres, hip to knee to hock to heel.
    knee_side, hock_side : (F, 3) unit, what each joint bends about, right-handed from the segment above.
    softening : metres within which what is being straightened slows down before full reach.
    """

    thigh: FloatArray
    shin: FloatArray
    lowest: FloatArray
    knee_side: FloatArray
    hock_side: FloatArray
    softening: float

    @property
    def upper_reach(self) -> FloatArray:
        """(F,) distance from hip to hock."""
        return _length(self.thigh + self.shin)

    @property
    def reach(self) -> FloatArray:
        """(F,) distance from hip to heel."""
        return _length(self.thigh + self.shin + self.lowest)


@dataclass(frozen=True)
class Bent:
    """What brings the leg to its target.

    swing, bend : (F, 4) world rotations: of thigh and shin together, and of the shin before that.
    turn : (F, 4) world rotation of the lowest segment.
    hock, heel : (F, 3) where they come to be, from the hip.
    """

    swing: FloatArray
    bend: FloatArray
    turn: FloatArray
    hock: FloatArray
    heel: FloatArray


def bend_three(leg: Segments, lowest: FloatArray, wanted: FloatArray, shape: LowerLeg) -> Bent:
    """Return what brings the heel to ``wanted`` (F, 3) from the hip.

    lowest : (F, 3) the lowest segment as it is to be kept, where the pose has turned it along with its root.
    """
    given = _unfolded(bend_of(leg.shin, leg.lowest, leg.hock_side))
    least, most = np.minimum(given, 0.0), np.maximum(given, FOLDED)
    goal = _in_reach(leg, wanted, most - given)
    leaned, opened, weight = np.zeros(len(wanted)), np.zeros(len(wanted)), EVEN
    if shape.stance is not None:
        leaned, opened = (
            shape.lean_share * _lean_lacking(leg, lowest, shape),
            shape.extension_share * _opening(leg, shape),
        )
        weight = EVEN * (1.0 + shape.extension_share - shape.lean_share)
    turn = rotations.from_axis_angle(leg.hock_side, leaned)
    turn = _towards(turn, lowest, _with_hock(leg, opened, goal), weight)
    bent = _chain(leg, lowest, turn, goal, wanted)
    now = _hock_bend(leg, bent)
    stop = np.clip(now, least, most)
    if np.array_equal(stop, now):
        return bent

    def turned_back(share: FloatArray) -> Bent:
        return _chain(leg, lowest, _towards(turn, lowest, at_stop, share), goal, wanted)

    at_stop = _with_hock(leg, stop - given, goal)
    return _stopped(leg, turned_back, now, stop)


def _stopped(leg: Segments, turned_back: Callable[[FloatArray], Bent], now: FloatArray, stop: FloatArray) -> Bent:
    """Return the pose in which the hock bends to ``stop`` (F,) instead of on to ``now``, by the Illinois algorithm.

    turned_back : gives the pose in which the lowest segment is turned by a fraction (F,), 0 to 1, to where the hock of
        a leg that bends in one plane is at its stop.
    """
    side = np.sign(now - stop)
    low, high = np.zeros_like(now), np.ones_like(now)
    over, under = np.abs(now - stop), side * (_hock_bend(leg, turned_back(high)) - stop)
    share = low
    for _ in range(STOPPING_STEPS):
        whole = np.where(under < 0.0, over - under, over)
        share = low + (high - low) * over / np.where(whole > 0.0, whole, 1.0)
        still = side * (_hock_bend(leg, turned_back(share)) - stop)
        beyond = still > 0.0
        low, high = np.where(beyond, share, low), np.where(beyond, high, share)
        over, under = np.where(beyond, still, 0.5 * over), np.where(beyond, 0.5 * under, still)
    return turned_back(share)


def _hock_bend(leg: Segments, bent: Bent) -> FloatArray:
    """Return the angle (F,) that the hock is bent by in a pose."""
    shin = rotations.rotate(rotations.multiply(bent.swing, bent.bend), leg.shin)
    return _unfolded(bend_of(shin, bent.heel - bent.hock, rotations.rotate(bent.turn, leg.hock_side)))


def _lean_lacking(leg: Segments, lowest: FloatArray, shape: LowerLeg) -> FloatArray:
    """Return the angle (F,) that the lowest segment has to be turned by to lean as is set."""
    assert shape.stance is not None
    lean = shape.swing_lean + shape.stance * (shape.stance_lean - shape.swing_lean)
    return _nearest_turn(lean - bend_of(np.broadcast_to(DOWN, lowest.shape), lowest, leg.hock_side))


def _opening(leg: Segments, shape: LowerLeg) -> FloatArray:
    """Return the angle (F,) that the hock has to be turned by to be as open as is set."""
    assert shape.stance is not None
    extension = shape.swing_extension + shape.stance * (shape.stance_extension - shape.swing_extension)
    return bend_change(leg.shin, leg.lowest, leg.hock_side, extension * (_length(leg.shin) + _length(leg.lowest)))


def _in_reach(leg: Segments, wanted: FloatArray, folded: FloatArray) -> FloatArray:
    """Return ``wanted`` (F, 3) no further than the straight leg and no nearer than the folded one.

    folded : (F,) radians by which the hock can be folded on; the knee folds as far as a hock does.
    """
    straight = _length(leg.thigh) + _length(leg.shin) + _length(leg.lowest)
    knee = np.maximum(FOLDED - _unfolded(bend_of(leg.thigh, leg.shin, leg.knee_side)), 0.0)
    fold_knee = rotations.from_axis_angle(leg.knee_side, knee)
    nearest = straight
    # Where both joints bend to one side, as an insect's do, the leg is nearest with its hock less than folded.
    for hock in (folded, 0.5 * folded, np.zeros_like(folded)):
        lower = leg.shin + rotations.rotate(rotations.from_axis_angle(leg.hock_side, hock), leg.lowest)
        nearest = np.minimum(nearest, _length(leg.thigh + rotations.rotate(fold_knee, lower)))
    reach = soft_reach(_length(wanted), leg.reach, straight, leg.softening)
    # The nearest is the furthest with the opposite sign.
    reach = -soft_reach(-reach, -leg.reach, -nearest, leg.softening)
    return rotations.normalized(wanted) * reach[:, None]


def _chain(leg: Segments, lowest: FloatArray, turn: FloatArray, goal: FloatArray, wanted: FloatArray) -> Bent:
    """Bring the heel to ``goal`` (F, 3), which is what can be reached of ``wanted``.

    The lowest segment is turned by ``turn`` (F, 4), and further where the leg could not reach. The hock is where that
    puts it, and hip and knee go along as in a leg of two segments. Where they cannot, the triangle of hip, heel and
    hock is solved for the lowest segment: with p from hip to heel and m that segment, ``|p - m|`` is the reach of the
    upper two, so by the parallelogram law ``|p + m|`` is known, and m is turned from p as a shin is from its thigh.
    """
    thigh, shin, length = _length(leg.thigh), _length(leg.shin), _length(lowest)
    kept = rotations.rotate(turn, lowest)
    # Of what was wanted, not of the goal: softened once, it comes to its end as the whole leg does, never before it.
    asked = rotations.normalized(wanted) * np.maximum(_length(wanted), _length(goal))[:, None]
    upper = soft_reach(_length(asked - kept), leg.upper_reach, thigh + shin, leg.softening)
    upper = np.maximum(upper, np.abs(thigh - shin))
    axis = bending_axis(goal, kept, leg.hock_side)
    both = np.sqrt(np.maximum(2.0 * (_length(goal) ** 2 + length**2) - upper**2, 0.0))
    further = rotations.from_axis_angle(axis, bend_change(goal, kept, axis, both))
    kept = rotations.rotate(further, kept)
    to_hock = goal - kept
    swing, bend, hock = two_bone(leg.thigh, leg.shin, leg.knee_side, to_hock, _length(to_hock))
    # Where even that was too far or too near, the lowest segment points to where its heel should be.
    last = rotations.between(kept, goal - hock)
    whole = rotations.multiply(last, rotations.multiply(further, turn))
    return Bent(swing, bend, whole, hock, hock + rotations.rotate(last, kept))


def _with_hock(leg: Segments, opened: FloatArray, wanted: FloatArray) -> FloatArray:
    """Return the lowest segment (F, 3) where the hock is turned by ``opened`` (F,) and held there."""
    turned = rotations.from_axis_angle(leg.hock_side, opened)
    lower = leg.shin + rotations.rotate(turned, leg.lowest)
    straight = _length(leg.thigh) + _length(lower)
    reach = soft_reach(_length(wanted), np.minimum(leg.reach, straight), straight, leg.softening)
    swing, bend, _ = two_bone(leg.thigh, lower, leg.knee_side, wanted, reach)
    whole = rotations.multiply(rotations.multiply(swing, bend), turned)
    return rotations.rotate(whole, leg.lowest)


def _towards(turn: FloatArray, lowest: FloatArray, goal: FloatArray, share: float | FloatArray) -> FloatArray:
    """Return ``turn`` (F, 4) followed by a fraction of what turns ``lowest`` (F, 3), so turned, to ``goal`` (F, 3)."""
    rest = rotations.between(rotations.rotate(turn, lowest), goal)
    half = np.arctan2(_length(rest[:, 1:]), rest[:, 0])
    part = rotations.from_axis_angle(rotations.normalized(rest[:, 1:]), 2.0 * share * half)
    return rotations.multiply(part, turn)


def _unfolded(bend: FloatArray) -> FloatArray:
    """Return angles of bends such that one by more than half a turn is folded on, not bent backwards."""
    return 0.5 * FOLDED + _nearest_turn(bend - 0.5 * FOLDED)


def _nearest_turn(angle: FloatArray) -> FloatArray:
    """Return angles in radians between -pi and pi."""
    return np.asarray(np.remainder(angle + np.pi, 2.0 * np.pi) - np.pi)


def _length(vectors: FloatArray) -> FloatArray:
    return np.asarray(np.linalg.norm(vectors, axis=-1))
