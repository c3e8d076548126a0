# SPDX-License-Identifier: GPL-3.0-or-later
"""Root motion: the travel that a clip's own feet ask for, put in, or the travel that it has, taken out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from . import rotations, signals
from .clip import Clip
from .ground import FlatGround
from .limb import Limb, LimbSettings, joint_positions, solve_limbs
from .loops import find_loop, nearly_repeats
from .rotations import FloatArray
from .signals import BoolArray
from .stance import standing, standing_steps, toe_steps, toe_velocities, without_edges
from .treadmill import estimate_treadmill_velocity, mode

Kind = Literal["CONSTANT", "VARYING", "TURNING"]

# How long the travel is averaged over, in seconds (a Gaussian's standard deviation): the jitter of a recording is not
# to shake the body. Less than a frame of what is made by hand, whose feet then do not slide at all.
SMOOTHING_TIME = 0.0125

# Feet that move otherwise than most low feet of that moment by this share of their usual speed count half.
ODD_FOOT = 0.3

# Feet whose speeds differ by less than this share of it, by the median, nearly keep to one speed.
ONE_SPEED = 0.2

# A body's speed is averaged over STEP_TIME seconds (a Gaussian's standard deviation); below SLOWEST_TRAVEL leg lengths
# a second it does not travel.
STEP_TIME = 0.25
SLOWEST_TRAVEL = 0.3

# Times that the weights of feet are found again.
REWEIGHTED = 4


@dataclass(frozen=True)
class RootMotion:
    """A level motion of the whole body on top of a clip's own, about the world's origin: first turned, then moved.

    turn : (F,) radians about the vertical.
    displacement : (F, 3) metres.
    """

    turn: FloatArray
    displacement: FloatArray


def feet_motion(clip: Clip, limbs: Sequence[Limb], kind: Kind) -> RootMotion | None:
    """Return the motion with which low feet stand still, None where they agree on none.

    kind : CONSTANT, one velocity for the whole clip; VARYING, as the feet move from frame to frame; TURNING, which also
        turns the body as they do.
    """
    if clip.frame_count < 3 or not limbs:
        return None
    if kind == "CONSTANT":
        velocity = _constant_velocity(clip, limbs)
        seconds = (clip.frame_times - clip.frame_times[0]) / clip.fps
        return None if velocity is None else RootMotion(np.zeros(clip.frame_count), -seconds[:, None] * velocity)
    return _varying_motion(clip, limbs, kind == "TURNING")


def disagreement(clip: Clip, limbs: Sequence[Limb], kind: Kind) -> float | None:
    """Return how far feet are, by the median, from what they agree on best, over its speed; None where none stands.

    What is left of sliding after root motion of a kind comes from the feet, so far: from a speed that changes where
    ``kind`` is CONSTANT, from feet that go at different speeds at one time where it is VARYING.
    """
    stands = standing_steps(clip, limbs)
    velocities = toe_steps(clip, limbs)[..., :2]
    if not stands.any():
        return None
    if kind == "CONSTANT":
        best = np.zeros((len(stands), 3))
        best[:, :2] = -np.median(velocities[stands], axis=0)
    else:
        following = _following_rates(clip, limbs, kind == "TURNING")
        assert following is not None
        best = following
    toes = joint_positions(clip, limbs, "toe")[..., :2] - clip.positions[:, [limbs[0].root], :2]
    off = np.linalg.norm(_left_over(0.5 * (toes[1:] + toes[:-1]), velocities, best), axis=-1)[stands]
    speed = float(np.linalg.norm(best[:, :2].mean(axis=0)))
    return float(np.median(off)) / speed if speed > 0.0 else None


def travel_out(clip: Clip, root: int) -> RootMotion:
    """Return the motion that puts a clip in place: its mean level velocity from first to last frame, taken out."""
    share = (clip.frame_times - clip.frame_times[0]) / np.ptp(clip.frame_times)
    travel = (clip.positions[-1, root] - clip.positions[0, root]) * np.array([1.0, 1.0, 0.0])
    return RootMotion(np.zeros(clip.frame_count), -share[:, None] * travel)


def apply(clip: Clip, joint: int, motion: RootMotion) -> Clip:
    """Return the clip with ``joint``, and with it all below, moved by a root motion."""
    turn = rotations.from_axis_angle(np.array([0.0, 0.0, 1.0]), motion.turn)
    turned = rotations.multiply(turn, clip.rotations[:, joint])
    moved = rotations.rotate(turn, clip.positions[:, joint]) + motion.displacement
    return clip.with_world({joint: turned}, {joint: moved})


def speed_ratio(clip: Clip, limbs: Sequence[Limb], planted: BoolArray | None = None) -> float | None:
    """Return how fast the root of a clip that travels goes, over how fast its feet say that it should; 1 is no slide.

    It is None where the clip hardly travels.

    Parameters
    ----------
    planted : (F, L) where each toe stands; None for where it is low.
    """
    planted = standing(clip, limbs) if planted is None else planted
    velocity = travel_velocity(clip, limbs[0].root)
    speed = np.linalg.norm(velocity, axis=-1)
    travels = planted & _is_travel(clip, limbs, speed)[:, None]
    if np.count_nonzero(travels) < max(3, 0.2 * np.count_nonzero(planted)):
        return None
    toes, squared = toe_velocities(clip, limbs)[..., :2], np.maximum(speed**2, rotations.TINY)[:, None]
    along, across = (np.sum(toes * way[:, None], axis=-1) / squared for way in (velocity, _across(velocity)))
    share = float(mode(np.stack([along, across], axis=-1)[travels])[0])
    return 1.0 / (1.0 - share) if share < 1.0 else None


def stride_scaled(clip: Clip, limbs: Sequence[Limb], ratio: float) -> tuple[Clip, FloatArray]:
    """Return the clip with its steps ``ratio`` times as long along its way, and where its toes were to go (F, L, 3).

    With the clip's ``speed_ratio`` its feet then go as fast as its root, which stays as it is.
    """
    root = limbs[0].root
    velocity = travel_velocity(clip, root)
    speed = np.linalg.norm(velocity, axis=-1)
    travels = _is_travel(clip, limbs, speed)
    # No step, no direction: it comes and goes gently.
    share = signals.smoothed(travels.astype(np.float64), 0.1 * clip.fps)
    way = velocity / np.maximum(speed, rotations.TINY)[:, None]
    toes = joint_positions(clip, limbs, "toe")
    along = np.sum((toes[..., :2] - clip.positions[:, [root], :2]) * way[:, None], axis=-1)
    middle = along[travels].mean(axis=0) if travels.any() else along.mean(axis=0)
    targets = toes.copy()
    targets[..., :2] += ((ratio - 1.0) * share[:, None] * (along - middle))[..., None] * way[:, None]
    return solve_limbs(clip, limbs, targets, FlatGround(), LimbSettings(keep_toe_end_above_ground=False)), targets


def travel_velocity(clip: Clip, root: int, seconds: float = STEP_TIME) -> FloatArray:
    """Return the body's level velocity (F, 2) in m/s, over about a step or other time; in a loop, over its end too."""
    steps = np.diff(clip.positions[:, root, :2], axis=0) * (clip.fps / np.diff(clip.frame_times))[:, None]
    count = len(steps)
    before, after = (
        (steps, steps) if find_loop(clip, root) else (steps[:1].repeat(count, 0), steps[-1:].repeat(count, 0))
    )
    around = np.concatenate([before, steps, after])
    around = signals.smoothed(around, seconds * clip.fps)
    # Halfway between the steps to and from each frame.
    return np.asarray(0.5 * (around[count - 1 : 2 * count] + around[count : 2 * count + 1]))


def _is_travel(clip: Clip, limbs: Sequence[Limb], speed: FloatArray) -> BoolArray:
    """Return where a speed (F,) is one to go somewhere with."""
    return speed > SLOWEST_TRAVEL * float(np.mean([limb.length(clip) for limb in limbs]))


def _constant_velocity(clip: Clip, limbs: Sequence[Limb]) -> FloatArray | None:
    """Return the level velocity (3,) of feet that stand: a treadmill's, or by how much a clip that travels slides."""
    steps = toe_steps(clip, limbs)[standing_steps(clip, limbs)][:, :2]
    belt = estimate_treadmill_velocity(clip, limbs)
    if belt is None:
        return np.append(mode(steps), 0.0) if len(steps) else None
    if len(steps) == 0 or not nearly_repeats(clip, limbs[0].root):
        return belt
    # Where the feet of a loop nearly keep to one speed, it is theirs while they stand: no landing, no rolling off.
    middle = np.median(steps, axis=0)
    off, off_belt = (np.median(np.linalg.norm(steps - one, axis=-1)) for one in (middle, belt[:2]))
    return np.append(middle, 0.0) if off < min(ONE_SPEED * np.linalg.norm(middle), off_belt) else belt


def _varying_motion(clip: Clip, limbs: Sequence[Limb], turning: bool) -> RootMotion | None:
    """Return the motion that brings feet to rest from frame to frame, by weighted least squares."""
    rates = _following_rates(clip, limbs, turning)
    return None if rates is None else _integrated(clip, limbs[0].root, _smoothed(clip, limbs, rates))


def _following_rates(clip: Clip, limbs: Sequence[Limb], turning: bool) -> FloatArray | None:
    """Return level velocity and turn (F - 1, 3) of the body with which feet stand still over each step, as far as they
    agree; None where none stands."""
    stands = without_edges(standing_steps(clip, limbs), clip.fps).astype(np.float64)
    if not stands.any():
        return None
    toes = joint_positions(clip, limbs, "toe")[..., :2] - clip.positions[:, [limbs[0].root], :2]
    toes = 0.5 * (toes[1:] + toes[:-1])
    velocities = toe_steps(clip, limbs)[..., :2]
    yaw_rates = _foot_yaw_rates(clip, limbs) if turning else None
    leg = float(np.mean([limb.length(clip) for limb in limbs]))
    usual = max(float(np.median(np.linalg.norm(velocities, axis=-1)[stands > 0.0])), 1e-3 * leg)
    weights = stands
    for _ in range(REWEIGHTED):
        rates = _resting_rates(toes, velocities, yaw_rates, weights, leg)
        off = np.linalg.norm(_left_over(toes, velocities, rates), axis=-1)
        weights = stands / (1.0 + (off / (ODD_FOOT * usual)) ** 2)
    return _filled(clip, limbs, rates, stands.any(axis=1))


def _left_over(points: FloatArray, velocities: FloatArray, rates: FloatArray) -> FloatArray:
    """Return the velocities (S, L, 2) of points about the root when the body moves at ``rates`` (S, 3)."""
    return velocities + rates[:, None, :2] + rates[:, None, 2:] * _across(points)


def _resting_rates(
    points: FloatArray, velocities: FloatArray, yaw_rates: FloatArray | None, weights: FloatArray, leg: float
) -> FloatArray:
    """Return (F, 3), level velocity w and turn omega in 1/s about the root, with which points (F, L, 2) rest best.

    A point p with velocity u then moves at ``u + w + omega z x p``, and its foot turns at its yaw rate and omega. Where
    no yaw rates (F, L) are given, nothing turns. ``leg`` (metres) makes turns and velocities comparable.
    """
    rows = np.zeros((*points.shape, 3))
    rows[..., 0, 0] = rows[..., 1, 1] = 1.0
    rows[..., 2] = _across(points)
    normal = np.einsum("fpki,fp,fpkj->fij", rows, weights, rows)
    right = -np.einsum("fpki,fp,fpk->fi", rows, weights, velocities)
    if yaw_rates is None:
        normal[:, 2], normal[:, :, 2], right[:, 2] = 0.0, 0.0, 0.0
    else:
        normal[:, 2, 2] += leg**2 * weights.sum(axis=1)
        right[:, 2] -= leg**2 * np.sum(weights * yaw_rates, axis=1)
    # Where nothing is low all weights are 0; what comes out there is replaced by its neighbours.
    normal += 1e-9 * np.eye(3)
    return np.asarray(np.linalg.solve(normal, right[..., None])[..., 0])


def _across(points: FloatArray) -> FloatArray:
    """Return level vectors (..., 2) turned a quarter to the left."""
    return np.stack([-points[..., 1], points[..., 0]], axis=-1)


def _foot_yaw_rates(clip: Clip, limbs: Sequence[Limb]) -> FloatArray:
    """Return how fast each foot turns about the vertical over each step (F - 1, L), in radians a second.

    Rolling on its ball is no turn.
    """
    feet = clip.rotations[:, [limb.heel for limb in limbs]]
    turned = rotations.multiply(feet[1:], rotations.inverse(feet[:-1]))
    # Twice the vector part, by the sign of the scalar part, is the rotation vector of a small turn.
    upward = 2.0 * turned[..., 3] * np.sign(turned[..., 0])
    return np.asarray(upward * (clip.fps / np.diff(clip.frame_times))[:, None])


def _filled(clip: Clip, limbs: Sequence[Limb], rates: FloatArray, known: BoolArray) -> FloatArray:
    """Return rates (F - 1, 3) with those not known drawn between their neighbours; in a loop, over its end too."""
    loop = find_loop(clip, limbs[0].root)
    at, step = np.flatnonzero(known), np.arange(len(known))
    wrap = None if loop is None else loop.period
    return np.stack([np.interp(step, at, rates[at, column], period=wrap) for column in range(3)], axis=1)


def _smoothed(clip: Clip, limbs: Sequence[Limb], rates: FloatArray) -> FloatArray:
    """Return rates (F - 1, 3) smooth in time; in a loop, over its end too."""
    width = SMOOTHING_TIME * clip.fps
    if find_loop(clip, limbs[0].root) is None:
        return signals.smoothed(rates, width)
    return signals.smoothed(np.tile(rates, (3, 1)), width)[len(rates) : 2 * len(rates)]


def _integrated(clip: Clip, root: int, rates: FloatArray) -> RootMotion:
    """Return the motion about the origin that these rates (F - 1, 3) about the root add up to."""
    seconds = np.diff(clip.frame_times) / clip.fps
    turns = rates[:, 2] * seconds
    turn = np.concatenate([[0.0], np.cumsum(turns)])
    halfway = turn[:-1] + 0.5 * turns
    cosine, sine = np.cos(halfway), np.sin(halfway)
    # A turn about the root moves the origin: w about the root is w - omega z x root about the origin.
    at = clip.positions[:, root, :2]
    moved = rates[:, :2] - rates[:, 2:] * _across(0.5 * (at[1:] + at[:-1]))
    in_world = np.stack([cosine * moved[:, 0] - sine * moved[:, 1], sine * moved[:, 0] + cosine * moved[:, 1]], axis=-1)
    displacement = np.zeros((clip.frame_count, 3))
    displacement[1:, :2] = np.cumsum(in_world * seconds[:, None], axis=0)
    return RootMotion(turn, displacement)
