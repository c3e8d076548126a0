# SPDX-License-Identifier: GPL-3.0-or-later
"""One limb by the names of its bones, as Blender stores it."""

from __future__ import annotations

import math

from bpy.types import PropertyGroup

from .following import OVERRIDABLE, extension_again, lean_again, shape_again
from .properties import BoolProperty, FloatProperty, StringProperty


class ToeholdLimb(PropertyGroup):
    """One limb by the names of its bones: LimbBones as Blender stores it."""

    name: StringProperty(  # type: ignore[valid-type]
        name="Name",
        description="What this limb is called in lists and reports",
        override=OVERRIDABLE,
    )
    root: StringProperty(  # type: ignore[valid-type]
        name="Root",
        description="Bone that carries the body and is moved to keep the feet in reach, usually the pelvis",
        override=OVERRIDABLE,
    )
    hip: StringProperty(  # type: ignore[valid-type]
        name="Hip",
        description="Upper bone of the leg, from the hip joint to the knee; of a hand, the upper arm",
        override=OVERRIDABLE,
    )
    knee: StringProperty(  # type: ignore[valid-type]
        name="Knee",
        description="Lower bone of the leg, from the knee to the ankle; of a hand, the forearm",
        override=OVERRIDABLE,
    )
    heel: StringProperty(  # type: ignore[valid-type]
        name="Ankle",
        description="Bone of the foot, from the ankle to the ball; or of the hand, from the wrist to the knuckles",
        override=OVERRIDABLE,
    )
    toe: StringProperty(  # type: ignore[valid-type]
        name="Toe",
        description="Bone of the toes, from the ball to the tip; of a hand, the bone that begins at the knuckle in the "
        "middle. Leave it empty where there is none: the end of the bone above it is locked instead",
        override=OVERRIDABLE,
    )
    toe_end: StringProperty(  # type: ignore[valid-type]
        name="Toe End",
        description="Bone that starts at the tip of the toes. Leave it empty where there is none: the end of the toe "
        "bone stands in",
        override=OVERRIDABLE,
    )
    hand: BoolProperty(  # type: ignore[valid-type]
        name="Is a Hand",
        description="An arm, whose hand is planted only near the floor and goes along with the body otherwise",
        override=OVERRIDABLE,
    )
    hock: StringProperty(  # type: ignore[valid-type]
        name="Hock",
        description="Bone between knee and foot of a leg with three segments, as beasts have them. Leave it empty for "
        "a leg with two",
        override=OVERRIDABLE,
    )
    lean_share: FloatProperty(  # type: ignore[valid-type]
        name="Set Lean",
        description="How far the lower leg is turned from the way it leans in the animation to the way that is set "
        "here, while its foot stays where it is",
        default=0.0,
        min=0.0,
        max=1.0,
        subtype="FACTOR",
        update=shape_again,
        override=OVERRIDABLE,
    )
    stance_lean: FloatProperty(  # type: ignore[valid-type]
        name="Lean in Stance",
        description="Angle of the lower leg to upright while its foot is planted, above 0 where the hock stands out "
        "to the side that it bends to",
        soft_min=-math.pi / 2.0,
        soft_max=math.pi / 2.0,
        subtype="ANGLE",
        update=lean_again,
        override=OVERRIDABLE,
    )
    swing_lean: FloatProperty(  # type: ignore[valid-type]
        name="Lean in Swing",
        description="Angle of the lower leg to upright while its foot swings, above 0 where the hock stands out to the "
        "side that it bends to",
        soft_min=-math.pi / 2.0,
        soft_max=math.pi / 2.0,
        subtype="ANGLE",
        update=lean_again,
        override=OVERRIDABLE,
    )
    extension_share: FloatProperty(  # type: ignore[valid-type]
        name="Set Extension",
        description="How far the hock is opened or closed from the way it is in the animation to the way that is set "
        "here, while its foot stays where it is",
        default=0.0,
        min=0.0,
        max=1.0,
        subtype="FACTOR",
        update=shape_again,
        override=OVERRIDABLE,
    )
    stance_extension: FloatProperty(  # type: ignore[valid-type]
        name="Extension in Stance",
        description="Distance from knee to foot while it is planted, as a share of what it is with a straight hock",
        default=1.0,
        min=0.0,
        max=1.0,
        subtype="FACTOR",
        update=extension_again,
        override=OVERRIDABLE,
    )
    swing_extension: FloatProperty(  # type: ignore[valid-type]
        name="Extension in Swing",
        description="Distance from knee to foot while it swings, as a share of what it is with a straight hock",
        default=1.0,
        min=0.0,
        max=1.0,
        subtype="FACTOR",
        update=extension_again,
        override=OVERRIDABLE,
    )
    confidence: FloatProperty(  # type: ignore[valid-type]
        name="Confidence",
        description="How sure Find Legs was of this leg",
        default=1.0,
        min=0.0,
        max=1.0,
        subtype="FACTOR",
        override=OVERRIDABLE,
    )
    reason: StringProperty(  # type: ignore[valid-type]
        name="Reason",
        description="What Find Legs found this leg by",
        override=OVERRIDABLE,
    )
