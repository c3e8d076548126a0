# SPDX-License-Identifier: GPL-3.0-or-later
"""The paths of the toes in the last comparison, kept for as long as they are true of the action that is shown.

They go away where a file is loaded, the action, its contacts or the settings are changed, undo takes it elsewhere, or
what was compared is undone. Everything is numpy, names and numbers, never Blender's own references.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import bpy
import numpy as np

from ...solver.rotations import FloatArray
from ..common import handlers, versions
from ..curves import stack
from ..curves.channels import all_channels_of, channels_in
from ..curves.digest import digest_in
from ..terrain.ground import members, was_edited
from ..verbs.compare import Compared
from ..writing.results import Figures, comparison_of
from .preview_subject import ActionNumber, assigned


@dataclass(frozen=True, eq=False)
class ToePaths:
    """What was compared.

    frames : (F,) scene frames.
    names : of the limbs, L.
    toes : (F, L, 3) metres in the world, by the name of the way.
    leg : metres, how long the legs are.
    """

    frames: FloatArray
    fps: float
    names: tuple[str, ...]
    toes: dict[str, FloatArray]
    leg: float
    figures: Figures


@dataclass(frozen=True)
class _Kept:
    """Paths, and what they are true of: armature, action and the curves of each action that took part, by its slot.

    Armature and actions are known by their session numbers; ``place`` is None where the action moves the object.
    """

    paths: ToePaths
    armature: int
    action: ActionNumber
    curves: dict[tuple[int, str], bytes | None]
    ground: frozenset[str]
    place: bytes | None


class KeptComparison:
    """The last comparison, while it holds."""

    def __init__(self) -> None:
        self._kept: _Kept | None = None
        forget, look = handlers.lasting(lambda *_: self.forget()), handlers.lasting(lambda *_: self._look())
        self._handlers = {
            "load_pre": forget,
            "undo_post": look,
            "redo_post": look,
            "depsgraph_update_post": handlers.lasting(self._on_edit),
        }

    def register(self) -> None:
        """Watch for what can make a comparison untrue."""
        handlers.add(self._handlers)

    def unregister(self) -> None:
        """Know nothing and watch nothing."""
        handlers.remove(self._handlers)
        self.forget()

    def forget(self) -> None:
        """Let go of what was compared."""
        self._kept = None

    def keep(self, armature: bpy.types.Object, compared: Compared, ground: Collection[str] = ()) -> None:
        """Keep the paths of what was compared of ``armature`` as it is now, on ground objects of these names."""
        action, slot = stack.action_in_hand(armature)
        assert action is not None, "it was compared"
        assert slot is not None, "it was compared"
        played = {(one.session_uid, its.identifier) for one, its in stack.played_actions(armature) if its is not None}
        took_part = played | {(one.session_uid, slot.identifier) for one in (action, compared.action)}
        clip, limbs = compared.sample.clip, compared.sample.limbs
        self._kept = _Kept(
            paths=ToePaths(
                frames=compared.sample.frames,
                fps=clip.fps,
                names=tuple(limb.name for limb in limbs),
                toes=compared.toes,
                leg=float(np.mean([limb.length(clip) for limb in limbs])),
                figures=compared.as_dict(),
            ),
            armature=armature.session_uid,
            action=(action.session_uid, slot.handle),
            curves={which: _curves(*which) for which in took_part},
            ground=members(ground),
            place=None if all_channels_of(armature).of_object else _place(armature),
        )

    def settings_changed(self, armature: bpy.types.Object) -> None:
        """Let go of what was compared with other settings of ``armature``."""
        if self._kept is not None and self._kept.armature == armature.session_uid:
            self.forget()

    def of(self, armature: bpy.types.Object) -> ToePaths | None:
        """Return the paths, where they are of what ``armature`` shows. Cheap enough for every redraw."""
        kept = self._kept
        if kept is None or armature.session_uid != kept.armature or assigned(armature) != kept.action:
            return None
        action, _ = stack.action_in_hand(armature)
        if action is None or comparison_of(action) != kept.paths.figures:
            return None
        return kept.paths if kept.place is None or kept.place == _place(armature) else None

    def _look(self) -> None:
        """Forget what is not true any more."""
        kept = self._kept
        if kept is None:
            return
        armature = next((other for other in bpy.data.objects if other.session_uid == kept.armature), None)
        if armature is None or any(_curves(*which) != curves for which, curves in kept.curves.items()):
            self.forget()

    def _on_edit(self, scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
        if self._kept is not None and was_edited(self._kept.ground, depsgraph):
            self.forget()
        elif self._kept is not None and depsgraph.id_type_updated("ACTION"):
            self._look()


def _place(armature: bpy.types.Object) -> bytes:
    return np.array(armature.matrix_world).tobytes()


def _curves(number: int, slot_name: str) -> bytes | None:
    """Return a digest of the curves in a slot of an action; None where either is gone."""
    action = next((action for action in bpy.data.actions if action.session_uid == number), None)
    slot: bpy.types.ActionSlot | None = None if action is None else action.slots.get(slot_name)
    if action is None or slot is None:
        return None
    return digest_in(channels_in(versions.channelbag_of(action, slot)), every_curve=True)


# Blender's handlers live in lists of the whole program, and so does what they belong to.
kept_comparison = KeptComparison()
