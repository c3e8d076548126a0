# SPDX-License-Identifier: GPL-3.0-or-later
"""Which contacts a person has selected, by bones or by keys."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import bpy
import numpy as np

from ...solver.contacts import PLANTED
from .. import versions
from ..contacts.contact_properties import CONTACT, STATE, curve_of
from ..curves.channels import Channels, all_channels_of, key_coordinates
from ..limb_bones import LimbBones
from ..writing.control_owners import limbs_of_controls


def selected_bones(armature: bpy.types.Object) -> set[str]:
    """Return the names of the bones that are selected in the pose."""
    return {bone.name for bone in armature.pose.bones if versions.is_selected(bone)}


def limbs_of_selected_bones(armature: bpy.types.Object, limbs: Sequence[LimbBones]) -> list[int]:
    """Return the limbs, by index, of which a bone from hip to toes is selected, or a control that moves that limb."""
    selected = selected_bones(armature)
    return limbs_of_controls(armature, limbs, selected) if selected else []


def selected_spans(
    armature: bpy.types.Object, limbs: Sequence[LimbBones], points: Collection[str]
) -> dict[int, tuple[int, int]]:
    """Return first and last frame of the selected contact keys of each limb that has any, by the limb's index.

    Where both keys of an edge are selected, the edge itself bounds the span: what was selected is one contact.
    """
    channels = all_channels_of(armature)
    spans = {}
    for at, limb in enumerate(limbs):
        bounds = [
            bound
            for point in points
            for name in (CONTACT[point], STATE[point])
            if (bound := _selected_bounds(channels, limb, name)) is not None
        ]
        if bounds:
            spans[at] = min(first for first, _ in bounds), max(last for _, last in bounds)
    return spans


def _selected_bounds(channels: Channels, limb: LimbBones, name: str) -> tuple[int, int] | None:
    curve = curve_of(channels, limb, name)
    if curve is None or curve.hide:
        return None
    points = curve.keyframe_points
    flags = np.zeros(len(points), dtype=np.bool_)
    points.foreach_get("select_control_point", flags)
    chosen = np.flatnonzero(flags)
    if len(chosen) == 0:
        return None
    keys = key_coordinates(curve)
    first, last = keys[chosen[0], 0], keys[chosen[-1], 0]
    planted = keys[:, 1] > PLANTED
    if len(chosen) > 2 and name in CONTACT.values():
        if chosen[1] == chosen[0] + 1 and planted[chosen[0]] != planted[chosen[1]]:
            first = keys[chosen[:2], 0].mean()
        if chosen[-1] == chosen[-2] + 1 and planted[chosen[-1]] != planted[chosen[-2]]:
            last = keys[chosen[-2:], 0].mean()
    # Frames that a key is a thousandth beside are meant all the same.
    return int(np.ceil(first - 1e-3)), int(np.floor(last + 1e-3))
