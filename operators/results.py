# SPDX-License-Identifier: GPL-3.0-or-later
"""Between a result and its source: show one or the other, put the source back, keep the result as a version."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bpy.types import Context, Object

from ..rig.common.wording import say
from ..rig.verbs.flip import flip, restore_source, show
from ..settings.properties import EnumProperty
from . import active
from .verb import Verb

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import WmReportItems
from ..rig.curves.channels import active_action
from ..rig.writing.one_result import is_version, keep_as_version


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


class RestoreSource(Verb):
    """Put the action back that the cleaned one was made from. The cleaned one stays in the file"""

    bl_idname = "toehold.restore_source"
    bl_label = "Restore Source"

    @classmethod
    def why_not(cls, context: Context) -> str | None:
        return active.why_no_source(context)

    def run(self, context: Context, armature: Object) -> tuple[WmReportItems, str]:
        source = restore_source(armature)
        if source is None:
            return "INFO", say("Restored the NLA strips")
        return "INFO", say("Restored {action}", action=source.name)


class KeepVersion(Verb):
    """Keep this result when the button that made it is pressed again: the next one is made beside it. A result that \
you have edited is always kept"""

    bl_idname = "toehold.keep_version"
    bl_label = "Keep as Version"

    @classmethod
    def why_not(cls, context: Context) -> str | None:
        reason = active.why_no_source(context) or active.why_no_change(context)
        action = active.active_action(context)
        if reason is None and action is not None and is_version(action):
            return active.IS_VERSION
        return reason

    def run(self, context: Context, armature: Object) -> tuple[WmReportItems, str]:
        result = active_action(armature)
        keep_as_version(result)
        return "INFO", say("{action} is kept as a version", action=result.name)
