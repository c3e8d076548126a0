# SPDX-License-Identifier: GPL-3.0-or-later
"""Runtime foot locking: what a game does, one limb and one frame at a time, never looking ahead.

After Holden, *Inverse Kinematics and Foot Locking*: where a foot touches down its toe is held, where it lifts off or
has to be let go it is handed back to the animation, and the difference dies away as a cubic (inertialization).
``step`` is the whole of it and is meant to be ported; ``run`` plays it over a clip, many frames at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .clip import Clip
from .contact_heights import clearances
from .contacts import Contacts
from .ground import Ground
from .limb import Limb, LimbSettings, in_stance, joint_positions, solve_limbs
from .loops import laps_on
from .rotations import FloatArray
from .signals import BoolArray

# Chunk length in frames: longer than most contacts and swings, so that most chunks hold one change at most.
FRAMES_AT_ONCE = 64

# How often it is looked up again what is under held points, until it differs by no more than this (metres, m/s).
MOST_GROUND_PASSES = 6
SAME_GROUND = 1e-4


@dataclass(frozen=True)
class LockSettings:
    """Lengths are metres for a 0.9 m leg and scale with the limb's; times are seconds.

    lock_distance : a planted foot is held only where the output is this close to the animation.
    unlock_distance : a held foot is let go where the animation has gone this far from it.
    blend_time : how long it takes to go from held to free and back.
    """

    lock_distance: float = 0.1
    unlock_distance: float = 0.2
    blend_time: float = 0.2


@dataclass(frozen=True)
class LockState:
    """What one limb remembers from a frame to the next.

    locked : whether its toe is held.
    point : (3,) where it is held.
    input_position : (3,) where the animation had the toe.
    offset, offset_velocity : (3,) of the output from its target when the blend began, metres and m/s.
    elapsed : seconds since the blend began.
    """

    locked: bool
    point: FloatArray
    input_position: FloatArray
    offset: FloatArray
    offset_velocity: FloatArray
    elapsed: float


def start(input_position: FloatArray, settings: LockSettings) -> LockState:
    """Return the state before the first frame: free, and exactly where the animation is."""
    zero = np.zeros(3)
    return LockState(False, input_position, input_position, zero, zero, settings.blend_time)


def decayed(
    offset: FloatArray, offset_velocity: FloatArray, elapsed: float | FloatArray, blend_time: float
) -> tuple[FloatArray, FloatArray]:
    """Return an offset and its velocity after ``elapsed`` seconds: a cubic, at rest at zero at ``blend_time``.

    offset, offset_velocity : (3,) at the beginning.
    elapsed : of one moment, or ``(F, 1)`` of many.
    """
    over = np.greater_equal(elapsed, blend_time)
    if np.all(over):
        nothing = np.zeros(np.broadcast_shapes(np.shape(elapsed), offset.shape))
        return nothing, nothing
    t, length = np.where(over, blend_time, elapsed), blend_time
    third = 2.0 * offset / length**3 + offset_velocity / length**2
    second = -3.0 * offset / length**2 - 2.0 * offset_velocity / length
    position = offset + t * (offset_velocity + t * (second + t * third))
    velocity = offset_velocity + t * (2.0 * second + t * 3.0 * third)
    return np.where(over, 0.0, position), np.where(over, 0.0, velocity)


def step(
    state: LockState,
    input_position: FloatArray,
    planted: bool,
    ground_height: float,
    ground_velocity: FloatArray,
    frame_time: float,
    settings: LockSettings,
) -> tuple[LockState, FloatArray]:
    """Return the state after one more frame, and where the toe goes in it, (3,) in the world.

    Parameters
    ----------
    input_position : (3,) of the toe in the animation.
    planted : whether the animation says that the toe is planted.
    ground_height : height at which a toe stands here.
    ground_velocity : (3,) of what it stands on.
    frame_time : seconds since the frame before.
    settings : of a limb of this size.
    """
    input_velocity = (input_position - state.input_position) / frame_time
    point = state.point + ground_velocity * frame_time
    elapsed = state.elapsed + frame_time
    offset, offset_velocity = decayed(state.offset, state.offset_velocity, elapsed, settings.blend_time)
    target, velocity = (point, ground_velocity) if state.locked else (input_position, input_velocity)
    output = target + offset
    output_velocity = velocity + offset_velocity

    # A change of target moves nothing in this frame: the offset takes up both the distance and the speed from the old
    # target to the new one. Both come from the output as it is, before either is overwritten.
    locked = state.locked
    if locked and (not planted or np.linalg.norm(point - input_position) > settings.unlock_distance):
        locked, target, velocity = False, input_position, input_velocity
    elif not locked and planted and np.linalg.norm(output - input_position) <= settings.lock_distance:
        locked = True
        point = np.array([output[0], output[1], ground_height])
        target, velocity = point, ground_velocity
    if locked != state.locked:
        offset, offset_velocity, elapsed = output - target, output_velocity - velocity, 0.0
    else:
        offset, offset_velocity = state.offset, state.offset_velocity
    return LockState(locked, point, input_position, offset, offset_velocity, elapsed), output


@dataclass(frozen=True)
class LockRun:
    """The lock over a whole clip.

    toe_targets : (F, L, 3) where each toe goes, metres in the world.
    locked : (F, L) whether it is held.
    points : (F, L, 3) where it is held; where it is free, where the animation has it.
    """

    toe_targets: FloatArray
    locked: BoolArray
    points: FloatArray


def run(
    clip: Clip,
    limbs: Sequence[Limb],
    contacts: Contacts,
    ground: Ground,
    settings: LockSettings | None = None,
    repeats: bool = True,
) -> LockRun:
    """Play the lock over a clip, every limb by itself; one that repeats as it plays once it has been round.

    repeats : whether to look if the clip repeats; where not, it is played once, from its first frame to its last.
    """
    settings = settings or LockSettings()
    laps = laps_on(clip, limbs, ground) if repeats else None
    if laps is None:
        return _run_once(clip, limbs, contacts, ground, settings)
    # Contacts that are masked, since only some frames are asked for, repeat with the rest.
    played = _run_once(laps.clip, limbs, laps.contacts(contacts), laps.ground, settings)
    kept = laps.middle
    # A last frame may not be wholly the first one again: it is moved as that is.
    own = joint_positions(clip, limbs, "toe") - joint_positions(laps.clip, limbs, "toe")[kept]
    return LockRun(played.toe_targets[kept] + own, played.locked[kept], played.points[kept] + own)


def _run_once(clip: Clip, limbs: Sequence[Limb], contacts: Contacts, ground: Ground, settings: LockSettings) -> LockRun:
    """Play the lock over a clip from its first frame to its last."""
    toes = joint_positions(clip, limbs, "toe")
    clearance = clearances(clip, limbs, contacts, ground)
    under = ground.height(toes), _ridden_at(ground, toes)
    for _ in range(MOST_GROUND_PASSES):
        played = _all_played(clip, limbs, contacts, under[0] + clearance, under[1], settings)
        # A held point stands and rides on what is under itself, which may be other than what is under the animation.
        before, under = under, (ground.height(played.points), _ridden_at(ground, played.points))
        if all(np.allclose(now, then, rtol=0.0, atol=SAME_GROUND) for now, then in zip(under, before, strict=True)):
            break
    return played


def _ridden_at(ground: Ground, points: FloatArray) -> FloatArray:
    """Return the velocity (F, L, 3) with which the ground brought each point to each frame from the one before."""
    velocities = ground.velocity(points)
    return np.concatenate([velocities[:1], velocities[:-1]])


def _all_played(
    clip: Clip,
    limbs: Sequence[Limb],
    contacts: Contacts,
    heights: FloatArray,
    velocities: FloatArray,
    settings: LockSettings,
) -> LockRun:
    toes = joint_positions(clip, limbs, "toe")
    targets, points, locked = np.empty_like(toes), np.empty_like(toes), np.zeros(toes.shape[:2], dtype=bool)
    for index, limb in enumerate(limbs):
        targets[:, index], locked[:, index], points[:, index] = _played(
            toes[:, index],
            contacts.toe_planted[:, index],
            heights[:, index],
            velocities[:, index],
            1.0 / clip.fps,
            sized(settings, limb.scale(clip)),
        )
    return LockRun(targets, locked, points)


def _played(
    inputs: FloatArray,
    planted: BoolArray,
    heights: FloatArray,
    velocities: FloatArray,
    frame_time: float,
    settings: LockSettings,
) -> tuple[FloatArray, BoolArray, FloatArray]:
    """Return what ``step``, frame by frame, gives for one toe: its outputs (F, 3), held or not (F,), and where (F, 3).

    Between two changes of target everything is known in closed form, so that only the changes have to be found.
    """
    count = len(inputs)
    input_velocities = np.diff(inputs, axis=0, prepend=inputs[:1]) / frame_time
    ridden = np.cumsum(velocities * frame_time, axis=0)
    outputs, points, locked = inputs.copy(), inputs.copy(), np.zeros(count, dtype=bool)
    held, point = False, inputs[0]
    offset, offset_velocity, began = np.zeros(3), np.zeros(3), 0
    frame = 0
    while frame < count:
        span = slice(frame, min(frame + FRAMES_AT_ONCE, count))
        elapsed = (np.arange(span.start, span.stop, dtype=np.float64)[:, None] - began) * frame_time
        offsets, offset_velocities = decayed(offset, offset_velocity, elapsed, settings.blend_time)
        standing = point + ridden[span]
        output = (standing if held else inputs[span]) + offsets
        if held:
            changes = ~planted[span] | (np.linalg.norm(standing - inputs[span], axis=-1) > settings.unlock_distance)
        else:
            near = np.linalg.norm(output - inputs[span], axis=-1) <= settings.lock_distance
            changes = planted[span] & near
        kept = int(np.argmax(changes)) if changes.any() else len(output)
        done = min(kept + 1, len(output))
        outputs[frame : frame + done] = output[:done]
        if held:
            locked[frame : frame + kept], points[frame : frame + kept] = True, standing[:kept]
        if kept < len(output):
            at = frame + kept
            velocity = (velocities[at] if held else input_velocities[at]) + offset_velocities[kept]
            held = not held
            if held:
                stands = np.array([output[kept, 0], output[kept, 1], heights[at]])
                point, locked[at], points[at] = stands - ridden[at], True, stands
            target, target_velocity = (stands, velocities[at]) if held else (inputs[at], input_velocities[at])
            offset, offset_velocity, began = output[kept] - target, velocity - target_velocity, at
        frame += done
    return outputs, locked, points


def sized(settings: LockSettings, scale: float) -> LockSettings:
    """Return the settings for a limb that is ``scale`` times 0.9 m long."""
    return LockSettings(settings.lock_distance * scale, settings.unlock_distance * scale, settings.blend_time)


def lock(
    clip: Clip,
    limbs: Sequence[Limb],
    contacts: Contacts,
    ground: Ground,
    settings: LockSettings | None = None,
    repeats: bool = True,
) -> tuple[Clip, LockRun]:
    """Return the clip as a game would show it, toes locked and nothing else moved, and the lock's run (see ``run``)."""
    locked = run(clip, limbs, contacts, ground, settings, repeats)
    return shown(clip, limbs, contacts, ground, locked), locked


def shown(clip: Clip, limbs: Sequence[Limb], contacts: Contacts, ground: Ground, locked: LockRun) -> Clip:
    """Return the clip with its toes where a run of the lock has them."""
    return solve_limbs(clip, in_stance(limbs, contacts.toe), locked.toe_targets, ground, LimbSettings())
