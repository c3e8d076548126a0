# SPDX-License-Identifier: GPL-3.0-or-later
"""The figures that an action remembers, before and after it was cleaned, for the panel to show.

They are a plain ID property of the action, so that they travel with it and stay with the add-on gone.
"""

from __future__ import annotations

import json
from functools import lru_cache

from bpy.types import Action

from ...solver.metrics import Report
from ..curves.actions import source_of

# JSON: {"before": {figure: value}, "after": {figure: value}}; "after" is missing where nothing was cleaned.
FIGURES = "toehold_figures"

# JSON: {"source": {figure: value}, "lock": {...}, "clean": {...}}.
COMPARISON = "toehold_comparison"

Figures = dict[str, dict[str, float]]


def remember_figures(action: Action, before: Report, after: Report | None = None) -> None:
    """Make ``action`` remember its figures."""
    figures = {"before": before.as_dict()} | ({"after": after.as_dict()} if after else {})
    action[FIGURES] = json.dumps(figures)


def remember_new_figures(action: Action, report: Report) -> None:
    """Put figures measured now in place of those that ``action`` remembers of itself; its source's stay."""
    own = "after" if source_of(action) else "before"
    action[FIGURES] = json.dumps({**figures_of(action), own: report.as_dict()})


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
    """Return what of ``text`` is figures: anybody can edit a property by hand."""
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
