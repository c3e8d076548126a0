# SPDX-License-Identifier: GPL-3.0-or-later
"""What a user sets about the clean-up."""

from __future__ import annotations

from typing import Any

from bpy.types import PropertyGroup

from ..solver.cleanup import CleanupSettings
from .following import OVERRIDABLE, clean_again
from .properties import FloatProperty


class FootPitch:
    """How feet stand on slopes: shared by the armature's settings, and by Clean and Adapt to Ground."""

    foot_pitch: FloatProperty(  # type: ignore[valid-type]
        name="Foot Pitch",
        description="How much feet that stand on a slope of a ground object turn with it, so that heel and toe are "
        "both down. Feet that do so already are left as they are, and so are feet on a level floor",
        default=CleanupSettings().foot_pitch,
        min=0.0,
        max=1.0,
        subtype="FACTOR",
        options={"ANIMATABLE", "SKIP_SAVE"},
        update=clean_again,
        override=OVERRIDABLE,
    )


class CleanupValues(FootPitch):
    """The settings of a clean-up: shared by the armature's settings and by the Clean operator."""

    strength: FloatProperty(  # type: ignore[valid-type]
        name="Strength",
        description="How much of the correction is applied: at 0 the animation stays as it was, at 1 planted feet "
        "stand still",
        default=CleanupSettings().strength,
        min=0.0,
        max=1.0,
        subtype="FACTOR",
        options={"ANIMATABLE", "SKIP_SAVE"},
        update=clean_again,
        override=OVERRIDABLE,
    )
    keep_travel: FloatProperty(  # type: ignore[valid-type]
        name="Keep Travel",
        description="How firmly the body keeps to the path that it had. 1 is right for most clips. Lower lets it drift "
        "to where the feet take it, higher bends the legs instead",
        default=CleanupSettings().keep_travel,
        min=0.0,
        soft_max=10.0,
        options={"ANIMATABLE", "SKIP_SAVE"},
        update=clean_again,
        override=OVERRIDABLE,
    )
    smoothness: FloatProperty(  # type: ignore[valid-type]
        name="Smoothness",
        description="How gently the correction comes and goes around a contact. Higher spreads it over more frames",
        default=CleanupSettings().smoothness,
        min=0.0,
        soft_max=100.0,
        options={"ANIMATABLE", "SKIP_SAVE"},
        update=clean_again,
        override=OVERRIDABLE,
    )
    softening: FloatProperty(  # type: ignore[valid-type]
        name="Softening",
        description="How far before full stretch a leg begins to slow down, so that the knee does not snap straight. "
        "For a leg of 0.9 m, scaled to the length of each leg",
        default=CleanupSettings().softening,
        min=0.0,
        soft_max=0.1,
        precision=3,
        step=0.1,
        subtype="DISTANCE",
        options={"ANIMATABLE", "SKIP_SAVE"},
        update=clean_again,
        override=OVERRIDABLE,
    )


class ToeholdCleanupSettings(CleanupValues, PropertyGroup):
    """How planted feet are made to stand still."""


def cleanup_values(armature: Any) -> CleanupValues:
    """Return the clean-up settings stored with an armature."""
    # Any, since the stubs know only Blender's own properties of an object.
    values: CleanupValues = armature.toehold.cleanup
    return values
