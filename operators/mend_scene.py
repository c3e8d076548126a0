# SPDX-License-Identifier: GPL-3.0-or-later
"""What mends a warning with one press: the scene's frame rate, its unit, and what a chosen object is to feet."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import bpy
from bpy.types import Context, Object

from ..rig.common.scene import metres_per_unit
from ..rig.common.wording import RigError, say
from ..rig.terrain.surface import set_walk_on
from ..settings.properties import FloatProperty, IntProperty, StringProperty
from . import active
from .verb import Verb

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import WmReportItems

# Metres of a person's leg, and the units that skeletons are exported in, in metres.
LEG, UNITS = 0.9, (0.001, 0.01, 0.0254, 0.1, 0.3048, 1.0, 10.0, 100.0, 1000.0)


class UseFrameRate(Verb):
    """Let the scene play at the frame rate that the clip was made for"""

    bl_idname = "toehold.use_frame_rate"
    bl_label = "Use Frame Rate"

    rate: IntProperty(  # type: ignore[valid-type]
        name="Rate",
        description="Frames a second",
        default=24,
        min=1,
    )

    @classmethod
    def why_not(cls, context: Context) -> str | None:
        return active.why_no_motion(context)

    def run(self, context: Context, armature: Object) -> tuple[WmReportItems, str]:
        context.scene.render.fps, context.scene.render.fps_base = self.rate, 1.0
        return "INFO", say("The scene plays {rate} frames a second: measure or clean again", rate=self.rate)


class UseUnit(Verb):
    """Set the scene's Unit Scale so that the legs are as long as a person's, by the units that skeletons come in"""

    bl_idname = "toehold.use_unit"
    bl_label = "Use Unit"

    length: FloatProperty(  # type: ignore[valid-type]
        name="Length",
        description="Length of the legs in metres, as the scene has them now",
        default=LEG,
        min=0.0,
    )

    @classmethod
    def why_not(cls, context: Context) -> str | None:
        return active.why_no_motion(context)

    def run(self, context: Context, armature: Object) -> tuple[WmReportItems, str]:
        scene, unit_scale = context.scene, unit_for(self.length)
        if scene.unit_settings.system == "NONE":
            scene.unit_settings.system = "METRIC"
        scene.unit_settings.scale_length = unit_scale
        unit = f"{scene.unit_settings.scale_length:.4g}"
        return "INFO", say("A unit of the scene is {unit} m: measure or clean again", unit=unit)


class WalkOnIt(Verb):
    """Let feet stand on this object, however high it is"""

    bl_idname = "toehold.walk_on_it"
    bl_label = "Walk on It"

    name: StringProperty(  # type: ignore[valid-type]
        name="Object",
        description="Name of the object",
        options={"SKIP_SAVE"},
    )

    @classmethod
    def why_not(cls, context: Context) -> str | None:
        return active.why_no_motion(context)

    def run(self, context: Context, armature: Object) -> tuple[WmReportItems, str]:
        # Any, since the stubs know of no object by a name.
        thing: Any = bpy.data.objects.get(self.name)
        if thing is None or not thing.is_editable:
            raise RigError('"{name}" is not in this file, or is linked: choose another ground', name=self.name)
        set_walk_on(thing, "GROUND")
        thing.update_tag()
        return "INFO", say("Feet stand on {name} now: measure, adapt or clean again", name=thing.name)


def unit_for(length: float) -> float:
    """Return how many metres a unit of the scene has to be for legs to be a person's that are so many metres now."""
    units = max(length, 1e-9) / metres_per_unit()
    return min(UNITS, key=lambda unit: abs(math.log(units * unit / LEG)))
