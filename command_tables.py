# SPDX-License-Identifier: GPL-3.0-or-later
"""What the command found out about a file, and the tables that a person reads of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .files.records import Record
from .files.scenes import Source
from .files.subjects import Subject
from .rig.common.warnings import Warning
from .rig.legs.limb_bones import LimbBones
from .rig.verbs.compare import Compared
from .rig.verbs.listing import Spans
from .solver.contacts import Contacts
from .solver.metrics import Report
from .solver.rotations import FloatArray

# What a person reads of a report: figure, unit, and what it is called.
_TABLE = (
    ("slide_mm_s", "mm/s", "slide of planted feet, mean"),
    ("slide_max_mm_s", "mm/s", "slide of planted feet, worst"),
    ("drift_mm", "mm", "drift within a contact, worst"),
    ("penetration_mm", "mm", "feet below the ground, deepest"),
    ("float_mm", "mm", "planted feet above it, highest"),
    ("knee_pop_deg_s", "deg/s", "knee pop, worst"),
    ("hips_m_s2", "m/s2", "acceleration of the hips, highest"),
    ("toe_jerk_m_s3", "m/s3", "toe jerk, 99th percentile"),
)
_CHANGE_TABLE = (
    ("pose_change_mean_deg", "deg", "pose change, mean"),
    ("pose_change_max_deg", "deg", "pose change, worst"),
    ("travel_change_percent", "%", "travel change"),
    ("lag_mm", "mm", "toe from the animation, furthest"),
    ("unreached_mm", "mm", "not reached, worst"),
)
# What each way costs: to the figures of slide, those of how far it is from the animation.
_COMPARE_TABLE = (
    _TABLE[:3]
    + (("lag_mm", "mm", "toe from the animation, furthest"),)
    + _TABLE[5:6]
    + _CHANGE_TABLE[:2]
    + _CHANGE_TABLE[-1:]
)


@dataclass(frozen=True)
class Outcome:
    """What a verb found out about a file. ``after`` is None where nothing was to be changed.

    warnings : what has to be told of it besides.
    suspects : of each limb, spans in scene frames that look like stances and are not called contacts.
    compared : what lock and clean would make of it, where that was asked for.
    sketch : what a summary draws of it, likewise.
    """

    frames: FloatArray
    contacts: Contacts
    before: Report
    after: Report | None
    treadmill: Record | None
    root_speed_ratio: float | None
    warnings: tuple[Warning, ...] = ()
    suspects: tuple[Spans, ...] = ()
    compared: Compared | None = None
    gait: Record | None = None
    sketch: Record | None = None


def summary(source: Source, action: str, limbs: Sequence[LimbBones], outcome: Outcome) -> list[str]:
    """Return the lines that say what was worked on and its figures; ``action`` is empty where it is the only one."""
    before, after = outcome.before, outcome.after
    unit = f", {source.unit_note}" if source.unit_note else ""
    name = f"{source.path.name}, {action}" if action else source.path.name
    feet = "; ".join(f"{limb.name} ({limb.hip} to {limb.toe_joint})" for limb in limbs)
    hands = sum(limb.hand for limb in limbs)
    also = f", {hands} hands" if hands else ""
    lines = [
        f"{name}: {len(outcome.frames)} frames at {source.frame_rate:.6g} fps{unit}",
        f"  {len(limbs) - hands} legs{also}: {feet}; {len(before.contacts)} contacts",
    ]
    suspects = [
        f"{limb.name} {first - source.first_frame} to {last - source.first_frame}"
        for limb, spans in zip(limbs, outcome.suspects, strict=False)
        for first, last in spans
    ]
    if suspects:
        lines.append(f"  {len(suspects)} more that may be contacts: {', '.join(suspects)}")
    columns = {"before": before} if after is None else {"before": before, "after": after}
    if outcome.compared is None:
        lines += _table(_TABLE, columns)
    else:
        compared = outcome.compared
        lines += _table(_COMPARE_TABLE, {"source": compared.source, "lock": compared.lock, "clean": compared.clean})
    for name, unit_name, label in _CHANGE_TABLE if after is not None else ():
        value = getattr(after, name)
        lines += [] if value is None else [f"  {label:42}{value:10.1f}  {unit_name}"]
    return lines


def left_summary(left: Sequence[tuple[Subject, str]], out: Path | None) -> list[str]:
    """Return the lines that say which actions were left as they are, why, and where the result is."""
    lines = [f"  {subject.name} is left as it is: {reason}" for subject, reason in left]
    return lines if out is None else [*lines, f"  wrote {out}"]


def _table(table: Sequence[tuple[str, str, str]], columns: dict[str, Report]) -> list[str]:
    lines = [f"  {'':32}{''.join(f'{name:>10}' for name in columns)}"] if len(columns) > 1 else []
    for name, unit_name, label in table:
        values = "".join(f"{getattr(report, name):10.1f}" for report in columns.values())
        lines.append(f"  {label:32}{values}  {unit_name}")
    return lines
