# SPDX-License-Identifier: GPL-3.0-or-later
"""The lists of presets that open from the headers of the sidebar's panel and of its limbs."""

from __future__ import annotations

from bl_ui.utils import PresetPanel
from bpy.types import Panel, UILayout

from ..operators import limb_presets, presets
from ..rig.common.wording import CONTEXT


class PresetsPanel(PresetPanel, Panel):
    """Settings of contacts and clean-up by their names."""

    bl_idname = presets.PANEL
    bl_label = "Toehold Presets"
    bl_translation_context = CONTEXT
    bl_space_type = "VIEW_3D"
    preset_subdir = presets.FOLDER
    preset_operator = "script.execute_preset"
    preset_add_operator = presets.AddPreset.bl_idname

    @classmethod
    def draw_panel_header(cls, layout: UILayout) -> None:
        _draw_button(layout, cls.bl_idname)


class LimbPresetsPanel(PresetPanel, Panel):
    """Limbs of armatures by their names."""

    bl_idname = limb_presets.PANEL
    bl_label = "Limb Presets"
    bl_translation_context = CONTEXT
    bl_space_type = "VIEW_3D"
    preset_subdir = limb_presets.FOLDER
    preset_operator = limb_presets.UseLimbPreset.bl_idname
    preset_add_operator = limb_presets.AddLimbPreset.bl_idname

    @classmethod
    def draw_panel_header(cls, layout: UILayout) -> None:
        _draw_button(layout, cls.bl_idname)


def _draw_button(layout: UILayout, panel: str) -> None:
    """Draw the button that opens a list; Blender's own asks for a panel of the class's name, ours have others."""
    layout.emboss = "NONE"
    layout.popover(panel=panel, icon="PRESET", text="")


CLASSES = (PresetsPanel, LimbPresetsPanel)
