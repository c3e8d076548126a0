# SPDX-License-Identifier: GPL-3.0-or-later
"""A clip made for a flat floor, brought onto a ground that is not flat.

Each foot is raised by what the ground is where it stands, and over edges in between; the body follows the mean of its
feet, smoothly and no higher than its legs reach; feet that stand turn with the slope. What contacts ask of the result
is then the clean-up's to make true.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from . import rotations, signals
from .clip import Clip
from .contacts import Contacts, runs
from .ground import Ground
from .limb import Limb, LimbSettings, joint_positions, solve_limbs
from .root_motion import placed
from .rotations import FloatArray
from .signals import BoolArray

# How quickly (seconds, a Gaussian's standard deviation) the body follows its feet up and down, and tilts with them.
BODY_TIME = 0.12

# Over this many seconds around it, the ground's height is known for the next: what is higher than a leg climbs from
# there is an obstacle.
TRACKING_TIME = 0.25

# Heights (metres) that differ by less are the same.
SAME_HEIGHT = 1e-4

# A swinging foot is at least as high over the ground as it was over the floor, but no more than this (m, 0.9 m leg).
SWING_CLEARANCE = 0.06

# A raised foot is up this many seconds before the edge, and takes as long to rise.
RAISE_TIME = 0.08

# How long a foot takes to turn with the slope before and after it stands, in seconds.
TURN_TIME = 0.12

# The share of a leg's full length that it is stretched to at most, to follow the ground.
STRETCH = 0.995

# A body on more legs than this tilts with the ground.
MOST_LEGS_UPRIGHT = 2


@dataclass(frozen=True)
class TerrainSettings:
    """How a clip is brought onto a ground.

    turn_feet : share of the slope that standing feet turn by.
    floor_height : of the flat floor that the clip was made for, metres.
    """

    turn_feet: float = 1.0
    floor_height: float = 0.0


def adapted(
    clip: Clip, limbs: Sequence[Limb], contacts: Contacts, ground: Ground, settings: TerrainSettings | None = None
) -> Clip:
    """Return a clip for a flat floor as it goes over ``ground``; ``contacts`` (F, L) are those on the floor."""
    settings = settings or TerrainSettings()
    toes = joint_positions(clip, limbs, "toe")
    down = [_down(contacts, at) for at in range(len(limbs))]
    rises = np.stack(
        [_foot_rise(clip, limb, down[at], ground, settings) for at, limb in enumerate(limbs)],
        axis=1,
    )
    moved = clip
    for root in dict.fromkeys(limb.root for limb in limbs):
        own = [at for at, limb in enumerate(limbs) if limb.root == root]
        moved = _body_moved(moved, [limbs[at] for at in own], rises[:, own])
    targets = toes + rises[..., None] * np.array([0.0, 0.0, 1.0])
    return solve_limbs(
        feet_turned(moved, limbs, contacts, ground, targets, settings.turn_feet), limbs, targets, ground, LimbSettings()
    )


def feet_turned(
    clip: Clip, limbs: Sequence[Limb], contacts: Contacts, ground: Ground, toes: FloatArray, share: float = 1.0
) -> Clip:
    """Return the clip with standing feet turned by the slope under their ``toes`` (F, L, 3): heel and toe are down.

    Feet only turn here; the limb solve brings their toes back to where they are to stand.
    """
    local_rotations = clip.local_rotations.copy()
    for at, limb in enumerate(limbs):
        normals = np.tile([0.0, 0.0, 1.0], (clip.frame_count, 1))
        stands = np.zeros(clip.frame_count)
        facing = ground.normal(toes[:, [at]])[:, 0]
        for first, last in runs(_down(contacts, at)):
            span = slice(first, last + 1)
            normals[span] = rotations.normalized(np.median(facing[span], axis=0))
            stands[span] = 1.0
        slope = _between_spans(normals[:, :2] / normals[:, 2:], stands > 0.0)
        stands = signals.smoothed(signals.eased(stands > 0.0, TURN_TIME * clip.fps), 0.25 * TURN_TIME * clip.fps)
        upright = np.concatenate([share * stands[:, None] * slope, np.ones((clip.frame_count, 1))], axis=-1)
        turn = rotations.between(np.broadcast_to([0.0, 0.0, 1.0], upright.shape), upright)
        parent = clip.skeleton.parents[limb.heel]
        back = rotations.IDENTITY if parent < 0 else rotations.inverse(clip.rotations[:, parent])
        turned = rotations.multiply(turn, clip.rotations[:, limb.heel])
        local_rotations[:, limb.heel] = rotations.multiply(back, turned)
    return clip.moved(local_rotations=local_rotations)


def tracked_height(ground: Ground, points: FloatArray, start: float, reach: int) -> FloatArray:
    """Return the height of the ground (F, ...) along the ways of points (F, ..., 3), followed from ``start`` on.

    What a ground is, rather than an obstacle, depends on the height that it is met from, and that on the ground nearby:
    within ``reach`` frames.
    """
    heights = np.full(points.shape[:-1], start)
    for _ in range(len(points)):
        met_from = points.copy()
        met_from[..., 2] = signals.mirrored_windows(heights, 2 * reach + 1).max(axis=-1)
        now = ground.height(met_from)
        settled = np.allclose(now, heights, rtol=0.0, atol=SAME_HEIGHT)
        heights = now
        if settled:
            break
    return heights


def _down(contacts: Contacts, limb: int) -> BoolArray:
    return np.asarray(contacts.toe_planted[:, limb] | contacts.heel_planted[:, limb])


def _foot_rise(clip: Clip, limb: Limb, down: BoolArray, ground: Ground, settings: TerrainSettings) -> FloatArray:
    """Return by how much a foot has to be raised (F,), metres: by the ground where it stands, over edges in between."""
    joints = [limb.toe, limb.heel] + ([] if limb.toe_end is None else [limb.toe_end])
    points = clip.positions[:, joints]
    floor = settings.floor_height
    under = tracked_height(ground, points, floor, max(1, round(TRACKING_TIME * clip.fps))) - floor
    rise = np.zeros(clip.frame_count)
    known = down.copy()
    # A foot that is in the air at the clip's ends is over what is under it there.
    known[[0, -1]] = True
    for first, last in runs(known):
        rise[first : last + 1] = np.median(under[first : last + 1, 0])
    rise = _between_spans(rise[:, None], known)[:, 0]
    above_floor = points[..., 2] - floor
    wanted = under + np.minimum(above_floor, SWING_CLEARANCE * (limb.scale(clip) or 1.0))
    lacking = np.maximum(np.max(wanted - above_floor, axis=1) - rise, 0.0)
    lacking[down] = 0.0
    wide = max(1, round(RAISE_TIME * clip.fps))
    raised = signals.mirrored_windows(lacking, 2 * wide + 1).max(axis=-1)
    raised = np.asarray(signals.smoothed(raised, 0.5 * wide))
    # None of it where the foot stands, and not at once beside that.
    away = np.minimum(_frames_since(down), _frames_since(down[::-1])[::-1])
    return np.asarray(rise + raised * np.clip(away / wide, 0.0, 1.0))


def _between_spans(values: FloatArray, known: BoolArray) -> FloatArray:
    """Return values (F, N) with those not known going smoothly from the last known ones to the next."""
    at = np.flatnonzero(known)
    if len(at) == 0:
        return values
    frame = np.arange(len(values))
    before = at[np.clip(np.searchsorted(at, frame, side="right") - 1, 0, len(at) - 1)]
    after = at[np.clip(np.searchsorted(at, frame), 0, len(at) - 1)]
    share = np.clip((frame - before) / np.maximum(after - before, 1), 0.0, 1.0)
    share = (share * share * (3.0 - 2.0 * share))[:, None]
    return np.asarray((1.0 - share) * values[before] + share * values[after])


def _frames_since(down: BoolArray) -> FloatArray:
    """Return how many frames ago (F,) it was True last; the clip's length where it never was."""
    frame = np.arange(len(down))
    last = np.maximum.accumulate(np.where(down, frame, -len(down)))
    return np.asarray(np.minimum(frame - last, len(down)), dtype=np.float64)


def _body_moved(clip: Clip, limbs: Sequence[Limb], rises: FloatArray) -> Clip:
    """Return the clip with the limbs' root raised, and on many legs tilted, as its feet are (F, L)."""
    root = limbs[0].root
    hips = joint_positions(clip, limbs, "hip")
    lever = hips[..., :2] - clip.positions[:, [root], :2]
    width = BODY_TIME * clip.fps
    plane = signals.smoothed(_plane(lever, rises, tilts=len(limbs) > MOST_LEGS_UPRIGHT), width)
    tilt = rotations.between(
        np.broadcast_to([0.0, 0.0, 1.0], (clip.frame_count, 3)),
        np.concatenate([-plane[:, 1:], np.ones((clip.frame_count, 1))], axis=-1),
    )
    turned = rotations.multiply(tilt, clip.rotations[:, root])
    tilted = placed(clip, root, turned, clip.positions[:, root])
    highest = np.min(rises + _slack(tilted, limbs), axis=1)
    reach = max(1, round(width))
    lowered = signals.mirrored_windows(np.minimum(highest - plane[:, 0], 0.0), 2 * reach + 1).min(axis=-1)
    height = plane[:, 0] + signals.smoothed(lowered, 0.5 * width)
    return placed(clip, root, turned, clip.positions[:, root] + height[:, None] * np.array([0.0, 0.0, 1.0]))


def _plane(lever: FloatArray, rises: FloatArray, tilts: bool) -> FloatArray:
    """Return (F, 3), height and slopes by x and y, of the plane nearest to rises (F, L) under hips (F, L, 2)."""
    mean = rises.mean(axis=1)
    if not tilts:
        return np.stack([mean, np.zeros_like(mean), np.zeros_like(mean)], axis=-1)
    rows = np.concatenate([np.ones((*lever.shape[:2], 1)), lever], axis=-1)
    normal = np.einsum("fli,flj->fij", rows, rows)
    # Hips in a row, as a biped's, tell no tilt along it: a little is held against any.
    held = 0.05 * np.mean(np.sum(lever**2, axis=-1), axis=1)
    normal[:, [1, 2], [1, 2]] += held[:, None]
    right = np.einsum("fli,fl->fi", rows, rises)
    return np.asarray(np.linalg.solve(normal + 1e-12 * np.eye(3), right[..., None])[..., 0])


def _slack(clip: Clip, limbs: Sequence[Limb]) -> FloatArray:
    """Return how much higher (F, L) than its foot's rise each hip may be raised before its leg is stretched out."""
    slack = np.empty((clip.frame_count, len(limbs)))
    for at, limb in enumerate(limbs):
        hip, knee, heel = (clip.positions[:, joint] for joint in (limb.hip, limb.knee, limb.heel))
        full = np.linalg.norm(knee - hip, axis=-1) + np.linalg.norm(heel - knee, axis=-1)
        span = hip - heel
        level = np.linalg.norm(span[:, :2], axis=-1)
        # A leg that is straighter than that in the clip may stay so.
        longest = np.maximum(STRETCH * full, np.linalg.norm(span, axis=-1))
        slack[:, at] = np.sqrt(np.maximum(longest**2 - level**2, 0.0)) - span[:, 2]
    return slack
