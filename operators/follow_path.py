# SPDX-License-Identifier: GPL-3.0-or-later
"""Let an armature follow a curve or a grease pencil stroke on its own feet, in a new action."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bpy.app.translations import pgettext_n as n_
from bpy.types import Context, Object

from .. import settings
from ..rig.common.steps import Steps
from ..rig.common.wording import say
from ..rig.gait.follow_path import PathOptions, follow_in_steps
from ..rig.gait.generate import BY_SPEED
from ..rig.gait.path_points import PATHS
from ..settings.properties import BoolProperty, EnumProperty, FloatProperty, StringProperty
from . import active
from .gait_style import GAIT_ITEMS, GaitStyle
from .long_verb import LongVerb, Reported
from .verb import figure, keep_legs, legs_at_hand

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import WmReportItems

NO_PATH = n_("Choose a path first: a curve or a grease pencil")


class FollowPath(GaitStyle, LongVerb):
    """Let the armature go along a path on its own feet, in a new action: it starts, changes its gait with its speed, \
leans in turns, steps on the ground objects and stops. No foot slides"""

    bl_idname = "toehold.follow_path"
    bl_label = "Follow Path"

    path: StringProperty(  # type: ignore[valid-type]
        name="Path",
        description="The curve or grease pencil to follow. Empty takes the armature's own, or a selected one",
        options={"SKIP_SAVE"},
    )
    gait: EnumProperty(  # type: ignore[valid-type]
        name="Gait",
        description="In which order and for how long the feet are down",
        items=GAIT_ITEMS,
        default=BY_SPEED,
        options={"SKIP_SAVE"},
    )
    speed: FloatProperty(  # type: ignore[valid-type]
        name="Speed",
        description="How fast it goes where nothing slows it. 0 takes the curve's keyed Evaluation Time, else a walk",
        default=0.0,
        min=0.0,
        unit="VELOCITY",
        options={"SKIP_SAVE"},
    )

    own_cycle: BoolProperty(  # type: ignore[valid-type]
        name="Own Cycle",
        description="Go as the action that is played does, a cycle in place or travelling, instead of a gait",
        default=False,
        options={"SKIP_SAVE"},
    )

    @classmethod
    def why_not(cls, context: Context) -> str | None:
        reason = active.why_no_legs(context)
        armature = active.active_armature(context)
        if reason is None and armature is not None and not _path_of(context, armature):
            return NO_PATH
        return reason

    def steps(self, context: Context, armature: Object) -> Steps[Reported]:
        limbs = legs_at_hand(armature)
        settled = settings.journey_options(armature)
        self.path = self.path or _path_of(context, armature)
        options = PathOptions(
            path=self.path,
            gait=self.gait,
            speed=self.speed if self.speed > 0.0 else None,
            style=self.style(),
            ground=settled.ground_objects,
            ground_height=settled.ground_height,
            first_frame=context.scene.frame_start,
            own_cycle=self.own_cycle,
        )
        followed = yield from follow_in_steps(armature, limbs, options)
        keep_legs(armature, limbs)
        figures = followed.figures
        line = say(
            "{seconds:.1f} s along the path, at most {off} mm beside it, worst slide {slip} mm",
            seconds=(followed.clip.frame_count - 1) / followed.clip.fps,
            off=figure(figures.off_path_mm),
            slip=figure(figures.slip_mm),
        )
        kind: WmReportItems = "INFO"
        return kind, line


def _path_of(context: Context, armature: Object) -> str:
    """Return the name of the path that is set for the armature, else of a selected one; empty where there is none."""
    own = settings.path_name(armature)
    if own:
        return own
    return next((thing.name for thing in context.selected_objects if thing.type in PATHS), "")
