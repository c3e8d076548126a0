# SPDX-License-Identifier: GPL-3.0-or-later
"""What operators do on a walk, and the one line that each leaves: figures that are true."""

from __future__ import annotations

import json
import re

import bpy
import pytest

from support.walker import limb_bones

MODES = ("OBJECT", "POSE")


def said(capfd: pytest.CaptureFixture[str]) -> str:
    """Return the lines that operators have reported since the last time."""
    return "\n".join(line for line in capfd.readouterr().out.splitlines() if re.match(r"(Info|Warning): ", line))


@pytest.mark.parametrize("mode", MODES)
def test_find_legs_stores_both_and_names_them(
    walker: bpy.types.Object, mode: str, capfd: pytest.CaptureFixture[str]
) -> None:
    bpy.ops.object.mode_set(mode=mode)
    assert bpy.ops.toehold.find_legs() == {"FINISHED"}
    chains = [(limb.root, limb.hip, limb.knee, limb.heel, limb.toe) for limb in walker.toehold.limbs]
    assert sorted(chains) == sorted((leg.root, leg.hip, leg.knee, leg.heel, leg.toe) for leg in limb_bones())
    assert f"Found 2 legs: {walker.toehold.limbs[0].name}, {walker.toehold.limbs[1].name}" in said(capfd)


@pytest.mark.parametrize("mode", MODES)
def test_annotate_writes_into_the_active_action_and_says_the_slide(
    walker: bpy.types.Object, mode: str, capfd: pytest.CaptureFixture[str]
) -> None:
    bpy.ops.object.mode_set(mode=mode)
    action = walker.animation_data.action
    assert bpy.ops.toehold.annotate_contacts() == {"FINISHED"}
    assert walker.animation_data.action == action
    assert walker.mode == mode
    assert len(walker.toehold.limbs) == 2, "legs that were found on the way are kept"
    found = re.search(r"Found (\d+) contacts on 2 feet, slide (\d+) mm/s", said(capfd))
    assert found
    assert int(found[1]) >= 4
    assert int(found[2]) == pytest.approx(200.0, rel=0.15)


@pytest.mark.parametrize("mode", MODES)
def test_clean_makes_a_new_action_and_says_the_slide_before_and_after(
    walker: bpy.types.Object, mode: str, capfd: pytest.CaptureFixture[str]
) -> None:
    bpy.ops.object.mode_set(mode=mode)
    source = walker.animation_data.action
    assert bpy.ops.toehold.clean() == {"FINISHED"}
    result = walker.animation_data.action
    assert result != source
    assert walker.animation_data.action_slot is not None
    assert walker.mode == mode
    told = re.search(r"Cleaned (\d+) contacts on 2 feet, slide ([\d.]+) → ([\d.]+) mm/s", said(capfd))
    assert told
    assert float(told[2]) == pytest.approx(200.0, rel=0.15)
    assert float(told[3]) < 2.0
    figures = json.loads(result["toehold_figures"])
    assert float(told[2]) == pytest.approx(figures["before"]["slide_mm_s"], abs=0.51)
    assert float(told[3]) == pytest.approx(figures["after"]["slide_mm_s"], abs=0.051)


def test_restore_source_puts_the_first_action_back_and_keeps_the_cleaned_one(
    walker: bpy.types.Object, capfd: pytest.CaptureFixture[str]
) -> None:
    source = walker.animation_data.action
    slot = walker.animation_data.action_slot.identifier
    bpy.ops.toehold.clean()
    result = walker.animation_data.action
    assert bpy.ops.toehold.restore_source() == {"FINISHED"}
    assert walker.animation_data.action == source
    assert walker.animation_data.action_slot.identifier == slot
    assert result.name in bpy.data.actions
    assert f"Restored {source.name}" in said(capfd)


def test_report_measures_a_source_and_keeps_its_figures(
    walker: bpy.types.Object, capfd: pytest.CaptureFixture[str]
) -> None:
    assert bpy.ops.toehold.report() == {"FINISHED"}
    figures = json.loads(walker.animation_data.action["toehold_figures"])
    assert set(figures) == {"before"}
    assert figures["before"]["slide_mm_s"] == pytest.approx(200.0, rel=0.15)
    assert re.search(r"\d+ contacts on 2 feet, slide \d+ mm/s, worst drift \d+ mm", said(capfd))


def test_report_of_a_cleaned_action_measures_it_anew_and_keeps_the_figures_before(walker: bpy.types.Object) -> None:
    bpy.ops.toehold.clean()
    cleaned = json.loads(walker.animation_data.action["toehold_figures"])
    bpy.ops.toehold.report()
    measured = json.loads(walker.animation_data.action["toehold_figures"])
    assert measured["before"] == cleaned["before"]
    assert measured["after"]["slide_mm_s"] < 2.0


def test_operators_run_with_no_window(walker: bpy.types.Object) -> None:
    with bpy.context.temp_override(window=None):
        assert bpy.context.screen is None
        for verb in ("find_legs", "annotate_contacts", "clean", "report", "restore_source"):
            assert getattr(bpy.ops.toehold, verb)() == {"FINISHED"}
