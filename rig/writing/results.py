# SPDX-License-Identifier: GPL-3.0-or-later
"""The figures and warnings that an action remembers, before and after it was cleaned, for the panel to show.

They are a plain ID property of the action, so that they travel with it and stay with the add-on gone.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache

from bpy.types import Action

from ...solver.metrics import Report
from ..common import warnings as warned
from ..common.warnings import Warning
from ..contacts.summary import digest_of_keys
from ..curves.actions import source_of

# JSON: {"before": {figure: value}, "after": {figure: value}}; "after" is missing where nothing was cleaned.
FIGURES = "toehold_figures"

# JSON: {"source": {figure: value}, "lock": {...}, "clean": {...}}.
COMPARISON = "toehold_comparison"

# JSON, as rig/common/warnings.py has it: what was told of the action beside its figures.
WARNINGS = "toehold_warnings"

# By moment and name; None is what cannot be told.
Figures = Mapping[str, Mapping[str, float | None]]


# What the contact curves were like when the figures were found.
CONTACTS = "toehold_figures_of"


def remember_figures(action: Action, before: Report, after: Report, warnings: Sequence[Warning] = ()) -> None:
    """Make ``action`` remember its figures and what was told besides."""
    action[FIGURES] = json.dumps({"before": before.as_dict(), "after": after.as_dict()})
    action[CONTACTS] = str(digest_of_keys(action))
    _remember_warnings(action, warnings)


def remember_new_figures(action: Action, report: Report, warnings: Sequence[Warning] = ()) -> None:
    """Put figures and warnings found now in place of those that ``action`` remembers of itself; its source's stay."""
    own = "after" if source_of(action) else "before"
    action[FIGURES] = json.dumps({**figures_of(action), own: report.as_dict()})
    action[CONTACTS] = str(digest_of_keys(action))
    _remember_warnings(action, warnings)


def forget_figures(action: Action) -> None:
    """Let ``action`` remember no figures and no warnings."""
    for name in (FIGURES, WARNINGS, CONTACTS):
        if action.get(name) is not None:
            del action[name]


def warnings_of(action: Action) -> tuple[Warning, ...]:
    """Return the warnings that ``action`` remembers. Cheap enough to ask at every redraw."""
    text = action.get(WARNINGS)
    return warned.from_json(text) if isinstance(text, str) else ()


def contacts_were_edited(result: Action) -> bool:
    """Whether the contacts of a result are not those that it was made with. Cheap enough to ask at every redraw."""
    told = result.get(CONTACTS)
    return source_of(result) is not None and told is not None and told != str(digest_of_keys(result))


def _remember_warnings(action: Action, warnings: Sequence[Warning]) -> None:
    if warnings:
        action[WARNINGS] = warned.as_json(warnings)
    elif action.get(WARNINGS) is not None:
        del action[WARNINGS]


def remember_comparison(action: Action, figures: Figures) -> None:
    """Make ``action`` remember what a game's lock and the clean-up make of it."""
    action[COMPARISON] = json.dumps(figures)


def comparison_of(action: Action) -> Figures:
    """Return what ``remember_comparison`` has noted, empty where nothing is. Cheap enough to ask at every redraw."""
    text = action.get(COMPARISON)
    return _parsed(text) if isinstance(text, str) else {}


def figures_of(action: Action) -> Figures:
    """Return the figures that ``action`` remembers, empty if none. Cheap enough to ask at every redraw."""
    text = action.get(FIGURES)
    return _parsed(text) if isinstance(text, str) else {}


@lru_cache(maxsize=16)
def _parsed(text: str) -> Figures:
    """Return what of ``text`` is figures: a property can be edited by hand."""
    try:
        stored = json.loads(text)
    except ValueError:
        return {}
    if not isinstance(stored, dict):
        return {}
    return {
        moment: {name: value for name, value in figures.items() if isinstance(value, int | float)}
        for moment, figures in stored.items()
        if isinstance(figures, dict)
    }
