# SPDX-License-Identifier: GPL-3.0-or-later
"""What a user sets on an armature (``Object.toehold``), and how it becomes the solver's plain settings."""

from .armature import ToeholdSettings
from .cleanup import CleanupValues, FootPitch, ToeholdCleanupSettings, cleanup_values
from .contacts import ToeholdContactSettings
from .following import OVERRIDABLE
from .ground import ToeholdGround
from .limb import ToeholdLimb
from .lock import ToeholdLockSettings
from .reading import (
    active_limb,
    choose_limb,
    ground_names,
    journey_options,
    legs_and_options,
    limb_bones,
    limb_warnings,
    note_search,
    path_name,
    set_ground_height,
    shows_in_renders,
    store_limbs,
)

# In the order that Blender has to learn them: a type before those that hold it.
CLASSES = (
    *(ToeholdLimb, ToeholdContactSettings, ToeholdCleanupSettings, ToeholdLockSettings, ToeholdGround),
    ToeholdSettings,
)

__all__ = [
    "CLASSES",
    "OVERRIDABLE",
    "CleanupValues",
    "FootPitch",
    "ToeholdContactSettings",
    "ToeholdSettings",
    "active_limb",
    "choose_limb",
    "cleanup_values",
    "ground_names",
    "journey_options",
    "legs_and_options",
    "limb_bones",
    "limb_warnings",
    "note_search",
    "path_name",
    "set_ground_height",
    "shows_in_renders",
    "store_limbs",
]
