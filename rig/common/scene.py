# SPDX-License-Identifier: GPL-3.0-or-later
"""What a clip takes from its scene: frame rate, and the unit that its figures are in (it may be a centimetre)."""

from __future__ import annotations

from collections.abc import Sequence

import bpy

from ...solver import metrics
from ...solver.clip import Clip
from ...solver.contacts import Contacts
from ...solver.ground import Ground
from ...solver.limb import Limb
from ...solver.metrics import Report
from ...solver.rotations import FloatArray


def frames_per_second() -> float:
    """Return the frame rate of the scene."""
    render = bpy.context.scene.render
    return float(render.fps / render.fps_base)


def metres_per_unit() -> float:
    """Return how long a unit of the scene is, by its unit settings."""
    units = bpy.context.scene.unit_settings
    return 1.0 if units.system == "NONE" else float(units.scale_length)


def report_of(
    clip: Clip,
    limbs: Sequence[Limb],
    contacts: Contacts,
    ground: Ground,
    source: Clip | None = None,
    toe_targets: FloatArray | None = None,
    off_ground: float = 0.0,
) -> Report:
    """Return what ``metrics.measure`` does, its millimetres being those of the scene."""
    report = metrics.measure(clip, limbs, contacts, ground, source, toe_targets, off_ground)
    return report.scaled(metres_per_unit())
