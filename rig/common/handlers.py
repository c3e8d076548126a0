# SPDX-License-Identifier: GPL-3.0-or-later
"""Functions in Blender's lists of handlers, by the names of the lists (``bpy.app.handlers``)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import bpy
from bpy.app.handlers import persistent

Handler = Callable[..., None]


def lasting(act: Handler) -> Handler:
    """Return a handler that outlives the loading of a file; Blender asks for a plain function."""

    @persistent
    def handler(*arguments: Any) -> None:
        act(*arguments)

    return handler


def add(handlers: Mapping[str, Handler]) -> None:
    """Have Blender call each, once."""
    for name, handler in handlers.items():
        listed = getattr(bpy.app.handlers, name)
        if handler not in listed:
            listed.append(handler)


def remove(handlers: Mapping[str, Handler]) -> None:
    """Have Blender call none of them any more."""
    for name, handler in handlers.items():
        listed = getattr(bpy.app.handlers, name)
        if handler in listed:
            listed.remove(handler)
