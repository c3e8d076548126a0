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
from typing import Any

import bpy

from ..common import handlers
from ..common.wording import RigError, said
from ..curves.digest import digest_of
from ..legs.limb_bones import LimbBones
from ..sampling.sample import sample, sample_by_looking
from ..terrain.ground import members, was_edited
from . import preview_pose, preview_render
from .lock_play import LockPlay, play, same_ground
from .preview_subject import Ask, Previewed, assigned, find, frame_of, why_over
from .render_watch import RenderWatch

# Seconds after which a slider is taken to rest, where the lock takes long to play.
AT_REST = 0.3


class LockPreview:
    """The preview: at most one armature's at a time."""

    def __init__(self) -> None:
        self._shown: Previewed | None = None
        self._hidden = False
        self.stopped_because = ""
        self._render = RenderWatch(self._begin_render, self._end_render)
        self._laid_aside = contextlib.ExitStack()
        # Blender knows a timer by its function, and a method is another one every time that it is asked for.
        self._stepping = self._step_through
        # While something is shown, and as long as Toehold is switched on.
        self._while_shown = {
            "frame_change_post": handlers.lasting(self._on_frame),
            "depsgraph_update_post": handlers.lasting(self._on_edit),
            "save_pre": handlers.lasting(lambda *_: self._before_saving()),
            "save_post": handlers.lasting(lambda *_: self._after_saving()),
            "save_post_fail": handlers.lasting(lambda *_: self._after_saving()),
            "load_pre": handlers.lasting(lambda *_: self.stop()),
            **self._render.handlers,
        }
        on_other_data = handlers.lasting(lambda *_: self._on_other_data())
        self._always = dict.fromkeys(("undo_post", "redo_post", "load_post"), on_other_data)

    def register(self) -> None:
        """Watch for undo and for files, which can bring back a pose that was previewed once."""
        handlers.add(self._always)

    def unregister(self) -> None:
        """Show nothing and watch nothing."""
        self.stop()
        self._render.forget()
        preview_render.remove_render_actions()
        handlers.remove(self._always)

    @property
    def armature(self) -> str | None:
        """Name of the armature that shows the lock; None where none does."""
        return None if self._shown is None else self._shown.armature

    @property
    def played(self) -> LockPlay | None:
        """What is shown: None where nothing is, or not now."""
        return None if self._shown is None or self._hidden else self._shown.play

    @property
    def _makes_room(self) -> bool:
        """Whether it is hidden because a render runs."""
        return self._hidden and self._render.runs

    def start(
        self, armature: bpy.types.Object, ask: Ask, in_renders: Callable[[bpy.types.Object], bool] = lambda _: False
    ) -> LockPlay:
        """Show the lock on ``armature``, instead of what was shown before.

        in_renders : says, whenever a render begins, whether it is to show the lock too.

        Raises
        ------
        RigError
            Where there is no motion or no leg, or a bone cannot be moved. Nothing is shown then.
        """
        self.stop()
        self.stopped_because = ""
        limbs, options = ask(armature)
        with preview_pose.unkeyed_edits_kept(armature):
            whole = sample_by_looking(armature, limbs) or sample(armature, limbs)
            played = play(armature, limbs, options, whole)
        own = preview_pose.read_pose(armature, played.channels)
        action = assigned(armature)
        assert action is not None, "it was sampled"
        self._shown = Previewed(
            armature=armature.name,
            armature_number=armature.session_uid,
            scene=bpy.context.scene.name,
            action=action,
            ask=ask,
            in_renders=in_renders,
            limbs=limbs,
            play=played,
            curves=digest_of(armature, every_curve=True),
            own_pose=own,
            given={},
            keyed=preview_pose.keyed(armature, own),
        )
        self._hidden = False
        handlers.add(self._while_shown)
        preview_pose.mark(armature, own)
        self._give(armature, self._shown)
        return played

    def stop(self, because: str = "") -> None:
        """Give the pose back as it was and show nothing. Nothing happens where nothing is shown."""
        shown, self._shown = self._shown, None
        if shown is None:
            return
        self.stopped_because = because
        handlers.remove(self._while_shown)
        if bpy.app.timers.is_registered(self._stepping):
            bpy.app.timers.unregister(self._stepping)
        if self._render.runs:
            # What a render is looking at is removed when that is over.
            preview_render.restore_actions()
            self._render.end_if_over()
        armature = find(shown)
        if armature is not None and not self._hidden:
            if assigned(armature) == shown.action:
                preview_pose.write_pose(armature, shown.own_pose)
                preview_pose.unmark(armature)
            elif preview_pose.is_marked(armature):
                preview_pose.put_right(armature, frame_of(bpy.context.scene))
        self._hidden = False

    def settings_changed(self, armature: bpy.types.Object) -> None:
        """Show what the lock does with the armature's new settings, if it is the one that shows it."""
        self._render.end_if_over()
        if self._shown is not None and not self._hidden and armature.name == self._shown.armature:
            self._play_again(armature, self._shown)
            self._step_through_without_window()

    @contextlib.contextmanager
    def hidden(self) -> Iterator[None]:
        """Let the armature have its own pose for a while, for code that samples or changes its action."""
        self._render.end_if_over()
        if self._makes_room:
            with preview_render.laid_aside():
                yield
            return
        if self._shown is None or self._hidden:
            yield
            return
        self._hide()
        try:
            yield
        finally:
            # An action that was assigned meanwhile poses the bones once more.
            bpy.context.view_layer.update()
            self._reveal(sample_again=True)
            self._step_through_without_window()

    def _on_frame(self, scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
        """Blender has posed another frame: keyed channels are the action's again, all others still as we left them."""
        shown, armature = self._at_hand() if depsgraph.mode == "VIEWPORT" else (None, None)
        if shown is None or armature is None or scene.name != shown.scene:
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
        self._give(armature, shown)

    def _on_edit(self, scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
        """Something was edited; what matters is the action, and what it is played on."""
        shown, armature = self._at_hand()
        if shown is None or armature is None:
            return
        number, _ = shown.action
        if any(
            isinstance(update.id, bpy.types.Action) and _number(update.id) == number for update in depsgraph.updates
        ):
            self._play_again(armature, shown, sample_again=True)
        if was_edited(members(shown.play.options.ground_objects), depsgraph):
            self._step_through_soon(AT_REST)

    def _on_other_data(self) -> None:
        """Undo, redo or a file has replaced what there was, by a state with or without the preview."""
        if self._render.runs:
            self._render.forget()
            self._hidden = False
        preview_render.remove_render_actions()
        shown = self._shown
        frame = frame_of(bpy.context.scene)
        armature = None if shown is None else find(shown)
        for other in bpy.data.objects:
            if other is not armature and preview_pose.is_marked(other):
                preview_pose.put_right(other, frame)
        shown, armature = self._at_hand()
        if shown is None or armature is None:
            return
        if preview_pose.is_marked(armature):
            shown.own_pose = preview_pose.pose_by_mark(armature, frame)
        else:
            shown.own_pose = preview_pose.read_pose(armature, shown.own_pose)
        self._play_again(armature, shown, sample_again=True)

    def _play_again(self, armature: bpy.types.Object, shown: Previewed, *, sample_again: bool = False) -> None:
        """Play and show the lock anew: from settings, from edited curves too, or with everything sampled anew."""
        preview_pose.write_pose(armature, shown.own_pose)
        try:
            limbs, options = shown.ask(armature)
            if shown.play.through_controls or (
                options.ground_objects and (sample_again or not same_ground(shown.play.options, options))
            ):
                # What was played holds until the scene can be stepped through, or for good where nothing is new.
                known = shown.limbs, shown.play.options, shown.curves
                if (limbs, options, digest_of(armature, every_curve=True)) != known:
                    self._step_through_soon(AT_REST)
                self._take(armature, shown, shown.limbs, shown.play)
                return
            whole = shown.play.sampled.sample
            if sample_again or limbs != shown.limbs:
                looked = sample_by_looking(armature, limbs)
                if looked is None:
                    # The scene cannot be stepped through while it is being evaluated.
                    self._step_through_soon()
                whole = looked or whole
            before = None if sample_again else shown.play
            self._take(armature, shown, limbs, play(armature, limbs, options, whole, before))
        except RigError as error:
            self.stop(said(error))

    def _take(self, armature: bpy.types.Object, shown: Previewed, limbs: list[LimbBones], played: LockPlay) -> None:
        """Show what was played; the armature has its own pose now."""
        shown.limbs, shown.play = limbs, played
        shown.own_pose = preview_pose.read_pose(armature, played.channels)
        shown.keyed = preview_pose.keyed(armature, played.channels)
        preview_pose.mark(armature, shown.own_pose)
        self._give(armature, shown)

    def _step_through_soon(self, seconds: float = 0.0) -> None:
        """Sample anew what the curves alone do not tell when Blender has time for it, in its main thread."""
        if bpy.app.timers.is_registered(self._stepping):
            bpy.app.timers.unregister(self._stepping)
        bpy.app.timers.register(self._stepping, first_interval=seconds)

    def _step_through_without_window(self) -> None:
        # No timer is ever called then.
        if bpy.app.background and bpy.app.timers.is_registered(self._stepping):
            bpy.app.timers.unregister(self._stepping)
            self._step_through()

    def _step_through(self) -> None:
        shown, armature = self._at_hand()
        if shown is None or armature is None:
            return
        self._hide()
        try:
            limbs, options = shown.ask(armature)
            with preview_pose.unkeyed_edits_kept(armature):
                shown.play = play(armature, limbs, options, sample(armature, limbs))
            shown.limbs, shown.curves = limbs, digest_of(armature, every_curve=True)
        except RigError as error:
            self.stop(said(error))
            return
        self._reveal()

    def _give(self, armature: bpy.types.Object, shown: Previewed) -> None:
        """Give the bones what the lock has for the frame that is shown."""
        given = shown.play.values_at(frame_of(bpy.data.scenes[shown.scene])) or shown.own_pose
        preview_pose.write_pose(armature, given)
        # As the bones hold them: rounded.
        shown.given = preview_pose.read_pose(armature, shown.own_pose)

    def _hide(self) -> None:
        """Let the armature have its own pose until ``_reveal``."""
        shown, armature = self._at_hand()
        if shown is not None and armature is not None:
            preview_pose.write_pose(armature, shown.own_pose)
            preview_pose.unmark(armature)
            self._hidden = True

    def _reveal(self, *, sample_again: bool = False) -> None:
        """Show the lock again."""
        if self._shown is None or not self._hidden:
            return
        self._hidden = False
        shown, armature = self._at_hand()
        if shown is None or armature is None:
            return
        if sample_again:
            shown.own_pose = preview_pose.read_pose(armature, shown.own_pose)
            self._play_again(armature, shown, sample_again=True)
        else:
            self._take(armature, shown, shown.limbs, shown.play)

    def _before_saving(self) -> None:
        self._render.end_if_over()
        if self._makes_room:
            self._laid_aside.enter_context(preview_render.laid_aside())
        else:
            self._hide()

    def _after_saving(self) -> None:
        self._laid_aside.close()
        if not self._makes_room:
            self._reveal()

    def _begin_render(self) -> None:
        """Let a render see the action, or the lock where that was chosen, in the viewport meanwhile too."""
        shown, armature = self._at_hand()
        if shown is None or armature is None:
            return
        self._hide()
        shown.hidden_at = frame_of(bpy.data.scenes[shown.scene])
        if shown.in_renders(armature):
            try:
                preview_render.assign_render_action(armature, shown.play)
            except RigError as error:
                self.stop(said(error))

    def _end_render(self) -> None:
        preview_render.remove_render_actions()
        shown = self._shown
        armature = None if shown is None or not self._hidden else find(shown)
        if shown is not None and armature is not None:
            # The action poses the bones once more now that it is assigned anew; not those without keys.
            bpy.context.view_layer.update()
            frame = frame_of(bpy.context.scene)
            if frame != shown.hidden_at:
                shown.own_pose = preview_pose.pose_at(armature, shown.own_pose, frame)
            preview_pose.write_pose(armature, shown.own_pose)
        self._reveal(sample_again=True)

    def _at_hand(self) -> tuple[Previewed | None, bpy.types.Object | None]:
        """Return what is shown and its armature; neither where it is hidden. What is not there any more is stopped."""
        shown = None if self._hidden else self._shown
        if shown is None:
            return None, None
        armature = find(shown)
        because = why_over(shown, armature)
        if because:
            self.stop(because)
            return None, None
        return shown, armature


def _number(evaluated: Any) -> int:
    """Return the session number of what an evaluated copy was made from."""
    return int(evaluated.original.session_uid)


# Blender's handlers live in lists of the whole program, and so does what they belong to.
preview = LockPreview()
