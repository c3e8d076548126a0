# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact properties that a file has lost: saving a library override forgets properties that its library has not got.

Their curves stay, in the override's own action, and the properties are made again from them when a file is opened.
"""

from __future__ import annotations

import bpy
from bpy.app.handlers import persistent

from .contact_properties import restore_properties
from .contact_summary import SUMMARY


def register() -> None:
    """Watch for files that are opened; once, however often it is called."""
    unregister()
    bpy.app.handlers.load_post.append(_after_loading)


def unregister() -> None:
    """Watch no longer."""
    if _after_loading in bpy.app.handlers.load_post:
        bpy.app.handlers.load_post.remove(_after_loading)


@persistent
def _after_loading(*_: object) -> None:
    for armature in bpy.data.objects:
        animation = armature.animation_data
        action = None if animation is None else animation.action
        # Actions without a summary have no contacts of ours: most need not be looked at.
        if armature.type == "ARMATURE" and action is not None and SUMMARY in action and armature.is_editable:
            restore_properties(armature)
