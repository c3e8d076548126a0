# SPDX-License-Identifier: GPL-3.0-or-later
"""What an action remembers of its making: the action that it was cleaned from, and its figures before and after.

Both are plain ID properties of the action, so that they travel with it and stay with the add-on gone.
"""

from __future__ import annotations

import json
from functools import lru_cache

from bpy.types import Action

from ..solver.metrics import Report

# A pointer to the source action. It counts as a user, so that Blender does not drop the source when it saves.
SOURCE = "toehold_source"
# JSON: {"before": {figure: value}, "after": {figure: value}}; "after" is missing where nothing was cleaned.
FIGURES = "toehold_figures"

Figures = dict[str, dict[str, float]]


def remember_source(action: Action, source: Action) -> None:
    """Make ``action`` remember that it was made from ``source``."""
    action[SOURCE] = source


def source_of(action: Action) -> Action | None:
    """Return the action that ``action`` was made from, None if it was not made so or its source is gone."""
    source = action.get(SOURCE)
    return source if isinstance(source, Action) else None


def remember_figures(action: Action, before: Report, after: Report | None = None) -> None:
    """Make ``action`` remember its figures."""
    figures = {"before": before.as_dict()} | ({"after": after.as_dict()} if after else {})
    action[FIGURES] = json.dumps(figures)


def remember_new_figures(action: Action, report: Report) -> None:
    """Put figures measured now in place of those that ``action`` remembers of itself; those of its source stay."""
    own = "after" if source_of(action) else "before"
    action[FIGURES] = json.dumps({**figures_of(action), own: report.as_dict()})


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
