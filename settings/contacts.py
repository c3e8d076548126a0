# SPDX-License-Identifier: GPL-3.0-or-later
"""What a user sets about finding contacts."""

from __future__ import annotations

from bpy.types import PropertyGroup

from ..solver.detection import ContactSettings
from .following import OVERRIDABLE, show_again
from .properties import FloatProperty


class ToeholdContactSettings(PropertyGroup):
    """What counts as planted: the part of ContactSettings that a user may want to change."""

    toe_share: FloatProperty(  # type: ignore[valid-type]
        name="Toe Speed",
        description="A toe is planted while it moves slower than this share of its own speed in the swing. Higher "
        "finds longer contacts",
        default=ContactSettings().toe_share,
        min=0.0,
        max=1.0,
        subtype="FACTOR",
        update=show_again,
        override=OVERRIDABLE,
    )
    heel_share: FloatProperty(  # type: ignore[valid-type]
        name="Heel Speed",
        description="A heel is planted while it moves slower than this share of its own speed in the swing. Higher "
        "finds longer contacts",
        default=ContactSettings().heel_share,
        min=0.0,
        max=1.0,
        subtype="FACTOR",
        update=show_again,
        override=OVERRIDABLE,
    )
    height: FloatProperty(  # type: ignore[valid-type]
        name="Height",
        description="A foot higher than this above the lowest it gets is not planted. For a leg of 0.9 m, scaled to "
        "the length of each leg",
        default=ContactSettings().height,
        min=0.0,
        soft_max=0.5,
        precision=3,
        step=1,
        subtype="DISTANCE",
        update=show_again,
        override=OVERRIDABLE,
    )
    still_distance: FloatProperty(  # type: ignore[valid-type]
        name="Still Within",
        description="A foot that does not move further than this for a moment is planted, however slow its swing is. "
        "For a leg of 0.9 m, scaled to the length of each leg",
        default=ContactSettings().still_distance,
        min=0.0,
        soft_max=0.2,
        precision=3,
        step=0.1,
        subtype="DISTANCE",
        update=show_again,
        override=OVERRIDABLE,
    )
    min_contact_time: FloatProperty(  # type: ignore[valid-type]
        name="Shortest Contact",
        description="A contact shorter than this is dropped",
        default=ContactSettings().min_contact_time,
        min=0.0,
        soft_max=0.5,
        step=1,
        subtype="TIME_ABSOLUTE",
        update=show_again,
        override=OVERRIDABLE,
    )
    min_gap_time: FloatProperty(  # type: ignore[valid-type]
        name="Shortest Gap",
        description="A gap between two contacts shorter than this is closed",
        default=ContactSettings().min_gap_time,
        min=0.0,
        soft_max=0.5,
        step=1,
        subtype="TIME_ABSOLUTE",
        update=show_again,
        override=OVERRIDABLE,
    )
    blend_time: FloatProperty(  # type: ignore[valid-type]
        name="Ease",
        description="How long the contact curve takes to rise from 0 to 1 where a foot is planted, and to fall again",
        default=ContactSettings().blend_time,
        min=0.0,
        soft_max=0.5,
        step=1,
        subtype="TIME_ABSOLUTE",
        update=show_again,
        override=OVERRIDABLE,
    )
