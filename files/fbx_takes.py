# SPDX-License-Identifier: GPL-3.0-or-later
"""Let Blender's FBX exporter write the takes that there are: it knows only one of the scene, or one an action.

Of its own ways, one writes every action once for every object that it suits, and all but one start each take at 0.
"""

from __future__ import annotations

import contextlib
import importlib
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import bpy

from ..rig.contacts.carried import bring
from ..rig.contacts.summary import SUMMARY
from ..rig.curves.actions import assign
from .takes import Take

# The property of an armature that holds, as JSON, the contacts of each of its takes: takes have no properties.
_NOTES = f"{SUMMARY}_of_takes"

# Finest step between keys where a take ends between two frames.
_FINEST = 12


@contextlib.contextmanager
def written_as(takes: Sequence[Take]) -> Iterator[None]:
    """Let the exporter write these takes while the block lasts."""
    exporter: Any = importlib.import_module("io_scene_fbx.export_fbx_bin")
    usual = exporter.fbx_animations

    def animations(scene_data: Any) -> Any:
        found = [_animation_of(exporter, scene_data, take) for take in takes]
        made = [one for one in found if one is not None]
        animated = {(key, group) for one in made for key, (_, nodes) in one[1].items() for group in nodes}
        starts, ends = [one[4] for one in made], [one[5] for one in made]
        return made, animated, min(starts, default=1e100), max(ends, default=-1e100)

    exporter.fbx_animations = animations
    try:
        yield
    finally:
        exporter.fbx_animations = usual


@contextlib.contextmanager
def contacts_noted(takes: Iterable[Take]) -> Iterator[None]:
    """Let armatures hold the contacts of all their takes while the block lasts."""
    notes: dict[bpy.types.Object, dict[str, str]] = {}
    for take in takes:
        for part in take.parts:
            text = part.action.get(SUMMARY)
            if isinstance(text, str) and part.thing.type == "ARMATURE":
                notes.setdefault(part.thing, {})[take.name] = text
    for thing, of_takes in notes.items():
        thing[_NOTES] = json.dumps(of_takes)
    try:
        yield
    finally:
        for thing in notes:
            del thing[_NOTES]


def bring_noted_contacts(things: Iterable[bpy.types.Object]) -> None:
    """Let each action of an imported FBX have the contacts that its armature holds of it."""
    for thing in things:
        noted = thing.get(_NOTES)
        if noted is None:
            continue
        del thing[_NOTES]
        try:
            of_takes = dict(json.loads(str(noted)))
        except (ValueError, TypeError):
            continue  # it was edited: contacts are found anew
        if SUMMARY in thing.keys():  # noqa: SIM118 (the stubs know no other way)
            del thing[SUMMARY]  # those of one of these takes, which one is not said
        for take, text in of_takes.items():
            for action in bpy.data.actions:
                own = action.name.removeprefix(f"{thing.name}|")
                if own != action.name and (own == take or own.startswith(f"{take}|")) and isinstance(text, str):
                    bring(action, thing.name, text)


def _animation_of(exporter: Any, scene_data: Any, take: Take) -> Any:
    for part in take.parts:
        assign(part.thing, part.action, part.slot)
    scene = bpy.context.scene
    assert scene is not None
    scene.frame_set(int(take.start))
    playing = {part.thing for part in take.parts}
    objects = {one for one in scene_data.objects if one.is_object and one.bdata in playing}
    settings = scene_data.settings._replace(bake_anim_step=_step(take))
    first = take.parts[0]
    made = exporter.fbx_animations_do(
        scene_data._replace(settings=settings),
        (first.thing, first.action),
        take.start,
        take.end + 1e-6,  # the exporter's steps would end just before it
        False,
        objects=objects,
        force_keep=True,
    )
    return made and (*made[:3], take.name.encode(), take.start, take.end)


def _step(take: Take) -> float:
    """Return the step of keys, in frames, that meets both ends: 1, or a part of it."""
    length = take.end - take.start
    for parts in range(1, _FINEST + 1):
        count = round(length * parts)
        if count and abs(length * parts - count) < 1e-3 * parts:
            return length / count
    return length / max(round(length), 1)
