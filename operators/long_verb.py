# SPDX-License-Identifier: GPL-3.0-or-later
"""A verb that may take a while: it shows how far it is, and Esc calls it off with nothing half-done."""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING

from bpy.types import Context, Event, Object

from ..rig.common.steps import Steps, finished
from ..rig.common.wording import RigError, said, say
from ..rig.shown.preview import preview
from . import active
from .verb import Verb

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems, WmReportItems

# Seconds that the work may take before the user sees its progress, and at a stretch from then on.
UNSEEN, STRETCH = 0.5, 0.1

Reported = tuple["WmReportItems", str]


class LongVerb(Verb):
    """A verb done in steps. Called by a script, or quick enough, it is done in one go.

    stays : what of the work is done and stays where the rest is called off; empty where that is nothing.
    """

    stays = ""

    def steps(self, context: Context, armature: Object) -> Steps[Reported]:
        """Do what ``run`` is to do, in steps; nothing may be changed before the last."""
        raise NotImplementedError

    def run(self, context: Context, armature: Object) -> Reported:
        return finished(self.steps(context, armature))

    def invoke(self, context: Context, event: Event) -> set[OperatorReturnItems]:
        armature = active.active_armature(context)
        if armature is None:
            return {"CANCELLED"}
        self._before = contextlib.ExitStack()
        self._before.enter_context(preview.hidden())
        self._steps = self.steps(context, armature)
        self._timer = None
        ended = self._go_on(UNSEEN)
        if ended is not None:
            return ended
        manager = context.window_manager
        self._timer = manager.event_timer_add(0.01, window=context.window)
        manager.progress_begin(0.0, 1.0)
        context.workspace.status_text_set(say("Esc: Cancel"))
        manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: Context, event: Event) -> set[OperatorReturnItems]:
        if event.type == "ESC" and event.value == "PRESS":
            self.cancel(context)
            if self.stays:
                return self.tell("WARNING", say("Cancelled: {done}", done=self.stays))
            self.report({"INFO"}, say("Cancelled, nothing is changed"))
            return {"CANCELLED"}
        if event.type != "TIMER":
            return {"RUNNING_MODAL"}
        ended = self._go_on(STRETCH)
        if ended is None:
            context.window_manager.progress_update(self._done)
            return {"RUNNING_MODAL"}
        self._clear(context)
        return ended

    def cancel(self, context: Context) -> None:
        """Call the work off, as Blender does too when it is closed."""
        self._steps.close()
        self._before.close()
        self._clear(context)

    def _go_on(self, seconds: float) -> set[OperatorReturnItems] | None:
        """Go on with the work for some time; return how it ended, None if it has not."""
        until = time.monotonic() + seconds
        try:
            while time.monotonic() < until:
                self._done = next(self._steps)
        except StopIteration as last:
            self._before.close()
            return self.tell(*last.value)
        except RigError as error:
            self._before.close()
            self.report({"ERROR"}, said(error))
            return {"CANCELLED"}
        except BaseException:
            self._before.close()
            raise
        return None

    def _clear(self, context: Context) -> None:
        """Take back what showed the progress."""
        timer, self._timer = self._timer, None
        if timer is None:
            return
        context.window_manager.event_timer_remove(timer)
        context.window_manager.progress_end()
        context.workspace.status_text_set(None)
