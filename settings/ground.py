# SPDX-License-Identifier: GPL-3.0-or-later
"""What a user sets about the ground of an armature (``Object.toehold.ground``)."""

from __future__ import annotations

from typing import Any

from bpy.types import Collection, Context, Object, PropertyGroup

from ..rig.terrain.ground import OBJECT_TYPES
from ..rig.terrain.surface import CHOICES, set_walk_on, walk_on
from .following import OVERRIDABLE, show_again
from .properties import EnumProperty, IntProperty, PointerProperty


def _can_be_stood_on(_: Any, thing: Object) -> bool:
    return thing.type in OBJECT_TYPES


def _walk_on(group: Any) -> int:
    return CHOICES.index(walk_on(group.id_data))


def _set_walk_on(group: Any, value: int) -> None:
    set_walk_on(group.id_data, CHOICES[value])


def _tell(group: Any, _: Context) -> None:
    # So that what is drawn on the ground is drawn again.
    group.id_data.update_tag()


class WalkOn:
    """Whether an object is ground: of every object, not of armatures only."""

    walk_on: EnumProperty(  # type: ignore[valid-type]
        name="Walk On",
        description="Whether feet stand on this object where it is ground of an armature",
        items=(
            ("AUTOMATIC", "Automatic", "What a leg can climb is ground, what is higher is not", "FILE_REFRESH", 0),
            ("GROUND", "Ground", "Feet stand on top of it, however high it is", "CHECKMARK", 1),
            ("OBSTACLE", "Obstacle", "No foot stands on it", "CANCEL", 2),
        ),
        get=_walk_on,
        set=_set_walk_on,
        update=_tell,
    )


class ToeholdGround(PropertyGroup):
    """What the feet stand on besides the floor."""

    object: PointerProperty(  # type: ignore[valid-type]
        type=Object,
        name="Ground Object",
        description="Object that the feet stand on, with its modifiers and as it moves. Where it is not, there is the "
        "floor at Ground Height",
        poll=_can_be_stood_on,
        update=show_again,
        override=OVERRIDABLE,
    )
    collection: PointerProperty(  # type: ignore[valid-type]
        type=Collection,
        name="Ground Collection",
        description="Collection of objects that the feet stand on, besides the ground object",
        update=show_again,
        override=OVERRIDABLE,
    )
    active_object: IntProperty(  # type: ignore[valid-type]
        name="Active Object",
        description="The object of the ground collection that is chosen in the list",
        min=0,
        override=OVERRIDABLE,
    )
