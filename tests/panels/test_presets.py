# SPDX-License-Identifier: GPL-3.0-or-later
"""The button of the presets in the header of the sidebar's panel."""

from __future__ import annotations

from types import ModuleType, SimpleNamespace

import pytest

bpy = pytest.importorskip("bpy")


def test_the_button_asks_for_a_panel_that_blender_knows(registered: ModuleType) -> None:
    from toehold.panels.presets import PresetsPanel

    asked: list[str] = []
    layout = SimpleNamespace(emboss="", popover=lambda panel, **_: asked.append(panel))
    PresetsPanel.draw_panel_header(layout)
    assert len(asked) == 1
    assert hasattr(bpy.types, asked[0]), "Blender draws no button for a panel that it does not know"
