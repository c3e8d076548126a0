# SPDX-License-Identifier: GPL-3.0-or-later
"""When a render begins and when it is over, told in Blender's main thread.

A render that is started from the window runs in a thread of its own, and so do Blender's handlers of it. What has
to change for it is changed in the main thread, which the render waits for; and Blender says nothing where a
render fails early, so that its job is watched instead of its handlers.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

import bpy

from ..common.handlers import Handler, lasting

# Seconds for which a render waits until the main thread is ready for it, and between two looks whether it is over.
GET_READY, LOOK_AGAIN = 3.0, 0.2


def is_rendering() -> bool:
    """Whether a render that was started from a window runs."""
    return bool(bpy.app.is_job_running("RENDER"))


class RenderWatch:
    """Calls ``begun`` before a render looks at the scene, and ``ended`` when it is over.

    runs : whether what was begun has not been ended yet.
    """

    def __init__(self, begun: Callable[[], None], ended: Callable[[], None]) -> None:
        self.runs = False
        self._begun, self._ended = begun, ended
        self._asked, self._ready = False, threading.Event()
        # Blender knows a timer by its function, and a method is another one every time that it is asked for.
        self._timer = self._attend
        self.handlers: dict[str, Handler] = {
            "render_init": lasting(lambda *_: self._before_render()),
            "render_complete": lasting(lambda *_: self._after_render()),
            "render_cancel": lasting(lambda *_: self._after_render()),
        }

    def end_if_over(self) -> None:
        """End what a render was begun for that has failed without a word. Not to be called from within a render."""
        if self.runs and not is_rendering():
            self._end()

    def forget(self) -> None:
        """Watch no render any more; ``ended`` is not called."""
        self.runs = self._asked = False
        if bpy.app.timers.is_registered(self._timer):
            bpy.app.timers.unregister(self._timer)

    def _before_render(self) -> None:
        if threading.current_thread() is threading.main_thread():
            self.end_if_over()
            self._begin()
            return
        self._ready.clear()
        self._asked = True
        if not bpy.app.timers.is_registered(self._timer):
            bpy.app.timers.register(self._timer, first_interval=0.0)
        self._ready.wait(GET_READY)
        self._asked = False

    def _after_render(self) -> None:
        if threading.current_thread() is threading.main_thread():
            self._end()

    def _attend(self) -> float | None:
        """Begin what was asked for, then look again and again whether it is over."""
        if self._asked:
            try:
                self._begin()
            finally:
                self._ready.set()
        elif not is_rendering():
            self._end()
            return None
        return LOOK_AGAIN

    def _begin(self) -> None:
        if not self.runs:
            self.runs = True
            self._begun()

    def _end(self) -> None:
        if self.runs:
            self.runs = False
            self._ended()
