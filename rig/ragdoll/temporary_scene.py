# SPDX-License-Identifier: GPL-3.0-or-later
"""A scene with a rigid-body world for a moment: the user's own scene, handlers and physics know nothing of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import bpy

from ..common.wording import RigError

_SUSPENDED = ("frame_change_pre", "frame_change_post", "depsgraph_update_pre", "depsgraph_update_post")
# What can be left in a file by what is made here.
_KINDS = ("objects", "meshes", "actions", "collections")


@contextmanager
def temporary_scene(fps: float) -> Iterator[bpy.types.Scene]:
    """Yield a scene at ``fps`` with an empty rigid-body world; it and all that was made meanwhile is gone afterwards.

    RigError where this Blender has no rigid bodies.
    """
    options: Any = bpy.app.build_options
    if not options.bullet:
        raise RigError("this Blender was built without rigid bodies (Bullet): a fall cannot be simulated with it")
    before = {kind: set(getattr(bpy.data, kind)) for kind in _KINDS}
    suspended = {name: list(getattr(bpy.app.handlers, name)) for name in _SUSPENDED}
    for name in _SUSPENDED:
        getattr(bpy.app.handlers, name).clear()
    scene = bpy.data.scenes.new("Toehold Fall")
    try:
        scene.render.fps = min(max(round(fps), 1), 32767)
        scene.render.fps_base = scene.render.fps / fps
        with bpy.context.temp_override(scene=scene, view_layer=scene.view_layers[0]):
            bpy.ops.rigidbody.world_add()
        world = scene.rigidbody_world
        world.collection = bpy.data.collections.new("Toehold Parts")
        world.constraints = bpy.data.collections.new("Toehold Joints")
        yield scene
    finally:
        bpy.data.scenes.remove(scene)
        for kind in _KINDS:
            made = [block for block in getattr(bpy.data, kind) if block not in before[kind]]
            bpy.data.batch_remove(made)
        for name, handlers in suspended.items():
            getattr(bpy.app.handlers, name)[:] = handlers
