# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact properties that a file has lost are made again when it is loaded.

Blender does not save what is added to a library override's bones; the curves are in the action, and stay.
"""

from __future__ import annotations

from typing import Any

import bpy
from bpy.app.handlers import persistent

from .contact_properties import restore_properties


def register() -> None:
    """Look after files that are loaded."""
    if _after_loading not in bpy.app.handlers.load_post:
        bpy.app.handlers.load_post.append(_after_loading)


def unregister() -> None:
    """Look after them no more."""
    if _after_loading in bpy.app.handlers.load_post:
        bpy.app.handlers.load_post.remove(_after_loading)


@persistent
def _after_loading(*_: Any) -> None:
    for armature in bpy.data.objects:
        if armature.type == "ARMATURE" and armature.is_editable:
            restore_properties(armature)
