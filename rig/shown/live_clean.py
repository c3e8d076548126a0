# SPDX-License-Identifier: GPL-3.0-or-later
"""Clean, solved again into the result that is shown while a slider of its settings is being moved.

What a slider does not change is kept from one move to the next: the sampled source, and the solution that strength
takes its share of. All of it is numpy and names; whether it still holds is asked of the source's curves every time.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import bpy
import numpy as np
from bpy.app.handlers import persistent

from ...solver import cleanup
from ...solver.cleanup import CleanupSettings, Solution
from ...solver.clip import Clip
from ...solver.contacts import Contacts
from ...solver.metrics import Report
from ..common import versions
from ..common.scene import report_of
from ..common.wording import RigError, said
from ..contacts.contact_curves import read_contacts
from ..controls.limb_controls import needs_controls
from ..curves import actions
from ..curves.channels import active_action, all_channels_of, keyed_frames
from ..curves.regime import moved_by_curves_only
from ..legs.limb_bones import LimbBones
from ..verbs.journey import (
    Cleaned,
    Options,
    SampledAction,
    found_contacts,
    pinned_frames,
    sampled_action,
    with_warnings,
)
from ..writing import one_result, results
from ..writing.rewrite import rewrite
from .preview import preview

# Seconds for which a motion that Blender has to step through, or a ground, is taken to be what it was: no longer than
# between two moves of one slider, since it may hang on anything in the scene.
TRUSTED = 2.0


@dataclass
class _Known:
    """A source's motion, its figures with some contacts, and the last solution at full strength with what it is for."""

    key: Hashable
    sampled: SampledAction
    used_at: float
    hangs_on_the_scene: bool
    measured_with: Hashable = None
    before: Report | None = None
    solved_for: Hashable = None
    solution: Solution | None = None


@dataclass
class LiveClean:
    """Cleans again when a setting has changed.

    result_listeners : who wants to know what came of it.
    trouble : why the result could not follow its settings; empty where it did.
    """

    result_listeners: list[Callable[[Cleaned], None]] = field(default_factory=list)
    trouble: str = ""
    _known: _Known | None = None

    def register(self) -> None:
        """Watch for files and undo, which replace what was known."""
        for handlers in _watched():
            if _forget not in handlers:
                handlers.append(_forget)

    def unregister(self) -> None:
        """Watch no more and know nothing."""
        for handlers in _watched():
            if _forget in handlers:
                handlers.remove(_forget)
        self.result_listeners.clear()
        self.forget()

    def forget(self) -> None:
        """Let go of everything that was kept."""
        self.trouble, self._known = "", None

    def settings_changed(
        self, armature: bpy.types.Object, limbs: Sequence[LimbBones], options: Options, *, told: bool = True
    ) -> None:
        """Let the result of Clean that ``armature`` shows follow its settings; nothing where it shows none.

        told : whether listeners hear of it.
        """
        self.trouble = ""
        animation = armature.animation_data
        action = None if animation is None else animation.action
        if action is None or animation.action_slot is None or animation.use_tweak_mode or armature.mode == "EDIT":
            return
        if not limbs or actions.cleaned_frames(action) is None or bpy.app.is_job_running("RENDER"):
            return
        try:
            with preview.hidden():
                cleaned = self.reclean(armature, limbs, options)
        except RigError as error:
            self.trouble = said(error)
            return
        for listener in self.result_listeners if told else ():
            listener(cleaned)

    def contacts_changed(
        self, armature: bpy.types.Object, limbs: Sequence[LimbBones], options: Options, *, told: bool = True
    ) -> None:
        """Let the result of Clean that ``armature`` shows follow its contacts, where that is quick.

        It is where curves alone tell the motion; else the result waits for Clean.

        told : whether listeners hear of it.
        """
        if limbs and _is_quick(armature, limbs):
            self.settings_changed(armature, limbs, options, told=told)

    def reclean(self, armature: bpy.types.Object, limbs: Sequence[LimbBones], options: Options) -> Cleaned:
        """Solve the active result of Clean again, into itself, with the contacts that its curves have now.

        Raises
        ------
        RigError
            Where it is no result of Clean, or cannot be changed. Nothing has been changed then.
        """
        result = active_action(armature)
        source, frames = actions.source_of(result), actions.cleaned_frames(result)
        if source is None or frames is None:
            raise RigError('action "{action}" was not made by Clean: clean it first', action=result.name)
        actions.refuse_uneditable(result)
        known = self._known_of(armature, limbs, replace(options, frames=frames), result, source)
        if needs_controls(armature, known.sampled.sample):
            raise RigError(
                '"{armature}" is moved by its controls, which takes a while: press Clean again', armature=armature.name
            )
        contacts = read_contacts(armature, limbs, known.sampled.sample.frames)
        if contacts is None:
            contacts = found_contacts(known.sampled, options)
        clip, solution = _solved(known, contacts, options.cleanup)
        cleaned = with_warnings(_measured(source, result, known, contacts, clip, solution), options)
        slot = armature.animation_data.action_slot.identifier
        as_made = one_result.is_as_made(result, slot)
        try:
            actions.assign(armature, source)
            rewrite(armature, result, cleaned.sample, cleaned.clip)
        finally:
            actions.assign(armature, result)
        results.remember_figures(result, cleaned.before, cleaned.after, cleaned.warnings)
        if as_made:
            one_result.remember_made(result, slot, "Clean")
        return cleaned

    def _known_of(
        self,
        armature: bpy.types.Object,
        limbs: Sequence[LimbBones],
        options: Options,
        result: bpy.types.Action,
        source: bpy.types.Action,
    ) -> _Known:
        """Return the source's motion: as it is known, or sampled now."""
        now = time.monotonic()
        key = _key(armature, limbs, options, source)
        known = self._known
        if known is None or known.key != key or (known.hangs_on_the_scene and now - known.used_at > TRUSTED):
            try:
                actions.assign(armature, source)
                sampled = sampled_action(armature, limbs, options)
                known = _Known(key, sampled, now, sampled.sample.evaluated or bool(options.ground_objects))
            finally:
                actions.assign(armature, result)
        known.used_at = time.monotonic()
        self._known = known
        return known


def _is_quick(armature: bpy.types.Object, limbs: Sequence[LimbBones]) -> bool:
    """Whether the curves alone tell how the limbs move, as far as looking can tell."""
    bones = {armature.pose.bones[name] for limb in limbs for name in limb.bones if name in armature.pose.bones}
    bones |= {parent for bone in bones for parent in bone.parent_recursive}
    return moved_by_curves_only(armature, list(bones), all_channels_of(armature), keyed_frames(armature))


def _key(
    armature: bpy.types.Object, limbs: Sequence[LimbBones], options: Options, source: bpy.types.Action
) -> Hashable:
    """Return what a source's motion is told by: its curves, and what it is seen on."""
    slot = source.slots.get(armature.animation_data.action_slot.identifier)
    channelbag = None if slot is None else versions.channelbag_of(source, slot)
    first, last = options.frames or (0, 0)
    sums: list[tuple[str, int, bool, int, int]] = []
    curves: Iterable[bpy.types.FCurve] = () if channelbag is None else channelbag.fcurves
    for curve in curves:
        points = curve.keyframe_points
        numbers = np.empty(2 * len(points), dtype=np.float32)
        sum_of_keys = 0
        # Handles matter between keys only: few keys are drawn by hand, many are one a frame.
        for name in ("co", "handle_left", "handle_right") if len(points) <= last - first else ("co",):
            points.foreach_get(name, numbers)
            sum_of_keys = zlib.crc32(numbers.tobytes(), sum_of_keys)
        sums.append((curve.data_path, curve.array_index, curve.mute, len(curve.modifiers), sum_of_keys))
    place = np.array(armature.matrix_world).tobytes()
    ground = options.ground_height, options.ground_objects
    return armature.session_uid, source.session_uid, tuple(limbs), ground, options.frames, place, *sums


def _solved(known: _Known, contacts: Contacts, settings: CleanupSettings) -> tuple[Clip, Solution]:
    """Return the cleaned clip of the whole source; where but the strength is new, by the solution that is known."""
    whole, ground = known.sampled.sample, known.sampled.ground
    pinned = pinned_frames(whole, known.sampled.window)
    full = replace(settings, strength=1.0)
    solved_for = full, _as_key(contacts)
    if known.solution is None or known.solved_for != solved_for:
        known.solution = cleanup.solve(whole.clip, whole.limbs, contacts, ground, full, pinned)
        known.solved_for = solved_for
    return cleanup.apply(whole.clip, whole.limbs, ground, settings, known.solution)


def _measured(
    source: bpy.types.Action,
    result: bpy.types.Action,
    known: _Known,
    contacts: Contacts,
    clip: Clip,
    solution: Solution,
) -> Cleaned:
    """Return what came of it over the frames that were cleaned."""
    window, asked = known.sampled.window, known.sampled.asked_for
    ground = known.sampled.ground.during(window)
    shown, kept = clip.during(window), contacts.during(window)
    off = known.sampled.off_ground
    if known.before is None or known.measured_with != _as_key(contacts):
        known.before = report_of(asked.clip, asked.limbs, kept, ground, off_ground=off)
        known.measured_with = _as_key(contacts)
    after = report_of(shown, asked.limbs, kept, ground, asked.clip, solution.toe_targets[window], off)
    return Cleaned(source, result, asked, shown, kept, known.before, after, ground)


def _as_key(contacts: Contacts) -> Hashable:
    return contacts.toe.tobytes(), contacts.heel.tobytes()


def _watched() -> tuple[list[Any], ...]:
    handlers = bpy.app.handlers
    return handlers.load_pre, handlers.undo_post, handlers.redo_post


@persistent
def _forget(*_: Any) -> None:
    live.forget()


# Blender's handlers live in lists of the whole program, and so does what they belong to.
live = LiveClean()
