# SPDX-License-Identifier: GPL-3.0-or-later
"""The figures: how much planted feet slide, and how far a result is from its source (docs/mathematics.md, 9)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeVar

import numpy as np

from . import rotations, signals
from .bad_frames import find_breaks
from .clip import Clip
from .contact_heights import ON_SOMETHING_ELSE, clearances
from .contacts import Contacts, idle_hands, runs
from .ground import Ground
from .limb import Limb, feet_among, joint_positions
from .rotations import FloatArray
from .signals import BoolArray
from .sole import heel_offsets, heel_points

# Height-weighted skate d(2 - 2^(h/H)) (Zhang et al. 2018, H as in Ling et al. 2020): a toe above H counts for nothing.
SKATE_HEIGHT = 0.033

# Skating ratio (Karunratanakul et al. 2023): the share of frames in which a toe is this low (m) and this fast (m/s).
SKATING_LOW, SKATING_FAST = 0.05, 0.2

# A body that stays within this, in metres for a 0.9 m leg, does not travel.
LEAST_TRAVEL = 0.25

# Jerk is measured over steps of a frame of this rate: over shorter ones it is that of the capture's noise.
JERK_RATE = 60.0

# The percentile of the frames of a toe that its jerk is that of: feet land and leave in the rest.
JERK_PERCENTILE = 99.0

# A leg stretched to this share of its full length is at full reach.
FULL_REACH = 0.999


@dataclass(frozen=True)
class ContactFigures:
    """One contact of one limb.

    kind : "toe", or "heel" for a phase in which the heel alone is planted.
    start, end : first and last frame, indices into the clip.
    drift_mm : furthest that the planted point is from its mean, level, seen from its ground.
    slide_mm_s, slide_max_mm_s : its mean and largest level speed over its ground.
    unreached_mm : furthest that the limb stayed from where the toe was asked to be.
    """

    limb: int
    kind: Literal["toe", "heel"]
    start: int
    end: int
    drift_mm: float
    slide_mm_s: float
    slide_max_mm_s: float
    unreached_mm: float


@dataclass(frozen=True)
class Report:
    """The figures of a clip; those of change are against the clip that it was made from, 0 where there is none.

    slide, drift : over all contacts; the mean and the worst.
    skate_mm_s, skating_ratio : over all frames, contacts or not.
    penetration_mm, float_mm : deepest that a toe is below its ground, highest that a contact is above it.
    knee_pop_deg_s : largest change of a knee's or hock's angular speed from a frame to the next.
    frames_at_full_reach : in which some leg is stretched out.
    travel_change_percent : None where the source does not travel.
    hips_m_s2 : largest acceleration of a root, |p(f+1) - 2 p(f) + p(f-1)| fps^2.
    toe_jerk_m_s3 : 99th percentile of the change of acceleration of a foot's toe, |D3 p| / step^3 over steps of 1/60 s,
        that of the foot where it is highest: how sharply feet land and leave.
    off_ground_mm : how far the floor that all contacts agree on is above the ground's height; 0 where it is that.
    lag_mm : furthest that a toe is from where the source has it.
    """

    contacts: tuple[ContactFigures, ...]
    slide_mm_s: float
    slide_max_mm_s: float
    drift_mm: float
    skate_mm_s: float
    skating_ratio: float
    penetration_mm: float
    float_mm: float
    knee_pop_deg_s: float
    frames_at_full_reach: int
    pose_change_mean_deg: float = 0.0
    pose_change_max_deg: float = 0.0
    pose_change_mean_cm: float = 0.0
    pose_change_max_cm: float = 0.0
    travel_change_percent: float | None = 0.0
    lag_mm: float = 0.0
    unreached_mm: float = 0.0
    hips_m_s2: float = 0.0
    toe_jerk_m_s3: float = 0.0
    off_ground_mm: float = 0.0

    def scaled(self, factor: float) -> Report:
        """Return the figures with all lengths and speeds times ``factor``."""
        return replace(_scaled(self, factor), contacts=tuple(_scaled(figure, factor) for figure in self.contacts))

    def as_dict(self) -> dict[str, float | None]:
        """Return the clip's figures by name; None for what cannot be told of it."""
        return {name: value for name, value in vars(self).items() if name != "contacts"}


_Figures = TypeVar("_Figures", ContactFigures, Report)


def _scaled(figures: _Figures, factor: float) -> _Figures:
    lengths = {
        name: value * factor for name, value in vars(figures).items() if re.search("_(mm|cm|mm_s|m_s2|m_s3)$", name)
    }
    return replace(figures, **lengths)


def measure(
    clip: Clip,
    limbs: Sequence[Limb],
    contacts: Contacts,
    ground: Ground,
    source: Clip | None = None,
    toe_targets: FloatArray | None = None,
    off_ground: float = 0.0,
) -> Report:
    """Return the figures of ``clip``; ``source`` is what it was made from, ``toe_targets`` (F, L, 3) what was asked.

    off_ground : metres by which ``ground`` is the clip's own floor (own_floor.py), above the ground it is measured on.
    """
    breaks = find_breaks(clip if source is None else source)
    bad = breaks.bad.copy()
    bad[list(breaks.cuts)] = True
    toes = joint_positions(clip, limbs, "toe")
    missed = np.zeros(toes.shape[:2]) if toe_targets is None else np.linalg.norm(toes - toe_targets, axis=-1)
    # A heel point is fixed to its foot: what the clean-up has held is the source's.
    offsets = heel_offsets(clip if source is None else source, limbs, contacts, ground)
    figures = _contacts(clip, limbs, contacts, ground, missed, heel_points(clip, limbs, offsets))
    # A hand that hangs all the time, straight as a rule, is no leg at full reach and none that stands well.
    idle = idle_hands(limbs, contacts)
    standing = [index for index in range(len(limbs)) if index not in idle]
    limbs, contacts, toes = [limbs[index] for index in standing], contacts.of(standing), toes[:, standing]
    scales = np.array([limb.scale(clip) for limb in limbs])
    clearance = clearances(clip, limbs, contacts, ground)
    above = toes[..., 2] - ground.height(toes) - clearance
    speed = np.where(_touched(bad, 1)[:, None], 0.0, _level_speed(toes, ground, clip.fps))
    low = np.clip(0.5 * (above[1:] + above[:-1]) / (SKATE_HEIGHT * scales), 0.0, 1.0)
    skating = (above[1:] < SKATING_LOW * scales) & (speed > SKATING_FAST * scales)
    lengths = np.array([figure.end - figure.start for figure in figures])
    slides = np.array([figure.slide_mm_s for figure in figures])
    bends, reaches = _knees(clip, [limbs[foot] for foot in feet_among(limbs)])
    change = {} if source is None else _change(clip, limbs, source)
    return Report(
        contacts=figures,
        slide_mm_s=float(np.sum(slides * lengths) / max(np.sum(lengths), 1)),
        slide_max_mm_s=max((figure.slide_max_mm_s for figure in figures), default=0.0),
        drift_mm=max((figure.drift_mm for figure in figures), default=0.0),
        skate_mm_s=_mean(speed * (2.0 - 2.0**low)) * 1000.0,
        skating_ratio=_mean(np.any(skating, axis=1)),
        penetration_mm=max(float(np.max(-above - np.maximum(clearance, 0.0))) - off_ground, 0.0) * 1000.0,
        float_mm=max(_float(above, contacts, scales) + off_ground, 0.0) * 1000.0,
        off_ground_mm=off_ground * 1000.0,
        hips_m_s2=_peak_acceleration(clip, limbs, bad),
        toe_jerk_m_s3=_toe_jerk(clip, [limbs[foot] for foot in feet_among(limbs)], bad),
        knee_pop_deg_s=float(np.max(np.abs(np.diff(bends, 2, axis=0))[~_touched(bad, 2)], initial=0.0) * clip.fps),
        frames_at_full_reach=int(np.sum(np.any(reaches > FULL_REACH, axis=1))),
        unreached_mm=max((figure.unreached_mm for figure in figures), default=0.0),
        travel_change_percent=0.0 if source is None else _travel_change(clip, limbs, source, ground),
        **change,
    )


def _peak_acceleration(clip: Clip, limbs: Sequence[Limb], bad: BoolArray) -> float:
    """Return the largest acceleration in m/s^2 of the roots that carry the limbs, over frames that are not ``bad``."""
    roots = clip.positions[:, sorted({limb.root for limb in limbs})]
    sharpness = np.linalg.norm(np.diff(roots, 2, axis=0), axis=-1)
    return float(np.max(sharpness[~_touched(bad, 2)], initial=0.0) * clip.fps**2)


def _toe_jerk(clip: Clip, feet: Sequence[Limb], bad: BoolArray) -> float:
    """Return the highest of the toes' 99th percentiles of jerk in m/s^3, over frames that are not ``bad`` (F,)."""
    step = max(1, round(clip.fps / JERK_RATE))
    toes = joint_positions(clip, feet, "toe")
    if len(toes) <= 3 * step or not feet:
        return 0.0
    third = toes[3 * step :] - 3.0 * toes[2 * step : -step] + 3.0 * toes[step : -2 * step] - toes[: -3 * step]
    jerk = np.linalg.norm(third, axis=-1)[~_touched(bad, 3 * step)] * (clip.fps / step) ** 3
    return float(np.percentile(jerk, JERK_PERCENTILE, axis=0).max()) if len(jerk) else 0.0


def _touched(bad: BoolArray, order: int) -> BoolArray:
    """Return which differences of an order (F - order,) any of the ``bad`` (F,) frames is part of."""
    count = max(len(bad) - order, 0)
    return np.any([bad[at : at + count] for at in range(order + 1)], axis=0)


def _contacts(
    clip: Clip, limbs: Sequence[Limb], contacts: Contacts, ground: Ground, missed: FloatArray, heels: FloatArray
) -> tuple[ContactFigures, ...]:
    """Return each contact's figures; ``missed`` (F, L) is how far toes are from where they were to be, in metres."""
    figures: list[ContactFigures] = []
    for index, limb in enumerate(limbs):
        toe_planted = contacts.toe_planted[:, index]
        heel_only = contacts.heel_planted[:, index] & ~toe_planted
        kinds: tuple[tuple[Literal["toe", "heel"], FloatArray, list[tuple[int, int]]], ...] = (
            ("toe", clip.positions[:, limb.toe], runs(toe_planted)),
            ("heel", heels[:, index], runs(heel_only)),
        )
        for kind, point, spans in kinds:
            speed = _level_speed(point, ground, clip.fps) * 1000.0
            still = _seen_from_ground(point, ground, clip.fps)[:, :2]
            for start, end in spans:
                where = still[start : end + 1]
                drift = np.linalg.norm(where - where.mean(axis=0), axis=-1).max() * 1000.0
                steps = speed[start:end]
                figures.append(
                    ContactFigures(
                        limb=index,
                        kind=kind,
                        start=start,
                        end=end,
                        drift_mm=float(drift),
                        slide_mm_s=_mean(steps),
                        slide_max_mm_s=float(np.max(steps, initial=0.0)),
                        unreached_mm=float(missed[start : end + 1, index].max()) * 1000.0,
                    )
                )
    return tuple(sorted(figures, key=lambda figure: (figure.start, figure.limb)))


def _seen_from_ground(points: FloatArray, ground: Ground, fps: float) -> FloatArray:
    """Return points (F, ..., 3) with the way that the ground under them has gone taken out."""
    return points - signals.carried(ground.velocity(points), fps)


def _level_speed(points: FloatArray, ground: Ground, fps: float) -> FloatArray:
    """Return the level speed (F - 1, ...) in m/s of points (F, ..., 3) over their ground."""
    return np.linalg.norm(np.diff(_seen_from_ground(points, ground, fps)[..., :2], axis=0), axis=-1) * fps


def _knees(clip: Clip, limbs: Sequence[Limb]) -> tuple[FloatArray, FloatArray]:
    """Return each knee's and hock's bend (F, K) in degrees, and each leg's share of its full length (F, L)."""
    bends, reaches = [], []
    for limb in limbs:
        parts = np.diff(clip.positions[:, list(limb.joints)], axis=1)
        above, below = parts[:, :-1], parts[:, 1:]
        across = np.linalg.norm(rotations.cross(above, below), axis=-1)
        bends.append(np.arctan2(across, np.sum(above * below, axis=-1)))
        reach = np.linalg.norm(clip.positions[:, limb.heel] - clip.positions[:, limb.hip], axis=-1)
        reaches.append(reach / np.maximum(limb.full_reach(clip), rotations.TINY))
    return np.degrees(np.concatenate(bends, axis=1)), np.stack(reaches, axis=1)


def _float(above: FloatArray, contacts: Contacts, scales: FloatArray) -> float:
    """Return how high the highest contact is above the floor in metres, leaving out those on something else."""
    highest = 0.0
    for limb, scale in enumerate(scales):
        for start, end in runs(contacts.toe_planted[:, limb]):
            usual = float(np.median(above[start : end + 1, limb]))
            highest = max(highest, usual if usual < ON_SOMETHING_ELSE * scale else 0.0)
    return highest


def _change(clip: Clip, limbs: Sequence[Limb], source: Clip) -> dict[str, float]:
    angles = np.degrees(rotations.angle_between(source.rotations, clip.rotations))
    moved = np.linalg.norm(clip.positions - source.positions, axis=-1) * 100.0
    toes = [limb.toe for limb in limbs]
    return {
        "lag_mm": float(moved[:, toes].max(initial=0.0)) * 10.0,
        "pose_change_mean_deg": float(angles.mean()),
        "pose_change_max_deg": float(angles.max()),
        "pose_change_mean_cm": float(moved.mean()),
        "pose_change_max_cm": float(moved.max()),
    }


def _travel_change(clip: Clip, limbs: Sequence[Limb], source: Clip, ground: Ground) -> float | None:
    """Return by how many per cent the body's path is longer than in ``source``, None where it does not travel there.

    How far it gets tells whether it travels: the path of a body that stands becomes long by its jitter alone. Seen from
    the ground, so that a clip that walks in place has travelled too.
    """
    if not limbs:
        return None
    before, after = (
        _seen_from_ground(some.positions[:, limbs[0].root], ground, some.fps)[:, :2] for some in (source, clip)
    )
    if np.linalg.norm(np.ptp(before, axis=0)) < LEAST_TRAVEL * max(limb.scale(source) for limb in limbs):
        return None
    lengths = [float(np.sum(np.linalg.norm(np.diff(path, axis=0), axis=-1))) for path in (before, after)]
    return 100.0 * (lengths[1] / lengths[0] - 1.0)


def _mean(values: FloatArray | BoolArray) -> float:
    return float(np.mean(values)) if values.size else 0.0
