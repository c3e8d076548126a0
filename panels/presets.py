# SPDX-License-Identifier: GPL-3.0-or-later
"""The list of presets that opens from the header of the sidebar's panel."""

from __future__ import annotations

from bl_ui.utils import PresetPanel
from bpy.types import Panel, UILayout

from ..operators.presets import FOLDER, PANEL, AddPreset


class PresetsPanel(PresetPanel, Panel):
    """Settings of contacts and clean-up by their names."""

    bl_idname = PANEL
    bl_label = "Toehold Presets"
    bl_space_type = "VIEW_3D"
    preset_subdir = FOLDER
    preset_operator = "script.execute_preset"
    preset_add_operator = AddPreset.bl_idname

    @classmethod
    def draw_panel_header(cls, layout: UILayout) -> None:
        """Draw the button that opens the list; Blender's own asks for a panel of the class's name, ours has another."""
        layout.emboss = "NONE"
        layout.popover(panel=cls.bl_idname, icon="PRESET", text="")


CLASSES = (PresetsPanel,)
