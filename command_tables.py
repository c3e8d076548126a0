# SPDX-License-Identifier: GPL-3.0-or-later
"""What the command found out about a file, and the tables that a person reads of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .files.records import Record
from .files.scenes import Source
from .rig.limb_bones import LimbBones
from .rig.lock.comparing import Compared
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
    + _TABLE[5:]
    + _CHANGE_TABLE[:2]
    + _CHANGE_TABLE[-1:]
)


@dataclass(frozen=True)
class Outcome:
    """What a verb found out about a file. ``after`` is None where nothing was to be changed.

    compared : what lock and clean would make of it, where that was asked for.
    gait : the figures of a gait that was made, with its masses and forces.
    """

    frames: FloatArray
    contacts: Contacts
    before: Report
    after: Report | None
    treadmill: Record | None
    root_speed_ratio: float | None
    compared: Compared | None = None
    gait: Record | None = None


def print_summary(source: Source, limbs: Sequence[LimbBones], outcome: Outcome, out: Path | None) -> None:
    """Print what was worked on, its figures, and where the result is."""
    before, after = outcome.before, outcome.after
    unit = f", {source.unit_note}" if source.unit_note else ""
    print(f"{source.path.name}: {len(outcome.frames)} frames at {source.frame_rate:.6g} fps{unit}")
    feet = "; ".join(f"{limb.name} ({limb.hip} to {limb.toe_joint})" for limb in limbs)
    hands = sum(limb.hand for limb in limbs)
    also = f", {hands} hands" if hands else ""
    print(f"  {len(limbs) - hands} legs{also}: {feet}; {len(before.contacts)} contacts")
    columns = {"before": before} if after is None else {"before": before, "after": after}
    if outcome.compared is None:
        _print_table(_TABLE, columns)
    else:
        compared = outcome.compared
        _print_table(_COMPARE_TABLE, {"source": compared.source, "lock": compared.lock, "clean": compared.clean})
    for name, unit_name, label in _CHANGE_TABLE if after is not None else ():
        print(f"  {label:42}{getattr(after, name):10.1f}  {unit_name}")
    if out is not None:
        print(f"  wrote {out}")


def _print_table(table: Sequence[tuple[str, str, str]], columns: dict[str, Report]) -> None:
    if len(columns) > 1:
        print(f"  {'':32}{''.join(f'{name:>10}' for name in columns)}")
    for name, unit_name, label in table:
        print(f"  {label:32}{''.join(f'{getattr(report, name):10.1f}' for report in columns.values())}  {unit_name}")
