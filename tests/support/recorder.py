# SPDX-License-Identifier: GPL-3.0-or-later
"""What the panels of the sidebar draw, written down without a window."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import bpy


class Recorder:
    """A layout that writes down what is drawn into it, and holds it against what Blender knows."""

    def __init__(self, drawn: list[tuple[str, str]] | None = None, folds_open: bool = True) -> None:
        self.drawn = [] if drawn is None else drawn
        self.folds_open = folds_open

    def _part(self, *_: Any, **__: Any) -> Recorder:
        return Recorder(self.drawn, self.folds_open)

    column = row = split = box = grid_flow = _part

    def panel(self, name: str, default_closed: bool = False) -> tuple[Recorder, Recorder | None]:
        return self._part(), self._part() if self.folds_open else None

    def label(self, text: str = "", text_ctxt: str = "", icon: str = "NONE", translate: bool = True) -> None:
        assert icon in bpy.types.UILayout.bl_rna.functions["label"].parameters["icon"].enum_items
        self.drawn.append(("label", text))

    def operator(self, name: str, text: str = "", icon: str = "NONE", **_: Any) -> SimpleNamespace:
        assert icon in bpy.types.UILayout.bl_rna.functions["operator"].parameters["icon"].enum_items
        getattr(bpy.ops.toehold, name.removeprefix("toehold.")).get_rna_type()
        self.drawn.append(("operator", name))
        return SimpleNamespace()

    def operator_menu_enum(self, name: str, choice: str, text: str = "", icon: str = "NONE") -> SimpleNamespace:
        assert choice in getattr(bpy.ops.toehold, name.removeprefix("toehold.")).get_rna_type().properties
        return self.operator(name, text, icon)

    def prop(self, data: Any, name: str, **_: Any) -> None:
        assert name in data.bl_rna.properties
        self.drawn.append(("prop", name))

    def prop_search(self, data: Any, name: str, where: Any, collection: str, **_: Any) -> None:
        assert hasattr(where, collection)
        self.prop(data, name)

    def separator(self) -> None:
        """Draw nothing."""

    def template_list(self, kind: str, _: str, data: Any, name: str, active: Any, index: str, **__: int) -> None:
        assert hasattr(bpy.types, kind)
        self.prop(active, index)
        self.prop(data, name)


def draw(folds_open: bool = True, sub_panels: bool = False) -> dict[str, list[tuple[str, str]]]:
    """Draw every panel that shows itself now and return what each drew, by its label and in its order."""
    shown = {}
    for panel in panels(sub_panels):
        if panel.poll(bpy.context) if hasattr(panel, "poll") else True:
            recorder = Recorder(folds_open=folds_open)
            panel.draw(SimpleNamespace(layout=recorder), bpy.context)
            shown[panel.bl_label] = recorder.drawn
    return shown


def panels(sub_panels: bool = False) -> list[Any]:
    """Return the sidebar's panel and its sections, in their order; with what is within these, if it is asked for."""
    from toehold.registration import CLASSES

    found = [
        cls for cls in CLASSES if issubclass(cls, bpy.types.Panel) and getattr(cls, "bl_category", "") == "Toehold"
    ]
    if sub_panels:
        return found
    top = [cls for cls in found if getattr(cls, "bl_parent_id", "TOEHOLD_PT_sidebar") == "TOEHOLD_PT_sidebar"]
    return sorted(top, key=lambda cls: (hasattr(cls, "bl_parent_id"), getattr(cls, "bl_order", 0)))


def states() -> dict[str, str]:
    """Return what the header of each section says of how things stand, by its label."""
    return {panel.bl_label: panel.state(bpy.context) for panel in panels()[1:] if panel.poll(bpy.context)}


def texts(drawn: list[tuple[str, str]]) -> list[str]:
    return [text for kind, text in drawn if kind == "label"]
