# SPDX-License-Identifier: GPL-3.0-or-later
"""Make a walk, trot or gallop for an armature that may never have moved, in a new action."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from bpy.types import Context, Object

from ..rig.common.wording import say
from ..rig.gait.generate import BY_SPEED, STYLES, GaitOptions, generate_gait
from ..settings.properties import BoolProperty, EnumProperty, FloatProperty, IntProperty
from . import active
from .verb import Verb, keep_legs, legs_at_hand

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import WmReportItems

_SHARE = {"default": 1.0, "min": 0.0, "max": 2.0, "options": {"SKIP_SAVE"}}


class GenerateGait(Verb):
    """Make the armature walk, trot or gallop from the pose that it stands in, in a new action. Forces, friction and \
reach are those of its own body, and no foot slides"""

    bl_idname = "toehold.generate_gait"
    bl_label = "Generate Gait"

    gait: EnumProperty(  # type: ignore[valid-type]
        name="Gait",
        description="In which order and for how long the feet are down",
        items=(
            (BY_SPEED, "By Speed", "The gait that animals take at this speed"),
            ("WALK", "Walk", "Two or four legs: always a foot down"),
            ("RUN", "Run", "Two legs, with a flight between the steps"),
            ("HOP", "Hop", "Two legs at once"),
            ("AMBLE", "Amble", "Four legs, one after the other, faster than a walk"),
            ("TROT", "Trot", "Four legs, across from each other at once"),
            ("FLYING_TROT", "Flying Trot", "A fast trot with long flights"),
            ("PACE", "Pace", "Four legs, those of one side at once"),
            ("CANTER", "Canter", "Four legs in three beats"),
            ("TRANSVERSE_GALLOP", "Transverse Gallop", "A horse's gallop"),
            ("ROTARY_GALLOP", "Rotary Gallop", "A dog's or a cheetah's gallop"),
            ("HALF_BOUND", "Half Bound", "Hind feet at once, fore feet one after the other"),
            ("BOUND", "Bound", "Hind feet at once, then fore feet at once"),
            ("PRONK", "Pronk", "All four at once"),
            ("TRIPOD", "Tripod", "Six legs and more, every other one at once"),
            ("RIPPLE", "Ripple", "Six legs and more, in waves from the back"),
            ("WAVE", "Wave", "Six legs and more, slowly, one after the other"),
            ("TETRAPOD", "Tetrapod", "Eight legs, four at once"),
        ),
        default=BY_SPEED,
        options={"SKIP_SAVE"},
    )
    speed: FloatProperty(  # type: ignore[valid-type]
        name="Speed",
        description="How fast it goes. 0 takes the usual speed of the gait for these legs",
        default=0.0,
        min=0.0,
        unit="VELOCITY",
        options={"SKIP_SAVE"},
    )
    turn: FloatProperty(  # type: ignore[valid-type]
        name="Turn",
        description="How far it turns to the left in a second",
        default=0.0,
        subtype="ANGLE",
        options={"SKIP_SAVE"},
    )
    direction: FloatProperty(  # type: ignore[valid-type]
        name="Direction",
        description="Where it goes, from forward to the left: half a turn is backward",
        default=0.0,
        min=-np.pi,
        max=np.pi,
        subtype="ANGLE",
        options={"SKIP_SAVE"},
    )
    cycles: IntProperty(  # type: ignore[valid-type]
        name="Cycles", description="How many strides are made", default=1, min=1, soft_max=20, options={"SKIP_SAVE"}
    )
    in_place: BoolProperty(  # type: ignore[valid-type]
        name="In Place", description="Let it stay where it starts", default=False, options={"SKIP_SAVE"}
    )
    bounce: FloatProperty(name="Bounce", description="How much the body rises over its legs", **_SHARE)  # type: ignore[valid-type]
    lean: FloatProperty(name="Lean", description="How far the body leans forward", **_SHARE)  # type: ignore[valid-type]
    lift: FloatProperty(name="Lift", description="How high feet are lifted", **_SHARE)  # type: ignore[valid-type]
    stride: FloatProperty(name="Stride", description="How long the steps are", **{**_SHARE, "min": 0.3})  # type: ignore[valid-type]
    spread: FloatProperty(name="Spread", description="How far apart feet of left and right are", **_SHARE)  # type: ignore[valid-type]
    crouch: FloatProperty(name="Crouch", description="How low the body goes", **_SHARE)  # type: ignore[valid-type]
    pelvis: FloatProperty(name="Pelvis", description="How far hips and shoulders turn with the steps", **_SHARE)  # type: ignore[valid-type]
    arms: FloatProperty(name="Arms", description="How far arms swing against the legs", **_SHARE)  # type: ignore[valid-type]
    head: FloatProperty(name="Head", description="How steady the head is kept", **_SHARE)  # type: ignore[valid-type]
    tail: FloatProperty(name="Tail", description="How far the tail swings", **_SHARE)  # type: ignore[valid-type]

    @classmethod
    def why_not(cls, context: Context) -> str | None:
        return active.why_no_legs(context)

    def run(self, context: Context, armature: Object) -> tuple[WmReportItems, str]:
        limbs = legs_at_hand(armature)
        options = GaitOptions(
            gait=self.gait,
            speed=self.speed if self.speed > 0.0 else None,
            turn=float(np.degrees(self.turn)),
            direction=float(np.degrees(self.direction)),
            cycles=self.cycles,
            in_place=self.in_place,
            style={name: getattr(self, name) for name in STYLES},
            first_frame=context.scene.frame_start,
        )
        made = generate_gait(armature, limbs, options)
        keep_legs(armature, limbs)
        plan = made.solution.plan
        line = say(
            "{gait}: {speed:.2f} m/s, {frames} frames a stride, worst slide {drift:.2f} mm",
            gait=plan.wish.gait.name.replace("_", " ").title(),
            speed=plan.wish.speed,
            frames=plan.period_frames,
            drift=made.report.drift_mm,
        )
        return "INFO", line
