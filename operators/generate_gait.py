# SPDX-License-Identifier: GPL-3.0-or-later
"""Make a walk, trot or gallop for an armature that may never have moved, in a new action."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from bpy.types import Context, Object

from ..rig.common.wording import say
from ..rig.gait.generate import BY_SPEED, GaitOptions, generate_gait
from ..settings.properties import BoolProperty, EnumProperty, FloatProperty, IntProperty
from . import active
from .gait_style import GAIT_ITEMS, GaitStyle
from .verb import Verb, keep_legs, legs_at_hand

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import WmReportItems


class GenerateGait(GaitStyle, Verb):
    """Make the armature walk, trot or gallop from the pose that it stands in, in a new action. Forces, friction and \
reach are those of its own body, and no foot slides"""

    bl_idname = "toehold.generate_gait"
    bl_label = "Generate Gait"

    gait: EnumProperty(  # type: ignore[valid-type]
        name="Gait",
        description="In which order and for how long the feet are down",
        items=GAIT_ITEMS,
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
            style=self.style(),
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
