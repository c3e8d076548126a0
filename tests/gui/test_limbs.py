# SPDX-License-Identifier: GPL-3.0-or-later
"""An animator finds hands, corrects a bone with the eyedropper and keeps the limbs as a preset, with the mouse."""

from __future__ import annotations

from pathlib import Path

import pytest
from gui.window import Run, run_script

bpy = pytest.importorskip("bpy")


@pytest.fixture(scope="module")
def window(profile: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    from support.acrobat import crawl
    from support.walker_armature import walking_armature

    folder = tmp_path_factory.mktemp("limbs")
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    walking_armature(crawl(slide_mm_s=150.0), name="Crawler")
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "crawler.blend"))
    return run_script(profile, Path(__file__).parent / "scripts" / "limbs.py", folder)


def test_a_click_finds_legs_and_hands(window: Run) -> None:
    assert window.seen["found"] == ["Left Leg", "Right Leg", "Left Hand", "Right Hand"]


def test_the_eyedropper_takes_the_active_bone_and_refuses_another_limbs(window: Run) -> None:
    assert window.seen["picked"] == "LeftHand"
    assert window.seen["refused"] == "LeftForeArm"


def test_a_preset_is_in_the_list_that_opens(window: Run) -> None:
    assert window.seen["presets"] == ["Crawler.py"]
