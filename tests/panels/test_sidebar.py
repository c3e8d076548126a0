# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar shows what can be done next, in the order of the work, and writes nothing by showing it."""

from __future__ import annotations

import json
import re
import time
from types import ModuleType, SimpleNamespace

import bpy
import pytest

from support.acrobat import crawl
from support.ground_objects import add_plate
from support.recorder import Recorder, draw, panels, states, texts
from support.snapshot import snapshot
from support.walker import walk
from support.walker_armature import walking_armature

# In order of need, whatever stands between them.
SECTIONS = ("Contacts", "Clean Settings", "Limbs", "Ground and Travel", "Game Lock", "Report")


@pytest.fixture
def walker(registered: ModuleType) -> bpy.types.Object:
    return walking_armature(walk(strides=2.0, slide_mm_s=200.0))


def test_with_nothing_selected_the_sidebar_asks_for_an_armature_and_shows_no_section(registered: ModuleType) -> None:
    assert draw() == {"Toehold": [("label", "Select an armature")]}


def test_without_an_action_the_sidebar_says_what_is_missing_and_what_to_do(walker: bpy.types.Object) -> None:
    walker.animation_data_clear()
    name, *hint = texts(draw()["Toehold"])
    assert name == "Walker"
    assert " ".join(hint) == "This armature has no action: import or assign one"


@pytest.mark.parametrize(("width", "ui_scale"), [(120, 1.0), (260, 1.0), (520, 2.0)])
def test_a_hint_fits_a_narrow_sidebar(width: int, ui_scale: float) -> None:
    from toehold.panels.layout import hint

    layout = Recorder()
    system = SimpleNamespace(ui_scale=ui_scale)
    context = SimpleNamespace(region=SimpleNamespace(width=width), preferences=SimpleNamespace(system=system))
    hint(layout, context, "This armature has no action: import or assign one")
    longest = max(len(text) for text in texts(layout.drawn))
    assert longest * 7 * ui_scale < width - 20
    assert " ".join(texts(layout.drawn)) == "This armature has no action: import or assign one"


def test_sections_come_in_the_order_of_need_and_are_closed_at_first(walker: bpy.types.Object) -> None:
    shown = list(draw())
    assert shown[0] == "Toehold"
    assert [label for label in shown if label in SECTIONS] == list(SECTIONS)
    assert all("DEFAULT_CLOSED" in panel.bl_options for panel in panels()[1:])


def test_each_header_says_how_things_stand(walker: bpy.types.Object) -> None:
    assert (states()["Contacts"], states()["Limbs"], states()["Report"]) == ("none yet", "none yet", "")
    bpy.ops.toehold.clean()
    contacts = len(walker.animation_data.action.toehold.contacts)
    assert (states()["Contacts"], states()["Limbs"]) == (str(contacts), "2 legs")
    assert states()["Report"].startswith("worst 0.")
    walker.toehold.cleanup.strength = 0.5
    assert states()["Clean Settings"] == "strength 0.5"
    walker.toehold.ground.object = add_plate()
    assert states()["Ground and Travel"] == walker.toehold.ground.object.name


def test_the_top_says_what_this_is_what_came_of_it_and_what_to_press_next(walker: bpy.types.Object) -> None:
    top = texts(draw()["Toehold"])
    assert top[:2] == ["Walker", walker.animation_data.action.name]
    assert " ".join(top[2:]) == "Press Clean: legs and contacts are found on the way"
    bpy.ops.toehold.clean()
    contacts = len(walker.animation_data.action.toehold.contacts)
    names, shown, *figures = texts(draw()["Toehold"])
    assert names == f"Walker: 2 legs, {contacts} contacts"
    assert shown == walker.animation_data.action.name
    said = re.fullmatch(r"(\S+) → (\S+) mm/s, worst contact (\S+) mm", " ".join(figures))
    assert said is not None, figures
    assert float(said[1]) == pytest.approx(200.0, abs=5.0)
    assert float(said[2]) < 1.0
    assert float(said[3]) < 1.0


def test_contacts_that_change_under_a_result_ask_for_clean_again(walker: bpy.types.Object) -> None:
    bpy.ops.toehold.clean()
    curve = contact_curve(walker)
    curve.keyframe_points[1].co.x += 1.0
    curve.update()
    assert "The contacts have changed: press Clean" in " ".join(texts(draw()["Toehold"]))
    bpy.ops.toehold.clean()
    assert "The contacts have changed" not in " ".join(texts(draw()["Toehold"]))


def contact_curve(armature: bpy.types.Object) -> bpy.types.FCurve:
    bag = armature.animation_data.action.layers[0].strips[0].channelbags[0]
    return next(curve for curve in bag.fcurves if curve.data_path.endswith('["contact"]'))


def test_travel_that_was_added_asks_for_clean(walker: bpy.types.Object) -> None:
    bpy.ops.toehold.root_motion(way="OUT")
    assert "Press Clean next" in " ".join(texts(draw()["Toehold"]))


def test_the_switch_shows_source_and_result_and_a_press_on_the_lit_side_changes_nothing(
    walker: bpy.types.Object,
) -> None:
    source = walker.animation_data.action.name
    assert not bpy.ops.toehold.show_side.poll()
    bpy.ops.toehold.clean()
    result = walker.animation_data.action.name
    for side, name in (("RESULT", result), ("SOURCE", source), ("SOURCE", source), ("RESULT", result)):
        assert bpy.ops.toehold.show_side(side=side) == {"FINISHED"}
        assert walker.animation_data.action.name == name


def test_before_anything_is_done_each_section_says_what_to_do(walker: bpy.types.Object) -> None:
    shown = draw()
    assert ("operator", "toehold.find_legs") in shown["Limbs"]
    assert any("No limbs yet" in text for text in texts(shown["Limbs"]))
    assert any("No figures yet" in text for text in texts(shown["Report"]))


def test_found_legs_are_listed_and_every_bone_can_be_changed(walker: bpy.types.Object) -> None:
    bpy.ops.toehold.find_legs()
    drawn = draw()["Limbs"]
    assert ("prop", "limbs") in drawn
    parts = ["root", "hip", "knee", "heel", "toe", "toe_end"]
    assert [name for kind, name in drawn if kind == "prop"][2:] == [*parts, "hand", "hock"]
    assert drawn.count(("operator", "toehold.pick_bone")) == len(parts) + 1


def test_how_a_lower_leg_is_to_stand_is_shown_only_for_a_leg_that_has_a_hock(walker: bpy.types.Object) -> None:
    bpy.ops.toehold.find_legs()

    def shown() -> set[str]:
        return {name for kind, name in draw()["Limbs"] if kind == "prop"}

    lower_leg = {"lean_share", "stance_lean", "swing_lean", "extension_share", "stance_extension", "swing_extension"}
    assert lower_leg.isdisjoint(shown())
    walker.toehold.limbs[0].hock = walker.toehold.limbs[0].heel
    assert lower_leg < shown()


def test_a_hand_shows_the_bones_of_an_arm(registered: ModuleType) -> None:
    armature = walking_armature(crawl())
    bpy.ops.toehold.find_legs(hands=True)
    armature.toehold.active_limb = 2
    drawn = draw()["Limbs"]
    assert [name for kind, name in drawn if kind == "prop"][2:] == ["root", "hip", "knee", "heel", "toe", "hand"]


def test_every_setting_of_an_armature_is_shown_once(walker: bpy.types.Object) -> None:
    from toehold import settings

    walker.toehold.ground.object = add_plate()
    shown = draw(sub_panels=True)
    sections = ("Detection", "Clean Settings", "Ground and Travel")
    drawn = [name for label in sections for kind, name in shown[label] if kind == "prop"]
    groups = (settings.ToeholdContactSettings, settings.ToeholdCleanupSettings)
    known = [prop.identifier for group in groups for prop in group.bl_rna.properties]
    of_ground = ["ground_height", "object", "walk_on", "collection"]
    assert sorted(drawn) == sorted([*(name for name in known if name not in ("rna_type", "name")), *of_ground])


def test_the_ground_chosen_shows_whether_it_is_ground_and_how_feet_stand_on_it(walker: bpy.types.Object) -> None:
    def props() -> list[str]:
        return [name for kind, name in draw()["Ground and Travel"] if kind == "prop"]

    assert props() == ["object", "collection"]
    plate, own = add_plate(), walker.toehold.ground
    own.object = plate
    assert props() == ["object", "walk_on", "collection", "foot_pitch"]
    own.collection = bpy.data.collections.new("Stage")
    assert props() == ["object", "walk_on", "collection", "active_object", "all_objects", "foot_pitch"]
    plate.toehold.walk_on = "OBSTACLE"
    assert (plate.toehold.walk_on, plate["toehold_walk_on"]) == ("OBSTACLE", "OBSTACLE")


def test_after_a_clean_the_figures_stand_before_and_after(walker: bpy.types.Object) -> None:
    bpy.ops.toehold.clean()
    figures = json.loads(walker.animation_data.action["toehold_figures"])
    told = texts(draw()["Report"])
    assert told[:3] == ["", "Before", "After"]
    slide = told.index("Slide mm/s")
    assert float(told[slide + 1]) == pytest.approx(figures["before"]["slide_mm_s"], abs=0.5)
    assert float(told[slide + 2]) == pytest.approx(figures["after"]["slide_mm_s"], abs=0.05)


def test_a_measured_source_has_one_column_of_figures(walker: bpy.types.Object) -> None:
    bpy.ops.toehold.report()
    assert texts(draw()["Report"])[:2] == ["", "Now"]


@pytest.mark.parametrize("text", ["", "no JSON", "[]", "{}", '{"before": 3}'])
def test_figures_that_were_edited_by_hand_do_not_break_the_panel(walker: bpy.types.Object, text: str) -> None:
    walker.animation_data.action["toehold_figures"] = text
    assert "Report" in draw()


def test_drawing_changes_nothing_and_costs_little(walker: bpy.types.Object) -> None:
    bpy.ops.toehold.clean()
    before = snapshot()
    draw()
    durations = []
    for _ in range(20):
        started = time.perf_counter()
        draw(folds_open=False)
        durations.append(time.perf_counter() - started)
    assert min(durations) < 0.01, "the recorder's own checks included, of all sections at once"
    assert snapshot() == before
