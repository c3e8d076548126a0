# SPDX-License-Identifier: GPL-3.0-or-later
"""How high what a panel draws is: a layout that adds up rows as Blender does, at a user interface scale of 1."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import bpy

# Pixels: a button or a line, between two that are not aligned, a panel's header and a section's, above and below what
# a panel draws, and around a box.
ROW, APART, HEADER, SECTION, MARGIN, BOX = 20.0, 2.0, 25.0, 26.0, 8.0, 8.0


class Measured:
    """A layout that knows how high it is. Rows are as high as the highest in them; the rest adds up.

    until : what is drawn after a line of this name does not count.
    """

    def __init__(self, until: str = "", above: Measured | None = None, columns: int = 0, around: float = 0.0) -> None:
        self.until, self.columns, self.around, self.scale_y = until, columns, around, 1.0
        self.parts: list[Any] = []
        self.names: list[str] = [] if above is None else above.names

    @property
    def height(self) -> float:
        heights = [part if isinstance(part, float) else part.height for part in self.parts]
        heights = [height for height in heights if height > 0.0]
        if not heights:
            return 0.0
        columns = self.columns or 1
        lines = [max(heights[at : at + columns]) for at in range(0, len(heights), columns)]
        return self.scale_y * sum(lines) + APART * (len(lines) - 1) + self.around

    def _inner(self, columns: int = 0, around: float = 0.0) -> Measured:
        inner = Measured(self.until, self, columns, around)
        self.parts.append(inner)
        return inner

    def column(self, **_: Any) -> Measured:
        return self._inner()

    def row(self, **_: Any) -> Measured:
        return self._inner(columns=99)

    split = row

    def box(self) -> Measured:
        return self._inner(around=BOX)

    def grid_flow(self, columns: int = 1, **_: Any) -> Measured:
        return self._inner(columns=columns)

    def panel(self, _: str, default_closed: bool = False) -> tuple[Measured, Measured | None]:
        self._line("", SECTION)
        return Measured(), None if default_closed else self._inner()

    def _line(self, name: str, height: float = ROW) -> SimpleNamespace:
        if not self.until or self.until not in self.names:
            self.parts.append(height)
            self.names.append(name)
        return SimpleNamespace()

    def label(self, text: str = "", **_: Any) -> None:
        self._line(text)

    def operator(self, name: str, **_: Any) -> SimpleNamespace:
        return self._line(name)

    def prop(self, _: Any, name: str, **__: Any) -> None:
        self._line(name)

    def template_list(self, *_: Any, rows: int = 5, **__: Any) -> None:
        self._line("list", rows * ROW)

    def separator(self, **_: Any) -> None:
        self._line("", 0.5 * ROW)


def context_of(width: float, ui_scale: float) -> Any:
    """Return Blender's context as it is in a sidebar of so many pixels."""
    context = bpy.context
    names = ("view_layer", "scene", "window_manager", "area", "mode", "object")
    return SimpleNamespace(
        **{name: getattr(context, name) for name in names},
        region=SimpleNamespace(width=width),
        preferences=SimpleNamespace(system=SimpleNamespace(ui_scale=ui_scale), addons=context.preferences.addons),
    )


def height_of(panel: Any, context: Any, until: str = "") -> float:
    """Return how high what a panel draws is with the margin above it, in pixels at a scale of 1: as far as a line."""
    layout = Measured(until)
    panel.draw(SimpleNamespace(layout=layout), context)
    assert not until or until in layout.names, f"{panel.bl_label} draws no {until}"
    return MARGIN + layout.height
