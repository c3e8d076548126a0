# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar shows each warning whole, with what mends it, and has no section for them where there is none."""

from __future__ import annotations

from types import ModuleType, SimpleNamespace
from typing import Any

import bpy
import numpy as np
import pytest

from support import grounds
from support.ground_objects import add_terrain
from support.recorder import Recorder, draw, texts
from support.walker import limb_bones, walk
from support.walker_armature import walking_armature
from toehold.rig.common.warnings import Warning
from toehold.rig.common.wording import RigError
from toehold.rig.verbs import journey
from toehold.rig.verbs.journey import Options
from toehold.rig.writing import results
from toehold.solver.contacts import Contacts


@pytest.fixture
def walker(registered: ModuleType) -> bpy.types.Object:
    return walking_armature(walk(strides=2.0, slide_mm_s=200.0))


def told() -> str:
    """Return what the section of warnings says, in one line."""
    return " ".join(texts(draw()["Warnings"]))


def operators() -> list[str]:
    return [name for kind, name in draw()["Warnings"] if kind == "operator"]


def remember(armature: bpy.types.Object, *warnings: Warning) -> None:
    """Let the armature's action remember figures with these warnings."""
    measured = journey.measure(armature, limb_bones(), Options())
    results.remember_new_figures(armature.animation_data.action, measured.report, warnings)


@pytest.mark.parametrize("verb", ["report", "annotate_contacts", "clean", "bake_lock"])
def test_there_is_no_section_where_there_is_no_warning(walker: bpy.types.Object, verb: str) -> None:
    assert getattr(bpy.ops.toehold, verb)() == {"FINISHED"}
    assert "Warnings" not in draw()


def test_the_section_comes_first(walker: bpy.types.Object) -> None:
    remember(walker, Warning("no-contacts"))
    assert list(draw())[:2] == ["Toehold", "Warnings"]


def test_where_no_foot_is_planted_toe_speed_can_be_set_and_contacts_found_again(walker: bpy.types.Object) -> None:
    remember(walker, Warning("no-contacts"))
    assert "No foot is ever planted: raise Toe Speed, or check the legs" in told()
    assert ("prop", "toe_share") in draw()["Warnings"]
    assert operators() == ["toehold.annotate_contacts"]
    bpy.ops.toehold.annotate_contacts()
    assert "Warnings" not in draw()


def test_feet_deep_in_the_ground_are_told_with_the_button_that_mends_it(walker: bpy.types.Object) -> None:
    walker.toehold.ground.object = add_terrain(grounds.ramp(10.0))
    bpy.ops.toehold.clean()
    assert "mm deep in the ground objects: use Adapt to Ground first" in told()
    assert "toehold.adapt_to_ground" in operators()


def test_legs_of_an_impossible_length_are_told_with_the_unit_that_mends_it(walker: bpy.types.Object) -> None:
    walker.scale = (100.0,) * 3
    bpy.context.view_layer.update()
    bpy.ops.toehold.report()
    assert "The legs are 88 m long" in told()
    assert ("prop", "scale_length") in draw()["Warnings"]
    bpy.context.scene.unit_settings.scale_length = 0.01
    bpy.ops.toehold.report()
    assert "Warnings" not in draw()


def test_a_floor_of_the_clips_own_becomes_ground_height_by_a_click(walker: bpy.types.Object) -> None:
    remember(walker, Warning("other-floor", {"height": -0.3, "asked": 0.0}))
    assert "The clip stands on a floor of its own at -0.30 m" in told()
    assert operators() == ["toehold.use_ground_height"]
    assert bpy.ops.toehold.use_ground_height(height=-0.3) == {"FINISHED"}
    assert walker.toehold.ground_height == pytest.approx(-0.3)


def test_the_slot_that_moves_the_armature_is_one_click_away(walker: bpy.types.Object) -> None:
    animation = walker.animation_data
    right = animation.action_slot
    animation.action_slot = animation.action.slots.new("OBJECT", "Camera")
    assert f'Slot "{right.name_display}" of the action moves the bones' in told()
    assert operators() == ["toehold.use_slot"]
    assert bpy.ops.toehold.use_slot() == {"FINISHED"}
    assert animation.action_slot == right
    assert "Warnings" not in draw()
    with pytest.raises(RuntimeError, match="No other slot"):
        bpy.ops.toehold.use_slot()


def test_a_leg_that_is_a_guess_is_shown_in_the_list_by_its_button(walker: bpy.types.Object) -> None:
    bpy.ops.toehold.find_legs()
    walker.toehold.limbs[1].confidence, walker.toehold.limbs[1].reason = 0.4, "by its shape; it ends above the ground"
    name = walker.toehold.limbs[1].name
    assert "is not sure: found by its shape; it ends above the ground: check its bones in Limbs" in told()
    assert bpy.ops.toehold.show_warning(limb=name) == {"FINISHED"}
    assert walker.toehold.active_limb == 1


def test_hands_that_were_looked_for_in_vain_are_told_until_limbs_are_chosen(walker: bpy.types.Object) -> None:
    bpy.ops.toehold.find_legs(hands=True)
    assert "No hands were found: add them in Limbs" in told()
    bpy.ops.toehold.find_legs()
    assert "Warnings" not in draw()


def test_what_is_out_of_reach_is_shown_at_its_frame_with_its_bone_selected(walker: bpy.types.Object) -> None:
    held = np.ones_like(walk(strides=2.0).contacts.toe)
    journey.clean(walker, limb_bones(), Options(), Contacts(held, np.zeros_like(held)))
    warning = results.warnings_of(walker.animation_data.action)[0]
    assert warning.code == "out-of-reach"
    assert warning.text() in told()
    bpy.ops.toehold.find_legs()
    with pytest.raises(RuntimeError, match="limb Left is not in the list: measure again"):
        bpy.ops.toehold.show_warning(limb=warning.limb, has_frame=True, frame=warning.frames[0][0])
    bpy.context.scene.frame_set(30)
    name = walker.toehold.limbs[0].name
    assert bpy.ops.toehold.show_warning(limb=name, has_frame=True, frame=warning.frames[0][0]) == {"FINISHED"}
    assert bpy.context.scene.frame_current == warning.frames[0][0]
    assert walker.data.bones.active.name == "LeftToeBase"


@pytest.mark.parametrize("width", [120, 180, 260, 400])
def test_a_long_warning_is_wrapped_and_never_cut(width: int) -> None:
    said = Warning("more-slide", {"before": 3.0, "after": 90.0}, "Front Left Leg", ((3, 9),)).text()
    lines = lines_of(said, width)
    assert " ".join(lines) == said
    assert max(len(line) for line in lines) * 7 < max(width - 20, 100)
    chinese = "左前腿比原来滑动得更多第三帧到第九帧" * 2
    lines = lines_of(chinese, width)
    assert "".join(lines) == chinese
    assert max(len(line) for line in lines) * 14 < max(width - 20, 100)


def lines_of(text: str, width: int) -> list[str]:
    """Return the lines that a hint is drawn in, in a sidebar of so many pixels."""
    from toehold.panels.layout import hint

    layout = Recorder()
    system = SimpleNamespace(ui_scale=1.0)
    context: Any = SimpleNamespace(region=SimpleNamespace(width=width), preferences=SimpleNamespace(system=system))
    hint(layout, context, text, icon="ERROR")  # type: ignore[arg-type]
    return texts(layout.drawn)


def test_an_error_of_the_slot_says_what_the_panel_says(walker: bpy.types.Object) -> None:
    animation = walker.animation_data
    right = animation.action_slot
    animation.action_slot = animation.action.slots.new("OBJECT", "Camera")
    with pytest.raises(RigError, match=right.name_display):
        journey.clean(walker, limb_bones(), Options())
