# SPDX-License-Identifier: GPL-3.0-or-later
"""The contact tools are where contacts are edited, by button, menu and key, and nowhere once Toehold is off."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import bpy
import pytest

import toehold
from support.snapshot import snapshot
from support.walker import walk
from support.walker_armature import walking_armature

# Keymaps that hear a key before or after those that ours are in.
AROUND = ("Window", "Screen", "Screen Editing", "User Interface", "View2D", "Frames", "Animation", "Animation Channels")
AROUND_3D = ("3D View", "3D View Generic", "Object Non-modal", "Pose", "Object Mode")
AROUND_CURVES = ("Graph Editor", "Graph Editor Generic", "Dopesheet", "Dopesheet Generic", "Markers", "Time Scrub")


class Recorder:
    """A layout that writes down which operators it is given, with what properties, and which menus."""

    def __init__(self, drawn: list[Any] | None = None) -> None:
        self.drawn: list[Any] = [] if drawn is None else drawn

    def _part(self, *_: Any, **__: Any) -> Recorder:
        return Recorder(self.drawn)

    column = row = grid_flow = _part

    def label(self, text: str = "", **_: Any) -> None:
        self.drawn.append(text)

    def separator(self) -> None:
        pass

    def menu(self, name: str, **_: Any) -> None:
        assert hasattr(bpy.types, name)
        self.drawn.append(name)

    def operator(
        self, name: str, text: str = "", icon: str = "NONE", depress: bool = False, **_: bool
    ) -> SimpleNamespace:
        assert icon in bpy.types.UILayout.bl_rna.functions["operator"].parameters["icon"].enum_items
        button = SimpleNamespace(name=name, text=text, depress=depress)
        self.drawn.append(button)
        return button


def draw(kind: Any) -> list[Any]:
    recorder = Recorder()
    kind.draw(SimpleNamespace(layout=recorder), bpy.context)
    return recorder.drawn


def buttons(drawn: list[Any]) -> list[Any]:
    return [item for item in drawn if isinstance(item, SimpleNamespace)]


@pytest.fixture
def walker(registered: ModuleType) -> bpy.types.Object:
    return walking_armature(walk(strides=2.0, slide_mm_s=200.0))


@pytest.mark.parametrize("kind", ["ContactsPanel", "ContactsMenu", "PreviewRangeMenu"])
def test_every_button_is_an_operator_with_properties_that_it_has(walker: bpy.types.Object, kind: str) -> None:
    from toehold.panels import contact_tools

    found = buttons(draw(getattr(contact_tools, kind)))
    assert len(found) >= 4
    for button in found:
        rna = getattr(bpy.ops.toehold, button.name.removeprefix("toehold.")).get_rna_type()
        for name, value in vars(button).items():
            if name not in ("name", "text", "depress"):
                assert name in rna.properties
                items = getattr(rna.properties[name], "enum_items", None)
                assert items is None or value in items


def test_the_button_of_what_is_set_at_the_current_frame_is_pressed(walker: bpy.types.Object) -> None:
    from toehold.panels.contact_tools import ContactsPanel

    bpy.ops.toehold.set_contact(state="SLIDING", frame_start=10, frame_end=20)
    for frame, pressed in ((15, ["SLIDING"]), (30, ["AUTO"])):
        bpy.context.scene.frame_set(frame)
        shown = buttons(draw(ContactsPanel))
        assert [button.state for button in shown if button.name == "toehold.set_contact" and button.depress] == pressed


def test_the_leg_that_is_meant_is_lit_and_can_be_chosen_by_a_button_or_by_a_bone(walker: bpy.types.Object) -> None:
    from toehold.panels.contact_tools import ContactsPanel
    from toehold.rig.common import versions

    bpy.ops.toehold.find_legs()
    names = [limb.name for limb in walker.toehold.limbs]

    def lit() -> list[str]:
        legs = [button for button in buttons(draw(ContactsPanel)) if button.name == "toehold.choose_leg"]
        assert [button.leg for button in legs] == names
        return [button.leg for button in legs if button.depress]

    assert lit() == names[:1]
    assert bpy.ops.toehold.choose_leg(leg=names[1]) == {"FINISHED"}
    assert lit() == names[1:]
    bpy.ops.object.mode_set(mode="POSE")
    assert bpy.ops.toehold.choose_leg(leg=names[0]) == {"FINISHED"}
    assert lit() == names[:1]
    for bone in walker.pose.bones:
        versions.select(bone, bone.name == walker.toehold.limbs[1].knee)
    assert lit() == names[1:]
    bpy.ops.toehold.set_contact(state="LIFTED", frame_start=10, frame_end=20)
    assert {limb.name for limb in walker.toehold.limbs if "contact_state" in walker.pose.bones[limb.toe]} == {names[1]}


def test_drawing_changes_nothing_and_says_why_nothing_can_be_done(walker: bpy.types.Object) -> None:
    from toehold.panels.contact_tools import ContactsPanel

    bpy.ops.toehold.annotate_contacts()
    before = snapshot()
    draw(ContactsPanel)
    assert snapshot() == before
    walker.animation_data_clear()
    assert "has no action" in " ".join(draw(ContactsPanel))


def test_the_menu_is_in_blenders_own_and_asks_for_an_armature(walker: bpy.types.Object) -> None:
    from toehold.panels import contact_tools

    shown = Recorder()
    contact_tools._draw_menu(SimpleNamespace(layout=shown), bpy.context)
    assert shown.drawn == ["TOEHOLD_MT_contacts"]
    bpy.context.view_layer.objects.active = None
    contact_tools._draw_menu(SimpleNamespace(layout=shown), bpy.context)
    assert shown.drawn == ["TOEHOLD_MT_contacts"]


def our_keys() -> list[tuple[str, bpy.types.KeyMapItem]]:
    from toehold.panels.keymap import is_ours

    configuration = bpy.context.window_manager.keyconfigs.addon
    return [(keymap.name, item) for keymap in configuration.keymaps for item in keymap.keymap_items if is_ours(item)]


def menu_users() -> int:
    from toehold.panels import contact_tools

    return sum(
        contact_tools._draw_menu in getattr(getattr(bpy.types, name).draw, "_draw_funcs", ())
        for name in contact_tools.MENUS
    )


@pytest.fixture
def off_in_the_end() -> Iterator[None]:
    was_on = hasattr(bpy.types.Object, "toehold")
    yield
    toehold.unregister()
    if was_on:
        toehold.register()


def test_keys_and_menus_are_there_once_and_gone_when_toehold_is_off(off_in_the_end: None) -> None:
    for _ in range(2):
        toehold.register()
    assert len(our_keys()) == 29
    assert menu_users() == 3
    toehold.unregister()
    assert not our_keys()
    assert menu_users() == 0


def test_no_key_is_one_that_blender_uses_there() -> None:
    from toehold.panels import keymap

    own = {key for key, _, _ in keymap.KEYS}
    around = {*AROUND, *AROUND_3D, *AROUND_CURVES}
    maps = [(name, content["items"]) for name, _, content in blender_keymaps() if name in around]
    assert {name for name, _ in maps} >= {name for name, _ in keymap.MAPS}
    taken = [
        (name, operator, event)
        for name, items in maps
        for operator, event, *_ in items
        if event["type"] in own and (event.get("any") or (with_shift_and_alt(event)))
    ]
    assert not taken


def with_shift_and_alt(event: dict[str, Any]) -> bool:
    """Whether Blender hears an event with Shift and Alt and nothing else; -1 is whether it is pressed or not."""
    return bool(event.get("shift")) and bool(event.get("alt")) and event.get("ctrl") in (None, False, 0, -1)


def blender_keymaps() -> list[Any]:
    """Return Blender's default keymaps as the plain data that they are made from: as a module it has none."""
    folder = Path(bpy.utils.system_resource("SCRIPTS", path="presets")) / "keyconfig" / "keymap_data"
    spec = importlib.util.spec_from_file_location("blender_default", folder / "blender_default.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    keymaps: list[Any] = module.generate_keymaps(module.Params())
    return keymaps
