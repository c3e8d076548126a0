# SPDX-License-Identifier: GPL-3.0-or-later
"""What a user sets about the lock that a game would do."""

from __future__ import annotations

from bpy.types import PropertyGroup

from ..solver.locking import LockSettings
from .following import OVERRIDABLE, show_again
from .properties import BoolProperty, FloatProperty


class ToeholdLockSettings(PropertyGroup):
    """How a game would hold planted feet: shown by the preview, and baked."""

    lock_distance: FloatProperty(  # type: ignore[valid-type]
        name="Lock Distance",
        description="A planted foot is held only while it is shown this close to where the animation has it. For a leg "
        "of 0.9 m, scaled to the length of each leg",
        default=LockSettings().lock_distance,
        min=0.0,
        soft_max=0.5,
        precision=3,
        step=1,
        subtype="DISTANCE",
        update=show_again,
        override=OVERRIDABLE,
    )
    unlock_distance: FloatProperty(  # type: ignore[valid-type]
        name="Unlock Distance",
        description="A held foot is let go where the animation has gone this far from it. For a leg of 0.9 m, scaled "
        "to the length of each leg",
        default=LockSettings().unlock_distance,
        min=0.0,
        soft_max=1.0,
        precision=3,
        step=1,
        subtype="DISTANCE",
        update=show_again,
        override=OVERRIDABLE,
    )
    blend_time: FloatProperty(  # type: ignore[valid-type]
        name="Blend Time",
        description="How long a foot takes from the animation to where it is held, and back",
        default=LockSettings().blend_time,
        min=0.0,
        soft_max=1.0,
        step=1,
        subtype="TIME_ABSOLUTE",
        update=show_again,
        override=OVERRIDABLE,
    )
    show_in_renders: BoolProperty(  # type: ignore[valid-type]
        name="Show in Renders",
        description="While the lock is previewed, renders show it as the viewport does. Otherwise they show the action "
        "as it is. Saved files never contain it, so that a render farm shows the action: use Bake Lock for that",
        default=True,
        override=OVERRIDABLE,
    )
