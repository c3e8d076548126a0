# SPDX-License-Identifier: GPL-3.0-or-later
"""What a user sets about the ground of an armature (``Object.toehold.ground``)."""

from __future__ import annotations

from typing import Any

from bpy.props import PointerProperty
from bpy.types import Collection, Object, PropertyGroup

from ..rig.ground import KINDS
from .overridable import OVERRIDABLE


def _can_be_stood_on(_: Any, thing: Object) -> bool:
    return thing.type in KINDS


class ToeholdGround(PropertyGroup):
    """What the feet stand on besides the floor."""

    object: PointerProperty(  # type: ignore[valid-type]
        type=Object,
        name="Ground Object",
        description="Object that the feet stand on, with its modifiers and as it moves. Where it is not, there is the "
        "floor at Ground Height",
        poll=_can_be_stood_on,
        override=OVERRIDABLE,
    )
    collection: PointerProperty(  # type: ignore[valid-type]
        type=Collection,
        name="Ground Collection",
        description="Collection of objects that the feet stand on, besides the ground object",
        override=OVERRIDABLE,
    )


def ground_names(armature: Any) -> tuple[str, ...]:
    """Return the names of the object and the collection that the feet of an armature stand on."""
    # Any, since the stubs know only Blender's own properties of an object.
    own = armature.toehold.ground
    return tuple(thing.name for thing in (own.object, own.collection) if thing is not None)
