# SPDX-License-Identifier: GPL-3.0-or-later
"""What is set on an armature is what the solver gets."""

from __future__ import annotations

from types import ModuleType

import bpy
import pytest

from toehold import settings
from toehold.rig.legs.limb_bones import LimbBones
from toehold.rig.verbs.journey import Options

LEGS = [
    LimbBones("Left", "Hips", "LeftUpLeg", "LeftLeg", "LeftFoot", "LeftToe", "LeftToeEnd", 0.5, "By where it is"),
    LimbBones("Right", "Hips", "RightUpLeg", "RightLeg", "RightFoot"),
]


@pytest.fixture
def armature(registered: ModuleType) -> bpy.types.Object:
    return bpy.data.objects.new("Armature", bpy.data.armatures.new("Armature"))


def test_an_untouched_armature_has_the_solvers_own_defaults(armature: bpy.types.Object) -> None:
    options, plain = settings.journey_options(armature), Options()
    assert options.frames is None
    assert options.ground_height == plain.ground_height
    for kind in ("contacts", "cleanup"):
        assert vars(getattr(options, kind)) == pytest.approx(vars(getattr(plain, kind)), rel=1e-6)


def test_what_is_set_reaches_the_solver(armature: bpy.types.Object) -> None:
    armature.toehold.ground_height = -0.5
    armature.toehold.contacts.toe_share = 0.5
    armature.toehold.contacts.min_gap_time = 0.25
    armature.toehold.cleanup.keep_travel = 2.0
    options = settings.journey_options(armature)
    assert options.ground_height == -0.5
    assert options.contacts.toe_share == 0.5
    assert options.contacts.min_gap_time == 0.25
    assert options.cleanup.keep_travel == 2.0


def test_stored_legs_come_back_as_they_were(armature: bpy.types.Object) -> None:
    assert settings.limb_bones(armature) == []
    settings.store_limbs(armature, LEGS)
    assert settings.limb_bones(armature) == LEGS


def test_storing_legs_replaces_those_that_were_there(armature: bpy.types.Object) -> None:
    settings.store_limbs(armature, LEGS)
    armature.toehold.active_limb = 1
    settings.store_limbs(armature, LEGS[:1])
    assert settings.limb_bones(armature) == LEGS[:1]
    assert armature.toehold.active_limb == 0
