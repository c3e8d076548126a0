# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether an object is ground or an obstacle, where a user has said so.

It is a plain ID property of the object, so that it travels with it and stays with the add-on gone.
"""

from __future__ import annotations

from typing import Literal

from bpy.types import Object

WALK_ON = "toehold_walk_on"

# AUTOMATIC: what a leg can climb from where it is is ground, what is higher there is an obstacle. GROUND: it is stood
# on however high it is. OBSTACLE: it is never stood on.
WalkOn = Literal["AUTOMATIC", "GROUND", "OBSTACLE"]
CHOICES: tuple[WalkOn, ...] = ("AUTOMATIC", "GROUND", "OBSTACLE")


def walk_on(thing: Object) -> WalkOn:
    """Return what a user has said about an object; AUTOMATIC where that is nothing, or nothing known."""
    said = thing.get(WALK_ON)
    return next((choice for choice in CHOICES if choice == said), "AUTOMATIC")


def set_walk_on(thing: Object, choice: WalkOn) -> None:
    """Note what a user says about an object; AUTOMATIC leaves no trace."""
    if choice != "AUTOMATIC":
        thing[WALK_ON] = choice
    elif thing.get(WALK_ON) is not None:
        del thing[WALK_ON]
