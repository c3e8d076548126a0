# SPDX-License-Identifier: GPL-3.0-or-later
"""Hand contacts, locks and footsteps to a game engine, or mark them in the timeline."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from bpy.types import Context, Event, Object
from bpy_extras.io_utils import ExportHelper

from .. import settings
from ..files.engine_text import WRITERS
from ..files.placing import write_bytes
from ..rig.common.wording import RigError, say
from ..rig.verbs.markers import footsteps_of, mark_footsteps
from ..settings.properties import EnumProperty, StringProperty
from . import active
from .verb import Verb, counted, keep_legs, legs_at_hand

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems, WmReportItems

# Which writer each choice stands for.
_FORMATS = {
    "JSON": "json",
    "CSV": "csv",
    "UNREAL_JSON": "unreal-json",
    "UNREAL_CSV": "unreal-csv",
    "UNITY": "unity",
    "GODOT": "godot",
}


class ExportContacts(ExportHelper, Verb):
    """Write when each foot touches the ground, is planted and is held, for a game engine or for other programs"""

    bl_idname = "toehold.export_contacts"
    bl_label = "Export Contacts"
    bl_options = {"REGISTER"}  # noqa: RUF012 (Blender's own way)

    filename_ext = ".json"

    filter_glob: StringProperty(  # type: ignore[valid-type]
        name="Files Shown",
        description="Which files are listed",
        default="*.json;*.csv;*.tres",
        options={"HIDDEN"},
    )
    file_format: EnumProperty(  # type: ignore[valid-type]
        name="Format",
        description="What the file is for",
        items=(
            ("JSON", "JSON", "Touches, contacts, locks and events with frame, time, position and normal"),
            ("CSV", "CSV", "One row an event, for spreadsheets"),
            ("UNREAL_JSON", "Unreal Curve Table (JSON)", "A curve of 0 to 1 for each foot, and the speed in cm/s"),
            ("UNREAL_CSV", "Unreal Curve Table (CSV)", "A curve of 0 to 1 for each foot, and the speed in cm/s"),
            ("UNITY", "Unity Animation Events", "A call of OnFootStrike and OnFootOff for each step, as JSON"),
            ("GODOT", "Godot Animation", "A method track that calls on_foot_strike and on_foot_off"),
        ),
        default="JSON",
    )

    @classmethod
    def why_not(cls, context: Context) -> str | None:
        return active.why_no_motion(context)

    def invoke(self, context: Context, event: Event) -> set[OperatorReturnItems]:  # type: ignore[override]
        action = active.active_action(context)
        if not self.filepath and action is not None:  # type: ignore[has-type]
            self.filepath = f"{action.name} contacts{self._ending}"
        return super().invoke(context, event)  # type: ignore[return-value]

    def check(self, context: Context) -> bool:
        """Give the file the ending of the format that was chosen."""
        wanted = str(Path(self.filepath).with_suffix(self._ending))
        changed = wanted != self.filepath
        self.filepath = wanted
        return changed

    def run(self, context: Context, armature: Object) -> tuple[WmReportItems, str]:
        limbs = legs_at_hand(armature)
        data = footsteps_of(armature, limbs, settings.journey_options(armature))
        write, _ = WRITERS[_FORMATS[self.file_format]]
        path = Path(self.filepath)
        try:
            write_bytes(path, write(data).encode())
        except OSError as error:
            raise RigError(
                "{file} could not be written ({reason}): choose another folder", file=path.name, reason=error.strerror
            ) from error
        return "INFO", say("Wrote {count} to {file}", count=counted(len(data.events), "event"), file=path.name)

    @property
    def _ending(self) -> str:
        return WRITERS[_FORMATS[self.file_format]][1]


class MarkFootsteps(Verb):
    """Put a marker into the timeline wherever a foot strikes the ground and leaves it, in place of earlier ones"""

    bl_idname = "toehold.mark_footsteps"
    bl_label = "Mark Footsteps"

    @classmethod
    def why_not(cls, context: Context) -> str | None:
        return active.why_no_motion(context)

    def run(self, context: Context, armature: Object) -> tuple[WmReportItems, str]:
        limbs = legs_at_hand(armature)
        steps = footsteps_of(armature, limbs, settings.journey_options(armature))
        keep_legs(armature, limbs)
        scene: Any = context.scene
        marked = mark_footsteps(scene, steps)
        return "INFO", say("Put {count} into the timeline", count=counted(marked, "marker"))
