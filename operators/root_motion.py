# SPDX-License-Identifier: GPL-3.0-or-later
"""Give a clip in place its root motion, or take it out, in a new action."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from bpy.types import Context, Object

from ..rig.common.wording import say
from ..rig.verbs.root_motion import Moved, RootMotionOptions, fit_stride, fit_timing, move_root
from ..rig.writing.carrier import AUTO, OBJECT
from ..settings.properties import EnumProperty, StringProperty
from . import active
from .verb import Verb, figure, keep_legs, legs_at_hand

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import WmReportItems

# Feet that differ by a smaller share of their speed than this agree.
WORTH_TELLING = 0.02


class RootMotion(Verb):
    """Let the body travel as its planted feet say, in a new action, or take its travel out. The action that was there \
is kept as it is"""

    bl_idname = "toehold.root_motion"
    bl_label = "Root Motion"

    way: EnumProperty(  # type: ignore[valid-type]
        name="Way",
        description="Whether travel is put in or taken out",
        items=(
            ("IN", "Add", "Let the body travel as planted feet say, on top of the travel that it has"),
            ("OUT", "Take Out", "Take the mean travel out, so that the clip plays in place"),
            ("STRIDE", "Fit Stride", "Keep the travel, and make steps so long that planted feet go along with it"),
            (
                "TIMING",
                "Fit Timing",
                "Keep the body's speed, and play all keys faster or slower until planted feet go along with it",
            ),
        ),
        default=RootMotionOptions().way,
        options={"SKIP_SAVE"},
    )
    kind: EnumProperty(  # type: ignore[valid-type]
        name="Speed",
        description="How closely the travel, or the timing, follows the feet",
        items=(
            ("CONSTANT", "Constant", "One speed for the whole clip, the one that planted feet have most of the time"),
            ("VARYING", "Varying", "A speed that changes as the feet do, so that feet which ease hardly slide"),
            ("TURNING", "Varying and Turning", "As Varying, and the body turns as planted feet turn"),
        ),
        default=RootMotionOptions().kind,
        options={"SKIP_SAVE"},
    )
    target: EnumProperty(  # type: ignore[valid-type]
        name="On",
        description="What carries the travel",
        items=(
            (AUTO, "Top Bone", "The topmost bone that carries all feet; the object where there is none"),
            ("BONE", "Bone", "The bone that is named below"),
            (OBJECT, "Object", "The armature's object"),
        ),
        default=AUTO,
        options={"SKIP_SAVE"},
    )
    bone: StringProperty(  # type: ignore[valid-type]
        name="Bone",
        description="Bone that carries the travel. It has to carry all feet",
        options={"SKIP_SAVE"},
    )

    @classmethod
    def why_not(cls, context: Context) -> str | None:
        return active.why_no_new_action(context)

    def run(self, context: Context, armature: Object) -> tuple[WmReportItems, str]:
        limbs = legs_at_hand(armature)
        target = self.bone if self.target == "BONE" else self.target
        if self.way == "STRIDE":
            moved = fit_stride(armature, limbs)
        elif self.way == "TIMING":
            moved = fit_timing(armature, limbs, self.kind)
        else:
            moved = move_root(armature, limbs, RootMotionOptions(self.way, self.kind, target))
        keep_legs(armature, limbs)
        return "INFO", say("{line}; press Clean next", line=_told(self.way, moved))

    def draw(self, context: Context) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.prop(self, "way")
        column = layout.column()
        column.active = self.way in {"IN", "TIMING"}
        column.prop(self, "kind")
        column = layout.column()
        column.active = self.way in {"IN", "OUT"}
        column.prop(self, "target")
        armature = active.active_armature(context)
        if self.target == "BONE" and armature is not None:
            column.prop_search(self, "bone", armature.pose, "bones")


def _told(way: str, moved: Moved) -> str:
    """Return the line that says what came of it, and what still slides."""
    if way == "OUT":
        return say("In place now, in action {action}", action=moved.result.name)
    before, after = (figure(1000.0 * speed) for speed in (moved.stance_speed_before, moved.stance_speed_after))
    feet = say("low feet {before} → {after} mm/s", before=before, after=after)
    if way == "IN":
        travel = say("Travels {travel} m", travel=figure(float(np.linalg.norm(moved.travel))))
        if moved.disagreement is None or moved.disagreement < WORTH_TELLING:
            return f"{travel}, {feet}"
        apart = say("the feet themselves differ by {percent} %", percent=figure(100.0 * moved.disagreement))
        return f"{travel}, {feet}; {apart}"
    was, now = (1.0 if ratio is None else ratio for ratio in moved.speed_ratios)
    speed = say("Body {was} → {now} times as fast as its feet", was=f"{was:.2f}", now=f"{now:.2f}")
    if way == "STRIDE":
        return f"{speed}, {feet}"
    length = say("{before} → {after} frames", before=figure(moved.frames[0]), after=figure(moved.frames[1]))
    return f"{speed}, {length}, {feet}"
