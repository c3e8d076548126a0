# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar shows each warning whole, with what mends it: the first at its top, the others in a section."""

from __future__ import annotations

from types import ModuleType, SimpleNamespace
from typing import Any

import bpy
import numpy as np
import pytest

from support import grounds
from support.ground_objects import add_plate, add_terrain
from support.recorder import Recorder, draw, states, texts
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


# What the top of the sidebar has besides.
BUTTONS = ("toehold.clean", "toehold.show_side")


def drawn() -> list[tuple[str, str]]:
    """Return what the top of the sidebar and the section of warnings draw."""
    shown = draw()
    return [*shown["Toehold"], *shown.get("More Warnings", [])]


def told() -> str:
    """Return what they say, in one line."""
    return " ".join(texts(drawn()))


def operators() -> list[str]:
    return [name for kind, name in drawn() if kind == "operator" and name not in BUTTONS]


def shown_warnings() -> list[Warning]:
    from toehold.operators import active, warned

    armature = active.active_armature(bpy.context)
    assert armature is not None
    return list(warned.shown_warnings(armature, active.active_action(bpy.context)))


def remember(armature: bpy.types.Object, *warnings: Warning) -> None:
    """Let the armature's action remember figures with these warnings."""
    measured = journey.measure(armature, limb_bones(), Options())
    results.remember_new_figures(armature.animation_data.action, measured.report, warnings)


@pytest.mark.parametrize("verb", ["report", "annotate_contacts", "clean", "bake_lock"])
def test_nothing_is_told_where_there_is_no_warning(walker: bpy.types.Object, verb: str) -> None:
    assert getattr(bpy.ops.toehold, verb)() == {"FINISHED"}
    assert shown_warnings() == []
    assert operators() == []
    assert "More Warnings" not in draw()


def test_the_first_is_told_at_the_top_and_the_others_are_counted_below_it(walker: bpy.types.Object) -> None:
    remember(walker, Warning("no-contacts"), Warning("no-hands"), Warning("toes-bent", {"count": 2}))
    shown = draw()
    assert list(shown)[:2] == ["Toehold", "More Warnings"]
    assert "No foot is ever planted" in " ".join(texts(shown["Toehold"]))
    assert "No foot is ever planted" not in " ".join(texts(shown["More Warnings"]))
    assert "toes are bent up" in told().lower()
    assert states()["More Warnings"] == "2"


def test_where_no_foot_is_planted_toe_speed_can_be_set_and_contacts_found_again(walker: bpy.types.Object) -> None:
    remember(walker, Warning("no-contacts"))
    assert "No foot is ever planted: raise Toe Speed, or check the legs" in told()
    assert ("prop", "toe_share") in drawn()
    assert operators() == ["toehold.annotate_contacts"]
    bpy.ops.toehold.annotate_contacts()
    assert shown_warnings() == []


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
    assert ("prop", "scale_length") in drawn()
    bpy.context.scene.unit_settings.scale_length = 0.01
    bpy.ops.toehold.report()
    assert shown_warnings() == []


def test_an_impossible_unit_is_mended_by_a_press(walker: bpy.types.Object) -> None:
    walker.scale = (25.0,) * 3
    bpy.context.view_layer.update()
    bpy.ops.toehold.report()
    assert operators() == ["toehold.use_unit"]
    length = next(warning.values["length"] for warning in shown_warnings() if warning.code == "odd-unit")
    assert bpy.ops.toehold.use_unit(length=length) == {"FINISHED"}
    bpy.ops.toehold.report()
    assert shown_warnings() == []


def test_a_clip_that_is_played_too_slowly_is_told_with_the_rate_that_mends_it(registered: ModuleType) -> None:
    walking_armature(walk(strides=5.0, fps=120.0))
    bpy.ops.toehold.report()
    assert shown_warnings() == []
    render = bpy.context.scene.render
    render.fps, render.fps_base = 24, 1.0
    bpy.ops.toehold.report()
    assert "as in a clip of 120 frames a second that is played at 24: set the scene's frame rate to it" in told()
    assert operators() == ["toehold.use_frame_rate"]
    assert bpy.ops.toehold.use_frame_rate(rate=120) == {"FINISHED"}
    bpy.ops.toehold.report()
    assert shown_warnings() == []


def test_a_chosen_object_that_is_too_high_is_told_with_the_button_that_changes_it(walker: bpy.types.Object) -> None:
    plate = add_plate(half=10.0, height=0.6)
    walker.toehold.ground.object = plate
    bpy.ops.toehold.report()
    assert f'"{plate.name}" is too high to be climbed' in told()
    assert "toehold.walk_on_it" in operators()
    assert bpy.ops.toehold.walk_on_it(name=plate.name) == {"FINISHED"}
    assert plate.toehold.walk_on == "GROUND"
    bpy.ops.toehold.report()
    assert "ground-refused" not in [warning.code for warning in shown_warnings()]


def test_one_frame_is_told_in_the_singular() -> None:
    assert "breaks off at frame 1," in Warning("broken-motion", {}, "", ((1, 1),)).text()
    assert "breaks off at frames 1, 5-6," in Warning("broken-motion", {}, "", ((1, 1), (5, 6))).text()


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
    assert shown_warnings() == []
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
    assert shown_warnings() == []


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
