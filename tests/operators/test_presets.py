# SPDX-License-Identifier: GPL-3.0-or-later
"""Presets of contacts and clean-up: those that come with Toehold, and a user's own."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import pytest

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = sorted((ROOT / "presets" / "toehold").glob("*.py"))


def names(group: Any) -> list[str]:
    return [prop.identifier for prop in group.bl_rna.properties if prop.identifier not in ("rna_type", "name")]


def values(armature: Any) -> dict[str, float]:
    known = armature.toehold
    return {
        f"{group}.{name}": getattr(getattr(known, group), name)
        for group in ("contacts", "cleanup")
        for name in names(getattr(known, group))
    }


def load(preset: Path) -> None:
    bpy.ops.script.execute_preset(filepath=str(preset), menu_idname="TOEHOLD_PT_presets")


@pytest.fixture
def user_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let Blender keep a user's presets in a folder of the test's."""

    def resource(kind: str, *, path: str = "", create: bool = False) -> str:
        folder = tmp_path / kind.lower() / path
        if create:
            folder.mkdir(parents=True, exist_ok=True)
        return str(folder)

    monkeypatch.setattr(bpy.utils, "user_resource", resource)
    return tmp_path / "scripts" / "presets" / "toehold"


def test_blender_lists_the_presets_of_four_kinds_of_motion(registered: ModuleType) -> None:
    folders = [Path(folder) for folder in bpy.utils.preset_paths("toehold")]
    assert ROOT / "presets" / "toehold" in folders
    names = {bpy.path.display_name(preset.name) for preset in SHIPPED}
    assert names == {"Locomotion", "Dance", "AI Generated", "Keyframed Loop"}


@pytest.mark.parametrize("preset", SHIPPED, ids=lambda preset: preset.stem)
def test_a_preset_sets_every_value_within_its_range_and_feet_still_stand(
    walker: bpy.types.Object, preset: Path
) -> None:
    for group in (walker.toehold.contacts, walker.toehold.cleanup):
        for name in names(group):
            setattr(group, name, 0.015625)
    load(preset)
    assert 0.015625 not in values(walker).values()
    bpy.ops.toehold.annotate_contacts()
    report = bpy.ops.toehold.clean()
    assert report == {"FINISHED"}
    assert '"after"' in walker.animation_data.action["toehold_figures"]


def test_locomotion_is_what_toehold_starts_with(walker: bpy.types.Object) -> None:
    before = values(walker)
    load(next(preset for preset in SHIPPED if preset.stem == "Locomotion"))
    assert values(walker) == before


def test_a_users_own_preset_comes_back(walker: bpy.types.Object, user_folder: Path) -> None:
    walker.toehold.cleanup.smoothness = 7.0
    walker.toehold.contacts.height = 0.25
    kept = values(walker)
    bpy.ops.toehold.add_preset(name="My Dog")
    load(next(preset for preset in SHIPPED if preset.stem == "Dance"))
    assert values(walker) != kept
    (preset,) = user_folder.glob("*.py")
    assert bpy.path.display_name(preset.name) == "My Dog"
    load(preset)
    assert values(walker) == pytest.approx(kept)


def test_the_sidebars_header_opens_a_panel_that_blender_knows(registered: ModuleType) -> None:
    from toehold.panels.presets import PresetsPanel

    class Layout:
        emboss = "NORMAL"
        opened = ""

        def popover(self, panel: str, **_: object) -> None:
            self.opened = panel

    layout = Layout()
    PresetsPanel.draw_panel_header(layout)
    assert hasattr(bpy.types, layout.opened)
