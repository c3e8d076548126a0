# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything that a user sets on an armature (``Object.toehold``)."""

from __future__ import annotations

from bpy.types import Object, PropertyGroup

from ..rig.gait.path_points import PATHS
from ..rig.verbs.journey import Options
from .cleanup import ToeholdCleanupSettings
from .contacts import ToeholdContactSettings
from .following import OVERRIDABLE, show_again
from .ground import ToeholdGround, WalkOn
from .limb import ToeholdLimb
from .lock import ToeholdLockSettings
from .properties import BoolProperty, CollectionProperty, FloatProperty, IntProperty, PointerProperty


class ToeholdSettings(WalkOn, PropertyGroup):
    """Everything that Toehold knows about an armature."""

    limbs: CollectionProperty(  # type: ignore[valid-type]
        type=ToeholdLimb,
        name="Limbs",
        description="The legs and hands that Toehold works on",
        override={"LIBRARY_OVERRIDABLE", "USE_INSERTION"},
    )
    active_limb: IntProperty(  # type: ignore[valid-type]
        name="Active Limb",
        description="The limb whose bones are shown below the list",
        min=0,
        override=OVERRIDABLE,
    )
    hands_asked_for: BoolProperty(  # type: ignore[valid-type]
        name="Hands Asked For",
        description="Hands were looked for beside the legs: the panel says if there are none",
        override=OVERRIDABLE,
    )
    hands_touch: BoolProperty(  # type: ignore[valid-type]
        name="Hands Touch",
        description="Hands come down for a part of the clip that are not among the limbs: the panel says so",
        override=OVERRIDABLE,
    )
    contacts: PointerProperty(  # type: ignore[valid-type]
        type=ToeholdContactSettings,
        name="Contact Settings",
        description="What counts as planted",
        override=OVERRIDABLE,
    )
    cleanup: PointerProperty(  # type: ignore[valid-type]
        type=ToeholdCleanupSettings,
        name="Clean Settings",
        description="How planted feet are made to stand still",
        override=OVERRIDABLE,
    )
    lock: PointerProperty(  # type: ignore[valid-type]
        type=ToeholdLockSettings,
        name="Lock Settings",
        description="How a game would hold planted feet",
        override=OVERRIDABLE,
    )
    ground: PointerProperty(  # type: ignore[valid-type]
        type=ToeholdGround,
        name="Ground",
        description="What the feet stand on besides the floor",
        override=OVERRIDABLE,
    )
    path: PointerProperty(  # type: ignore[valid-type]
        type=Object,
        name="Path",
        description="The curve or grease pencil that Follow Path goes along",
        poll=lambda _, thing: thing.type in PATHS,
        override=OVERRIDABLE,
    )
    ground_height: FloatProperty(  # type: ignore[valid-type]
        name="Ground Height",
        description="Height in the world of the floor that the feet stand on",
        default=Options().ground_height,
        soft_min=-10.0,
        soft_max=10.0,
        subtype="DISTANCE",
        update=show_again,
        override=OVERRIDABLE,
    )
