# SPDX-License-Identifier: GPL-3.0-or-later
"""Show the source of a cleaned action, or the cleaned action again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bpy.props import EnumProperty
from bpy.types import Context, Object

from ..rig.flip import flip, show
from ..rig.wording import say
from . import active
from .verb import Verb

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import WmReportItems


class FlipSource(Verb):
    """Change between the cleaned action and the one it was made from. Both stay in the file. Of several cleaned \
actions, the one that was shown last comes back"""

    bl_idname = "toehold.flip_source"
    bl_label = "Flip Before and After"

    @classmethod
    def why_not(cls, context: Context) -> str | None:
        return active.why_no_other_side(context)

    def run(self, context: Context, armature: Object) -> tuple[WmReportItems, str]:
        return "INFO", say("Showing {action}", action=flip(armature).name)


class ShowSide(Verb):
    """Show the action as it was, or as it was made. Both stay in the file"""

    bl_idname = "toehold.show_side"
    bl_label = "Show Source or Result"

    side: EnumProperty(  # type: ignore[valid-type]
        name="Side",
        description="Which of the two is shown",
        items=(
            ("SOURCE", "Source", "The action that the result was made from"),
            ("RESULT", "Result", "The result that was shown last"),
        ),
        default="RESULT",
        options={"SKIP_SAVE"},
    )

    @classmethod
    def why_not(cls, context: Context) -> str | None:
        return active.why_no_other_side(context)

    def run(self, context: Context, armature: Object) -> tuple[WmReportItems, str]:
        return "INFO", say("Showing {action}", action=show(armature, result=self.side == "RESULT").name)
