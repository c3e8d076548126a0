# SPDX-License-Identifier: GPL-3.0-or-later
"""Show on the armature what a game's foot lock does to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bpy.types import Context, Object

from .. import settings
from ..rig.common.wording import say
from ..rig.shown.preview import preview
from . import active
from .verb import Verb, counted, keep_legs

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import WmReportItems


class PreviewLock(Verb):
    """Show in the viewport, on any frame, what a game's foot lock does to the action, or show the action again. \
Nothing is keyed, and saved files never contain it: use Bake Lock for that"""

    bl_idname = "toehold.preview_lock"
    bl_label = "Preview Lock"
    # What is shown is no edit: undo goes back through edits and leaves the preview on.
    bl_options = {"REGISTER"}  # noqa: RUF012 (Blender's own way)

    @classmethod
    def why_not(cls, context: Context) -> str | None:
        armature = active.active_armature(context)
        if armature is not None and armature.name == preview.armature:
            return None
        return active.why_no_new_action(context)

    def run(self, context: Context, armature: Object) -> tuple[WmReportItems, str]:
        if armature.name == preview.armature:
            preview.stop()
            return "INFO", say("The action is shown as it is")
        limbs, _ = settings.legs_and_options(armature)
        keep_legs(armature, limbs)
        played = preview.start(armature, settings.legs_and_options, settings.shows_in_renders)
        if not played.locked.any():
            return "WARNING", say("No foot is ever held: raise Toe Speed or Lock Distance, or check the legs")
        return "INFO", say("The lock is shown on {count}", count=counted(len(limbs), "leg"))
