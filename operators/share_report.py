# SPDX-License-Identifier: GPL-3.0-or-later
"""Take the figures of the active action elsewhere: to the clipboard, or into a file."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bpy.types import Action, Context, Event, Object
from bpy_extras.io_utils import ExportHelper

from ..files import report_text
from ..files.report_text import ReportText
from ..rig.common.wording import RigError, say
from ..rig.writing.results import figures_of
from ..settings.properties import EnumProperty, StringProperty
from . import active
from .contact_list import contacts_of
from .verb import Verb, counted
from .warned import advice, shown_warnings

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import WmReportItems


class CopyReport(Verb):
    """Copy the figures and the list of contacts to the clipboard, as text"""

    bl_idname = "toehold.copy_report"
    bl_label = "Copy Report"
    # Nothing in the file changes.
    bl_options = {"REGISTER"}  # noqa: RUF012 (Blender's own way)

    @classmethod
    def why_not(cls, context: Context) -> str | None:
        return active.why_no_figures(context)

    def run(self, context: Context, armature: Object) -> tuple[WmReportItems, str]:
        report = _report(context, armature)
        context.window_manager.clipboard = report_text.as_text(report)
        return "INFO", say("Copied the figures of {count}", count=counted(len(report.contacts), "contact"))


class ExportReport(Verb, ExportHelper):
    """Write the figures and the list of contacts into a file"""

    bl_idname = "toehold.export_report"
    bl_label = "Export Report"
    bl_options = {"REGISTER"}  # noqa: RUF012 (Blender's own way)

    filename_ext = ".json"

    filter_glob: StringProperty(  # type: ignore[valid-type]
        name="Files Shown",
        description="Which files are listed",
        default="*.json;*.csv",
        options={"HIDDEN"},
    )
    filepath: StringProperty(  # type: ignore[valid-type]
        name="File Path",
        description="The file to write",
        subtype="FILE_PATH",
    )
    file_format: EnumProperty(  # type: ignore[valid-type]
        name="Format",
        description="What the file is for",
        items=(
            ("JSON", "JSON", "For programs"),
            ("CSV", "CSV", "For spreadsheets: a table of the figures, and one of the contacts"),
        ),
        default="JSON",
    )

    @classmethod
    def why_not(cls, context: Context) -> str | None:
        return active.why_no_figures(context)

    def invoke(self, context: Context, event: Event) -> Any:
        action = active.active_action(context)
        if not self.filepath and action is not None:
            self.filepath = f"{action.name} report{self.filename_ext}"
        return ExportHelper.invoke(self, context, event)

    def check(self, context: Context) -> bool:
        """Give the file the ending of the format that was chosen."""
        wanted = str(Path(self.filepath).with_suffix(f".{self.file_format.lower()}"))
        changed = wanted != self.filepath
        self.filepath = wanted
        return changed

    def run(self, context: Context, armature: Object) -> tuple[WmReportItems, str]:
        path = Path(self.filepath)
        write = report_text.as_csv if self.file_format == "CSV" else report_text.as_json
        try:
            path.write_text(write(_report(context, armature)), encoding="utf-8")
        except OSError as error:
            raise RigError(
                "{file} could not be written ({reason}): choose another folder", file=path.name, reason=error.strerror
            ) from error
        return "INFO", say("Wrote {file}", file=path.name)


def _report(context: Context, armature: Object) -> ReportText:
    """Return what the panel shows of the active action."""
    action: Any = active.active_action(context)
    assert isinstance(action, Action)
    contacts = [asdict(contact) for contact in contacts_of(action)]
    told = [warning.record() | {"text": advice(warning)} for warning in shown_warnings(armature, action)]
    return ReportText(armature.name, action.name, figures_of(action), contacts, told)
