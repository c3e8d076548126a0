# SPDX-License-Identifier: GPL-3.0-or-later
"""The lists of presets that open from the headers of the sidebar's panel and of its limbs."""

from __future__ import annotations

from bl_ui.utils import PresetPanel
from bpy.types import Panel, UILayout

from ..operators import limb_presets, presets


class _Opened(PresetPanel):
    """A list that a button opens."""

    bl_space_type = "VIEW_3D"

    @classmethod
    def draw_panel_header(cls, layout: UILayout) -> None:
        """Draw the button that opens the list; Blender's own asks for a panel of the class's name, ours has another."""
        layout.emboss = "NONE"
        layout.popover(panel=cls.bl_idname, icon="PRESET", text="")


class PresetsPanel(_Opened, Panel):
    """Settings of contacts and clean-up by their names."""

    bl_idname = presets.PANEL
    bl_label = "Toehold Presets"
    preset_subdir = presets.FOLDER
    preset_operator = "script.execute_preset"
    preset_add_operator = presets.AddPreset.bl_idname


class LimbPresetsPanel(_Opened, Panel):
    """Limbs of armatures by their names."""

    bl_idname = limb_presets.PANEL
    bl_label = "Limb Presets"
    preset_subdir = limb_presets.FOLDER
    preset_operator = limb_presets.UseLimbPreset.bl_idname
    preset_add_operator = limb_presets.AddLimbPreset.bl_idname


CLASSES = (PresetsPanel, LimbPresetsPanel)
