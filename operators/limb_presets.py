# SPDX-License-Identifier: GPL-3.0-or-later
"""The limbs of an armature under a name, through Blender's own presets, for others with the same bones.

What is kept is the JSON that ``toehold --limbs`` reads, in a file whose name ends as Blender wants it of presets.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import bpy
from bl_operators.presets import AddPresetBase
from bpy.types import Context, Object, Operator

from .. import settings
from ..files.records import limb_document, limbs_for, read_json, settled
from ..rig.common.wording import CONTEXT, RigError, say
from ..settings.properties import StringProperty
from . import active
from .verb import Verb, counted

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import WmReportItems

# The folder of these presets among all of Blender's, and the panel that lists them.
FOLDER, PANEL = "toehold_limbs", "TOEHOLD_PT_limb_presets"


class AddLimbPreset(AddPresetBase, Operator):  # type: ignore[misc]
    """Keep the limbs of this armature as a preset for others with the same bones, or remove one"""

    bl_idname = "toehold.add_limb_preset"
    bl_label = "Add Limb Preset"
    bl_translation_context = CONTEXT
    preset_menu = PANEL
    preset_subdir = FOLDER

    @classmethod
    def poll(cls, context: Context) -> bool:
        reason = active.why_no_legs(context) or active.why_no_limb(context)
        if reason is not None:
            cls.poll_message_set(say(reason))
        return reason is None

    def add(self, context: Context, filepath: str) -> None:
        """Write the preset, as Blender's own operator asks for it."""
        armature = active.active_armature(context)
        limbs = [] if armature is None else settings.limb_bones(armature)
        text = json.dumps(limb_document(limbs), indent=2, ensure_ascii=False)
        Path(filepath).write_text(f"{text}\n", encoding="utf-8")


class UseLimbPreset(Verb):
    """Take these limbs for the active armature, if it has their bones"""

    bl_idname = "toehold.use_limb_preset"
    bl_label = "Use Limb Preset"

    filepath: StringProperty(  # type: ignore[valid-type]
        name="File",
        description="The preset, or a limbs file of the command",
        subtype="FILE_PATH",
        options={"SKIP_SAVE"},
    )

    @classmethod
    def why_not(cls, context: Context) -> str | None:
        return active.why_no_legs(context)

    def run(self, context: Context, armature: Object) -> tuple[WmReportItems, str]:
        path = Path(bpy.path.abspath(self.filepath))
        limbs = settled(limbs_for(read_json(path), path.name), armature.pose.bones.keys())
        missing = [bone for limb in limbs for bone in limb.bones if bone not in armature.pose.bones]
        if missing:
            raise RigError(
                '"{armature}" lacks bones of these limbs, such as "{bone}": choose limbs made for such an armature',
                armature=armature.name,
                bone=missing[0],
            )
        settings.store_limbs(armature, limbs)
        names = ", ".join(limb.name for limb in limbs)
        return "INFO", say("Took {limbs}: {names}", limbs=counted(len(limbs), "limb"), names=names)


CLASSES = (AddLimbPreset, UseLimbPreset)
