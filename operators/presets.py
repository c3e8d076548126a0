# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of contacts and clean-up under a name, through Blender's own presets.

Those in the folder ``presets`` come with Toehold; what a user adds goes where Blender keeps all presets of a user.
"""

from __future__ import annotations

from pathlib import Path

import bpy
from bl_operators.presets import AddPresetBase
from bpy.types import Context, Operator

from .. import settings
from ..rig.common.wording import CONTEXT
from . import active

# The folder of these presets among all of Blender's, and the panel that lists them.
FOLDER, PANEL = "toehold", "TOEHOLD_PT_presets"

# Where the folder "presets" is that comes with Toehold.
SHIPPED = str(Path(__file__).parents[1])


class AddPreset(AddPresetBase, Operator):  # type: ignore[misc]
    """Keep the settings of Contacts and Clean as a preset, or remove one"""

    bl_idname = "toehold.add_preset"
    bl_label = "Add Toehold Preset"
    bl_translation_context = CONTEXT
    preset_menu = PANEL
    preset_subdir = FOLDER
    preset_defines = ("settings = bpy.context.view_layer.objects.active.toehold",)
    preset_values = tuple(
        f"settings.{group}.{name}"
        for group, kinds in (
            ("contacts", (settings.ToeholdContactSettings,)),
            ("cleanup", (settings.CleanupValues, settings.FootPitch)),
        )
        for kind in kinds
        for name in kind.__annotations__
    )

    @classmethod
    def poll(cls, context: Context) -> bool:
        return active.why_no_legs(context) is None


CLASSES = (AddPreset,)


def register() -> None:
    """Let Blender find the presets that come with Toehold."""
    unregister()
    bpy.utils.register_preset_path(SHIPPED)


def unregister() -> None:
    """Let Blender look for them no more."""
    if any(Path(path).parents[1] == Path(SHIPPED) for path in bpy.utils.preset_paths(FOLDER)):
        bpy.utils.unregister_preset_path(SHIPPED)
