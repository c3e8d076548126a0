# SPDX-License-Identifier: GPL-3.0-or-later
"""From a solved way to the whole skeleton, frame by frame of the file, and the figures of how true it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .. import rotations, signals
from ..clip import Clip
from ..contacts import Contacts, runs
from ..gait.pose import Frames, posed_by
from ..gait.secondary import Parts, Rhythm, follow, parts_of
from ..ground import FlatGround, Ground
from ..limb import Limb, joint_positions
from ..rotations import FloatArray
from ..signals import BoolArray
from .line import Line
from .solve import PathSolution
from .tracks import Tracks, tracks_of

_USUAL_STRIDE, _TAIL_LAG = 1.6, 0.1
# Metres that the centre of mass may be off, seconds that a head looks ahead, and how far it turns at most (degrees).
_HOME_M, _LOOKS_AHEAD, _LOOKS = 1e-4, 0.5, 30.0
# Deviation, √(h/g), over which the body follows a foot out of its reach.
_SETTLING = 0.12


@dataclass(frozen=True)
class PathFigures:
    """How true a way is in the frames that are written: millimetres, and shares.

    off_path_mm : furthest that the root is from the line, level. slip_mm : furthest that a planted toe is from where it
    stands on average. penetration_mm : deepest that a toe is in the ground.
    """

    off_path_mm: float
    slip_mm: float
    penetration_mm: float


@dataclass(frozen=True)
class PosedPath:
    """A way on the whole skeleton: F frames, contacts (F, L), forces (F, L, 3) in body weights, and its figures."""

    clip: Clip
    contacts: Contacts
    forces: FloatArray
    figures: PathFigures
    unreached: float


def pose_path(solution: PathSolution, stand: Clip, limbs: Sequence[Limb], ground: Ground | None = None) -> PosedPath:
    """Return the way on the skeleton that stands as in the first frame of ``stand``.

    ground : what toes are kept out of, metres; None for the line itself.
    """
    plan, tracks = solution.plan, tracks_of(solution)
    body = plan.body
    base = rotations.inverse(rotations.from_matrices(body.axes))
    upright = rotations.from_axis_angle(np.array([0.0, 0.0, 1.0]), tracks.heading)
    heading = rotations.multiply(upright, base)
    trunk = rotations.multiply(rotations.from_vector(tracks.turned), heading)
    toe, heel = _planted(solution, tracks)
    frames = Frames(
        tracks.com * body.height, trunk, tracks.toes * body.height, tracks.heels * body.height,
        rotations.multiply(tracks.foot, base), tracks.pitch, toe,
    )  # fmt: skip
    parts = parts_of(stand.during(slice(0, 1)), limbs, body.axes)
    swayed, rhythm = _rhythm(solution, tracks, heading, parts)
    floor = ground or FlatGround(float(frames.toes[..., 2].min()))
    clip, unreached = posed_by(
        frames,
        body,
        stand,
        limbs,
        floor,
        lambda clip: follow(clip, rhythm, swayed, parts),
        _HOME_M,
        _SETTLING * plan.way.fps * plan.body.time,
    )
    contacts = Contacts(toe.astype(np.float64), heel.astype(np.float64), tracks.contact)
    return PosedPath(clip, contacts, tracks.forces, _figures(solution, clip, limbs, contacts, frames), unreached)


def _planted(solution: PathSolution, tracks: Tracks) -> tuple[BoolArray, BoolArray]:
    """Return where toe and heel stand still (F, L): the toe while the heel rises or is down, the heel until it does."""
    body, still = solution.plan.body, 1e-9
    to_heel = body.heels - body.toes
    rolls = (np.linalg.norm(to_heel[:, :2], axis=-1) > 0.08) & (len(to_heel) <= 4)
    return tracks.contact & (tracks.pitch >= -still), tracks.contact & (tracks.pitch <= still) & rolls


def _rhythm(solution: PathSolution, tracks: Tracks, heading: FloatArray, parts: Parts) -> tuple[FloatArray, Rhythm]:
    """Return how the trunk sways (F, 3) about its mean over a stride, and what free parts follow."""
    plan = solution.plan
    back = rotations.from_axis_angle(np.array([0.0, 0.0, 1.0]), -tracks.heading)
    turned = rotations.rotate(back, tracks.turned)
    step = 1.0 / (plan.way.fps * plan.body.time)
    stride = float(np.median(tracks.period)) / step
    swayed = turned - signals.smoothed(turned, 0.5 * stride)
    count = len(turned)
    nods = [np.interp(np.arange(count) - _TAIL_LAG * stride * (at + 1), np.arange(count), swayed[:, 1])
            for at in range(len(parts.tail))]  # fmt: skip
    ahead = np.interp(np.arange(count) + _LOOKS_AHEAD * plan.way.fps, np.arange(count), tracks.heading)
    look = np.clip(
        signals.smoothed((ahead - tracks.heading)[:, None], 0.3 * stride)[:, 0], *(np.radians([-_LOOKS, _LOOKS]))
    )
    still = np.zeros(count)
    return swayed, Rhythm(
        tracks.phase, plan.body.left, np.minimum(tracks.speed * tracks.period / _USUAL_STRIDE, 1.5),
        1.0 - np.clip((tracks.duty - 0.47) / 0.06, 0.0, 1.0), np.stack([still, *nods], axis=-1)[:, 1:], look,
        plan.body.axes, heading, plan.way.style,
    )  # fmt: skip


def _figures(
    solution: PathSolution, clip: Clip, limbs: Sequence[Limb], contacts: Contacts, frames: Frames
) -> PathFigures:
    plan = solution.plan
    toes = joint_positions(clip, limbs, "toe")
    slip = 0.0
    for leg in range(len(limbs)):
        for first, last in runs(contacts.toe_planted[:, leg]):
            where = toes[first : last + 1, leg]
            slip = max(slip, float(np.linalg.norm(where - where.mean(axis=0), axis=-1).max()))
    body = plan.body
    along = np.interp(plan.frame_times, plan.pace.time, plan.pace.way)[:, None] + plan.way.ahead
    floor = plan.way.terrain.height(toes[..., :2] / body.height, np.broadcast_to(along, toes.shape[:2]))
    deep = floor + body.toes[:, 2] - toes[..., 2] / body.height
    off = away_from_line(
        plan.way.line, clip.positions[:, limbs[0].root, :2] / body.height, along[:, 0] - plan.way.ahead
    )
    scale = 1000.0 * body.height
    return PathFigures(scale * float(off.max()), 1000.0 * slip, scale * max(float(deep.max()), 0.0))


def away_from_line(line: Line, places: FloatArray, along: FloatArray) -> FloatArray:
    """Return how far (F,) places (F, 2) are from the line as drawn, near ``along`` (F,), level."""
    near = along[:, None] + np.linspace(-0.6, 0.6, 49)
    return np.asarray(np.linalg.norm(line.drawn_at(near) - places[:, None], axis=-1).min(axis=1))
