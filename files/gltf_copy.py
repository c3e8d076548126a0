# SPDX-License-Identifier: GPL-3.0-or-later
"""A copy of a glTF that Blender's importer reads without guessing, and what Blender's bones and actions are of it.

In it every node bears its number, every animation has a name of its own, what Blender has other curves for is keyed at
each frame (cubic splines, and rotations with frames between their keys), and nodes that move but are no joints of a
skin are joints of one, so that they become bones.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import bpy
import numpy as np

from ..rig.contacts.carried import bring
from ..rig.contacts.summary import SUMMARY
from ..solver.rotations import FloatArray
from .gltf import Additions, Gltf, with_additions
from .gltf_motion import Keys, evaluate, keys_of
from .gltf_skins import joints_of_what_moves
from .json_text import Edit

# The property that numbers a node in the copy.
_NUMBER = "toehold_node"

# Longest name of an action, in bytes, for which Blender 4.5 has room, with some for a number.
_LONGEST_NAME = 58

# Rates that animations are made at; the first at which all keys are on frames is an animation's own.
_RATES = (24, 25, 30, 48, 50, 60, 90, 100, 120, 240)
_ON_FRAME = 0.02

# Keys further apart than this, in frames, have a frame between them; and where a rotation turns by less from one to the
# next (radians), it does not matter how.
_NEXT_FRAME = 1.2
_SMALL_TURN = 0.01

# Without these Blender reads another mesh than there is, or none; any other extension may be missing for motion.
_NEEDED = ("KHR_draco_mesh_compression", "EXT_meshopt_compression", "KHR_meshopt_compression", "KHR_mesh_quantization")


@dataclass(frozen=True)
class GltfSource:
    """A glTF as it stands in its file, and what Blender made of it.

    nodes : of each armature, by name, the node of each bone.
    animations : the animation of each action, by name.
    """

    gltf: Gltf
    nodes: Mapping[str, Mapping[str, int]]
    animations: Mapping[str, int]


def animation_names(gltf: Gltf) -> list[str]:
    """Return a name for each animation that no other has: its own, wherever Blender keeps it."""
    taken: set[str] = set()
    names: list[str] = []
    for at, animation in enumerate(gltf.items("animations")):
        own = str(animation.get("name") or f"Anim_{at}")
        name = own.encode()[:_LONGEST_NAME].decode(errors="ignore")
        number = 1
        base = name
        while name in taken:
            name = f"{base}.{number:03d}"
            number += 1
        taken.add(name)
        names.append(name)
    return names


def frame_rate_of(gltf: Gltf) -> int | None:
    """Return the rate at which animations are keyed, in whole frames a second; None where that cannot be told.

    glTF holds seconds only. At another rate than their own, keys would come to lie between frames.
    """
    inputs = {sampler["input"] for animation in gltf.items("animations") for sampler in animation.get("samplers", [])}
    keys = [gltf.values(accessor)[:, 0] for accessor in sorted(inputs)]
    keys = [times for times in keys if len(times) > 2 and np.ptp(times) > 0.0]
    if not keys:
        return None
    rate, times = max((((len(times) - 1) / np.ptp(times), times) for times in keys), key=lambda one: one[0])
    # Where even these leave frames out, they are on frames at a higher rate.
    for whole in (round(rate), *_RATES):
        if 12.0 <= whole <= 240.0 and whole > rate - 0.5 and _on_frames(times * whole):
            return whole
    return round(rate) if 12.0 <= rate <= 240.0 else None


def _on_frames(frames: FloatArray) -> bool:
    return bool(np.mean(np.abs(frames - np.round(frames)) < _ON_FRAME) > 0.98)


def readable_copy(gltf: Gltf, folder: Path, fps: float) -> Path:
    """Write the copy into a folder, and return where; ValueError where that cannot be."""
    edits = [Edit(("animations", at, "name"), name) for at, name in enumerate(animation_names(gltf))]
    for at, node in enumerate(gltf.items("nodes")):
        extras = node.get("extras")
        edits.append(Edit(("nodes", at, "extras"), {**(extras if isinstance(extras, dict) else {}), _NUMBER: at}))
    for kind in ("buffers", "images"):
        for at, one in enumerate(gltf.items(kind)):
            uri = one.get("uri")
            if uri is not None and not uri.startswith("data:") and "://" not in uri:
                edits.append(Edit((kind, at, "uri"), quote(str((gltf.path.parent / unquote(uri)).absolute()))))
    required = gltf.document.get("extensionsRequired")
    if required:
        edits.append(Edit(("extensionsRequired",), [name for name in required if name in _NEEDED]))
    added = Additions.to(gltf)
    edits += joints_of_what_moves(gltf, added)
    made = _densely_keyed(gltf, edits, added, fps)
    path = folder / (gltf.path.stem + (".glb" if gltf.is_binary else ".gltf"))
    path.write_bytes(made.to_bytes())
    return path


def _densely_keyed(gltf: Gltf, edits: list[Edit], added: Additions, fps: float) -> Gltf:
    """Return the file with edits, and with a key at each frame for what Blender would read as other curves."""
    for at, animation in enumerate(gltf.items("animations")):
        others = {
            target: keys
            for target, keys in keys_of(gltf, animation).items()
            if keys.interpolation == "CUBICSPLINE" or (target[1] == "rotation" and _bends_in_blender(keys, fps))
        }
        if not others:
            continue
        new = copy.deepcopy(animation)
        for (_, path), keys in others.items():
            start, end = keys.times[0], keys.times[-1]
            inside = np.arange(np.floor(start * fps) + 1, np.ceil(end * fps)) / fps
            times = np.unique(np.concatenate([[start], inside, [end]]))
            output = added.add(evaluate(keys, times), "VEC4" if path == "rotation" else "VEC3")
            new["channels"][keys.channel]["sampler"] = len(new["samplers"])
            new["samplers"].append(
                {"input": added.add(times, "SCALAR", is_time=True), "interpolation": "LINEAR", "output": output}
            )
        edits = [edit for edit in edits if edit.place != ("animations", at, "name")]
        new["name"] = animation_names(gltf)[at]
        edits.append(Edit(("animations", at), new))
    return with_additions(gltf, edits, added)


def _bends_in_blender(keys: Keys, fps: float) -> bool:
    """Whether rotations turn evenly between keys with frames between them; Blender's numbers go evenly, not turns."""
    if keys.interpolation != "LINEAR" or len(keys.times) < 2:
        return False
    dots = np.abs(np.sum(keys.values[1:] * keys.values[:-1], axis=-1))
    turns = 2.0 * np.arccos(np.clip(dots, 0.0, 1.0))
    return bool(np.any((np.diff(keys.times) * fps > _NEXT_FRAME) & (turns > _SMALL_TURN)))


def source_of(gltf: Gltf, things: Iterable[bpy.types.Object]) -> GltfSource:
    """Return what the imported objects and actions are of the file, and take the numbers from them again."""
    nodes: dict[str, dict[str, int]] = {}
    for thing in things:
        pose, data = thing.pose, thing.data
        if pose is not None and isinstance(data, bpy.types.Armature):
            numbered = [bone for bone in pose.bones if bone.get(_NUMBER) is not None]
            nodes[thing.name] = {bone.name: int(bone[_NUMBER]) for bone in numbered}
            for owner in (*pose.bones, *data.bones):
                _forget_number(owner)
        _forget_number(thing)
    names = animation_names(gltf)
    animations = {name: at for at, name in enumerate(names) if name in bpy.data.actions}
    for name, at in animations.items():
        _bring_contacts(bpy.data.actions[name], gltf.items("animations")[at].get("extras"), nodes)
    return GltfSource(gltf, nodes, animations)


def _bring_contacts(action: bpy.types.Action, extras: Any, armatures: Iterable[str]) -> None:
    """Let an action have what its animation notes of contacts: for one armature, or as Blender writes it, for any."""
    for name, text in extras.items() if isinstance(extras, dict) else ():
        if isinstance(text, str) and name == SUMMARY:
            for armature in armatures:
                bring(action, armature, text)
        elif isinstance(text, str) and name.startswith(f"{SUMMARY}:"):
            bring(action, name.removeprefix(f"{SUMMARY}:"), text)


def _forget_number(owner: Any) -> None:
    if owner.get(_NUMBER) is not None:
        del owner[_NUMBER]
