# SPDX-License-Identifier: GPL-3.0-or-later
"""Put the action back that a cleaned one was made from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bpy.types import Context, Object

from ..rig import journey
from ..rig.wording import say
from . import active
from .verb import Verb

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import WmReportItems


class RestoreSource(Verb):
    """Put the action back that the cleaned one was made from. The cleaned one stays in the file"""

    bl_idname = "toehold.restore_source"
    bl_label = "Restore Source"

    @classmethod
    def why_not(cls, context: Context) -> str | None:
        return active.why_no_source(context)

    def run(self, context: Context, armature: Object) -> tuple[WmReportItems, str]:
        source = journey.restore_source(armature)
        if source is None:
            return "INFO", say("Restored the NLA strips")
        return "INFO", say("Restored {action}", action=source.name)
