# SPDX-License-Identifier: GPL-3.0-or-later
"""The add-on's preferences: the colours that the overlays are drawn in."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from bpy.types import AddonPreferences, Context

from ..settings.properties import FloatVectorProperty
from .overlay_shapes import Colour

# The add-on is known by the package that holds all of it; it has another name in each repository.
ADD_ON = __package__.rpartition(".")[0]


@dataclass(frozen=True)
class Palette:
    """What the overlays are drawn in: each told from the others by the colour-blind too, on light and dark."""

    calm: Colour = (0.0, 0.55, 0.95, 0.9)
    doubtful: Colour = (0.95, 0.72, 0.1, 0.95)
    bad: Colour = (0.9, 0.15, 0.05, 1.0)
    swing: Colour = (0.62, 0.62, 0.62, 0.65)
    target: Colour = (0.0, 0.75, 0.55, 1.0)
    sliding: Colour = (0.95, 0.55, 0.1, 0.95)
    ghost: Colour = (0.75, 0.5, 1.0, 0.85)
    compared_source: Colour = (1.0, 1.0, 1.0, 0.95)
    compared_lock: Colour = (0.95, 0.6, 0.0, 1.0)
    compared_clean: Colour = (0.1, 0.55, 0.9, 1.0)


def _colour(name: str, description: str) -> Any:
    return FloatVectorProperty(
        name=name,
        description=description,
        default=getattr(Palette(), name.lower().replace(" ", "_")),
        size=4,
        min=0.0,
        max=1.0,
        subtype="COLOR_GAMMA",
    )


class ToeholdPreferences(AddonPreferences):
    """Colours of the overlays."""

    bl_idname = ADD_ON

    calm: _colour("Calm", "Planted feet that stand still")  # type: ignore[valid-type]
    doubtful: _colour("Doubtful", "Planted feet that slide a little")  # type: ignore[valid-type]
    bad: _colour("Bad", "Planted feet that slide by 15 mm and more, which is seen")  # type: ignore[valid-type]
    swing: _colour("Swing", "The way of the toes while they are lifted")  # type: ignore[valid-type]
    target: _colour("Target", "Where a planted foot should be at the current frame")  # type: ignore[valid-type]
    sliding: _colour("Sliding", "Spans in which a foot slides on purpose")  # type: ignore[valid-type]
    ghost: _colour("Ghost", "The skeleton of the other action")  # type: ignore[valid-type]
    compared_source: _colour("Compared Source", "The path of a toe in the animation")  # type: ignore[valid-type]
    compared_lock: _colour("Compared Lock", "The path of a toe with the lock")  # type: ignore[valid-type]
    compared_clean: _colour("Compared Clean", "The path of a toe that is cleaned")  # type: ignore[valid-type]

    def draw(self, context: Context) -> None:
        assert self.layout is not None
        column = self.layout.column()
        column.use_property_split = True
        for field in fields(Palette):
            column.prop(self, field.name)


def palette(context: Context) -> Palette:
    """Return the colours chosen, the usual ones where Toehold runs without being an add-on."""
    # Any, since the stubs know neither that there may be no such add-on nor what it has.
    add_on: Any = context.preferences.addons.get(ADD_ON)
    chosen = None if add_on is None else add_on.preferences
    if chosen is None:
        return Palette()
    return Palette(**{field.name: tuple(getattr(chosen, field.name)) for field in fields(Palette)})


CLASSES = (ToeholdPreferences,)
