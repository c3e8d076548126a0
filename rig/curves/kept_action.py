# SPDX-License-Identifier: GPL-3.0-or-later
"""An action as it is now, to be put back exactly: for edits that are shown while they are made, and called off."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import bpy

from ..common import versions
from . import keys
from .keys import Attributes

# Of what an action remembers of Toehold, the names begin so.
_OURS = "toehold_"


@dataclass(frozen=True)
class _KeptCurve:
    keys: Attributes
    mute: bool
    smoothing: str
    group: str


@dataclass(frozen=True)
class KeptAction:
    """The curves of an action, of each slot by path and index, and what it remembers of Toehold.

    number : what the action is known by in this session.
    """

    number: int
    curves: tuple[dict[tuple[str, int], _KeptCurve], ...]
    remembered: dict[str, Any]


def keep(actions: Iterable[bpy.types.Action]) -> list[KeptAction]:
    """Return actions as they are now."""
    return [
        KeptAction(
            action.session_uid,
            tuple(
                {(curve.data_path, curve.array_index): _kept(curve) for curve in bag.fcurves}
                for bag in versions.channelbags_of(action)
            ),
            {name: action[name] for name in action.keys() if name.startswith(_OURS)},  # noqa: SIM118
        )
        for action in actions
    ]


def put_back(kept: Iterable[KeptAction]) -> None:
    """Make actions again what they were; one that is gone by now is left out."""
    by_number = {action.session_uid: action for action in bpy.data.actions}
    for was in kept:
        action = by_number.get(was.number)
        if action is not None:
            for bag, curves in zip(versions.channelbags_of(action), was.curves, strict=False):
                _put_curves_back(bag, curves)
            _remember_again(action, was.remembered)
            action.update_tag()


def _put_curves_back(bag: bpy.types.ActionChannelbag, curves: dict[tuple[str, int], _KeptCurve]) -> None:
    for curve in list(bag.fcurves):
        if (curve.data_path, curve.array_index) not in curves:
            bag.fcurves.remove(curve)
    for (path, index), own in curves.items():
        # Any, since the stubs want each choice as a literal.
        curve: Any = versions.ensure_curve(bag, path, index, own.group)
        keys.put_back(curve, own.keys)
        curve.mute, curve.auto_smoothing = own.mute, own.smoothing


def _remember_again(action: bpy.types.Action, remembered: dict[str, Any]) -> None:
    for name in [name for name in action.keys() if name.startswith(_OURS) and name not in remembered]:  # noqa: SIM118
        del action[name]
    for name, value in remembered.items():
        if action.get(name) != value:
            action[name] = value


def _kept(curve: bpy.types.FCurve) -> _KeptCurve:
    group = "" if curve.group is None else curve.group.name
    return _KeptCurve(keys.kept(curve), curve.mute, curve.auto_smoothing, group)
