# SPDX-License-Identifier: GPL-3.0-or-later
"""Set the floor to the height at which the clip stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bpy.types import Context, Object

from .. import settings
from ..rig.common.wording import say
from ..settings.properties import FloatProperty
from . import active
from .verb import Verb

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import WmReportItems


class UseGroundHeight(Verb):
    """Set Ground Height to where the clip stands"""

    bl_idname = "toehold.use_ground_height"
    bl_label = "Use as Ground Height"

    height: FloatProperty(  # type: ignore[valid-type]
        name="Height",
        description="Height in the world of the floor that the clip stands on",
        subtype="DISTANCE",
    )

    @classmethod
    def why_not(cls, context: Context) -> str | None:
        return active.why_no_legs(context)

    def run(self, context: Context, armature: Object) -> tuple[WmReportItems, str]:
        settings.set_ground_height(armature, self.height)
        return "INFO", say("Ground Height is {height:+.2f} m: measure or clean again", height=self.height)
