# SPDX-License-Identifier: GPL-3.0-or-later
"""Push an animated armature, in a new action: it catches itself by stepping, or falls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bpy.app.translations import pgettext_n as n_
from bpy.types import Context, Object

from .. import settings
from ..rig.common.wording import say
from ..rig.verbs.push import PushOptions, PushResult, push
from ..settings.properties import EnumProperty, FloatProperty, FloatVectorProperty, IntProperty, StringProperty
from . import active
from .verb import Verb, keep_legs, legs_at_hand
from .warned import with_warnings

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import WmReportItems

CATCHES = n_("It catches itself from {speed:.2f} m/s; this way it can take {most:.2f}")
FALLS_DOWN = n_("Pushed by {speed:.2f} m/s it falls; this way it can take {most:.2f}")
GETS_UP = n_("Pushed by {speed:.2f} m/s it falls and gets up; this way it can take {most:.2f}")
MADE_TO_FALL = n_("Pushed by {speed:.2f} m/s it falls, as asked")
BRACED = n_("Pushed by {speed:.2f} m/s it would fall: it is shown with the {most:.2f} m/s that it can take")


class Push(Verb):
    """Push the armature at a bone, in a new action. It catches itself by where it steps, or falls where it cannot. \
Nothing before the push changes"""

    bl_idname = "toehold.push"
    bl_label = "Push"

    bone: StringProperty(  # type: ignore[valid-type]
        name="Bone",
        description="Which bone is hit, in its middle. Left empty, the active bone, or the one that carries the legs",
        options={"SKIP_SAVE"},
    )
    frame: IntProperty(  # type: ignore[valid-type]
        name="Frame", description="The first frame that changes: the current one, if not set", options={"SKIP_SAVE"}
    )
    impulse: FloatVectorProperty(  # type: ignore[valid-type]
        name="Impulse",
        description="How hard it is pushed, in newton seconds along the world's axes: 30 is a shove",
        default=(30.0, 0.0, 0.0),
        size=3,
        subtype="XYZ",
        options={"SKIP_SAVE"},
    )
    mass: FloatProperty(  # type: ignore[valid-type]
        name="Mass",
        description="What the body weighs. 0 takes what a body of its size usually weighs",
        default=0.0,
        min=0.0,
        unit="MASS",
        options={"SKIP_SAVE"},
    )
    fall: EnumProperty(  # type: ignore[valid-type]
        name="Fall",
        description="Whether it falls",
        items=(
            ("AUTO", "Automatic", "It falls where it cannot catch itself"),
            ("NEVER", "Never", "It catches itself, from as much as it can take"),
            ("ALWAYS", "Always", "It falls, however softly it is pushed"),
        ),
        default="AUTO",
        options={"SKIP_SAVE"},
    )

    @classmethod
    def why_not(cls, context: Context) -> str | None:
        return active.why_no_new_action(context)

    def run(self, context: Context, armature: Object) -> tuple[WmReportItems, str]:
        limbs = legs_at_hand(armature)
        if not self.properties.is_property_set("frame"):
            self.frame = context.scene.frame_current
        if not self.bone:
            chosen = armature.data.bones.active
            self.bone = limbs[0].root if chosen is None else chosen.name
        hit = PushOptions(self.bone, self.frame, tuple(self.impulse), self.mass or None, self.fall)
        made = push(armature, limbs, settings.journey_options(armature), hit)
        self.mass = made.mass
        keep_legs(armature, limbs)
        return with_warnings(_told(made), made.cleaned.warnings)


def _told(made: PushResult) -> str:
    line = CATCHES
    if made.falls:
        line = MADE_TO_FALL if made.threshold is None else GETS_UP if made.gets_up else FALLS_DOWN
    elif made.threshold is not None and made.delta_v > made.threshold:
        line = BRACED
    return say(line, speed=made.delta_v, most=made.threshold or 0.0)
