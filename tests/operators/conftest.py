# SPDX-License-Identifier: GPL-3.0-or-later
"""An armature that walks and slides, for every operator to work on."""

from __future__ import annotations

from types import ModuleType

import pytest

bpy = pytest.importorskip("bpy")

SLIDE_MM_S = 200.0


@pytest.fixture
def walker(registered: ModuleType) -> bpy.types.Object:
    """An armature whose planted feet all slide at 200 mm/s, active and selected, in an otherwise empty scene."""
    from support.walker import walk
    from support.walker_armature import walking_armature

    return walking_armature(walk(strides=2.0, slide_mm_s=SLIDE_MM_S))


@pytest.fixture(autouse=True)
def menu_names(registered: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give the menus of presets their names back, which Blender sets to that of the preset chosen last."""
    for menu in (bpy.types.TOEHOLD_PT_presets, bpy.types.TOEHOLD_PT_limb_presets):
        monkeypatch.setattr(menu, "bl_label", menu.bl_label)
