# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of the comparison: which figures of which ways it has, for the panel and for the viewport."""

from __future__ import annotations

from collections.abc import Sequence

from bpy.app.translations import pgettext_n as n_

from ..operators.verb import figure
from ..rig.writing.results import Figures

# Figures: name and label.
COMPARED = (
    ("slide_mm_s", n_("Slide mm/s")),
    ("slide_max_mm_s", n_("Worst mm/s")),
    ("drift_mm", n_("Drift mm")),
    ("lag_mm", n_("Lag mm")),
    ("knee_pop_deg_s", n_("Knee Pop °/s")),
    ("pose_change_mean_deg", n_("Change °")),
    ("pose_change_max_deg", n_("Largest °")),
    ("unreached_mm", n_("Missed mm")),
)
MAIN = tuple(row for row in COMPARED if row[0] in ("slide_mm_s", "lag_mm", "knee_pop_deg_s", "pose_change_mean_deg"))
WAYS = (("source", n_("Source")), ("lock", n_("Lock")), ("clean", n_("Clean")))


def cells(compared: Figures, names: Sequence[str]) -> list[list[str]]:
    """Return a row for each figure with a cell for each way; a dash where one is not known."""
    found = [[compared.get(way, {}).get(name) for way, _ in WAYS] for name in names]
    return [["-" if value is None else figure(value) for value in row] for row in found]
