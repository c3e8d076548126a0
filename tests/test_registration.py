# SPDX-License-Identifier: GPL-3.0-or-later
"""Switching Toehold off leaves Blender as it was before it was switched on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import bpy
import pytest

import toehold


@pytest.fixture
def unregistered() -> Iterator[None]:
    """Begin with Toehold off, and leave it as it was."""
    was_on = hasattr(bpy.types.Object, "toehold")
    toehold.unregister()
    yield
    toehold.unregister()
    if was_on:
        toehold.register()


def blender_knows() -> dict[str, Any]:
    """Return what an add-on could have left behind: types, properties, handlers, timers' owners, commands."""
    handlers = {
        name: found for name in dir(bpy.app.handlers) if isinstance(found := getattr(bpy.app.handlers, name), list)
    }
    return {
        "types": {name for name in dir(bpy.types) if "toehold" in name.lower()},
        "operators": dir(bpy.ops.toehold),
        "panels": {cls.__name__ for cls in bpy.types.Panel.__subclasses__() if cls.is_registered},
        "object": hasattr(bpy.types.Object, "toehold"),
        "handlers": {name: list(map(str, listed)) for name, listed in handlers.items() if isinstance(listed, list)},
        "commands": commands(),
    }


def commands() -> int:
    from toehold import registration

    return len(registration._command_handles)


def test_unregister_takes_back_everything_that_register_gave(unregistered: None) -> None:
    before = blender_knows()
    toehold.register()
    during = blender_knows()
    toehold.unregister()
    assert before == blender_knows()
    assert during["object"]
    assert during["commands"] == 1
    assert {"clean", "find_legs", "annotate_contacts", "restore_source", "report"} <= set(during["operators"])


def test_register_and_unregister_can_each_be_called_twice(unregistered: None) -> None:
    before = blender_knows()
    toehold.register()
    once = blender_knows()
    toehold.register()
    assert blender_knows() == once
    toehold.unregister()
    toehold.unregister()
    assert blender_knows() == before


def test_the_command_is_blenders_until_it_is_taken_back(unregistered: None, monkeypatch: pytest.MonkeyPatch) -> None:
    from toehold import registration

    given: dict[object, str] = {}

    def give(name: str, run: object) -> object:
        handle = object()
        given[handle] = name
        return handle

    monkeypatch.setattr(bpy.utils, "register_cli_command", give)
    monkeypatch.setattr(bpy.utils, "unregister_cli_command", given.__delitem__)
    registration.register()
    assert list(given.values()) == ["toehold"]
    registration.unregister()
    assert not given


def test_settings_outlive_switching_off_and_on(unregistered: None) -> None:
    toehold.register()
    armature = bpy.data.objects.new("Armature", bpy.data.armatures.new("Armature"))
    armature.toehold.ground_height = 0.25
    armature.toehold.limbs.add().hip = "Thigh"
    toehold.unregister()
    toehold.register()
    assert armature.toehold.ground_height == 0.25
    assert armature.toehold.limbs[0].hip == "Thigh"
