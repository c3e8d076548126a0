# SPDX-License-Identifier: GPL-3.0-or-later
"""A render of what the preview shows: for as long as it takes, the armature has a baked action in place of its own.

A render evaluates the scene by itself, frame by frame and in a thread of its own. Whatever it is to show has to be in
the armature's action by then, and nothing may be written while it runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import bpy

from ..curves import actions
from ..writing.write import Change, write_planned
from .lock_play import LockPlay

# The property that tells an action made for a render from all others, also after undo and in a file kept by a Blender
# that was interrupted.
RENDERED = "toehold_rendered"


def assign_render_action(armature: bpy.types.Object, played: LockPlay) -> None:
    """Give the armature, which has to show its own pose, an action with what was played."""
    changes = [
        Change(bone, name, index, values[:, index])
        for (bone, name), values in played.channels.items()
        for index in range(values.shape[1])
    ]
    action = write_planned(armature, changes, played.frames, f"{armature.animation_data.action.name} Render")
    action[RENDERED] = True


def restore_actions() -> None:
    """Give every armature that has an action made for a render its own one."""
    for armature, action in _rendering():
        source = actions.source_of(action)
        if source is not None:
            actions.assign(armature, source)


def remove_render_actions() -> None:
    """Give armatures their own actions back, and remove what was made for a render."""
    made = [action for action in bpy.data.actions if action.get(RENDERED)]
    if made:
        restore_actions()
        bpy.data.batch_remove(made)


@contextmanager
def laid_aside() -> Iterator[None]:
    """Let armatures have their own actions for a while, as a file that is saved and a verb have to see them.

    What is assigned to nothing is not saved. An armature that has got yet another action meanwhile keeps it.
    """
    laid = [(armature.name, action.name) for armature, action in _rendering()]
    restore_actions()
    try:
        yield
    finally:
        for armature_name, action_name in laid:
            armature: bpy.types.Object | None = bpy.data.objects.get(armature_name)
            action: bpy.types.Action | None = bpy.data.actions.get(action_name)
            if armature and action and armature.animation_data.action == actions.source_of(action):
                actions.assign(armature, action)


def _rendering() -> list[tuple[bpy.types.Object, bpy.types.Action]]:
    """Return the armatures that have an action made for a render, each with it."""
    return [
        (thing, action)
        for thing in bpy.data.objects
        if (animation := thing.animation_data) is not None
        and (action := animation.action) is not None
        and action.get(RENDERED)
    ]
