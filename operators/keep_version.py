# SPDX-License-Identifier: GPL-3.0-or-later
"""Keep the result that is shown beside the next one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bpy.types import Context, Object

from ..rig.curves.channels import active_action
from ..rig.wording import say
from ..rig.writing.one_result import is_version, keep_as_version
from . import active
from .verb import Verb

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import WmReportItems


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
