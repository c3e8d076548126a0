# SPDX-License-Identifier: GPL-3.0-or-later
"""Where Clean takes its values from: what a script or the redo panel sets, else the armature's settings."""

from __future__ import annotations

import json

import bpy
import pytest


def slide_left(armature: bpy.types.Object, **values: float) -> float:
    """Clean the action that the armature plays, put it back, and return the slide that was left in mm/s."""
    source = armature.animation_data.action
    bpy.ops.toehold.clean(**values)
    figures = json.loads(armature.animation_data.action["toehold_figures"])
    armature.animation_data.action = source
    return figures["after"]["slide_mm_s"]


def test_the_armatures_settings_are_used_where_nothing_else_is_said(walker: bpy.types.Object) -> None:
    walker.toehold.cleanup.strength = 0.0
    assert slide_left(walker) == pytest.approx(200.0, rel=0.15)


def test_a_value_of_the_call_goes_before_the_armatures(walker: bpy.types.Object) -> None:
    walker.toehold.cleanup.strength = 0.0
    assert slide_left(walker, strength=1.0) < 2.0
    assert walker.toehold.cleanup.strength == 0.0


def test_a_value_of_one_call_is_gone_in_the_next(walker: bpy.types.Object) -> None:
    assert slide_left(walker, strength=0.0) == pytest.approx(200.0, rel=0.15)
    assert slide_left(walker) < 2.0


def test_half_the_strength_leaves_about_half_the_slide(walker: bpy.types.Object) -> None:
    assert slide_left(walker, strength=0.5) == pytest.approx(100.0, rel=0.25)
