# SPDX-License-Identifier: GPL-3.0-or-later
"""What Blender learns of Toehold when it is switched on, and forgets when it is switched off."""

from __future__ import annotations

import atexit
from typing import Any

import bpy

from . import settings
from .operators.annotate_contacts import AnnotateContacts
from .operators.bake_lock import BakeLock
from .operators.clean import Clean
from .operators.find_legs import FindLegs
from .operators.report import MeasureFeet
from .operators.restore_source import RestoreSource
from .panels import sidebar

OPERATORS = (FindLegs, AnnotateContacts, Clean, RestoreSource, MeasureFeet, BakeLock)
# A class before those that hold it: settings, what works on them, what shows both.
CLASSES: tuple[Any, ...] = (*settings.CLASSES, *OPERATORS, *sidebar.CLASSES)
COMMAND = "toehold"

# Blender gives a handle for a command and wants it back; there is at most one here.
_command_handles: list[Any] = []


def register() -> None:
    """Make settings, operators, panels and the command known to Blender. What is known already stays."""
    for cls in CLASSES:
        if not cls.is_registered:
            bpy.utils.register_class(cls)
    bpy.types.Object.toehold = bpy.props.PointerProperty(  # type: ignore[attr-defined]
        type=settings.ToeholdSettings,
        name="Toehold",
        description="What Toehold knows about this armature",
        override={"LIBRARY_OVERRIDABLE"},
    )
    if not _command_handles:
        _command_handles.append(bpy.utils.register_cli_command(COMMAND, _run_command))
    if bpy.app.module:
        # As a Python module, Blender 4.5 crashes at exit where a class is still registered.
        atexit.register(unregister)


def unregister() -> None:
    """Make Blender forget everything that ``register`` told it, last first."""
    atexit.unregister(unregister)
    while _command_handles:
        bpy.utils.unregister_cli_command(_command_handles.pop())
    if hasattr(bpy.types.Object, "toehold"):
        del bpy.types.Object.toehold
    for cls in reversed(CLASSES):
        if cls.is_registered:
            bpy.utils.unregister_class(cls)


def _run_command(arguments: list[str]) -> int:
    # Imported when asked for: the command is no part of what a window needs.
    from . import command

    return command.run(arguments)
