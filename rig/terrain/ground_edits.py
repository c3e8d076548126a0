# SPDX-License-Identifier: GPL-3.0-or-later
"""Edits of what feet stand on, as the dependency graph tells them."""

from __future__ import annotations

from collections.abc import Collection

import bpy


def was_edited(ground: Collection[str], depsgraph: bpy.types.Depsgraph) -> bool:
    """Whether one of the objects named was moved, edited, shown or hidden, or may have left its collection."""
    if not ground or not (depsgraph.id_type_updated("OBJECT") or depsgraph.id_type_updated("COLLECTION")):
        return False
    return any(
        isinstance(update.id, bpy.types.Collection)
        or (update.id.name in ground and (update.is_updated_transform or update.is_updated_geometry))
        for update in depsgraph.updates
        if isinstance(update.id, bpy.types.Object | bpy.types.Collection)
    )
