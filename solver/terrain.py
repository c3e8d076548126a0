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
from .contacts import Contacts, idle_hands, runs
from .foot_pitch import foot_down, slope_turns, with_feet_turned
from .ground import Ground
from .limb import Limb, LimbSettings, joint_positions, solve_limbs
from .risers import held_back, moves_out
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

# The share of a leg's full length that it is stretched to at most, to follow the ground.
STRETCH = 0.995

UP = np.array([0.0, 0.0, 1.0])

# A body on more legs than this tilts with the ground.
MOST_LEGS_UPRIGHT = 2


@dataclass(frozen=True)
class TerrainSettings:
    """How a clip is brought onto a ground.

    foot_pitch : share of the slope that standing feet turn by.
    floor_height : of the flat floor that the clip was made for, metres.
    """

    foot_pitch: float = 1.0
    floor_height: float = 0.0


def adapted(
    clip: Clip, limbs: Sequence[Limb], contacts: Contacts, ground: Ground, settings: TerrainSettings | None = None
) -> Clip:
    """Return a clip for a flat floor as it goes over ``ground``; ``contacts`` (F, L) are those on the floor."""
    settings = settings or TerrainSettings()
    # Hands that stand nowhere go where the body carries them.
    standing = [at for at in range(len(limbs)) if at not in idle_hands(limbs, contacts)]
    limbs, contacts = [limbs[at] for at in standing], contacts.of(standing)
    toes = joint_positions(clip, limbs, "toe")
    down = [foot_down(contacts, at) for at in range(len(limbs))]
    rises = _foot_rises(clip, limbs, down, ground, settings, np.zeros_like(toes))
    moves = moves_out(clip, limbs, contacts, ground, toes + rises[..., None] * UP)
    if np.any(moves):
        rises = _foot_rises(clip, limbs, down, ground, settings, moves)
    moved = clip
    for root in dict.fromkeys(limb.root for limb in limbs):
        own = [at for at, limb in enumerate(limbs) if limb.root == root]
        moved = _body_moved(moved, [limbs[at] for at in own], rises[:, own])
    targets = toes + moves + rises[..., None] * UP
    # Feet turn from how the clip has them: a body that tilts with the ground would turn them twice.
    feet = with_feet_turned(clip, limbs, slope_turns(clip, limbs, contacts, ground, targets, settings.foot_pitch))
    targets = held_back(feet, limbs, contacts, ground, targets)
    # Where a flat clip's toes are in the hill says nothing.
    return solve_limbs(moved, limbs, targets, ground, LimbSettings(leave_sunk_toe_end=False), feet)


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


def _foot_rises(
    clip: Clip,
    limbs: Sequence[Limb],
    down: Sequence[BoolArray],
    ground: Ground,
    settings: TerrainSettings,
    moves: FloatArray,
) -> FloatArray:
    """Return by how much each foot has to be raised (F, L), once it is moved (F, L, 3)."""
    rises = [_foot_rise(clip, limb, down[at], ground, settings, moves[:, at]) for at, limb in enumerate(limbs)]
    return np.stack(rises, axis=1)


def _foot_rise(
    clip: Clip, limb: Limb, down: BoolArray, ground: Ground, settings: TerrainSettings, moves: FloatArray
) -> FloatArray:
    """Return by how much a foot has to be raised (F,), metres: by the ground where it stands, over edges in between.

    Where the ground moves it takes the foot that stands along, up and down.
    """
    joints = [limb.toe, limb.heel] + ([] if limb.toe_end is None else [limb.toe_end])
    points = clip.positions[:, joints] + moves[:, None]
    floor = settings.floor_height
    under = tracked_height(ground, points, floor, max(1, round(TRACKING_TIME * clip.fps))) - floor
    rise, carried = np.zeros(clip.frame_count), _carried_up(ground, points[:, 0], under[:, 0] + floor, clip.fps)
    known = down.copy()
    # A foot that is in the air at the clip's ends is over what is under it there.
    known[[0, -1]] = True
    for first, last in runs(known):
        span = slice(first, last + 1)
        rise[span] = np.median(under[span, 0] - carried[span]) + carried[span]
    rise = signals.between_spans(rise[:, None], known)[:, 0]
    above_floor = points[..., 2] - floor
    wanted = under + np.minimum(above_floor, SWING_CLEARANCE * (limb.scale(clip) or 1.0))
    lacking = np.maximum(np.max(wanted - above_floor, axis=1) - rise, 0.0)
    lacking[down] = 0.0
    wide = max(1, round(RAISE_TIME * clip.fps))
    raised = signals.mirrored_windows(lacking, 2 * wide + 1).max(axis=-1)
    raised = np.asarray(signals.smoothed(raised, 0.5 * wide))
    # None of it where the foot stands, and not at once beside that.
    return np.asarray(rise + raised * signals.away_from(down, wide))


def _carried_up(ground: Ground, points: FloatArray, heights: FloatArray, fps: float) -> FloatArray:
    """Return how far up (F,), metres, the ground has gone since the first frame that is at ``heights`` under points."""
    on_it = np.concatenate([points[:, :2], heights[:, None]], axis=-1)
    steps = ground.velocity(on_it[:, None])[:, 0, 2]
    return signals.carried(steps, fps)


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
    tilted = clip.with_world({root: turned})
    highest = np.min(rises + _slack(tilted, limbs), axis=1)
    reach = max(1, round(width))
    lowered = signals.mirrored_windows(np.minimum(highest - plane[:, 0], 0.0), 2 * reach + 1).min(axis=-1)
    height = plane[:, 0] + signals.smoothed(lowered, 0.5 * width)
    return clip.with_world({root: turned}, {root: clip.positions[:, root] + height[:, None] * UP})


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
        full = limb.full_reach(clip)
        span = clip.positions[:, limb.hip] - clip.positions[:, limb.heel]
        level = np.linalg.norm(span[:, :2], axis=-1)
        # A leg that is straighter than that in the clip may stay so.
        longest = np.maximum(STRETCH * full, np.linalg.norm(span, axis=-1))
        slack[:, at] = np.sqrt(np.maximum(longest**2 - level**2, 0.0)) - span[:, 2]
    return slack
