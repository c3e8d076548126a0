# SPDX-License-Identifier: GPL-3.0-or-later
"""The runtime lock, shown on the armature itself without keying anything.

The lock is played over the action once. Whenever Blender has posed a frame, the bones that the lock moves are given
what it had for that frame, so that playing, scrubbing and stepping backwards all show the same, and the same as Bake
Lock writes. One object owns all of it: the handlers, what was played, and what the pose is without it. It knows
armature, scene and action by name and number only, since Blender moves them about in memory.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import bpy
from bpy.app.handlers import persistent

from . import preview_pose
from .channels import active_action
from .errors import RigError
from .journey import Options
from .limb_bones import LimbBones
from .lock_play import LockPlay, play
from .preview_pose import Pose
from .sample import sample, sample_by_looking
from .wording import said, say

# What the legs and settings of an armature are at any time.
Ask = Callable[[bpy.types.Object], tuple[list[LimbBones], Options]]


@dataclass
class _Shown:
    """What is shown on which armature.

    action : its session number, with the slot's handle: the preview ends where another one is assigned.
    own_pose : what the bones have without the preview in the frame that is shown, ``given`` with it.
    keyed : which of these values the action sets by itself on every frame.
    """

    armature: str
    armature_number: int
    scene: str
    action: tuple[int, int]
    ask: Ask
    limbs: list[LimbBones]
    play: LockPlay
    own_pose: Pose
    given: Pose
    keyed: dict[tuple[str, str], list[bool]]


class LockPreview:
    """The preview: at most one armature's at a time."""

    def __init__(self) -> None:
        self._shown: _Shown | None = None
        self._hidden = False
        self.stopped_because = ""
        # Blender knows a timer by its function, and a method is another one every time that it is asked for.
        self._timers = {"step through": self._step_through, "give again": self._give_again}
        # While something is shown, and as long as Toehold is switched on.
        self._while_shown = {
            "frame_change_post": _handler(self._on_frame),
            "depsgraph_update_post": _handler(self._on_edit),
            "save_pre": _handler(lambda *_: self._hide()),
            "save_post": _handler(lambda *_: self._reveal()),
            "save_post_fail": _handler(lambda *_: self._reveal()),
            "load_pre": _handler(lambda *_: self.stop()),
            "render_init": _handler(lambda *_: self._leave_out_of_render()),
            "render_complete": _handler(lambda *_: self._after_render()),
            "render_cancel": _handler(lambda *_: self._after_render()),
        }
        self._always = {name: _handler(self._on_other_data) for name in ("undo_post", "redo_post", "load_post")}

    def register(self) -> None:
        """Watch for undo and for files, which can bring back a pose that was previewed once."""
        _add(self._always)

    def unregister(self) -> None:
        """Show nothing and watch nothing."""
        self.stop()
        _remove(self._always)

    @property
    def armature(self) -> str | None:
        """Name of the armature that shows the lock; None where none does."""
        return None if self._shown is None else self._shown.armature

    @property
    def played(self) -> LockPlay | None:
        """What is shown: None where nothing is, or not now."""
        return None if self._shown is None or self._hidden else self._shown.play

    def start(self, armature: bpy.types.Object, ask: Ask) -> LockPlay:
        """Show the lock on ``armature``, instead of what was shown before.

        Raises
        ------
        RigError
            Where there is no motion or no leg, or a bone cannot be moved. Nothing is shown then.
        """
        self.stop()
        self.stopped_because = ""
        limbs, options = ask(armature)
        action = active_action(armature)
        # By looking where that is enough: stepping through the frames loses a pose that is not keyed yet.
        whole = sample_by_looking(armature, limbs) or sample(armature, limbs)
        played = play(armature, limbs, options, whole)
        scene = bpy.context.scene
        own = preview_pose.read_pose(armature, played.channels)
        self._shown = _Shown(
            armature=armature.name,
            armature_number=armature.session_uid,
            scene=scene.name,
            action=(action.session_uid, armature.animation_data.action_slot_handle),
            ask=ask,
            limbs=limbs,
            play=played,
            own_pose=own,
            given={},
            keyed=preview_pose.keyed(armature, own),
        )
        self._hidden = False
        _add(self._while_shown)
        preview_pose.mark(armature, own)
        self._give(armature)
        return played

    def stop(self, because: str = "") -> None:
        """Give the pose back as it was and show nothing. Nothing happens where nothing is shown."""
        shown, self._shown = self._shown, None
        if shown is None:
            return
        self.stopped_because = because
        _remove(self._while_shown)
        for timer in self._timers.values():
            if bpy.app.timers.is_registered(timer):
                bpy.app.timers.unregister(timer)
        armature = _find(shown)
        if armature is not None and not self._hidden:
            if _assigned(armature) == shown.action:
                preview_pose.write_pose(armature, shown.own_pose)
                preview_pose.unmark(armature)
            elif preview_pose.is_marked(armature):
                preview_pose.put_right(armature, _frame(bpy.context.scene))
        self._hidden = False

    def settings_changed(self, armature: bpy.types.Object) -> None:
        """Show what the lock does with the armature's new settings, if it is the one that shows it."""
        if self._shown is not None and not self._hidden and armature.name == self._shown.armature:
            self._play_again(armature, self._shown)

    @contextlib.contextmanager
    def hidden(self) -> Iterator[None]:
        """Let the armature have its own pose for a while, for whoever samples or changes its action."""
        if self._shown is None or self._hidden:
            yield
            return
        self._hide()
        try:
            yield
        finally:
            self._reveal(sample_again=True)

    def _on_frame(self, scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
        """Blender has posed another frame: keyed channels are the action's again, all others still as we left them."""
        shown = self._shown
        if shown is None or self._hidden or scene.name != shown.scene or depsgraph.mode != "VIEWPORT":
            return
        armature = self._armature(shown)
        if armature is None:
            return
        now = preview_pose.read_pose(armature, shown.own_pose)
        for channel, values in now.items():
            # As we left them: another view layer's frame, which this armature was not posed for.
            if values != shown.given.get(channel):
                own = shown.own_pose[channel]
                shown.own_pose[channel] = [
                    new if is_keyed else old
                    for new, old, is_keyed in zip(values, own, shown.keyed[channel], strict=True)
                ]
        self._give(armature)

    def _on_edit(self, scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
        """Something was edited; what matters is the action."""
        shown = self._shown
        armature = None if shown is None or self._hidden else self._armature(shown)
        if shown is None or armature is None:
            return
        number, _ = shown.action
        if any(
            isinstance(update.id, bpy.types.Action) and _number(update.id) == number for update in depsgraph.updates
        ):
            self._play_again(armature, shown, sample_again=True)

    def _on_other_data(self, *_: Any) -> None:
        """Undo, redo or a file has replaced what there was, by a state with or without the preview."""
        shown = self._shown
        frame = _frame(bpy.context.scene)
        armature = None if shown is None else _find(shown)
        for other in bpy.data.objects:
            if other is not armature and preview_pose.is_marked(other):
                preview_pose.put_right(other, frame)
        if shown is None or self._hidden:
            return
        armature = self._armature(shown)
        if armature is None:
            return
        if preview_pose.is_marked(armature):
            shown.own_pose = preview_pose.pose_by_mark(armature, frame)
        else:
            shown.own_pose = preview_pose.read_pose(armature, shown.own_pose)
        self._play_again(armature, shown, sample_again=True)

    def _play_again(self, armature: bpy.types.Object, shown: _Shown, *, sample_again: bool = False) -> None:
        """Play and show the lock anew: from settings, from edited curves too, or with everything sampled anew."""
        preview_pose.write_pose(armature, shown.own_pose)
        try:
            limbs, options = shown.ask(armature)
            whole = shown.play.scene.sample
            if sample_again or limbs != shown.limbs:
                looked = sample_by_looking(armature, limbs)
                if looked is None:
                    # The scene cannot be stepped through while it is being evaluated.
                    self._soon("step through")
                whole = looked or whole
            before = None if sample_again else shown.play
            self._take(armature, shown, limbs, play(armature, limbs, options, whole, before))
        except RigError as error:
            self.stop(said(error))

    def _take(self, armature: bpy.types.Object, shown: _Shown, limbs: list[LimbBones], played: LockPlay) -> None:
        """Show what was played; the armature has its own pose now."""
        shown.limbs, shown.play = limbs, played
        shown.own_pose = preview_pose.read_pose(armature, played.channels)
        shown.keyed = preview_pose.keyed(armature, played.channels)
        preview_pose.mark(armature, shown.own_pose)
        self._give(armature)

    def _step_through(self) -> None:
        """Sample anew what the curves alone do not tell."""
        shown = self._shown
        armature = None if shown is None or self._hidden else self._armature(shown)
        if shown is None or armature is None:
            return
        self._hide()
        try:
            limbs, options = shown.ask(armature)
            shown.play = play(armature, limbs, options, sample(armature, limbs))
            shown.limbs = limbs
        except RigError as error:
            self.stop(said(error))
            return
        self._reveal()

    def _give(self, armature: bpy.types.Object) -> None:
        """Give the bones what the lock has for the frame that is shown."""
        shown = self._shown
        assert shown is not None
        given = shown.play.values_at(_frame(bpy.data.scenes[shown.scene])) or shown.own_pose
        preview_pose.write_pose(armature, given)
        # As the bones hold them: rounded.
        shown.given = preview_pose.read_pose(armature, shown.own_pose)

    def _hide(self) -> None:
        """Let the armature have its own pose until ``_reveal``."""
        shown = self._shown
        armature = None if shown is None or self._hidden else self._armature(shown)
        if shown is not None and armature is not None:
            preview_pose.write_pose(armature, shown.own_pose)
            preview_pose.unmark(armature)
            self._hidden = True

    def _reveal(self, *, sample_again: bool = False) -> None:
        """Show the lock again."""
        shown = self._shown
        if shown is None or not self._hidden:
            return
        armature = self._armature(shown)
        if armature is None:
            return
        self._hidden = False
        if sample_again:
            shown.own_pose = preview_pose.read_pose(armature, shown.own_pose)
            self._play_again(armature, shown, sample_again=True)
        else:
            self._take(armature, shown, shown.limbs, shown.play)

    def _leave_out_of_render(self) -> None:
        """A render shows the action: keyed channels by itself, since its frames are not ours, the others from here on.

        Blender renders in another thread, so that as little as can be is written: mostly nothing.
        """
        shown = self._shown
        armature = None if shown is None or self._hidden else self._armature(shown)
        if shown is not None and armature is not None:
            loose = {channel: own for channel, own in shown.own_pose.items() if not all(shown.keyed[channel])}
            preview_pose.write_pose(armature, loose)

    def _after_render(self) -> None:
        if bpy.app.background:
            self._give_again()
        else:
            self._soon("give again")

    def _soon(self, name: str) -> None:
        """Do something when Blender has time for it, in its main thread."""
        timer = self._timers[name]
        if not bpy.app.timers.is_registered(timer):
            bpy.app.timers.register(timer, first_interval=0.0)

    def _give_again(self) -> None:
        shown = self._shown
        armature = None if shown is None or self._hidden else self._armature(shown)
        if armature is not None:
            self._give(armature)

    def _armature(self, shown: _Shown) -> bpy.types.Object | None:
        """Return the armature, if all is still there that is shown; else stop and return None."""
        armature = _find(shown)
        because = ""
        if armature is None:
            because = say("the armature is gone")
        elif _assigned(armature) != shown.action:
            because = say("another action is assigned")
        elif any(bone not in armature.pose.bones for bone, _ in shown.own_pose):
            because = say("a bone is gone")
        elif shown.scene not in bpy.data.scenes:
            because = say("the scene is gone")
        if because:
            self.stop(because)
            return None
        return armature


def _handler(act: Callable[..., None]) -> Callable[..., None]:
    """Return a handler that outlives the loading of a file; Blender asks for a plain function."""

    @persistent
    def handler(*arguments: Any) -> None:
        act(*arguments)

    return handler


def _add(handlers: dict[str, Callable[..., None]]) -> None:
    for name, handler in handlers.items():
        listed = getattr(bpy.app.handlers, name)
        if handler not in listed:
            listed.append(handler)


def _remove(handlers: dict[str, Callable[..., None]]) -> None:
    for name, handler in handlers.items():
        listed = getattr(bpy.app.handlers, name)
        if handler in listed:
            listed.remove(handler)


def _find(shown: _Shown) -> bpy.types.Object | None:
    """Return the armature that is shown, whatever it is called now."""
    armature: bpy.types.Object | None = bpy.data.objects.get(shown.armature)
    if armature is None or armature.session_uid != shown.armature_number:
        armature = next((other for other in bpy.data.objects if other.session_uid == shown.armature_number), None)
        if armature is not None:
            shown.armature = armature.name
    return armature


def _assigned(armature: bpy.types.Object) -> tuple[int, int] | None:
    animation = armature.animation_data
    if animation is None or animation.action is None:
        return None
    return animation.action.session_uid, animation.action_slot_handle


def _number(evaluated: bpy.types.ID) -> int:
    """Return the session number of what an evaluated copy was made from."""
    return int(evaluated.original.session_uid)


def _frame(scene: bpy.types.Scene | None) -> float:
    assert scene is not None, "there always is one"
    return scene.frame_current + scene.frame_subframe


# Blender's handlers live in lists of the whole program, and so does what they belong to.
preview = LockPreview()
